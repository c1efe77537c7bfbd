"""Binding a store to a live session: status, questions, notices, replacement."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from typing import Any

import pytest
from support.children import Held, answers, fails, opened, turn

from routinglab.errors import TaskError
from routinglab.tasks.model import OwnerLease
from routinglab.tasks.notices import Notice
from routinglab.tasks.session import LiveSession
from routinglab.tasks.status import FooterLine, Status, footer
from routinglab.tasks.store import OwnerTaskStore, bind_owner_task_store
from routinglab.tasks.supervisor import TaskSupervisor


class View:
    """A chat that writes down what it was told."""

    def __init__(self) -> None:
        self.statuses: list[Status | None] = []
        self.footers: list[tuple[FooterLine, ...]] = []
        self.notices: list[Notice] = []

    def show_status(self, status: Status | None) -> None:
        self.statuses.append(status)

    def show_footer(self, lines: tuple[FooterLine, ...]) -> None:
        self.footers.append(lines)

    def show_notice(self, notice: Notice) -> None:
        self.notices.append(notice)


def connected(supervisor: TaskSupervisor, lease: OwnerLease) -> OwnerTaskStore:
    store = OwnerTaskStore(supervisor, lease)
    assert store.connect().ok
    return store


def test_views_mounted_before_the_binding_are_told_and_those_after_it_too() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        supervisor.submit(lease, Held(), label="x", background=True)
        session, early, late = LiveSession(), View(), View()
        session.mount(early)
        assert early.statuses == [None]
        bind_owner_task_store(session, connected(supervisor, lease))
        session.mount(late)
        for view in (early, late):
            assert view.statuses[-1] is not None
            assert view.statuses[-1].background == 1
            assert view.footers[-1][-1] == FooterLine("background", "background: 1 waiting")
        await supervisor.aclose()

    asyncio.run(main())


def test_a_store_that_connects_after_the_binding_shows_from_then_on() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        session, view = LiveSession(), View()
        session.mount(view)
        store = OwnerTaskStore(supervisor, lease)
        bind_owner_task_store(session, store)
        supervisor.submit(lease, Held(), label="x", background=True)
        await turn()
        assert view.statuses == [None]
        store.connect()
        assert view.statuses[-1] is not None
        assert view.statuses[-1].background_running == 1
        await supervisor.aclose()

    asyncio.run(main())


def test_binding_opens_no_owner_and_connects_nothing() -> None:
    supervisor = TaskSupervisor()
    store = OwnerTaskStore(supervisor, OwnerLease(owner="chat", generation=1))
    session = LiveSession()
    bind_owner_task_store(session, store)
    assert supervisor.lease("chat") is None
    assert not store.connected
    assert session.status is None


def test_replacing_the_owner_clears_its_status_before_the_next_one_shows() -> None:
    async def main() -> None:
        supervisor, first = opened()
        second = supervisor.open("second")
        supervisor.submit(first, Held(), label="a", background=True)
        supervisor.submit(second, Held(), label="b", background=True)
        await turn()
        session, view = LiveSession(), View()
        session.mount(view)
        bind_owner_task_store(session, connected(supervisor, first))
        bind_owner_task_store(session, connected(supervisor, second))
        owners = [status and status.lease.owner for status in view.statuses]
        assert owners == [None, "chat", None, "second"]
        # what the first owner does from now on is no longer shown here
        supervisor.submit(first, Held(), label="c", background=True)
        await turn()
        assert [status and status.lease.owner for status in view.statuses] == owners
        await supervisor.aclose()

    asyncio.run(main())


def test_replacing_the_session_clears_everything_and_ends_no_task() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        task_id = supervisor.submit(lease, Held(), label="a", background=True)
        done = supervisor.submit(lease, answers("x"), label="b", background=True)
        session, view = LiveSession(), View()
        session.mount(view)
        bind_owner_task_store(session, connected(supervisor, lease))
        session.ask("Which one?")
        await supervisor.wait(lease, done)
        await turn()
        session.replace()
        assert view.statuses[-1] is None
        assert view.footers[-1] == (FooterLine("input"),)
        assert (session.question, session.notices) == (None, ())
        assert supervisor.task(lease, task_id).state == "running"
        await supervisor.aclose()

    asyncio.run(main())


def test_unbinding_clears_the_status_and_an_old_unbind_touches_no_newer_binding() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        supervisor.submit(lease, Held(), label="a", background=True)
        session = LiveSession()
        unbind_first = bind_owner_task_store(session, connected(supervisor, lease))
        unbind_second = bind_owner_task_store(session, connected(supervisor, lease))
        unbind_first()
        assert session.status is not None
        unbind_second()
        assert session.status is None
        await supervisor.aclose()

    asyncio.run(main())


def test_disposing_of_the_store_clears_the_status_and_ends_no_task() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        task_id = supervisor.submit(lease, Held(), label="a", background=True)
        session = LiveSession()
        store = connected(supervisor, lease)
        bind_owner_task_store(session, store)
        assert session.status is not None
        store.dispose()
        assert session.status is None
        await turn()
        assert supervisor.task(lease, task_id).state == "running"
        await supervisor.aclose()

    asyncio.run(main())


def test_a_new_generation_clears_the_status_of_the_session_bound_to_the_old_one() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        supervisor.submit(lease, Held(), label="a", background=True)
        session = LiveSession()
        bind_owner_task_store(session, connected(supervisor, lease))
        supervisor.open("chat")
        assert session.status is None
        await supervisor.aclose()

    asyncio.run(main())


def test_a_question_stands_above_the_input_and_the_background_count_stays_below_it() -> None:
    status = Status(OwnerLease(owner="chat", generation=1), background_running=2)
    count = FooterLine("background", "background: 2 running")
    assert footer(status) == (FooterLine("input"), count)
    assert footer(status, "Go on?") == (
        FooterLine("question", "Go on?"),
        FooterLine("input"),
        count,
    )
    assert footer(None, "Go on?") == (FooterLine("question", "Go on?"), FooterLine("input"))

    session, view = LiveSession("stage 2", kind="stage"), View()
    session.mount(view)
    session.show(status)
    session.ask("Go on?")
    assert [line.kind for line in view.footers[-1]] == ["question", "input", "background"]
    session.ask(None)
    assert view.footers[-1] == (FooterLine("input"), count)


def test_each_completion_is_announced_once_however_often_views_and_stores_come_and_go() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        first, second = LiveSession(), LiveSession()
        view = View()
        first.mount(view)
        bind_owner_task_store(first, connected(supervisor, lease))
        bind_owner_task_store(first, connected(supervisor, lease))
        fore = supervisor.submit(lease, answers("x"), label="fore")
        back = supervisor.submit(lease, answers("found it"), label="back", background=True)
        await supervisor.wait(lease, fore)
        await supervisor.wait(lease, back)
        await turn()
        bind_owner_task_store(first, connected(supervisor, lease))
        bind_owner_task_store(second, connected(supervisor, lease))
        assert [n.task_id for n in view.notices] == [back]
        assert view.notices[0].text == "Background task “back” finished after 0.0 s\nfound it"
        assert second.notices == ()

    asyncio.run(main())


def test_what_completed_while_no_session_was_bound_is_announced_at_the_next_binding() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        back = supervisor.submit(lease, fails(ValueError("no")), label="x", background=True)
        await supervisor.wait(lease, back)
        session = LiveSession()
        bind_owner_task_store(session, connected(supervisor, lease))
        assert [n.headline for n in session.notices] == ["Background task “x” failed after 0.0 s"]

    asyncio.run(main())


def test_after_a_restart_lost_tasks_are_announced_once_and_settled_ones_not_again(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        first = TaskSupervisor(tmp_path / "0")
        lease = first.open("chat")
        done = first.submit(lease, answers("x"), label="done", background=True)
        await first.wait(lease, done)
        first.submit(lease, Held(), label="live")
        await turn()
        announced = []
        for number in (1, 2):
            shutil.copytree(tmp_path / f"{number - 1}", tmp_path / f"{number}")
            supervisor = TaskSupervisor(tmp_path / f"{number}")
            session = LiveSession()
            bind_owner_task_store(session, connected(supervisor, supervisor.open("chat")))
            announced.append([n.headline for n in session.notices])
            await supervisor.aclose()
        assert announced == [["Task “live” was lost in a restart"], []]
        await first.aclose()

    asyncio.run(main())


def test_a_binding_that_ends_while_a_change_is_being_told_shows_nothing_more() -> None:
    async def main() -> None:
        supervisor, lease = opened()
        session, view = LiveSession(), View()
        session.mount(view)
        store = connected(supervisor, lease)
        store.subscribe(lambda _: session.replace())
        bind_owner_task_store(session, store)
        supervisor.submit(lease, Held(), label="x", background=True)
        await turn()
        assert session.status is None
        assert view.statuses[-1] is None
        await supervisor.aclose()

    asyncio.run(main())


def test_main_and_stage_chats_are_given_the_same_notice() -> None:
    async def main() -> None:
        texts = []
        for kind in ("main", "stage"):
            supervisor, lease = opened()
            session = LiveSession(kind=kind)  # type: ignore[arg-type]
            bind_owner_task_store(session, connected(supervisor, lease))
            task_id = supervisor.submit(lease, answers("found it"), label="x", background=True)
            await supervisor.wait(lease, task_id)
            await turn()
            texts.append([n.text for n in session.notices])
        assert texts[0] == texts[1] != []

    asyncio.run(main())


def test_only_custom_chats_show_rows_unless_told_otherwise() -> None:
    shown = {
        (kind, given): LiveSession(kind=kind, task_rows_in_chat=given).task_rows_in_chat  # type: ignore[arg-type]
        for kind in ("main", "stage", "custom")
        for given in (None, False)
    }
    assert [key for key, value in shown.items() if value] == [("custom", None)]


def test_a_view_that_fails_hinders_no_other_and_an_unmounted_one_hears_nothing() -> None:
    class Broken(View):
        def show_status(self, status: Any) -> None:
            raise ValueError("broken")

    session, good, gone = LiveSession(), View(), View()
    session.mount(Broken())
    session.mount(good)
    unmount = session.mount(gone)
    unmount()
    session.show(Status(OwnerLease(owner="chat", generation=1)))
    assert len(good.statuses) == 2
    assert len(gone.statuses) == 1


def test_a_closed_session_takes_no_binding() -> None:
    supervisor, lease = opened()
    session = LiveSession()
    session.close()
    with pytest.raises(TaskError, match="closed"):
        bind_owner_task_store(session, connected(supervisor, lease))
