"""Tools a host may offer its own model: ``run_skill`` and ``read_skill`` (SPEC 11.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import StrictStr

from routinglab.core.value import Value
from routinglab.skills.run import SubagentRunner, read_skill, run_skill
from routinglab.skills.schemas import read_arguments, tool_schema
from routinglab.skills.store import SkillStore


@dataclass(frozen=True, slots=True)
class HostTool:
    """A tool as a host's model is offered it.

    ``schema`` is the JSON schema of its arguments; ``run`` takes them as an object and gives the
    text of the result. Errors of ``run`` are meant to be told to the model.
    """

    name: str
    description: str
    schema: Mapping[str, Any]
    run: Callable[[Mapping[str, Any]], Awaitable[str]]


class _ReadArguments(Value):
    name: StrictStr
    arguments: StrictStr = ""


class _RunArguments(_ReadArguments):
    continue_from: StrictStr | None = None
    fork_from: StrictStr | None = None


def run_skill_tool(store: SkillStore, runner: SubagentRunner | None = None) -> HostTool:
    """The ``run_skill`` tool, its description listing the skills; without a runner, inline ones run."""
    description, schema = tool_schema("run_skill")
    index = store.index()

    async def run(arguments: Mapping[str, Any]) -> str:
        given = read_arguments(_RunArguments, "run_skill", arguments)
        return await run_skill(
            given.name,
            given.arguments,
            store=store,
            runner=runner,
            continue_from=given.continue_from,
            fork_from=given.fork_from,
        )

    return HostTool("run_skill", f"{description}\n\n{index}".strip(), schema, run)


def read_skill_tool(store: SkillStore) -> HostTool:
    """The ``read_skill`` tool: the text of inline skills."""
    description, schema = tool_schema("read_skill")

    async def run(arguments: Mapping[str, Any]) -> str:
        given = read_arguments(_ReadArguments, "read_skill", arguments)
        return read_skill(given.name, given.arguments, store=store)

    return HostTool("read_skill", description, schema, run)
