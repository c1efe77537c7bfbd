"""The runs of one owner: launched through the task supervisor, found again by every later panel."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from weakref import WeakKeyDictionary

from routinglab.errors import TaskError
from routinglab.running.attempt import RunResult
from routinglab.running.events import RunEvent
from routinglab.running.runner import Runner
from routinglab.settings.home import FOLDER, user_home
from routinglab.tasks.child import TaskHandle
from routinglab.tasks.model import OwnerLease
from routinglab.tasks.run_reports import run_reports
from routinglab.tasks.shared import shared_supervisor
from routinglab.tasks.store import OwnerTaskStore
from routinglab.tasks.supervisor import TaskSupervisor
from routinglab.ui.run_state import RunState

#: Jupyter tells a kernel here which notebook it belongs to; it stays the same over restarts.
SESSION_VARIABLE = "JPY_SESSION_NAME"

_LABEL_WORDS = 8


class Runs:
    """Every run of one owner in this process, by task id, in the order they were launched.

    The state of a run that is going on is here and not in a panel, so a page that is loaded again
    finds its streamed text and attempts, and starts nothing. ``note`` says why runs are kept in
    memory only, where they are.
    """

    def __init__(self, supervisor: TaskSupervisor, lease: OwnerLease, note: str = "") -> None:
        self.supervisor, self.note = supervisor, note
        self.states: dict[str, RunState] = {}
        self._watchers: dict[int, Callable[[], None]] = {}
        self._numbers = 0
        self.follow(lease)

    def follow(self, lease: OwnerLease) -> None:
        """Look at the owner under this lease, which may be a newer one."""
        self.lease = lease
        self.store = OwnerTaskStore(self.supervisor, lease)
        self.store.subscribe(self._changed)
        connection = self.store.connect()
        if not connection.ok:
            raise TaskError(connection.message)
        self._changed(tuple(task.id for task in self.store.tasks))

    @property
    def live(self) -> tuple[RunState, ...]:
        """Runs that have not ended."""
        return tuple(state for state in self.states.values() if state.live)

    def launch(
        self,
        runner: Runner,
        agent: Any,
        task: str,
        *,
        key: str | None = None,
        **say: Any,
    ) -> RunState:
        """Start a run of ``agent`` (a skill or definition) and return its state at once.

        ``say`` goes to ``Runner.run``: ``needs``, ``constraints``, ``model``. A ``key`` that was
        used before starts nothing and gives the run it named. Raises ``TaskError`` outside a running event loop.
        """
        made: list[RunState] = []

        async def child(handle: TaskHandle) -> RunResult:
            state, report = made[0], run_reports(handle)

            def heard(event: RunEvent) -> None:
                state.apply(event)
                report(event)
                if event.result is not None and event.result.status == "cancelled":
                    _keep_partial(handle, event.result.text)

            return await runner.run(agent, task, on_event=heard, **say)

        label = label_of(agent.name, task)
        task_id = self.supervisor.submit(self.lease, child, label=label, background=True, key=key)
        if task_id not in self.states or self.states[task_id].restored:
            known = self.states.get(task_id)
            if known is not None and not known.live:
                return known
            self.states[task_id] = RunState(
                task_id, label, agent=agent.name, task=task, redact=runner.router.redact
            )
        made.append(self.states[task_id])
        self._changed((task_id,))
        return self.states[task_id]

    def cancel(self, task_id: str) -> bool:
        """Ask a run to stop; whether it was still alive."""
        return self.supervisor.cancel(self.lease, task_id)

    async def wait(self) -> None:
        """Wait until every run that is going on now has ended."""
        for state in self.live:
            await self.supervisor.wait(self.lease, state.task_id)
        self._changed(tuple(self.states))

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Have ``callback`` called when runs come, change state or go."""
        number = self._numbers = self._numbers + 1
        self._watchers[number] = callback

        def stop() -> None:
            self._watchers.pop(number, None)

        return stop

    def _changed(self, ids: tuple[str, ...]) -> None:
        labels = self.store.labels
        records = {task.id: task for task in self.store.tasks}
        for task_id in [one for one in self.states if one not in records]:
            del self.states[task_id]  # retention has dropped it
        for task_id, record in records.items():
            known = self.states.get(task_id)
            if known is None:
                activity = self.supervisor.activity(self.lease, task_id)
                self.states[task_id] = RunState.restore(record, labels[task_id], activity)
            elif task_id in ids:
                known.follow(record, labels[task_id])
        for watcher in tuple(self._watchers.values()):
            watcher()


_shared: WeakKeyDictionary[TaskSupervisor, dict[str, Runs]] = WeakKeyDictionary()


def runs_of(supervisor: TaskSupervisor, owner: str, note: str = "") -> Runs:
    """The runs of ``owner``; the same object for everybody in this process.

    Raises ``TaskError`` when another process has the owner open.
    """
    lease = supervisor.lease(owner) or supervisor.open(owner)
    known = _shared.setdefault(supervisor, {})
    if owner not in known:
        known[owner] = Runs(supervisor, lease, note)
    elif known[owner].lease != lease:
        known[owner].follow(lease)
    return known[owner]


def notebook_runs(
    env: Mapping[str, str], *, owner: str | None = None, redact: Callable[[str], str] = str
) -> Runs:
    """The runs of the notebook whose kernel this is, also those from before a restart.

    They are kept in the routinglab home. Without a notebook session, and when another kernel has
    the same notebook's runs open, they are kept in memory only.
    """
    session = env.get(SESSION_VARIABLE, "")
    if owner is None and not session:
        return runs_of(shared_supervisor(None, redact=redact), "notebook")
    name = (owner or session)[-200:]
    folder: Path = user_home(env=env) / FOLDER / "tasks"
    try:
        return runs_of(shared_supervisor(folder, redact=redact), name)
    except TaskError as error:
        note = f"Runs are kept in memory only and end with this kernel: {error}."
        return runs_of(shared_supervisor(None, redact=redact), name, note)


def _keep_partial(handle: TaskHandle, text: str) -> None:
    """What had arrived of a cancelled answer is no result; as a report it outlives the kernel."""
    if text.strip():
        handle.report(f"had said: {text}", kind="partial")


def label_of(agent: str, task: str) -> str:
    """The agent and the first words of its task."""
    words = task.split()
    start = " ".join(words[:_LABEL_WORDS]) + (" …" if len(words) > _LABEL_WORDS else "")
    return f"{agent}: {start}" if start else agent
