"""Agent definitions as files: load, change, save without losing anything (SPEC 11.6)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from routinglab.skills.skill import Scope, Skill


@dataclass(frozen=True, slots=True)
class AgentDefinition:
    """One agent file: its parsed fields in ``skill`` and its text as it stands in ``text``."""

    skill: Skill
    text: str
    encoding: str = "utf-8"

    @classmethod
    def load(cls, path: str | Path, scope: Scope = "project") -> Self:
        """Read a definition; a file that cannot be read at all is a ``SkillError``."""
        raise NotImplementedError

    def changed(self, **fields: Any) -> Self:
        """The definition with fields set (Python names); None takes a field out."""
        raise NotImplementedError

    def save(self, path: str | Path | None = None) -> Path:
        """Write it back, atomically; only lines of changed fields differ."""
        raise NotImplementedError
