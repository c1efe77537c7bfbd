"""The task panel: rows or counts, agreement, floods, and what it never does."""

from __future__ import annotations

import asyncio

import pytest
from support.children import Held, answers, opened, turn

from routinglab.errors import TaskError
from routinglab.tasks.store import OwnerTaskStore
from routinglab.ui import TaskPanel
from routinglab.ui.task_panel import DELAY


def test_rows_show_label_state_duration_and_recent_activity() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        child = Held()
        supervisor.submit(lease, child, label="<b>find</b>", background=True)
        await turn()
        child.says("read 3 <files>")
        supervisor.clock.forward(65)  # type: ignore[attr-defined]
        panel = TaskPanel(OwnerTaskStore(supervisor, lease))
        (row,) = panel.rows.rows
        shown = panel.lines[row.task_id].content.value
        assert "&lt;b&gt;find&lt;/b&gt;" in shown
        assert "running" in shown
        assert "1 min 5 s" in shown
        assert "read 3 &lt;files&gt;" in shown
        assert "background: 1 running" in panel.html()
        assert panel.lines[row.task_id].button.layout.display is None
        child.ends()
        await turn()
        panel.draw()
        assert "answered" in panel.lines[row.task_id].content.value
        assert panel.lines[row.task_id].button.layout.display == "none"
        assert "background: 1 finished" in panel.html()

    asyncio.run(main())


def test_counts_only_shows_no_row() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        supervisor.submit(lease, answers("secret plan"), label="find", background=True)
        await turn()
        panel = TaskPanel(OwnerTaskStore(supervisor, lease), task_rows_in_chat=False)
        assert panel.lines == {}
        assert "find" not in panel.html()
        assert "background: 1 finished" in panel.html()

    asyncio.run(main())


def test_two_panels_on_one_store_agree_whoever_cancels() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        store = OwnerTaskStore(supervisor, lease)
        one, two = TaskPanel(store), TaskPanel(store)
        child = Held()
        task_id = supervisor.submit(lease, child, label="find", background=True)
        await turn()
        for panel in (one, two):
            panel.draw()
        assert one.html() == two.html()
        one.lines[task_id].button.click()
        await turn()
        for panel in (one, two):
            panel.draw()
        assert one.html() == two.html()
        assert "cancelled" in two.html()

    asyncio.run(main())


def test_closing_a_panel_cancels_nothing_and_another_finds_the_same_task() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        store = OwnerTaskStore(supervisor, lease)
        panel = TaskPanel(store)
        child = Held()
        task_id = supervisor.submit(lease, child, label="find", background=True)
        await turn()
        panel.close()
        again = TaskPanel(OwnerTaskStore(supervisor, lease))
        assert [row.task_id for row in again.rows.rows] == [task_id]
        assert child.starts == 1
        child.ends("found")
        await turn()
        assert supervisor.task(lease, task_id).state == "done"
        again.draw()
        assert "answered" in again.html()

    asyncio.run(main())


def test_a_flood_of_reports_is_bounded_labelled_and_drawn_seldom() -> None:
    async def main() -> None:
        supervisor, lease = opened(redact=str)
        panel = TaskPanel(OwnerTaskStore(supervisor, lease))
        child = Held()
        task_id = supervisor.submit(lease, child, label="noisy", background=True)
        await turn()
        panel.draw()
        drawn: list[object] = []
        content = panel.lines[task_id].content
        content.observe(drawn.append, "value")
        started = asyncio.get_running_loop().time()
        for number in range(100_000):
            child.says(f"report {number} " + "x" * 100)
            if number % 1000 == 0:
                await asyncio.sleep(0)
        seconds = asyncio.get_running_loop().time() - started
        panel.draw()
        assert len(drawn) <= 2 + seconds / DELAY
        activity = supervisor.activity(lease, task_id)
        assert len(activity.reports) <= 64
        assert sum(len(r.model_dump_json(by_alias=True)) for r in activity.reports) <= 8 * 1024
        assert "report 99999" in content.value
        assert "99,995 earlier reports omitted" in content.value  # the row shows five
        assert len(content.value) < 2_000
        child.ends()
        await turn()

    asyncio.run(main())


def test_an_old_lease_is_told_why_and_shows_nothing_newer() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        store = OwnerTaskStore(supervisor, lease)
        panel = TaskPanel(store)
        supervisor.open("chat")
        await turn()
        panel.draw()
        assert "generation" in panel.html()
        with pytest.raises(TaskError, match="generation"):
            supervisor.cancel(lease, "000001aa")

    asyncio.run(main())


def test_many_tasks_show_the_newest_and_count_the_rest() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        for number in range(60):
            supervisor.submit(lease, answers("x"), label=f"task {number}", background=True)
        await turn()
        panel = TaskPanel(OwnerTaskStore(supervisor, lease))
        assert len(panel.lines) == 40
        assert "20 older not shown" in panel.html()
        assert "task 59" in panel.html()

    asyncio.run(main())
