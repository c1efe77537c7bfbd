"""Runs children for the owners that launched them, and knows how each one ended (SPEC 12.1)."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from routinglab.core.secrets import redact
from routinglab.errors import InvalidInput, TaskError
from routinglab.tasks.admission import check_cursor, check_lease
from routinglab.tasks.child import Child, Launch, TaskHandle
from routinglab.tasks.journal import Journal
from routinglab.tasks.labels import tidy_label
from routinglab.tasks.model import Activity, Connection, Cursor, OwnerLease, Snapshot, TaskRecord
from routinglab.tasks.outcome import Outcome, raised, returned
from routinglab.tasks.owner import Owner
from routinglab.tasks.previews import ERROR_BYTES, Redact, clean, cut

#: Settled tasks of one owner that are remembered, in memory and on disk.
KEEP_SETTLED = 200


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return secrets.token_hex(8)


def _running_loop() -> asyncio.AbstractEventLoop | None:
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None


class TaskSupervisor:
    """Admits, runs, cancels and settles asynchronous children for owner leases.

    ``state`` is a folder in which each owner's tasks are kept (None: memory only). ``limit`` is how
    many children run at once, others wait their turn. ``redact`` takes secrets out of every text
    before it is kept, shown or written (by default those that look like one; a host adds the values
    of its keys); ``keep`` is how many settled tasks an owner remembers.

    Children belong to the event loop they were launched on. Nothing but an explicit stop ends one:
    there is no time limit.
    """

    def __init__(
        self,
        state: Path | str | None = None,
        *,
        clock: Callable[[], datetime] = _now,
        new_id: Callable[[], str] = _new_id,
        redact: Redact = redact,
        limit: int | None = None,
        keep: int = KEEP_SETTLED,
    ) -> None:
        for name, value in (("limit", limit), ("keep", keep)):
            if value is not None and value < 1:
                raise InvalidInput(f"{name} is at least 1 (got {value})", where="TaskSupervisor")
        self.clock = clock
        self._state = None if state is None else Path(state).expanduser()
        self._new_id = new_id
        self._redact = redact
        self._limit = limit
        self._keep = keep
        self._owners: dict[str, Owner] = {}
        self._slots: tuple[asyncio.AbstractEventLoop, asyncio.Semaphore] | None = None

    @property
    def warnings(self) -> tuple[str, ...]:
        """What could not be read from or written to the state folder."""
        return tuple(text for owner in self._owners.values() for text in owner.warnings)

    # -- owners ---------------------------------------------------------------------------------

    def open(self, owner: str) -> OwnerLease:
        """Open an owner, or take it over: the lease returned is the only current one.

        Tasks of earlier generations stay visible under it. Those that another process had running
        are ``lost``. TaskError when another process has the owner open.
        """
        lease = OwnerLease(owner=owner, generation=1)
        known = self._owners.get(owner)
        if known is None:
            journal = Journal(self._state, lease.owner) if self._state else None
            known = Owner(lease.owner, journal, self._keep)
        known.open()
        self._owners[owner] = known
        return known.lease

    def lease(self, owner: str) -> OwnerLease | None:
        """The current lease of an open owner, or None."""
        known = self._owners.get(owner)
        return known.lease if known and known.is_open else None

    def check(self, lease: OwnerLease, cursor: Cursor | None = None) -> Connection:
        """Whether a lease is current, and a cursor fits it; if not, why and what to do."""
        owner = self._owners.get(lease.owner)
        checked = check_lease(lease, owner)
        if checked.ok and cursor is not None and owner is not None:
            return check_cursor(cursor, owner)
        return checked

    async def close(self, lease: OwnerLease, *, grace: float = 5.0) -> None:
        """Cancel what an owner still runs and end its lease.

        A child that has not stopped ``grace`` seconds later counts as cancelled all the same, and
        what it says afterwards changes nothing.
        """
        owner = self._current(lease)
        await self._stop([owner], grace)
        owner.close()

    async def aclose(self, *, grace: float = 5.0) -> None:
        """Close every owner."""
        owners = [owner for owner in self._owners.values() if owner.is_open]
        await self._stop(owners, grace)
        for owner in owners:
            owner.close()

    async def _stop(self, owners: list[Owner], grace: float) -> None:
        live = [(o, c) for o in owners for c in o.children.values() if not c.settled]
        for owner, child in live:
            self._cancel(owner, child, None)
        loop = asyncio.get_running_loop()
        jobs = [child.job for _, child in live if child.job and child.job.get_loop() is loop]
        if jobs:
            await asyncio.wait(jobs, timeout=grace)
        for owner, child in live:
            self._settle(owner, child, Outcome("cancelled", error="it did not stop when cancelled"))

    # -- tasks ----------------------------------------------------------------------------------

    def submit(
        self,
        lease: OwnerLease,
        launch: Launch,
        *,
        label: str,
        background: bool = False,
        key: str | None = None,
    ) -> str:
        """Start a child and return its task id.

        ``launch`` is called with a TaskHandle and awaited. ``background`` says that nobody waits
        for it in place. ``key`` names the launch (such as the id of the tool call): submitting a
        known key again starts nothing and returns the first task's id, also after a restart.
        """
        owner = self._current(lease)
        key = None if key is None else self._redact(key)
        if key is not None and key in owner.keys:
            return owner.keys[key]
        if not callable(launch):
            raise InvalidInput("launch must be an async function that takes a handle", where=label)
        loop = _running_loop()
        if loop is None:
            raise TaskError(
                "tasks are launched inside a running event loop; await in a notebook cell, or use "
                "asyncio.run"
            )
        record = TaskRecord(
            id=self._free_id(owner),
            label=tidy_label(self._redact(label)),
            state="waiting",
            background=background,
            key=key,
            generation=owner.generation,
            admitted=self.clock(),
        )
        child = Child(record)
        handle = TaskHandle(
            record.id,
            record.label,
            loop,
            report=lambda text, kind: self._report(owner, child, text, kind),
            transcript=lambda reference: self._transcript(owner, child, reference),
        )
        owner.add(child)
        owner.changed(child)
        child.job = loop.create_task(
            self._run(owner, child, launch, handle), name=f"routinglab {record.label}"
        )
        child.job.add_done_callback(lambda job: self._ended(owner, child, job))
        return record.id

    def cancel(self, lease: OwnerLease, task_id: str, reason: str | None = None) -> bool:
        """Ask a task to stop; whether it was still alive. What it answers later changes nothing."""
        owner = self._current(lease)
        return self._cancel(owner, self._child(owner, task_id), reason)

    def to_background(self, lease: OwnerLease, task_id: str) -> bool:
        """Let a live task go on in the background; whether that changed anything."""
        owner = self._current(lease)
        child = self._child(owner, task_id)
        if child.settled or child.record.background:
            return False
        child.change(background=True)
        owner.changed(child)
        return True

    async def wait(self, lease: OwnerLease, task_id: str) -> TaskRecord:
        """Wait until a task has settled. Giving up the wait leaves the task running."""
        child = self._child(self._current(lease), task_id)
        if not child.settled:
            child.waits += 1
            try:
                await child.ended.wait()
            finally:
                child.waits -= 1
        return child.record

    def waits(self, lease: OwnerLease, task_id: str) -> int:
        """How many callers wait for a task at this moment."""
        return self._child(self._current(lease), task_id).waits

    def result(self, lease: OwnerLease, task_id: str) -> Any:
        """What a child returned, the object itself.

        TaskError while it runs, when it raised or was cancelled, and when another process ran it.
        """
        child = self._child(self._current(lease), task_id)
        if not child.has_value:
            why = f": {child.record.error}" if child.record.error else ""
            raise TaskError(f"task {task_id} is {child.record.state} and has no result here{why}")
        return child.value

    def task(self, lease: OwnerLease, task_id: str) -> TaskRecord:
        """One task as it stands; TaskError when the owner has no such task."""
        return self._child(self._current(lease), task_id).record

    # -- looking --------------------------------------------------------------------------------

    def snapshot(self, lease: OwnerLease) -> Snapshot:
        """All of the owner's tasks, in the order they were admitted."""
        return self._current(lease).snapshot()

    def changes(self, lease: OwnerLease, cursor: Cursor) -> Snapshot:
        """What changed after ``cursor``; a whole snapshot where a delta would not be enough.

        TaskError when the cursor is another owner's or generation's, or ahead of the owner.
        """
        checked = self.check(lease, cursor)
        if not checked.ok:
            raise TaskError(checked.message)
        return self._owners[lease.owner].snapshot(cursor.revision)

    def activity(self, lease: OwnerLease, task_id: str) -> Activity:
        """The latest reports of a task."""
        return self._child(self._current(lease), task_id).activity

    def subscribe(self, lease: OwnerLease, callback: Callable[[], None]) -> Callable[[], None]:
        """Have ``callback`` called after the owner's tasks or lease changed, once a loop turn."""
        return self._current(lease).subscribe(callback)

    def claim_notice(self, lease: OwnerLease, task_id: str) -> bool:
        """Whether the caller is the first to announce that this task has settled."""
        owner = self._current(lease)
        child = self._child(owner, task_id)
        if not child.settled or task_id in owner.announced:
            return False
        owner.announced.add(task_id)
        return True

    # -- inside ---------------------------------------------------------------------------------

    def _current(self, lease: OwnerLease) -> Owner:
        checked = self.check(lease)
        if not checked.ok:
            raise TaskError(checked.message)
        return self._owners[lease.owner]

    def _child(self, owner: Owner, task_id: str) -> Child:
        try:
            return owner.children[task_id]
        except KeyError:
            raise TaskError(f"owner {owner.id!r} has no task {task_id!r}") from None

    def _free_id(self, owner: Owner) -> str:
        for _ in range(1000):
            task_id = self._new_id()
            if not owner.is_taken(task_id):
                return task_id
        raise TaskError("the source of task ids gave no unused one in 1,000 tries")

    def _slot(self, loop: asyncio.AbstractEventLoop) -> AbstractAsyncContextManager[Any]:
        if self._limit is None:
            return nullcontext()
        if self._slots is None or self._slots[0] is not loop:
            self._slots = (loop, asyncio.Semaphore(self._limit))
        return self._slots[1]

    async def _run(self, owner: Owner, child: Child, launch: Launch, handle: TaskHandle) -> Any:
        async with self._slot(asyncio.get_running_loop()):
            if child.record.state == "waiting":
                child.move("running", started=self.clock())
                owner.changed(child)
            return await launch(handle)

    def _cancel(self, owner: Owner, child: Child, reason: str | None) -> bool:
        job = child.job
        if child.settled or job is None or job.done():
            return False
        if child.record.state != "cancelling":
            short = cut(clean(self._redact(reason)), ERROR_BYTES)[0] if reason else None
            child.move("cancelling", error=short)
            owner.changed(child, write=False)
        loop = job.get_loop()
        if loop.is_closed():  # nothing will ever run there again
            self._settle(owner, child, Outcome("cancelled", error=child.record.error))
        elif loop is _running_loop():
            job.cancel()
        else:
            loop.call_soon_threadsafe(job.cancel)
        return True

    def _ended(self, owner: Owner, child: Child, job: asyncio.Task[Any]) -> None:
        error = None if job.cancelled() else job.exception()
        if job.cancelled() or child.record.state == "cancelling":
            outcome = Outcome("cancelled", error=child.record.error)
        elif error is not None:
            outcome = raised(error, self._redact)
        else:
            outcome = returned(job.result(), self._redact)
            if not child.settled:
                child.value, child.has_value = job.result(), True
        self._settle(owner, child, outcome)

    def _settle(self, owner: Owner, child: Child, outcome: Outcome) -> None:
        if child.settled:
            return
        child.settle(outcome, self.clock(), owner.next_revision())
        owner.changed(child)

    def _report(self, owner: Owner, child: Child, text: str, kind: str) -> None:
        if not child.settled:
            child.log.add(self._redact(text), self._redact(kind), self.clock())
            owner.changed(child, write=False)

    def _transcript(self, owner: Owner, child: Child, reference: str) -> None:
        if not child.settled:
            child.change(transcript=self._redact(reference))
            owner.changed(child)
