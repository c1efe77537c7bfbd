"""Rows, counts and notices as people read them."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from support.children import START, Clock, Held, answers, opened, turn

from routinglab.errors import TaskError
from routinglab.tasks.model import OwnerLease, TaskRecord
from routinglab.tasks.notices import duration_text, needs_notice, render_notice
from routinglab.tasks.rows import rows
from routinglab.tasks.status import status_of
from routinglab.tasks.store import OwnerTaskStore

LEASE = OwnerLease(owner="chat", generation=1)


def record(state: str = "done", **fields: Any) -> TaskRecord:
    fields.setdefault("started", START)
    if state in ("done", "failed", "cancelled"):
        fields.setdefault("ended", START + timedelta(seconds=72))
    return TaskRecord(
        **{"id": "abcdef12", "label": "x", "state": state, "generation": 1, "admitted": START}
        | fields
    )


def test_rows_show_label_state_duration_and_the_latest_activity() -> None:
    async def main() -> None:
        clock = Clock()
        supervisor, lease = opened(clock=clock)
        child = Held()
        one = supervisor.submit(lease, child, label="review")
        two = supervisor.submit(lease, answers("x"), label="review", background=True)
        await supervisor.wait(lease, two)
        for number in range(100):
            child.says(f"step {number}")
        clock.forward(12.4)
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        shown = rows(store)
        first, second = shown.rows
        assert (first.label, first.state, first.duration) == ("review · 000001", "running", "12 s")
        assert first.activity == tuple(f"step {n}" for n in range(95, 100))
        assert first.omission == "95 earlier reports omitted"
        assert (first.task_id, first.live, first.background) == (one, True, False)
        assert (second.label, second.state, second.live) == ("review · 000002", "done", False)
        assert second.omission is None
        counts = rows(store, task_rows_in_chat=False)
        assert counts.rows == ()
        assert counts.status == shown.status
        assert counts.status.text == "background: 1 finished"
        child.ends()
        await turn()

    asyncio.run(main())


def test_a_view_that_lost_its_lease_still_shows_its_rows_and_says_why_they_stand_still() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        task_id = supervisor.submit(lease, answers("x"), label="x")
        await supervisor.wait(lease, task_id)
        store = OwnerTaskStore(supervisor, lease)
        store.connect()
        supervisor.open("chat")
        shown = rows(store)
        assert [row.task_id for row in shown.rows] == [task_id]
        assert "generation 2" in shown.message

    asyncio.run(main())


def test_counts_tell_states_and_background_from_foreground() -> None:
    tasks = [
        record("running", background=True),
        record("cancelling", background=True),
        record("waiting", background=True),
        record("done", background=True),
        record("failed", background=True),
        record("cancelled", background=True),
        record("lost", background=True),
        record("lost"),
        record("running"),
        record("done"),
    ]
    status = status_of(LEASE, tasks)
    assert (status.background, status.background_running, status.lost) == (3, 2, 2)
    assert (status.foreground_live, status.foreground_settled) == (1, 1)
    assert status.text == (
        "background: 2 running · 1 waiting · 1 finished · 1 failed · 1 cancelled · "
        "2 lost in a restart"
    )
    assert status_of(LEASE, [record("running"), record("done")]).text == ""


def test_only_settled_background_or_lost_tasks_are_announced() -> None:
    assert needs_notice(record("done", background=True))
    assert needs_notice(record("lost"))
    assert not needs_notice(record("done"))
    assert not needs_notice(record("running", background=True))
    with pytest.raises(TaskError, match="still running"):
        render_notice(record("running", background=True), "x")


@pytest.mark.parametrize(
    ("task", "text"),
    [
        (
            record("done", background=True, result="all good"),
            "Background task “x” finished after 1 min 12 s\nall good",
        ),
        (
            record("done", background=True, result="long…", result_cut=True),
            "Background task “x” finished after 1 min 12 s\nlong… (cut)",
        ),
        (
            record("done", background=True, result="long…", result_cut=True, transcript="sa_1"),
            "Background task “x” finished after 1 min 12 s\n"
            "long… (cut; the whole text is in the transcript)",
        ),
        (
            record("done", background=True),
            "Background task “x” finished after 1 min 12 s\nIt left no result text.",
        ),
        (
            record("failed", background=True, error="quota", result="half"),
            "Background task “x” failed after 1 min 12 s\nquota\nhalf",
        ),
        (
            record("cancelled", background=True),
            "Background task “x” was cancelled after 1 min 12 s",
        ),
        (
            record("lost", error="the kernel ended"),
            "Task “x” was lost in a restart\nthe kernel ended",
        ),
    ],
)
def test_a_notice_says_how_a_task_ended_and_no_more_than_is_known(
    task: TaskRecord, text: str
) -> None:
    assert render_notice(task, "x").text == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (None, ""),
        (0.0, "0.0 s"),
        (9.94, "9.9 s"),
        (9.96, "10 s"),
        (59.4, "59 s"),
        (59.6, "1 min 0 s"),
        (3599.4, "59 min 59 s"),
        (3599.6, "1 h 0 min"),
        (90061, "25 h 1 min"),
    ],
)
def test_durations_read_in_the_unit_that_fits(seconds: float | None, text: str) -> None:
    assert duration_text(seconds) == text


def test_a_clock_that_was_set_back_gives_no_negative_duration() -> None:
    assert record("running").seconds(START - timedelta(hours=1)) == 0.0
