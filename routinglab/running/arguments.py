"""Tools with a few plain arguments: their JSON schema and the check of what a model sent."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from routinglab.core.text import did_you_mean
from routinglab.errors import ToolError
from routinglab.skills.tools import HostTool

_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a tool; ``least`` bounds a number from below."""

    name: str
    type: Literal["string", "integer", "number", "boolean"]
    about: str
    optional: bool = False
    least: float | None = None

    def schema(self) -> dict[str, Any]:
        """Its JSON schema."""
        bound = {} if self.least is None else {"minimum": self.least}
        return {"type": self.type, "description": self.about, **bound}

    def check(self, tool_name: str, value: Any) -> None:
        """Refuse a value of another type or below the bound."""
        fits = isinstance(value, _TYPES[self.type])
        if fits and isinstance(value, bool) and self.type != "boolean":
            fits = False
        if not fits:
            raise ToolError(f"{tool_name}: {self.name} must be a {self.type}, not {value!r:.60}")
        if self.least is not None and value < self.least:
            raise ToolError(f"{tool_name}: {self.name} must be at least {self.least:g}")


def tool(
    name: str,
    description: str,
    arguments: tuple[Argument, ...],
    run: Callable[[Mapping[str, Any]], Awaitable[str]],
) -> HostTool:
    """A tool that checks its arguments before it runs; null counts as not given."""
    known = {argument.name: argument for argument in arguments}

    async def checked(given: Mapping[str, Any]) -> str:
        for key in given:
            if key not in known:
                raise ToolError(
                    f"{name}: unknown argument {key!r}.{did_you_mean(key, known)} "
                    f"Known: {', '.join(known)}"
                )
        stated = {key: value for key, value in given.items() if value is not None}
        for argument in arguments:
            if argument.name in stated:
                argument.check(name, stated[argument.name])
            elif not argument.optional:
                raise ToolError(f"{name}: {argument.name} is required")
        return await run(stated)

    return HostTool(
        name=name,
        description=description,
        schema={
            "type": "object",
            "properties": {argument.name: argument.schema() for argument in arguments},
            "required": [argument.name for argument in arguments if not argument.optional],
            "additionalProperties": False,
        },
        run=checked,
    )
