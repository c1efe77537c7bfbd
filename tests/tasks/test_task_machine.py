"""Whatever happens in whatever order, views agree with the supervisor and nothing settled changes."""

from __future__ import annotations

import asyncio

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from support.children import Held, opened, turn

from routinglab.tasks.model import Snapshot, TaskRecord
from routinglab.tasks.store import OwnerTaskStore


class Views(RuleBasedStateMachine):
    """One owner, many children, views that come and go."""

    def __init__(self) -> None:
        super().__init__()
        self.loop = asyncio.new_event_loop()
        self.supervisor, self.lease = opened(keep=4, limit=3)
        self.held: dict[str, Held] = {}
        self.stores: list[OwnerTaskStore] = []
        self.heard: list[dict[str, TaskRecord]] = []
        self.settled: dict[str, TaskRecord] = {}
        self.kept: Snapshot | None = None
        self.launched = 0

    def do(self, act: object) -> None:
        async def run() -> None:
            if callable(act):
                act()
            await turn()

        self.loop.run_until_complete(run())

    @rule(background=st.booleans())
    def launch(self, background: bool) -> None:
        def act() -> None:
            child = Held()
            task_id = self.supervisor.submit(self.lease, child, label="x", background=background)
            self.held[task_id] = child
            self.launched += 1

        self.do(act)

    @precondition(lambda self: self.held)
    @rule(data=st.data(), how=st.sampled_from(["report", "end", "fail", "cancel", "background"]))
    def move(self, data: st.DataObject, how: str) -> None:
        task_id = data.draw(st.sampled_from(sorted(self.held)))
        child = self.held[task_id]
        if task_id not in {t.id for t in self.supervisor.snapshot(self.lease).tasks}:
            return

        def act() -> None:
            if how == "report" and child.handle is not None:
                child.says("busy")
            elif how == "cancel":
                self.supervisor.cancel(self.lease, task_id)
            elif how == "background":
                self.supervisor.to_background(self.lease, task_id)
            elif how in ("end", "fail") and not child.answer.done():
                if how == "end":
                    child.ends()
                else:
                    child.answer.set_exception(ValueError("no"))

        self.do(act)

    @rule(resume=st.booleans())
    def attach(self, resume: bool) -> None:
        store = OwnerTaskStore(self.supervisor, self.lease)
        mirror: dict[str, TaskRecord] = {}

        def hear(changed: tuple[str, ...]) -> None:
            now = {t.id: t for t in store.tasks}
            for task_id in changed:
                if task_id in now:
                    mirror[task_id] = now[task_id]
                else:
                    mirror.pop(task_id, None)

        store.subscribe(hear)
        known = self.kept if resume else None
        assert store.connect(known).ok
        self.stores.append(store)
        self.heard.append(mirror)

    @precondition(lambda self: self.stores)
    @rule(data=st.data())
    def detach(self, data: st.DataObject) -> None:
        number = data.draw(st.integers(0, len(self.stores) - 1))
        self.kept = self.stores[number].snapshot
        self.stores.pop(number).dispose()
        self.heard.pop(number)

    @precondition(lambda self: self.launched)
    @rule()
    def take_over(self) -> None:
        self.lease = self.supervisor.open("chat")
        self.kept = None
        for store in self.stores:
            assert not store.connected
        self.stores.clear()
        self.heard.clear()

    @invariant()
    def views_agree_with_the_supervisor(self) -> None:
        truth = self.supervisor.snapshot(self.lease)
        for store, mirror in zip(self.stores, self.heard, strict=True):
            assert store.snapshot == truth
            # what was told, change by change, adds up to the same tasks
            assert mirror == {t.id: t for t in truth.tasks}

    @invariant()
    def nothing_settled_changes_and_nothing_starts_twice(self) -> None:
        snapshot = self.supervisor.snapshot(self.lease)
        for task in snapshot.tasks:
            if task.id in self.settled:
                assert task is self.settled[task.id]
            elif task.settled:
                self.settled[task.id] = task
        assert all(child.starts <= 1 for child in self.held.values())
        assert len(snapshot.tasks) + snapshot.forgotten == self.launched
        assert sum(t.state in ("running", "cancelling") for t in snapshot.tasks) <= 3

    def teardown(self) -> None:
        self.loop.run_until_complete(self.supervisor.aclose())
        self.loop.close()


Views.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestViewsAgreeInAnyOrder = Views.TestCase
