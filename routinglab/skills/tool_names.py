"""Names of a child's tools as other tools write them."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

_FILE = Path(__file__).with_name("tool_names.toml")


def tool_name(written: str) -> str:
    """Our name for a tool: ``Grep`` is ``search``; an unknown name stays as it is written.

    ``Bash(git:*)`` allows less than ``bash``, which this package cannot enforce, so a name with a
    limit in parentheses stays as it is too and matches no tool.
    """
    return _names().get(written.strip().lower(), written.strip())


def tool_names(written: Iterable[str]) -> tuple[str, ...]:
    """Our names for several tools, in order, each once."""
    return tuple(dict.fromkeys(map(tool_name, written)))


@cache
def _names() -> dict[str, str]:
    table: dict[str, list[str]] = tomllib.loads(_FILE.read_text(encoding="utf-8"))
    return {theirs: ours for ours, names in table.items() for theirs in names}
