"""Views of an owner's tasks: they agree, go on from where they were, and end nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from support.children import Held, answers, opened, turn

from routinglab.errors import TaskError
from routinglab.tasks.model import Cursor, OwnerLease, Snapshot
from routinglab.tasks.store import OwnerTaskStore
from routinglab.tasks.supervisor import TaskSupervisor


def test_making_a_store_opens_no_owner_and_an_unknown_one_is_refused() -> None:
    supervisor = TaskSupervisor()
    store = OwnerTaskStore(supervisor, OwnerLease(owner="nobody", generation=1))
    assert not store.connected
    answer = store.connect()
    assert (answer.ok, answer.reason) == (False, "unknown_owner")
    assert "open it" in answer.message
    assert supervisor.lease("nobody") is None
    assert store.tasks == ()


def test_a_store_shows_nothing_until_it_is_connected_and_everything_after() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        fore = supervisor.submit(lease, answers("x"), label="fore")
        back = supervisor.submit(lease, Held(), label="back", background=True)
        store = OwnerTaskStore(supervisor, lease)
        assert (store.tasks, store.cursor.revision) == ((), 0)
        answer = store.connect()
        assert (answer.ok, answer.resumed, answer.cursor) == (True, False, store.cursor)
        assert [t.id for t in store.tasks] == [fore, back]
        assert [t.id for t in store.background_tasks] == [back]
        assert store.snapshot == supervisor.snapshot(lease)
        await supervisor.aclose()

    asyncio.run(main())


def test_subscribers_hear_which_tasks_changed_until_they_leave() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        heard: list[tuple[str, ...]] = []
        leave = store.subscribe(heard.append)
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        await turn()
        child.says("one")
        child.says("two")
        await turn()
        assert set(heard) == {(task_id,)}
        count = len(heard)
        leave()
        child.ends()
        await turn()
        assert len(heard) == count
        assert store.tasks[0].state == "done"

    asyncio.run(main())


def test_many_reports_in_one_turn_of_the_loop_are_told_once() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        child = Held()
        supervisor.submit(lease, child, label="x")
        await turn()
        heard: list[tuple[str, ...]] = []
        store.subscribe(heard.append)
        for number in range(1000):
            child.says(str(number))
        await turn()
        assert len(heard) == 1
        child.ends()
        await turn()

    asyncio.run(main())


def test_a_subscriber_that_fails_hinders_neither_the_others_nor_the_task(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken(_: tuple[str, ...]) -> None:
        raise ValueError("view is broken")

    async def main() -> None:
        supervisor, lease = opened()
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        heard: list[tuple[str, ...]] = []
        store.subscribe(broken)
        store.subscribe(heard.append)
        task_id = supervisor.submit(lease, answers("x"), label="x")
        assert (await supervisor.wait(lease, task_id)).state == "done"
        await turn()
        assert heard

    asyncio.run(main())
    assert "view is broken" in caplog.text


def test_disposing_of_a_view_ends_no_task_and_no_other_view() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        one, two = OwnerTaskStore(supervisor, lease), OwnerTaskStore(supervisor, lease)
        one.connect()
        two.connect()
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        await turn()
        seen = one.tasks
        one.dispose()
        assert one.connect().reason == "disposed"
        assert not one.connected
        child.ends()
        assert (await supervisor.wait(lease, task_id)).state == "done"
        assert two.tasks[0].state == "done"
        assert one.tasks == seen

    asyncio.run(main())


def test_connecting_again_starts_nothing_and_registers_nothing_twice() -> None:
    followed: list[OwnerLease] = []

    class Counting(TaskSupervisor):
        def subscribe(self, lease: OwnerLease, callback: Callable[[], None]) -> Callable[[], None]:
            followed.append(lease)
            return super().subscribe(lease, callback)

    async def main() -> None:
        supervisor = Counting()
        lease = supervisor.open("chat")
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        waiter = asyncio.create_task(supervisor.wait(lease, task_id))
        await turn()
        heard: list[tuple[str, ...]] = []
        store = OwnerTaskStore(supervisor, lease)
        for _ in range(5):
            assert store.connect().ok
        assert followed == [lease]
        for _ in range(5):
            again = OwnerTaskStore(supervisor, lease)
            again.connect()
            again.dispose()
        store.subscribe(heard.append)
        assert (child.starts, supervisor.waits(lease, task_id)) == (1, 1)
        child.says("hello")
        await turn()
        assert heard == [(task_id,)]
        child.ends()
        await waiter

    asyncio.run(main())


def test_a_new_view_goes_on_from_a_kept_snapshot_and_hears_only_what_is_new() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        first = OwnerTaskStore(supervisor, lease)
        first.connect()
        old = supervisor.submit(lease, answers("x"), label="old")
        await supervisor.wait(lease, old)
        kept = Snapshot.model_validate_json(first.snapshot.to_json())
        first.dispose()
        new = supervisor.submit(lease, Held(), label="new")

        second = OwnerTaskStore(supervisor, lease)
        answer = second.connect(kept)
        assert (answer.ok, answer.resumed) == (True, True)
        assert [t.id for t in second.tasks] == [old, new]
        assert second.snapshot == supervisor.snapshot(lease)
        delta = supervisor.changes(lease, kept.cursor)
        assert delta.partial
        assert [t.id for t in delta.tasks] == [new]
        await supervisor.aclose()

    asyncio.run(main())


def test_a_delta_that_retention_has_outrun_becomes_a_whole_snapshot() -> None:
    async def main() -> None:
        supervisor, lease = opened(keep=2)
        store = OwnerTaskStore(supervisor, lease)
        ids = []
        for number in range(3):
            ids.append(supervisor.submit(lease, answers("x"), label=str(number)))
            if number == 1:
                await supervisor.wait(lease, ids[1])
                store.connect()
                kept = store.snapshot
        await supervisor.wait(lease, ids[2])
        assert not supervisor.changes(lease, kept.cursor).partial
        assert [t.id for t in store.tasks] == ids[1:]
        assert store.forgotten == 1
        with pytest.raises(TaskError, match="no task"):
            store.recent_activity(ids[0])

    asyncio.run(main())


@pytest.mark.parametrize(
    ("owner", "generation", "revision", "reason"),
    [
        ("other", 2, 1, "other_owner"),
        ("chat", 1, 1, "other_generation"),
        ("chat", 3, 1, "other_generation"),
        ("chat", 2, 999, "cursor_ahead"),
    ],
)
def test_a_snapshot_of_another_owner_generation_or_future_is_refused(
    owner: str, generation: int, revision: int, reason: str
) -> None:
    async def main() -> None:
        supervisor, _ = opened()
        lease = supervisor.open("chat")
        supervisor.open("other")
        supervisor.submit(lease, answers("x"), label="mine")
        store = OwnerTaskStore(supervisor, lease)
        foreign = Snapshot(cursor=Cursor(owner=owner, generation=generation, revision=revision))
        assert store.connect(foreign).reason == reason
        store.connect()
        before = store.snapshot
        with pytest.raises(TaskError):
            store.reconcile(foreign)
        assert store.connect(foreign).reason == reason
        assert store.connected
        assert store.snapshot == before

    asyncio.run(main())


def test_a_snapshot_that_is_older_than_the_view_changes_nothing() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        task_id = supervisor.submit(lease, answers("x"), label="x")
        older = supervisor.snapshot(lease)
        await supervisor.wait(lease, task_id)
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        assert not store.reconcile(older)
        assert store.tasks[0].state == "done"

    asyncio.run(main())


def test_a_view_that_has_not_connected_can_take_a_snapshot_in_and_go_on_from_it() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        supervisor.submit(lease, child, label="x")
        await turn()
        store = OwnerTaskStore(supervisor, lease)
        assert store.reconcile(supervisor.snapshot(lease))
        assert store.tasks[0].state == "running"
        child.ends()
        await turn()
        assert store.tasks[0].state == "running"
        assert store.connect().resumed
        assert store.tasks[0].state == "done"

    asyncio.run(main())


def test_a_settled_task_stays_as_it_was_whatever_a_later_snapshot_says() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        done = supervisor.submit(lease, answers("x"), label="x")
        before = await supervisor.wait(lease, done)
        store = OwnerTaskStore(supervisor, lease)
        store.reconcile(supervisor.snapshot(lease))
        new = supervisor.submit(lease, Held(), label="new")
        snapshot = supervisor.snapshot(lease)
        forged = snapshot.tasks[0].model_copy(update={"state": "running", "result": None})
        store.reconcile(snapshot.model_copy(update={"tasks": (forged, snapshot.tasks[1])}))
        assert store.tasks[0] == before
        assert store.tasks[1].id == new
        await supervisor.aclose()

    asyncio.run(main())


def test_a_partial_snapshot_is_taken_in_whole_and_is_no_place_to_go_on_from() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        supervisor.submit(lease, Held(), label="a")
        first = supervisor.snapshot(lease).cursor
        supervisor.submit(lease, Held(), label="b")
        delta = supervisor.changes(lease, first)
        assert [t.label for t in delta.tasks] == ["b"]
        store = OwnerTaskStore(supervisor, lease)
        with pytest.raises(TaskError, match="partial"):
            store.connect(delta)
        assert store.reconcile(delta)
        assert [t.label for t in store.tasks] == ["a", "b"]
        await supervisor.aclose()

    asyncio.run(main())


def test_a_superseded_view_keeps_what_it_saw_and_says_why_it_is_refused() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        heard: list[tuple[str, ...]] = []
        store.subscribe(heard.append)
        new = supervisor.open("chat")
        assert heard == [()]
        assert (store.connected, store.connection.reason) == (False, "other_generation")
        assert [t.id for t in store.tasks] == [task_id]
        assert store.connect().reason == "other_generation"
        child.ends()
        await supervisor.wait(new, task_id)
        assert store.tasks[0].state != "done"

    asyncio.run(main())


def test_background_tasks_that_completed_are_told_from_foreground_ones_after_reattachment() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        fore = supervisor.submit(lease, answers("x"), label="fore")
        back = supervisor.submit(lease, answers("x"), label="back", background=True)
        sent = Held()
        moved = supervisor.submit(lease, sent, label="moved")
        await turn()
        assert supervisor.to_background(lease, moved)
        sent.ends()
        for task_id in (fore, back, moved):
            await supervisor.wait(lease, task_id)
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        assert {t.state for t in store.tasks} == {"done"}
        assert [t.id for t in store.background_tasks] == [back, moved]
        assert [t.id for t in store.tasks if not t.background] == [fore]

    asyncio.run(main())


def test_a_transcript_that_was_not_kept_is_not_made_up_from_activity() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        await turn()
        child.says("I read the whole file and found the bug")
        child.ends(None)
        await supervisor.wait(lease, task_id)
        assert store.recent_activity(task_id).total == 1
        assert store.transcript(task_id) is None
        assert store.tasks[0].result is None

    asyncio.run(main())
