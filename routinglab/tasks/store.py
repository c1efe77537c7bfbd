"""What a view holds of one owner's tasks: it looks, and starts and ends nothing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from itertools import count

from routinglab.errors import TaskError
from routinglab.tasks.binding import bind_owner_task_store
from routinglab.tasks.labels import display_labels
from routinglab.tasks.model import (
    Activity,
    Connection,
    Cursor,
    OwnerLease,
    Snapshot,
    TaskRecord,
)
from routinglab.tasks.supervisor import TaskSupervisor

__all__ = ["OwnerTaskStore", "bind_owner_task_store"]

log = logging.getLogger(__name__)

#: Called with the ids of the tasks that changed; empty when only the connection did.
Changed = Callable[[tuple[str, ...]], None]

_NOT_YET = Connection(ok=False, message="connect() was not called yet")


class OwnerTaskStore:
    """A view of an owner's tasks under one lease.

    Making one neither opens an owner nor connects: check ``connect()``. From then on it follows the
    supervisor by its cursor. Any number of stores may look at one lease, and they agree. Disposing
    of one ends the looking and no task.
    """

    def __init__(self, supervisor: TaskSupervisor, lease: OwnerLease) -> None:
        self.supervisor = supervisor
        self.lease = lease
        self.connection = _NOT_YET
        self._cursor = Cursor(owner=lease.owner, generation=lease.generation)
        self._tasks: dict[str, TaskRecord] = {}
        self._forgotten = 0
        self._news: dict[str, None] = {}
        self._told = self.connection
        self._disposed = False
        self._detach: Callable[[], None] | None = None
        self._subscribers: dict[int, Changed] = {}
        self._numbers = count()

    def connect(self, known: Snapshot | None = None) -> Connection:
        """Begin, or go on, following the owner; the answer says whether the lease may.

        ``known`` is a snapshot an earlier view kept: one of this owner and generation is the place
        to go on from, any other is refused. Connecting again registers nothing a second time.
        """
        if self._disposed:
            return Connection(ok=False, reason="disposed", message="this store was disposed of")
        if known is not None and known.partial:
            raise TaskError("a partial snapshot is no place to go on from; keep store.snapshot")
        checked = self.supervisor.check(self.lease, known.cursor if known else None)
        if not checked.ok:
            if known is None:
                self.connection = checked
            return checked
        if known is not None and known.cursor.revision > self._cursor.revision:
            self._apply(known)
        resumed = self._cursor.revision > 0
        if self._detach is None:
            self._detach = self.supervisor.subscribe(self.lease, self._follow)
        self.connection = checked
        self._sync()
        self.connection = Connection(ok=True, cursor=self._cursor, resumed=resumed)
        self._tell()
        return self.connection

    def reconcile(self, snapshot: Snapshot) -> bool:
        """Take in a snapshot that came another way; whether it was news.

        TaskError when it is of another owner or generation, or ahead of the supervisor. One that is
        older than what the store holds changes nothing, and a settled task stays as it is.
        """
        checked = self.supervisor.check(self.lease, snapshot.cursor)
        if not checked.ok:
            raise TaskError(checked.message)
        if snapshot.cursor.revision <= self._cursor.revision:
            return False
        if snapshot.partial:  # it may begin after what this store has seen
            snapshot = self.supervisor.changes(self.lease, self._cursor)
        self._apply(snapshot)
        self._tell()
        return True

    @property
    def connected(self) -> bool:
        """Whether the store follows the current lease."""
        return self.connection.ok and not self._disposed

    @property
    def cursor(self) -> Cursor:
        """How far the store has seen."""
        self._sync()
        return self._cursor

    @property
    def snapshot(self) -> Snapshot:
        """Everything the store holds, at its cursor; what ``connect`` takes to go on."""
        self._sync()
        tasks = tuple(self._tasks.values())
        return Snapshot(cursor=self._cursor, tasks=tasks, forgotten=self._forgotten)

    @property
    def tasks(self) -> tuple[TaskRecord, ...]:
        """The owner's tasks in the order they were admitted."""
        self._sync()
        return tuple(self._tasks.values())

    @property
    def background_tasks(self) -> tuple[TaskRecord, ...]:
        """Those that were launched into, or sent to, the background, ended ones included."""
        return tuple(task for task in self.tasks if task.background)

    @property
    def labels(self) -> Mapping[str, str]:
        """Task id to the label to show, no two alike."""
        return display_labels(self.tasks)

    @property
    def forgotten(self) -> int:
        """How many settled tasks are no longer kept."""
        self._sync()
        return self._forgotten

    def recent_activity(self, task_id: str) -> Activity:
        """The latest reports of a task: a bounded preview, not its transcript."""
        self._known(task_id)
        return self.supervisor.activity(self.lease, task_id)

    def transcript(self, task_id: str) -> str | None:
        """The reference of a task's transcript; None where none is kept, whatever was reported."""
        return self._known(task_id).transcript

    def subscribe(self, callback: Changed) -> Callable[[], None]:
        """Have ``callback`` called with the ids that changed, until the returned function is called."""
        number = next(self._numbers)
        self._subscribers[number] = callback

        def unsubscribe() -> None:
            self._subscribers.pop(number, None)

        return unsubscribe

    def dispose(self) -> None:
        """Stop looking. The tasks go on, and other stores do too."""
        self._disposed = True
        if self._detach is not None:
            self._detach()
            self._detach = None
        self._tell()
        self._subscribers.clear()

    def _known(self, task_id: str) -> TaskRecord:
        self._sync()
        try:
            return self._tasks[task_id]
        except KeyError:
            raise TaskError(
                f"owner {self.lease.owner!r} has no task {task_id!r} in this view"
            ) from None

    def _follow(self) -> None:
        self._sync()
        if self._news or self.connection is not self._told:
            self._tell()

    def _sync(self) -> None:
        """Catch up with the supervisor, so that whoever reads any store reads the same."""
        if not self.connected:
            return
        checked = self.supervisor.check(self.lease)
        if not checked.ok:
            self.connection = checked
        elif checked.cursor != self._cursor:
            self._apply(self.supervisor.changes(self.lease, self._cursor))

    def _apply(self, news: Snapshot) -> None:
        """Merge ``news`` and note which tasks changed, dropped ones included."""
        before = self._tasks
        merged = dict(before) if news.partial else {}
        for task in news.tasks:
            old = before.get(task.id)
            merged[task.id] = old if old is not None and old.settled else task
        self._tasks = merged
        self._cursor, self._forgotten = news.cursor, news.forgotten
        changed = [i for i, task in merged.items() if before.get(i) is not task]
        self._news.update(dict.fromkeys([*changed, *(i for i in before if i not in merged)]))

    def _tell(self) -> None:
        """Tell subscribers what changed since they were last told."""
        changed = tuple(self._news)
        self._news.clear()
        self._told = self.connection
        for callback in tuple(self._subscribers.values()):
            try:
                callback(changed)
            except Exception:
                log.exception("a view of owner %r failed to take a change", self.lease.owner)
