"""The builtin subagents as tools of their own (SPEC 11.5)."""

from __future__ import annotations

from routinglab.skills.profile import ProfileResolver
from routinglab.skills.run import SubagentRunner
from routinglab.skills.store import SkillStore
from routinglab.skills.tools import HostTool

BUILTIN_SUBAGENTS = ("explore", "research", "review", "security_review")


def builtin_subagent_tools(
    store: SkillStore,
    runner: SubagentRunner | None,
    profile_resolver: ProfileResolver | None = None,
) -> list[HostTool]:
    """One tool for each builtin subagent that the store has."""
    raise NotImplementedError
