"""Where skills are found, and which one a name means (SPEC 11.2)."""

from __future__ import annotations

from pathlib import Path

from routinglab.settings import Settings
from routinglab.skills.skill import Skill


class SkillStore:
    """Every skill of a project, its custom paths, the home folder and the package, by name.

    The first of a name wins, in that order. Agent definitions are found too, as subagents.
    ``warnings`` says what could not be read as written, each with file and line.
    """

    def __init__(
        self,
        project: str | Path | None = None,
        home: str | Path | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.skills: tuple[Skill, ...] = ()
        self.warnings: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(skill.name for skill in self.skills)

    def find(self, name: str) -> Skill | None:
        """The skill of that name, None where there is none."""
        raise NotImplementedError

    def get(self, name: str) -> Skill:
        """The skill of that name; a tag copied with it is forgiven, an unknown one an error."""
        raise NotImplementedError

    def index(self) -> str:
        """One line a skill, for a host's prompt."""
        raise NotImplementedError

    def reload(self) -> None:
        """Scan again."""
