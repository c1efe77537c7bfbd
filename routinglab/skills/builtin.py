"""The builtin subagents as tools of their own (SPEC 11.5)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import StrictStr

from routinglab.core.value import Value
from routinglab.errors import SkillError
from routinglab.skills.profile import ProfileResolver, with_profile
from routinglab.skills.run import RunOptions, SubagentRunner, start
from routinglab.skills.schemas import read_arguments, tool_schema
from routinglab.skills.store import SkillStore
from routinglab.skills.tools import HostTool

BUILTIN_SUBAGENTS = ("explore", "research", "review", "security_review")


class _TaskArguments(Value):
    task: StrictStr = ""
    continue_from: StrictStr | None = None
    fork_from: StrictStr | None = None


def builtin_subagent_tools(
    store: SkillStore,
    runner: SubagentRunner | None,
    profile_resolver: ProfileResolver | None = None,
) -> list[HostTool]:
    """One tool for each builtin subagent the store has; a missing or disabled one makes none.

    A tool runs whatever skill has the name when it is called, so an override is honoured; one
    overridden as inline is a SkillError that points at ``run_skill``. The runner gets the skill of the store,
    fields it leaves empty filled by ``profile_resolver``.
    """
    return [
        _tool(name, store, runner, profile_resolver)
        for name in BUILTIN_SUBAGENTS
        if store.find(name) is not None
    ]


def _tool(
    name: str, store: SkillStore, runner: SubagentRunner | None, resolver: ProfileResolver | None
) -> HostTool:
    async def run(arguments: Mapping[str, Any]) -> str:
        given = read_arguments(_TaskArguments, name, arguments)
        skill = store.get(name)
        if not skill.is_subagent:
            raise SkillError(
                f"{name}: the skill of this name at {skill.path} is inline and no subagent; "
                f"use run_skill with name {name!r}"
            )
        options = RunOptions(continue_from=given.continue_from, fork_from=given.fork_from)
        return await start(with_profile(skill, resolver), given.task, runner, options, tool=name)

    return HostTool(name, store.get(name).description, tool_schema("builtin")[1], run)
