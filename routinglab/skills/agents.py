"""All agent definitions of a project, the home folder and the package (SPEC 11.6)."""

from __future__ import annotations

from pathlib import Path

from routinglab.settings import Settings
from routinglab.skills.agent import AgentDefinition


def load_agents(
    project: str | Path | None = None,
    home: str | Path | None = None,
    settings: Settings | None = None,
) -> dict[str, AgentDefinition]:
    """Agent definitions by name; the first of a name wins: project, then home, then builtin."""
    raise NotImplementedError
