"""routinglab: choose a model for a task from evidence, run it, and look back at the choice.

Public names load on first use, so that importing the package stays cheap.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "AgentBrief": "core.agent",
    "Attempt": "running.attempt",
    "Candidate": "core.ids",
    "Catalog": "catalog.model",
    "Decision": "routing.decision",
    "Evals": "evals.evals",
    "Model": "catalog.model",
    "ModelConstraints": "core.constraints",
    "Option": "routing.decision",
    "OwnerTaskStore": "tasks.store",
    "Recording": "lab.recording",
    "Replay": "lab.replay",
    "Router": "routing.router",
    "RunResult": "running.attempt",
    "Runner": "running.runner",
    "Skill": "skills.skill",
    "SkillStore": "skills.store",
    "TaskNeeds": "core.needs",
    "TaskSupervisor": "tasks.supervisor",
    "Workflow": "workflow",
    "bind_owner_task_store": "tasks.store",
    "build_evals": "evals.build",
    "classify_failure": "providers.failures",
    "describe": "routing.describe",
    "effort_for": "core.efforts",
    "eligible": "core.constraints",
    "load_catalog": "catalog.files",
    "load_evals": "evals.evals",
    "load_recording": "lab.recording",
    "load_settings": "settings",
    "model_tokens": "evals.identity",
    "rank": "routing.ranking",
    "replay": "lab.replay",
    "run_skill": "skills.run",
    "shortlist": "routing.shortlist",
}
_MODULES = ("errors", "metrics")

__all__ = sorted([*_HOME, *_MODULES, "__version__"])


def __getattr__(name: str) -> Any:
    if name in _HOME:
        value = getattr(import_module(f"routinglab.{_HOME[name]}"), name)
    elif name == "metrics":
        value = import_module("routinglab.lab.metrics")
    elif name == "errors":
        value = import_module("routinglab.errors")
    else:
        raise AttributeError(f"module 'routinglab' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
