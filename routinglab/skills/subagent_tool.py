"""The ``subagent`` tool: launch one agent, or several side by side (SPEC 11.3)."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.core.value import Value
from routinglab.skills.store import SkillStore
from routinglab.skills.tools import HostTool


class SubagentCall(Value):
    """One launch that a host's model asked for; None and empty fields were not given.

    ``model`` is a name as written: ``auto``, ``inherit``, an alias or an id. Without a ``task`` a
    self-contained agent's own prompt is the task.
    """

    agent: str
    task: str = ""
    model: str | None = None
    task_needs: TaskNeeds = TaskNeeds()
    model_constraints: ModelConstraints | None = None
    fallback_models: tuple[str, ...] = ()


Launch = Callable[[SubagentCall], Awaitable[str]]


def subagent_tool(store: SkillStore, launch: Launch, *, parallel: int = 8) -> HostTool:
    """The ``subagent`` tool; ``launch`` runs one call and returns the child's final answer."""
    raise NotImplementedError
