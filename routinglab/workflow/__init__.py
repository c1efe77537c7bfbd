"""Workflows: stages that are routed one by one, with a checkpoint after each (SPEC 12.2)."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from routinglab.workflow.checkpoint import Checkpoint, StageRecord, read_checkpoint
    from routinglab.workflow.definition import Stage, Workflow
    from routinglab.workflow.load import load_workflow
    from routinglab.workflow.result import StageResult, WorkflowResult
    from routinglab.workflow.runner_host import RunnerHost
    from routinglab.workflow.view import WorkflowView

_HOME = {
    "Checkpoint": "checkpoint",
    "RunnerHost": "runner_host",
    "Stage": "definition",
    "StageRecord": "checkpoint",
    "StageResult": "result",
    "Workflow": "definition",
    "WorkflowResult": "result",
    "WorkflowView": "view",
    "load_workflow": "load",
    "read_checkpoint": "checkpoint",
}

__all__ = [
    "Checkpoint",
    "RunnerHost",
    "Stage",
    "StageRecord",
    "StageResult",
    "Workflow",
    "WorkflowResult",
    "WorkflowView",
    "load_workflow",
    "read_checkpoint",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'routinglab.workflow' has no attribute {name!r}")
    value = getattr(import_module(f"routinglab.workflow.{_HOME[name]}"), name)
    globals()[name] = value
    return value
