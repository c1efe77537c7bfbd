"""What a stage gave, and what a whole run came to."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Self

from routinglab.core.ids import Candidate
from routinglab.core.value import Value
from routinglab.running.attempt import Attempt, RunResult

if TYPE_CHECKING:
    from routinglab.workflow.checkpoint import StageRecord

WorkflowState = Literal["done", "incomplete", "failed", "cancelled"]


class StageResult(Value):
    """A stage's answer, who gave it (``used``) and everything that was tried.

    ``cost`` is USD and ``seconds`` wall time of the run; None where unknown.
    """

    text: str = ""
    used: Candidate | None = None
    attempts: tuple[Attempt, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    transcript: str | None = None

    @classmethod
    def of(cls, result: RunResult) -> Self:
        """The part of a run that a stage keeps."""
        return cls(
            text=result.text,
            used=result.used,
            attempts=result.attempts,
            input_tokens=result.input_tokens,
            output_tokens=result.output_tokens,
            cost=result.cost,
            seconds=result.seconds,
            transcript=result.transcript,
        )

    def redacted(self, redact: Callable[[str], str]) -> Self:
        """The same result with secrets taken out of its text and messages."""
        attempts = tuple(
            attempt.model_copy(update={"message": redact(attempt.message)})
            for attempt in self.attempts
        )
        return self.model_copy(update={"text": redact(self.text), "attempts": attempts})


class WorkflowResult(Value):
    """How a run of a workflow ended, stage by stage in the order of its definition.

    ``done``: every stage has an answer. ``incomplete``: it went to the end past stages that failed
    or were skipped. ``failed``: a failing stage stopped it. ``cancelled``: a stage was cancelled.
    """

    state: WorkflowState
    stages: tuple[StageRecord, ...]
    checkpoint: Path | None = None

    @property
    def ok(self) -> bool:
        """Whether every stage has an answer."""
        return self.state == "done"

    @property
    def text(self) -> str:
        """The answer of the last stage that has one."""
        answers = [record.result.text for record in self.stages if record.result is not None]
        return answers[-1] if answers else ""

    def stage(self, stage_id: str) -> StageRecord | None:
        """The record of a stage; None when it was not reached."""
        return next((record for record in self.stages if record.id == stage_id), None)
