"""Where skills are found, and which one a name means (SPEC 11.2)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from routinglab.core.text import did_you_mean
from routinglab.errors import SkillError
from routinglab.settings import Settings
from routinglab.settings.home import user_home
from routinglab.skills.decode import clean
from routinglab.skills.parse import load_skill
from routinglab.skills.scan import Found, excluded, roots, scan
from routinglab.skills.skill import Skill

#: Characters of a description that an index line shows.
INDEX_LINE = 500

_TAG = re.compile(r"\s*\[[^\[\]]*\]\s*$")


@dataclass(frozen=True, slots=True)
class Hidden:
    """A skill that is not offered, because ``by`` has its name or settings disable it (None)."""

    skill: Skill
    by: Skill | None


class SkillStore:
    """Every skill of a project, its custom paths, the home folder and the package, by name.

    The first of a name wins, in that order. Agent definitions are found too, as subagents.
    ``project`` is the folder that holds ``.routinglab`` (default: the working directory), ``home``
    the user's (default: ``ROUTINGLAB_HOME``, else the home directory). ``skills`` keeps the order
    of the scan, ``hidden`` what a name or a setting leaves out, and ``warnings`` what could not be
    read as written, with file and line. A file that cannot be read costs no other skill.
    """

    def __init__(
        self,
        project: str | Path | None = None,
        home: str | Path | None = None,
        settings: Settings | None = None,
    ) -> None:
        self.project = Path(project).expanduser().absolute() if project is not None else Path.cwd()
        self.home = user_home(home)
        self.settings = settings if settings is not None else Settings()
        self.reload()

    def reload(self) -> None:
        """Scan again."""
        self._by_name: dict[str, Skill] = {}
        self.hidden: tuple[Hidden, ...] = ()
        notes: list[str] = []
        for skill in self._scan(notes):
            notes += skill.warnings
            if skill.name in self.settings.skills.disabled:
                self.hidden += (Hidden(skill, None),)
            elif (first := self._by_name.get(skill.name)) is not None:
                self.hidden += (Hidden(skill, first),)
                if (skill.scope, skill.kind) == (first.scope, first.kind):
                    notes.append(f"{skill.path}:1: {skill.name!r} is already named by {first.path}")
            else:
                self._by_name[skill.name] = skill
        self.warnings: tuple[str, ...] = tuple(dict.fromkeys(map(clean, notes)))

    def _scan(self, notes: list[str]) -> list[Skill]:
        leave_out = excluded(self.project, self.home, self.settings)
        depth = self.settings.skills.max_depth
        skills: list[Skill] = []
        for root in roots(self.project, self.home, self.settings):
            if root.scope == "custom" and not root.path.exists():
                notes.append(f"{root.path}: is listed under skills.paths and does not exist")
            for found in scan(root, depth, leave_out, notes.append):
                try:
                    skill = _load(found)
                except SkillError as error:
                    notes.append(str(error))
                else:
                    if not _is_readme(skill):
                        skills.append(skill)
        return skills

    @property
    def skills(self) -> tuple[Skill, ...]:
        return tuple(self._by_name.values())

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)

    def find(self, name: str) -> Skill | None:
        """The skill of that name, None where there is none; a tag copied with it is forgiven."""
        asked = " ".join(name.split())
        return self._by_name.get(asked) or self._by_name.get(_TAG.sub("", asked))

    def get(self, name: str) -> Skill:
        """Like :meth:`find`, but an unknown name is a SkillError that lists what exists."""
        skill = self.find(name)
        if skill is not None:
            return skill
        asked = _TAG.sub("", " ".join(name.split()))
        if any(hidden.by is None and hidden.skill.name == asked for hidden in self.hidden):
            raise SkillError(f"skill {asked!r} is disabled under skills.disabled in the settings")
        known = ", ".join(sorted(self.names)) or "none"
        raise SkillError(
            f"no skill is named {asked!r}.{did_you_mean(asked, self.names)} Skills: {known}"
        )

    def index(self) -> str:
        """The skills a host's model may pick from, one line each, in name order.

        Manual skills and those without a description are left out. Empty where none remain.
        """
        offered = sorted(
            (s for s in self.skills if s.invocation == "auto" and s.description),
            key=lambda skill: skill.name,
        )
        return "\n".join(f"- {skill.label}: {_line(skill.description)}" for skill in offered)


def _load(found: Found) -> Skill:
    root = found.root
    return load_skill(found.path, scope=root.scope, kind=root.kind, name=found.name)


def _is_readme(skill: Skill) -> bool:
    """A folder's README is a page about skills and none itself, unless it says otherwise."""
    named = skill.path is not None and skill.path.stem.lower() == "readme"
    return named and not skill.description


def _line(text: str) -> str:
    one = " ".join(text.split())
    return one if len(one) <= INDEX_LINE else one[: INDEX_LINE - 1] + "…"
