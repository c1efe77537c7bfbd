"""One owner's tasks, their revision, and who is told when they change."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from itertools import count

from routinglab.tasks.child import Child
from routinglab.tasks.journal import Journal
from routinglab.tasks.labels import suffix
from routinglab.tasks.model import Cursor, OwnerLease, Snapshot
from routinglab.tasks.outcome import Outcome

log = logging.getLogger(__name__)

RESTARTED = "the kernel ended while the task was running"


class Owner:
    """The table behind one owner's leases; only the supervisor touches it."""

    def __init__(self, owner: str, journal: Journal | None, keep: int) -> None:
        self.id = owner
        self.generation = 0
        self.revision = 0
        self.forgotten = 0
        self.is_open = False
        self.children: dict[str, Child] = {}
        self.keys: dict[str, str] = {}
        self.announced: set[str] = set()
        self._journal = journal
        self._keep = keep
        self._dropped_at = 0
        self._short: set[str] = set()
        self._subscribers: dict[int, Callable[[], None]] = {}
        self._numbers = count()
        self._telling: asyncio.AbstractEventLoop | None = None

    @property
    def lease(self) -> OwnerLease:
        """The current lease."""
        return OwnerLease(owner=self.id, generation=self.generation)

    @property
    def cursor(self) -> Cursor:
        """Where the owner is now."""
        return Cursor(owner=self.id, generation=self.generation, revision=self.revision)

    @property
    def warnings(self) -> list[str]:
        """What could not be read or written."""
        return self._journal.warnings if self._journal else []

    def open(self) -> None:
        """Begin the next generation; the first time in a process, read what the last one left."""
        if not self.is_open and self._journal:
            kept = self._journal.open()
            self.generation = max(self.generation, kept.generation)
            self.forgotten = max(self.forgotten, kept.forgotten)
            for record, activity in kept.tasks.values():
                if record.id not in self.children:
                    self._restore(Child(record, activity))
        self.is_open = True
        self.generation += 1
        self._forget_old()
        self._rewrite()
        self.tell()

    def _restore(self, child: Child) -> None:
        self.revision += 1
        if child.settled:
            self.announced.add(child.record.id)
            # a revision counts inside one process only
            record = child.record.model_copy(update={"revision": self.revision})
            child = Child(record, child.activity)
        else:
            child.settle(Outcome("lost", error=RESTARTED), None, self.revision)
        self.add(child)

    def add(self, child: Child) -> None:
        """Take a child in."""
        self.children[child.record.id] = child
        self._short.add(suffix(child.record.id))
        if child.record.key is not None:
            self.keys[child.record.key] = child.record.id

    def is_taken(self, task_id: str) -> bool:
        """Whether the id, or the short form of it that people see, is another task's."""
        return suffix(task_id) in self._short

    def changed(self, child: Child, *, write: bool = True) -> None:
        """Note a change of a child: give it the next revision, write it down, tell everybody."""
        if not child.settled:
            self.revision += 1
            child.change(revision=self.revision)
        if write and self._journal and self.is_open:
            self._journal.append(child.record, child.activity)
        if child.settled:
            self._forget_old()
        if self._journal and self.is_open and self._journal.lines > 4 * self._keep + 100:
            self._rewrite()
        self._tell_soon()

    def next_revision(self) -> int:
        """The revision of a change that is about to be made."""
        self.revision += 1
        return self.revision

    def snapshot(self, after: int = 0) -> Snapshot:
        """All tasks, or only what changed after a revision where that is enough."""
        partial = after > 0 and after >= self._dropped_at
        tasks = tuple(
            child.record
            for child in self.children.values()
            if not partial or child.record.revision > after
        )
        return Snapshot(cursor=self.cursor, tasks=tasks, partial=partial, forgotten=self.forgotten)

    def subscribe(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Have ``callback`` called after changes, until the function returned is called."""
        number = next(self._numbers)
        self._subscribers[number] = callback

        def unsubscribe() -> None:
            self._subscribers.pop(number, None)

        return unsubscribe

    def close(self) -> None:
        """End the current generation; what is known stays readable in the journal."""
        self.is_open = False
        if self._journal:
            self._journal.close()
        self.tell()

    def _forget_old(self) -> None:
        settled = [i for i, child in self.children.items() if child.settled]
        for task_id in settled[: max(0, len(settled) - self._keep)]:
            child = self.children.pop(task_id)
            self._short.discard(suffix(task_id))
            self.announced.discard(task_id)
            if child.record.key is not None:
                self.keys.pop(child.record.key, None)
            self.forgotten += 1
            self._dropped_at = self.next_revision()

    def _rewrite(self) -> None:
        if self._journal:
            everything = ((child.record, child.activity) for child in self.children.values())
            self._journal.rewrite(self.generation, self.forgotten, everything)

    def _tell_soon(self) -> None:
        """Tell subscribers once for all changes made in one turn of the event loop."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.tell()
            return
        if self._telling is not loop:
            self._telling = loop
            loop.call_soon(self._tell_now)

    def _tell_now(self) -> None:
        self._telling = None
        self.tell()

    def tell(self) -> None:
        """Call every subscriber; one that fails is logged and hinders no other."""
        for callback in tuple(self._subscribers.values()):
            try:
                callback()
            except Exception:
                log.exception("a view of owner %r failed to take a change", self.id)
