"""What a host gives a workflow: how to decide for a stage, and how to run one."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import TypedDict

from routinglab.core.efforts import EFFORTS
from routinglab.core.ids import Candidate, split_id
from routinglab.errors import InvalidInput
from routinglab.routing.decision import Decision
from routinglab.running.attempt import RunResult
from routinglab.workflow.checkpoint import Checkpoint
from routinglab.workflow.definition import Stage
from routinglab.workflow.result import StageResult

Route = Callable[[Stage, str], Awaitable[Decision]]
RunStage = Callable[[Stage, str, Decision | Candidate], Awaitable[StageResult | RunResult | str]]
Resolve = Callable[[Stage], Candidate | None]


class RunOptions(TypedDict, total=False):
    """The options of ``Workflow.run`` that have defaults."""

    inputs: Mapping[str, str] | None
    resume: bool
    limit: int | None
    resolve: Resolve
    redact: Callable[[str], str]
    clock: Callable[[], datetime]
    on_change: Callable[[Checkpoint], None] | None


def concrete_model(stage: Stage) -> Candidate | None:
    """The candidate a stage names as ``provider/id`` or ``provider/id:effort``; None for ``auto``.

    A host with aliases and a default model passes its own function as ``resolve``.
    """
    if stage.model == "auto":
        return None
    if stage.model is None:
        raise InvalidInput(f"stage {stage.id!r} names no model and the host gave no default")
    model, colon, suffix = stage.model.rpartition(":")
    effort = next((e for e in EFFORTS if e == suffix), None)
    if not colon or effort is None:
        model, effort = stage.model, stage.effort
    split_id(model)
    return Candidate.of(model, effort)
