"""Prompts that quote what earlier stages answered.

``{{plan}}`` or ``{{plan.text}}`` is the answer of stage ``plan``, ``{{plan.model}}`` the model that
gave it, and ``{{input.topic}}`` an input of the run. A backslash before the braces (``\\{{plan}}``)
keeps them as they are. Nothing is evaluated, and what is put in is not looked through again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

INPUT = "input"
STAGE_FIELDS = ("text", "model")

_REFERENCE = re.compile(
    r"(?P<escape>\\)?\{\{\s*(?P<name>[A-Za-z][\w-]*)(?:\.(?P<field>[A-Za-z_][\w-]*))?\s*\}\}"
)


@dataclass(frozen=True, slots=True)
class Reference:
    """What a prompt asks for: a field of a stage's result, or an input by name."""

    name: str
    field: str

    @property
    def is_input(self) -> bool:
        """Whether it names an input of the run."""
        return self.name == INPUT

    def __str__(self) -> str:
        return f"{{{{{self.name}.{self.field}}}}}" if self.field else f"{{{{{self.name}}}}}"


def references(prompt: str) -> Iterator[Reference]:
    """Every reference in ``prompt``, in order, repeated ones included."""
    for match in _REFERENCE.finditer(prompt):
        if not match["escape"]:
            yield _reference(match)


def fill(prompt: str, look_up: Callable[[Reference], str]) -> str:
    """``prompt`` with every reference replaced by what ``look_up`` gives for it."""
    return _REFERENCE.sub(
        lambda match: match[0][1:] if match["escape"] else look_up(_reference(match)), prompt
    )


def _reference(match: re.Match[str]) -> Reference:
    default = "" if match["name"] == INPUT else STAGE_FIELDS[0]
    return Reference(match["name"], match["field"] or default)
