"""The schemas of host tools, read from ``tool_schemas.json``, and checked arguments."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

from routinglab.core.value import Value
from routinglab.errors import InvalidInput

V = TypeVar("V", bound=Value)

_FILE = Path(__file__).with_name("tool_schemas.json")


def tool_schema(name: str) -> tuple[str, dict[str, Any]]:
    """Description and JSON schema of the tool ``name``, a fresh copy each time."""
    tool = json.loads(_text())[name]
    return tool["description"], tool["schema"]


@cache
def _text() -> str:
    return _FILE.read_text(encoding="utf-8")


def read_arguments(cls: type[V], tool: str, arguments: Mapping[str, Any]) -> V:
    """The arguments of a call as a value; null means not given, as models often write it.

    InvalidInput names the tool, the field and the choices.
    """
    if not isinstance(arguments, Mapping):
        raise InvalidInput("arguments must be an object", where=tool)
    given = {key: value for key, value in arguments.items() if value is not None}
    try:
        return cls.model_validate(given)
    except InvalidInput as error:
        said = str(error).removeprefix(f"{cls.__name__}: ")
        raise InvalidInput(said, where=tool, field=error.field, choices=error.choices) from None
