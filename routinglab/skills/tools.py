"""Tools a host may offer its own model: ``run_skill`` and ``read_skill`` (SPEC 11.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from routinglab.skills.run import SubagentRunner, read_skill, run_skill
from routinglab.skills.schemas import arguments_of, tool_schema
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


def run_skill_tool(store: SkillStore, runner: SubagentRunner | None = None) -> HostTool:
    """The ``run_skill`` tool; without a runner it runs inline skills only."""
    description, schema = tool_schema("run_skill")

    async def run(arguments: Mapping[str, Any]) -> str:
        given = arguments_of("run_skill", arguments)
        return await run_skill(
            given["name"],
            given.get("arguments") or "",
            store=store,
            runner=runner,
            continue_from=given.get("continue_from"),
            fork_from=given.get("fork_from"),
        )

    return HostTool("run_skill", _with_index(description, store), schema, run)


def read_skill_tool(store: SkillStore) -> HostTool:
    """The ``read_skill`` tool: the text of inline skills."""
    description, schema = tool_schema("read_skill")

    async def run(arguments: Mapping[str, Any]) -> str:
        given = arguments_of("read_skill", arguments)
        return read_skill(given["name"], given.get("arguments") or "", store=store)

    return HostTool("read_skill", description, schema, run)


def _with_index(description: str, store: SkillStore) -> str:
    index = store.index()
    return f"{description}\n\n{index}" if index else description
