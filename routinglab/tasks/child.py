"""One child: its state while it lives, and the handle it is given."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from routinglab.errors import InvalidInput
from routinglab.tasks.model import SETTLED, Activity, TaskRecord, TaskState
from routinglab.tasks.outcome import Outcome
from routinglab.tasks.previews import ActivityLog

#: What a host launches: it gets the handle and returns the child's result.
Launch = Callable[["TaskHandle"], Awaitable[Any]]


class Child:
    """The supervisor's side of a task. ``record`` and ``activity`` are what others may see."""

    def __init__(self, record: TaskRecord, activity: Activity | None = None) -> None:
        self.log = ActivityLog()
        self.value: Any = None
        self.has_value = False
        self.waits = 0
        self.job: asyncio.Task[Any] | None = None
        self.ended = asyncio.Event()
        self._record = record
        self._kept = activity

    @property
    def record(self) -> TaskRecord:
        """The task as it stands."""
        return self._record

    @property
    def activity(self) -> Activity:
        """The latest reports."""
        return self.log.view() if self._kept is None else self._kept

    @property
    def settled(self) -> bool:
        """Whether it has ended."""
        return self._record.state in SETTLED

    def change(self, **fields: Any) -> None:
        """Replace fields of the record; a settled one takes none."""
        if not self.settled:
            self._record = self._record.model_copy(update=fields)

    def move(self, state: TaskState, **fields: Any) -> None:
        """Go to another state."""
        self.change(state=state, **fields)

    def settle(self, outcome: Outcome, at: datetime | None, revision: int) -> None:
        """End the task for good."""
        self.change(
            state=outcome.state,
            ended=at,
            result=outcome.result,
            result_cut=outcome.result_cut,
            error=outcome.error,
            transcript=outcome.transcript or self._record.transcript,
            revision=revision,
        )
        self._kept = self.activity
        self.ended.set()


class TaskHandle:
    """What a running child may say about itself. Safe to use from any thread."""

    def __init__(
        self,
        task_id: str,
        label: str,
        loop: asyncio.AbstractEventLoop,
        report: Callable[[str, str], None],
        transcript: Callable[[str], None],
    ) -> None:
        self.task_id = task_id
        self.label = label
        self._loop = loop
        self._thread = threading.get_ident()
        self._report = report
        self._transcript = transcript

    def report(self, text: str, *, kind: str = "note") -> None:
        """Show what the child is doing: one line of activity, of which the latest are kept.

        Secrets are redacted, long text is cut and says so; after the task has settled nothing
        changes any more.
        """
        if not isinstance(text, str) or not isinstance(kind, str):
            raise InvalidInput("a report takes text and a kind, both str", where="report")
        self._call(self._report, text, kind)

    def keeps_transcript(self, reference: str) -> None:
        """Name the transcript in which the child's full text is kept."""
        self._call(self._transcript, reference)

    def _call(self, function: Callable[..., None], *arguments: str) -> None:
        if threading.get_ident() == self._thread:
            function(*arguments)
            return
        with contextlib.suppress(RuntimeError):  # the loop has ended, and the task with it
            self._loop.call_soon_threadsafe(function, *arguments)
