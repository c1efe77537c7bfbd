"""The schemas of host tools, read from ``tool_schemas.json``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def tool_schema(name: str) -> tuple[str, dict[str, Any]]:
    """Description and JSON schema of the tool ``name``."""
    raise NotImplementedError


def arguments_of(name: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a call, checked."""
    raise NotImplementedError
