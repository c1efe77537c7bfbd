"""All agent definitions of a project, the home folder and the package (SPEC 11.6)."""

from __future__ import annotations

from pathlib import Path

from routinglab.errors import SkillError
from routinglab.settings import Settings
from routinglab.settings.home import user_home
from routinglab.skills.agent import AgentDefinition
from routinglab.skills.scan import excluded, roots, scan


def load_agents(
    project: str | Path | None = None,
    home: str | Path | None = None,
    settings: Settings | None = None,
) -> dict[str, AgentDefinition]:
    """Agent definitions by name; the first of a name wins: project, then home, then builtin.

    What could not be read as written is in each one's ``skill.warnings``; a file that cannot be
    read at all is left out here and named by ``SkillStore.warnings`` and ``check_skills``.
    """
    options = settings if settings is not None else Settings()
    folder = Path(project).expanduser().absolute() if project is not None else Path.cwd()
    at_home = user_home(home)
    leave_out = excluded(folder, at_home, options)
    agents: dict[str, AgentDefinition] = {}
    for root in roots(folder, at_home, options):
        if root.kind != "agent":
            continue
        for found in scan(root, options.skills.max_depth, leave_out, lambda _: None):
            try:
                agent = AgentDefinition.load(found.path, root.scope)
            except SkillError:
                continue
            if agent.name not in options.skills.disabled:
                agents.setdefault(agent.name, agent)
    return agents
