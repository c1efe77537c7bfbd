"""The tools one child gets: what its definition asks for, within what the host allows."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from routinglab.core.text import did_you_mean
from routinglab.errors import RoutingLabError, ToolError
from routinglab.providers.chat import ToolCall, ToolSpec
from routinglab.running.bounded import bounded
from routinglab.settings.model import ToolPermissions
from routinglab.skills.tools import HostTool

#: What may stand in the parentheses behind a name without limiting anything.
_NO_LIMIT = ("", "*", "*:*", "**")

#: What a child has when its definition names no tools.
DEFAULT_TOOLS = ("read", "search", "find", "ls")

#: Which permission a tool of this project needs; the others need none.
PERMISSION = {"write": "write", "edit": "write", "bash": "shell", "fetch": "fetch"}

#: Names that skills written for other hosts use for the same tools.
SYNONYMS = {
    "grep": "search", "glob": "find", "list": "ls", "multiedit": "edit", "shell": "bash",
    "webfetch": "fetch", "web_fetch": "fetch", "view": "read", "task": "subagent",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What the model is told about one call."""

    text: str
    is_error: bool = False


class Toolbox:
    """The tools of one child by name, and the notes about those it asked for and did not get."""

    def __init__(self, tools: Iterable[HostTool], notes: Iterable[str] = ()) -> None:
        self._tools = {tool.name: tool for tool in tools}
        self.notes = tuple(notes)
        #: The tools as a request offers them, and about how many bytes they are of it.
        self.specs = tuple(ToolSpec(t.name, t.description, t.schema) for t in self._tools.values())
        self.bytes = sum(len(json.dumps([s.description, s.schema])) for s in self.specs)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._tools)

    async def call(self, call: ToolCall) -> ToolResult:
        """Run one call. A failure is told, not raised; only a cancellation passes through."""
        tool = self._tools.get(call.name)
        if tool is None:
            offered = ", ".join(self._tools) or "none"
            hint = did_you_mean(call.name, self._tools)
            return ToolResult(f"there is no tool {call.name!r}.{hint} Tools: {offered}", True)
        try:
            arguments = json.loads(call.arguments or "{}")
        except ValueError as error:
            return ToolResult(f"the arguments are not valid JSON ({error}); send them again", True)
        if not isinstance(arguments, Mapping):
            return ToolResult("the arguments must be one JSON object; send them again", True)
        try:
            return ToolResult(bounded(str(await tool.run(arguments))))
        except RoutingLabError as error:
            return ToolResult(bounded(str(error)), True)
        except Exception as error:  # whatever a host's tool raises is the model's to handle
            return ToolResult(bounded(f"{type(error).__name__}: {error}"), True)


def choose_tools(
    wanted: tuple[str, ...] | None,
    offered: Iterable[HostTool],
    permissions: ToolPermissions,
    *,
    own: Iterable[HostTool] = (),
    withheld: Mapping[str, str] = MappingProxyType({}),
) -> Toolbox:
    """The toolbox for a definition's ``tools``: None means the read-only ones, ``()`` none.

    Names are compared without case, so that ``Read`` and ``Grep`` of other hosts are understood.
    Nothing that the host does not allow is ever offered. A name with a limit of its own, such as
    ``Bash(git:*)``, is left out: the limit cannot be kept here, and the whole tool is more than was
    asked for. Each tool that is left out has a note.

    ``own`` are the host's: they need no permission and come before one of the same name.
    ``withheld`` says why some names are not offered here.
    """
    known = {tool.name: tool for tool in (*offered, *own)}
    free = {tool.name for tool in own}
    by_lower = {name.lower(): name for name in known}
    chosen: dict[str, HostTool] = {}
    notes = []
    for written in DEFAULT_TOOLS if wanted is None else wanted:
        plain, _, limit = written.strip().lower().partition("(")
        plain = plain.strip()
        name = by_lower.get(plain) or by_lower.get(SYNONYMS.get(plain, ""), "")
        needed = PERMISSION.get(name or SYNONYMS.get(plain, plain))
        if needed is not None and name not in free and not getattr(permissions, needed):
            notes.append(f"tool {written!r} is not allowed here (settings: tools.{needed})")
        elif not name:
            if wanted is not None:
                reason = withheld.get(SYNONYMS.get(plain, plain), "does not exist here")
                notes.append(f"tool {written!r} {reason}")
        elif limit.rstrip(") ") not in _NO_LIMIT:
            notes.append(
                f"tool {written!r} is left out: its limit cannot be kept here, and {name} without "
                "it would be more than was asked for"
            )
        else:
            chosen.setdefault(name, known[name])
    return Toolbox(chosen.values(), notes)


def python_tool(function: Callable[..., object], *, description: str | None = None) -> HostTool:
    """A plain or async Python function as a tool; its signature and docstring describe it.

    Every parameter needs an annotation. Arguments are validated before the function is called.
    """
    import asyncio
    import inspect

    from pydantic import ConfigDict, ValidationError, create_model

    fields: dict[str, tuple[object, object]] = {}
    hints = inspect.get_annotations(function, eval_str=True)
    for name, parameter in inspect.signature(function).parameters.items():
        if name not in hints or parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ToolError(f"{function.__name__}: parameter {name!r} needs an annotation")
        default = ... if parameter.default is parameter.empty else parameter.default
        fields[name] = (hints[name], default)
    model = create_model(function.__name__, __config__=ConfigDict(extra="forbid"), **fields)  # type: ignore[call-overload]

    async def run(arguments: Mapping[str, object]) -> str:
        try:
            checked = model.model_validate(dict(arguments))
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in first["loc"])
            raise ToolError(f"{function.__name__}: {where}: {first['msg']}") from None
        given = {name: getattr(checked, name) for name in fields}
        if inspect.iscoroutinefunction(function):
            return str(await function(**given))
        return str(await asyncio.to_thread(function, **given))

    text = description or inspect.getdoc(function) or function.__name__
    return HostTool(function.__name__, text, model.model_json_schema(), run)
