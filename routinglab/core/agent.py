"""What routing knows of the agent a task is meant for."""

from __future__ import annotations

from dataclasses import dataclass, field

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds


@dataclass(frozen=True, slots=True)
class AgentBrief:
    """An agent or skill as the router sees it; skills and agent definitions give one.

    ``prompt`` is its system prompt, which is read only where there is no task. ``constraints`` are
    all restrictions on it (its definition's, a settings override's): each one holds. ``builtin`` is
    for agents that ship with the package: a legacy ``thinking`` in an override of one of these
    restricts its ranking, while definitions a user wrote keep it as a mere default.
    """

    name: str
    description: str = ""
    prompt: str = ""
    needs: TaskNeeds = field(default_factory=TaskNeeds)
    constraints: tuple[ModelConstraints, ...] = ()
    builtin: bool = False
