"""What is known of a child task, as values a view, a file or a page may hold."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field, StrictStr

from routinglab.core.value import Value

TaskState = Literal["waiting", "running", "cancelling", "done", "failed", "cancelled", "lost"]

#: The states a task never leaves.
SETTLED: frozenset[str] = frozenset({"done", "failed", "cancelled", "lost"})

OwnerId = Annotated[str, Field(strict=True, min_length=1, max_length=200)]
Count = Annotated[int, Field(strict=True, ge=0)]


class OwnerLease(Value):
    """The right to launch and watch one owner's tasks.

    ``generation`` counts how often the owner was opened. Only the newest generation is current; it
    sees all tasks of its owner, earlier ones included.
    """

    owner: OwnerId
    generation: Annotated[int, Field(strict=True, ge=1)]


class Cursor(Value):
    """How far a view has seen its owner's tasks: ``revision`` grows with every change."""

    owner: OwnerId
    generation: Annotated[int, Field(strict=True, ge=1)]
    revision: Count = 0

    @property
    def lease(self) -> OwnerLease:
        """The lease the cursor was read under."""
        return OwnerLease(owner=self.owner, generation=self.generation)


class Report(Value):
    """One line of activity; ``cut`` says that the text was longer than what is kept."""

    number: Count
    at: datetime
    kind: str = "note"
    text: str
    cut: bool = False


class Activity(Value):
    """The latest reports of one task, oldest first.

    A bounded preview, never a transcript: ``total`` counts everything that was reported and
    ``omitted`` what is no longer here.
    """

    reports: tuple[Report, ...] = ()
    total: Count = 0

    @property
    def omitted(self) -> int:
        """How many earlier reports are not kept."""
        return self.total - len(self.reports)

    @property
    def omission(self) -> str | None:
        """The label to show where reports are missing, or None when all are here."""
        if not self.omitted:
            return None
        return f"{self.omitted:,} earlier {'report' if self.omitted == 1 else 'reports'} omitted"


class TaskRecord(Value):
    """One task as it stands.

    ``label`` is as it was asked for (``labels.display_labels`` makes labels distinct), ``key`` the
    launch it belongs to. ``result`` is the start of the final answer (None when the child gave no
    text), ``error`` why it did not succeed, and ``transcript`` the reference of its full text where
    a child kept one. ``revision`` is the owner's revision at the last change.
    """

    id: Annotated[StrictStr, Field(pattern=r"^[0-9a-z]{6,64}$")]
    label: str
    state: TaskState
    background: bool = False
    key: str | None = None
    generation: Annotated[int, Field(strict=True, ge=1)]
    admitted: datetime
    started: datetime | None = None
    ended: datetime | None = None
    result: str | None = None
    result_cut: bool = False
    error: str | None = None
    transcript: str | None = None
    revision: Count = 0

    @property
    def settled(self) -> bool:
        """Whether the task has ended; a settled record never changes."""
        return self.state in SETTLED

    def seconds(self, now: datetime) -> float | None:
        """How long it ran, or has run by ``now``; None when it never started or was lost."""
        if self.started is None or (self.settled and self.ended is None):
            return None
        return max(0.0, ((self.ended or now) - self.started).total_seconds())


class Snapshot(Value):
    """An owner's tasks at one cursor, in the order they were admitted.

    ``partial`` marks a delta that holds only what changed after an earlier cursor; ``forgotten``
    counts settled tasks that retention has dropped.
    """

    cursor: Cursor
    tasks: tuple[TaskRecord, ...] = ()
    partial: bool = False
    forgotten: Count = 0


Refusal = Literal[
    "unknown_owner", "other_owner", "other_generation", "closed", "cursor_ahead", "disposed"
]


class Connection(Value):
    """The answer to ``connect()``: ``ok``, or why not and what to do."""

    ok: bool
    reason: Refusal | None = None
    message: str = ""
    cursor: Cursor | None = None
    resumed: bool = False
