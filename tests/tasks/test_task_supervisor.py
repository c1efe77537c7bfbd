"""Admitting, running, cancelling and settling children (SPEC 12.1)."""

from __future__ import annotations

import asyncio
import contextlib
import tracemalloc

import pytest
from support.children import Clock, Held, answers, fails, opened, turn

from routinglab.core.ids import Candidate
from routinglab.errors import InvalidInput, RunFailed, TaskError
from routinglab.running.attempt import RunResult
from routinglab.tasks.child import TaskHandle
from routinglab.tasks.supervisor import TaskSupervisor


def test_a_child_that_returns_text_is_done_with_that_text_and_its_times() -> None:
    async def main() -> None:
        clock = Clock()
        supervisor, lease = opened(clock=clock)
        child = Held()
        task_id = supervisor.submit(lease, child, label="explore")
        assert supervisor.task(lease, task_id).state == "waiting"
        await turn()
        assert supervisor.task(lease, task_id).state == "running"
        clock.forward(2.5)
        child.ends("seven files")
        record = await supervisor.wait(lease, task_id)
        assert (record.state, record.result, record.error) == ("done", "seven files", None)
        assert record.seconds(clock.now) == 2.5
        assert supervisor.result(lease, task_id) == "seven files"

    asyncio.run(main())


def test_what_a_child_raises_fails_that_task_and_no_other() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        good = supervisor.submit(lease, answers("fine"), label="a")
        own = supervisor.submit(lease, fails(RunFailed("no candidate answered")), label="b")
        other = supervisor.submit(lease, fails(KeyError("x")), label="c")
        records = [await supervisor.wait(lease, i) for i in (good, own, other)]
        assert [r.state for r in records] == ["done", "failed", "failed"]
        assert [r.error for r in records] == [None, "no candidate answered", "KeyError: 'x'"]
        with pytest.raises(TaskError, match="KeyError"):
            supervisor.result(lease, other)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("result", "state", "error"),
    [
        (RunResult(status="ok", text="yes", transcript="sa_1"), "done", None),
        (RunResult(status="failed", text="half", error="all failed"), "failed", "all failed"),
        (RunResult(status="failed", failure="quota"), "failed", "quota"),
        (RunResult(status="out_of_steps", text="half"), "failed", "out of steps"),
        (RunResult(status="cancelled", text="half"), "cancelled", None),
    ],
)
def test_a_task_ends_as_the_run_it_launched_ended(
    result: RunResult, state: str, error: str | None
) -> None:
    async def main() -> None:
        supervisor, lease = opened()
        task_id = supervisor.submit(lease, answers(result), label="run")
        record = await supervisor.wait(lease, task_id)
        assert (record.state, record.error) == (state, error)
        assert record.result == (result.text or None)
        assert record.transcript == result.transcript

    asyncio.run(main())


def test_a_value_that_is_no_text_leaves_no_result_text_and_is_handed_out_itself() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        value = Candidate.of("openai/gpt-5")
        task_id = supervisor.submit(lease, answers(value), label="x")
        assert (await supervisor.wait(lease, task_id)).result is None
        assert supervisor.result(lease, task_id) is value

    asyncio.run(main())


def test_cancelling_stops_a_running_child_and_gives_the_reason() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        await turn()
        assert supervisor.cancel(lease, task_id, "asked to")
        assert supervisor.task(lease, task_id).state == "cancelling"
        record = await supervisor.wait(lease, task_id)
        assert (record.state, record.error) == ("cancelled", "asked to")
        assert child.answer.cancelled()

    asyncio.run(main())


def test_a_child_cancelled_before_its_first_step_never_starts() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        supervisor.cancel(lease, task_id)
        record = await supervisor.wait(lease, task_id)
        assert (record.state, record.started, child.starts) == ("cancelled", None, 0)

    asyncio.run(main())


def test_a_late_answer_of_a_cancelled_child_changes_nothing() -> None:
    async def stubborn(_: TaskHandle) -> str:
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.get_running_loop().create_future()
        return "too late"

    async def main() -> None:
        supervisor, lease = opened()
        task_id = supervisor.submit(lease, stubborn, label="x")
        await turn()
        supervisor.cancel(lease, task_id)
        record = await supervisor.wait(lease, task_id)
        assert (record.state, record.result) == ("cancelled", None)
        with pytest.raises(TaskError):
            supervisor.result(lease, task_id)

    asyncio.run(main())


def test_a_settled_task_takes_no_cancel_no_report_no_move_and_no_reference() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        await turn()
        child.says("one")
        child.ends()
        before = await supervisor.wait(lease, task_id)
        cursor = supervisor.snapshot(lease).cursor
        assert not supervisor.cancel(lease, task_id)
        assert not supervisor.to_background(lease, task_id)
        child.says("two")
        assert child.handle is not None
        child.handle.keeps_transcript("sa_2")
        assert supervisor.task(lease, task_id) is before
        assert [r.text for r in supervisor.activity(lease, task_id).reports] == ["one"]
        assert supervisor.snapshot(lease).cursor == cursor

    asyncio.run(main())


def test_no_more_children_run_at_once_than_the_limit_and_all_get_their_turn() -> None:
    async def main() -> None:
        supervisor, lease = opened(limit=2)
        children = [Held() for _ in range(5)]
        ids = [supervisor.submit(lease, child, label=str(i)) for i, child in enumerate(children)]
        for ended in range(5):
            await turn()
            states = [supervisor.task(lease, i).state for i in ids]
            assert states.count("running") == min(2, 5 - ended)
            children[ended].ends()
        records = [await supervisor.wait(lease, i) for i in ids]
        assert {r.state for r in records} == {"done"}

    asyncio.run(main())


def test_a_cancelled_child_that_waited_for_its_turn_leaves_the_turn_to_others() -> None:
    async def main() -> None:
        supervisor, lease = opened(limit=1)
        first, second, third = Held(), Held(), Held()
        ids = [supervisor.submit(lease, c, label="x") for c in (first, second, third)]
        await turn()
        supervisor.cancel(lease, ids[1])
        first.ends()
        await turn()
        assert (second.starts, third.starts) == (0, 1)
        third.ends()
        assert (await supervisor.wait(lease, ids[2])).state == "done"

    asyncio.run(main())


def test_a_launch_with_a_known_key_starts_nothing_and_names_the_first_task() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        first = supervisor.submit(lease, child, label="x", key="call-7")
        await turn()
        again = supervisor.submit(lease, child, label="x", key="call-7")
        await turn()
        assert (again, child.starts) == (first, 1)
        child.ends()
        await supervisor.wait(lease, first)
        assert supervisor.submit(lease, child, label="x", key="call-7") == first

    asyncio.run(main())


def test_giving_up_a_wait_leaves_the_task_running() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        task_id = supervisor.submit(lease, child, label="x")
        waiter = asyncio.create_task(supervisor.wait(lease, task_id))
        await turn()
        assert supervisor.waits(lease, task_id) == 1
        waiter.cancel()
        await turn()
        assert supervisor.waits(lease, task_id) == 0
        assert supervisor.task(lease, task_id).state == "running"
        child.ends()

    asyncio.run(main())


def test_an_old_lease_can_neither_launch_nor_look_and_the_new_one_sees_its_tasks() -> None:
    async def main() -> None:
        supervisor, old = opened()
        child = Held()
        task_id = supervisor.submit(old, child, label="x")
        new = supervisor.open("chat")
        assert new.generation == old.generation + 1
        for act in (
            lambda: supervisor.submit(old, answers(1), label="y"),
            lambda: supervisor.cancel(old, task_id),
            lambda: supervisor.snapshot(old),
        ):
            with pytest.raises(TaskError, match="generation"):
                act()
        assert [t.id for t in supervisor.snapshot(new).tasks] == [task_id]
        child.ends()
        assert (await supervisor.wait(new, task_id)).state == "done"

    asyncio.run(main())


def test_owners_see_and_touch_only_their_own_tasks() -> None:
    async def main() -> None:
        supervisor, chat = opened()
        other = supervisor.open("other")
        task_id = supervisor.submit(chat, answers("mine"), label="x")
        assert supervisor.snapshot(other).tasks == ()
        with pytest.raises(TaskError, match="no task"):
            supervisor.cancel(other, task_id)
        await supervisor.wait(chat, task_id)

    asyncio.run(main())


def test_closing_cancels_what_runs_even_a_child_that_will_not_stop() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        stop = asyncio.get_running_loop().create_future()

        async def deaf(_: TaskHandle) -> str:
            while not stop.done():
                try:
                    await asyncio.shield(stop)
                except asyncio.CancelledError:
                    continue
            return "at last"

        supervisor.submit(lease, child, label="hears")
        supervisor.submit(lease, deaf, label="deaf")
        await turn()
        records: list[str] = []
        supervisor.subscribe(
            lease, lambda: records.append("told") if supervisor.lease("chat") is None else None
        )
        snapshot = supervisor.snapshot(lease)
        await supervisor.close(lease, grace=0.01)
        assert supervisor.lease("chat") is None
        assert supervisor.check(lease).reason == "closed"
        assert records == ["told"]
        lease = supervisor.open("chat")
        states = {t.label: (t.state, t.error) for t in supervisor.snapshot(lease).tasks}
        assert states == {
            "hears": ("cancelled", None),
            "deaf": ("cancelled", "it did not stop when cancelled"),
        }
        assert {t.state for t in snapshot.tasks} == {"running"}
        cursor = supervisor.snapshot(lease).cursor
        stop.set_result(None)
        await turn()
        assert supervisor.snapshot(lease).cursor == cursor
        assert {t.state for t in supervisor.snapshot(lease).tasks} == {"cancelled"}

    asyncio.run(main())


def test_a_child_may_report_from_another_thread() -> None:
    async def main() -> None:
        supervisor, lease = opened()

        async def child(handle: TaskHandle) -> str:
            await asyncio.to_thread(handle.report, "from a thread")
            return "ok"

        task_id = supervisor.submit(lease, child, label="x")
        await supervisor.wait(lease, task_id)
        assert [r.text for r in supervisor.activity(lease, task_id).reports] == ["from a thread"]

    asyncio.run(main())


def test_a_task_needs_a_running_loop_and_a_function() -> None:
    supervisor, lease = opened()
    with pytest.raises(TaskError, match="event loop"):
        supervisor.submit(lease, answers(1), label="x")

    async def main() -> None:
        with pytest.raises(InvalidInput, match="async function"):
            supervisor.submit(lease, "no function", label="x")  # type: ignore[arg-type]

    asyncio.run(main())
    with pytest.raises(InvalidInput, match="limit"):
        TaskSupervisor(limit=0)


def test_a_child_left_behind_by_an_ended_loop_can_still_be_cancelled() -> None:
    supervisor, lease = opened()
    loop = asyncio.new_event_loop()

    async def launch() -> str:
        return supervisor.submit(lease, Held(), label="x")

    task_id = loop.run_until_complete(launch())
    loop.run_until_complete(turn())
    loop.close()
    assert supervisor.cancel(lease, task_id)
    assert supervisor.task(lease, task_id).state == "cancelled"


def test_five_hundred_children_at_once_all_settle() -> None:
    async def main() -> None:
        supervisor, lease = opened(keep=1000)
        gate = asyncio.Event()

        def child(number: int):
            async def run(handle: TaskHandle) -> str:
                handle.report(f"started {number}")
                await gate.wait()
                return f"answer {number}"

            return run

        ids = [supervisor.submit(lease, child(i), label="same") for i in range(500)]
        await turn()
        gate.set()
        records = await asyncio.gather(*(supervisor.wait(lease, i) for i in ids))
        assert [r.result for r in records] == [f"answer {i}" for i in range(500)]

    asyncio.run(main())


def test_a_flood_of_reports_keeps_memory_flat_and_says_what_was_omitted() -> None:
    async def main() -> None:
        supervisor, lease = opened(redact=lambda text: text)
        peaks: list[int] = []

        async def flood(handle: TaskHandle) -> str:
            for number in range(100_000):
                handle.report(f"step {number} of the flood")
                if number in (5_000, 99_999):
                    peaks.append(tracemalloc.get_traced_memory()[0])
            return "done"

        tracemalloc.start()
        task_id = supervisor.submit(lease, flood, label="flood")
        await supervisor.wait(lease, task_id)
        tracemalloc.stop()
        activity = supervisor.activity(lease, task_id)
        assert activity.total == 100_000
        assert len(activity.reports) == 64
        assert activity.reports[-1].text == "step 99999 of the flood"
        assert activity.omission == "99,936 earlier reports omitted"
        assert abs(peaks[1] - peaks[0]) < 100_000

    asyncio.run(main())


def test_only_so_many_settled_tasks_are_remembered_and_the_rest_are_counted() -> None:
    async def main() -> None:
        supervisor, lease = opened(keep=3)
        live = Held()
        running = supervisor.submit(lease, live, label="live")
        for number in range(10):
            task_id = supervisor.submit(lease, answers("x"), label=str(number))
            await supervisor.wait(lease, task_id)
        snapshot = supervisor.snapshot(lease)
        assert [t.label for t in snapshot.tasks] == ["live", "7", "8", "9"]
        assert snapshot.forgotten == 7
        live.ends()
        await supervisor.wait(lease, running)

    asyncio.run(main())


def test_secrets_are_taken_out_of_labels_reports_results_errors_and_reasons() -> None:
    secret = "sk-" + "ant-api03-" + "abcdefghij0123456789" * 2

    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        one = supervisor.submit(lease, child, label=f"look at {secret}", key=f"call {secret}")
        await turn()
        child.says("x " * 495 + secret)
        child.ends(f"the key is {secret}")
        two = supervisor.submit(lease, fails(ValueError(secret)), label="b")
        held = Held()
        three = supervisor.submit(lease, held, label="c")
        await turn()
        supervisor.cancel(lease, three, f"because {secret}")
        for task_id in (one, two, three):
            await supervisor.wait(lease, task_id)
        written = supervisor.snapshot(lease).to_json() + supervisor.activity(lease, one).to_json()
        assert "abcdefghij" not in written
        assert "sk-ant" not in written
        assert "[redacted]" in written
        assert supervisor.submit(lease, child, label="x", key=f"call {secret}") == one

    asyncio.run(main())
