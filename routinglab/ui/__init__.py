"""Widgets for notebooks: pickers, a launch panel, a task panel, a view of a workflow (SPEC 14.2).

Importing this loads no widget library; the names load on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from routinglab.ui.demo import EXAMPLES, demo_runner
    from routinglab.ui.launch import LaunchPanel
    from routinglab.ui.picker import ConstraintPicker
    from routinglab.ui.task_panel import TaskPanel
    from routinglab.ui.workflow import WorkflowView

_HOME = {
    "EXAMPLES": "demo",
    "ConstraintPicker": "picker",
    "LaunchPanel": "launch",
    "TaskPanel": "task_panel",
    "WorkflowView": "workflow",
    "demo_runner": "demo",
}

__all__ = [
    "EXAMPLES",
    "ConstraintPicker",
    "LaunchPanel",
    "TaskPanel",
    "WorkflowView",
    "demo_runner",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'routinglab.ui' has no attribute {name!r}")
    value = getattr(import_module(f"routinglab.ui.{_HOME[name]}"), name)
    globals()[name] = value
    return value
