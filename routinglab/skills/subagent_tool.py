"""The ``subagent`` tool: launch one agent, or several side by side (SPEC 11.3)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import Annotated, Any

from pydantic import BeforeValidator, Field, StrictStr

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.core.value import Value, blank_is_none, comma_list
from routinglab.errors import InvalidInput, RoutingLabError, SkillError
from routinglab.skills.schemas import read_arguments, tool_schema
from routinglab.skills.skill import Skill
from routinglab.skills.store import SkillStore
from routinglab.skills.tools import HostTool


def _unstated(default: object) -> Callable[[object], object]:
    """Null as the value of a field that was left out."""
    return lambda value: default if value is None else value


class SubagentCall(Value):
    """One launch that a host's model asked for; None and empty fields were not given.

    ``model`` is a name as written: ``auto``, ``inherit``, an alias or an id. Without a ``task`` a
    self-contained agent's own prompt is the task.
    """

    agent: Annotated[StrictStr, Field(min_length=1)]
    task: Annotated[StrictStr, BeforeValidator(_unstated(""))] = ""
    model: Annotated[StrictStr | None, BeforeValidator(blank_is_none)] = None
    task_needs: Annotated[TaskNeeds, BeforeValidator(_unstated(TaskNeeds()))] = TaskNeeds()
    model_constraints: ModelConstraints | None = None
    fallback_models: Annotated[
        tuple[StrictStr, ...], BeforeValidator(_unstated(())), BeforeValidator(comma_list)
    ] = ()


class _Calls(Value):
    tasks: Annotated[tuple[SubagentCall, ...], Field(min_length=1)]


Launch = Callable[[SubagentCall], Awaitable[str]]


def subagent_tool(store: SkillStore, launch: Launch, *, parallel: int = 8) -> HostTool:
    """The ``subagent`` tool; ``launch`` runs one call and returns the child's final answer.

    All of a call's arguments are checked before anything starts. Of ``tasks`` at most ``parallel``
    run at once; each stands by itself, so one that fails or is cancelled is told as such and leaves the others
    alone, and the answers keep the order asked.
    """
    if parallel < 1:
        raise InvalidInput(f"parallel must be at least 1, not {parallel}", where="subagent_tool")

    async def run(arguments: Mapping[str, Any]) -> str:
        calls, several = _calls(arguments)
        if not several:
            return await _launch(calls[0], store, launch)
        gate = asyncio.Semaphore(parallel)

        async def one(call: SubagentCall) -> str:
            async with gate:
                return await _launch(call, store, launch)

        results = await asyncio.gather(*map(one, calls), return_exceptions=True)
        parts = [
            _told(number, call, result)
            for number, (call, result) in enumerate(zip(calls, results, strict=True), 1)
        ]
        return "\n\n".join(parts)

    return HostTool("subagent", _description(store), _schema(), run)


async def _launch(call: SubagentCall, store: SkillStore, launch: Launch) -> str:
    skill = store.get(call.agent)
    if not skill.is_subagent:
        raise SkillError(
            f"subagent: {skill.name!r} is an inline skill and no agent; use run_skill for it"
        )
    return await launch(call.model_copy(update={"agent": skill.name}))


def _calls(arguments: Mapping[str, Any]) -> tuple[tuple[SubagentCall, ...], bool]:
    if not isinstance(arguments, Mapping) or arguments.get("tasks") is None:
        return (read_arguments(SubagentCall, "subagent", arguments),), False
    if others := [key for key, value in arguments.items() if key != "tasks" and value is not None]:
        raise InvalidInput(
            f"tasks stands alone; put {', '.join(sorted(others))} into its entries",
            where="subagent",
            field="tasks",
        )
    return read_arguments(_Calls, "subagent", arguments).tasks, True


def _told(number: int, call: SubagentCall, result: str | BaseException) -> str:
    head = f"[{number}] {call.agent}"
    if isinstance(result, str):
        return f"{head}: done\n{result}"
    if isinstance(result, asyncio.CancelledError):
        return f"{head}: cancelled"
    if isinstance(result, RoutingLabError):
        return f"{head}: failed\n{result}"
    if isinstance(result, Exception):
        # a foreign message may quote anything, a key included
        return f"{head}: failed\n{type(result).__name__}"
    raise result


def _description(store: SkillStore) -> str:
    agents = sorted(
        (s for s in store.skills if s.is_subagent and s.invocation == "auto"), key=_name
    )
    lines = [
        f"- {s.name}: {' '.join(s.description.split())[:300]}" for s in agents if s.description
    ]
    return "\n".join((tool_schema("subagent")[0], "", "Agents:", *lines)).strip()


def _name(skill: Skill) -> str:
    return skill.name


def _schema() -> dict[str, Any]:
    """The call's schema, with ``tasks`` as a list of the same."""
    schema = tool_schema("subagent")[1]
    one = tool_schema("subagent")[1] | {"required": ["agent"]}
    schema["properties"]["tasks"] = {
        "type": "array",
        "minItems": 1,
        "items": one,
        "description": "Several launches side by side, each with its own choice of model. Stands alone: no other field beside it.",
    }
    return schema
