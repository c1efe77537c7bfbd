"""Rows of a task panel, ready to show; the panel itself only lays them out."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from routinglab.tasks.model import Activity, TaskRecord
from routinglab.tasks.notices import duration_text
from routinglab.tasks.status import Status, status_of
from routinglab.tasks.store import OwnerTaskStore

#: Lines of activity that a row shows; the rest counts as omitted.
ROW_LINES = 5


@dataclass(frozen=True, slots=True)
class TaskRow:
    """One task in a panel. ``activity`` is a preview, newest last, and ``omission`` what it lacks."""

    task_id: str
    label: str
    state: str
    background: bool
    seconds: float | None
    duration: str
    activity: tuple[str, ...]
    omission: str | None
    error: str | None
    transcript: str | None

    @property
    def live(self) -> bool:
        """Whether a cancel button makes sense."""
        return self.state in ("waiting", "running")


@dataclass(frozen=True, slots=True)
class TaskRows:
    """What a panel shows: rows and counts, or the counts alone."""

    rows: tuple[TaskRow, ...]
    status: Status
    forgotten: int = 0
    message: str = ""


def rows(
    store: OwnerTaskStore,
    *,
    task_rows_in_chat: bool = True,
    now: datetime | None = None,
    lines: int = ROW_LINES,
) -> TaskRows:
    """The view model of a store.

    With ``task_rows_in_chat=False`` only the counts. ``message`` says why a store that is not
    connected has nothing newer.
    """
    tasks = store.tasks
    status = status_of(store.lease, tasks)
    message = "" if store.connected else store.connection.message
    if not task_rows_in_chat:
        return TaskRows((), status, store.forgotten, message)
    at = now if now is not None else store.supervisor.clock()
    labels = store.labels
    shown = tuple(_row(task, labels[task.id], _activity(store, task), at, lines) for task in tasks)
    return TaskRows(shown, status, store.forgotten, message)


def _activity(store: OwnerTaskStore, task: TaskRecord) -> Activity:
    return store.recent_activity(task.id) if store.connected else Activity()


def _row(task: TaskRecord, label: str, activity: Activity, now: datetime, lines: int) -> TaskRow:
    reports = activity.reports[-lines:] if lines else ()
    seconds = task.seconds(now)
    omission = Activity(reports=reports, total=activity.total).omission
    if task.state == "lost" and not activity.total:
        omission = "activity before the restart was not kept"
    return TaskRow(
        task_id=task.id,
        label=label,
        state=task.state,
        background=task.background,
        seconds=seconds,
        duration=duration_text(seconds),
        activity=tuple(report.text for report in reports),
        omission=omission,
        error=task.error,
        transcript=task.transcript,
    )
