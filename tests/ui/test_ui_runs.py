"""Launching over real HTTP: attempts, streams, cancelling, finding runs again, what was lost."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support import ui
from support.llm_server import LlmServer, Stall, out_of_quota, say
from support.panels import panel_of, with_panel

from routinglab.core.constraints import ModelConstraints
from routinglab.errors import TaskError
from routinglab.tasks.shared import shared_supervisor
from routinglab.tasks.supervisor import TaskSupervisor
from routinglab.ui import LaunchPanel
from routinglab.ui.run_state import TEXT_KEPT, RunState
from routinglab.ui.runs import notebook_runs, runs_of


def test_the_first_provider_fails_and_the_second_answers_in_sight(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        server.always("strong", out_of_quota())
        server.always("middle", say("All <b>mended</b>.", usage=(1000, 500)))
        panel.task.value = "Mend it."
        panel.button.click()
        assert panel.said.value == ""
        (run,) = panel.runs
        assert run.live
        await panel.wait()
        assert [(t.candidate, t.state) for t in run.tries] == [
            ("acme/strong:high", "failed"), ("acme/middle:high", "answered"),
        ]  # fmt: skip
        assert run.tries[0].why.startswith("quota (HTTP 429)")
        # 1000 tokens at 4 and 500 at 8 USD per million
        assert run.tries[1].cost == pytest.approx(0.008)
        assert run.result is not None
        assert run.result.text == run.text == "All <b>mended</b>."
        card = panel.cards[run.task_id]
        card.draw()
        shown = card.head.value + card.said.value
        assert "acme/strong:high" in shown
        assert "quota (HTTP 429)" in shown
        assert "1,000 tokens in, 500 out · $0.008" in shown
        assert "All &lt;b&gt;mended&lt;/b&gt;." in shown
        assert card.button.layout.display == "none"
        assert "Why acme/strong:high" in card.why.value

    with_panel(tmp_path, test)


def test_while_the_first_has_failed_the_next_is_named(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        server.always("strong", out_of_quota())
        server.always("middle", Stall(seconds=30))
        heard: list[tuple[str, str]] = []
        run = panel.launch("helper", "Mend it.")
        run.watch(lambda: heard.append((run.tries[-1].state if run.tries else "", run.next_up)))
        await ui.until(lambda: len(run.tries) == 2)
        assert ("failed", "acme/middle:high") in heard
        assert run.tries[-1].state == "trying"
        panel.cancel(run)
        await panel.wait()

    with_panel(tmp_path, test)


def test_cancelling_a_stream_keeps_the_text_and_starts_nothing_else(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        text = " ".join(f"word{i}" for i in range(400))
        server.always("strong", say(text, gap=0.02))
        run = panel.launch("helper", "Tell.")
        await ui.until(lambda: run.words > 3)
        asked = len(server.requests)
        card = panel.cards[run.task_id]
        card.button.click()
        assert card.button.disabled
        await panel.wait()
        assert run.state == "cancelled"
        assert [(t.candidate, t.state) for t in run.tries] == [("acme/strong:high", "cancelled")]
        assert text.startswith(run.text.rstrip())
        assert run.words > 3
        assert run.result is not None
        assert run.result.status == "cancelled"
        assert run.result.attempts[0].failure == "cancelled"
        assert len(server.requests) == asked  # nobody else was asked
        card.draw()
        assert "This is what had arrived" in card.head.value
        assert "word0 word1" in card.said.value
        # no result, but as a report it outlives the kernel
        assert panel.store.tasks[0].result is None
        last = panel.store.recent_activity(run.task_id).reports[-1]
        assert last.text.startswith("had said: word0 word1")

    with_panel(tmp_path, test)


def test_several_run_at_once_and_the_loop_stays_free(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        server.always("strong", say("one two three four", gap=0.02))
        runs = [panel.launch("helper", f"Task {i}") for i in range(3)]
        assert len(panel.cards) == 3
        await ui.until(lambda: server.open_now == 3)
        waited = asyncio.get_running_loop().time()
        await asyncio.sleep(0)
        assert asyncio.get_running_loop().time() - waited < 1
        await panel.wait()
        assert [run.state for run in runs] == ["done"] * 3
        assert server.most_open >= 3
        assert len({run.label for run in runs}) == 3

    with_panel(tmp_path, test)


def test_launch_is_disabled_while_the_picker_leaves_nothing(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        assert panel.picker is not None
        assert not panel.button.disabled
        panel.picker.set({"maxInputCost": 0.01})
        assert panel.button.disabled
        assert "Max input price (at most $0.01 per million tokens)" in panel.reason.value
        panel.task.value = "Mend it."
        panel.on_launch()  # pressed before the page knew
        assert panel.runs == ()
        assert "Max input price" in panel.said.value
        # a model that a person names is exempt from the limits
        panel.named.value = "acme/small"
        assert not panel.button.disabled
        panel.button.click()
        await panel.wait()
        (run,) = panel.runs
        assert run.tries[0].candidate == "acme/small"
        panel.named.value = ""
        panel.picker.on_clear()
        assert not panel.button.disabled

    with_panel(tmp_path, test)


def test_limits_and_needs_of_the_picker_reach_the_server(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        assert panel.picker is not None
        panel.picker.set({"allowedProviders": ["beta"]}, ui.all_needs(work="writing"))
        panel.launch("helper", "Write it.")
        await panel.wait()
        assert set(ui.offered(server)) == {"beta/strong", "beta/small"}
        assert '"work":"writing"' in ui.prompt(server)

    with_panel(tmp_path, test)


def test_a_panel_made_again_finds_what_runs_and_starts_nothing(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        server.always("strong", say("one two three four five six", gap=0.03))
        run = panel.launch("helper", "Tell.", key="cell-1")
        await ui.until(lambda: run.words > 1)
        before = list(run.tries)
        asked = len(server.requests)
        panel.close()
        assert run.live  # closing cancels nothing
        again = panel_of(server, tmp_path, supervisor=panel._runs.supervisor)
        assert [r.task_id for r in again.runs] == [run.task_id]
        assert again.runs[0] is run
        assert again.launch("helper", "Tell.", key="cell-1") is run
        assert run.tries == before
        assert len(server.requests) == asked
        await again.wait()
        assert run.text == "one two three four five six"
        again.cards[run.task_id].draw()
        assert "five six" in again.cards[run.task_id].said.value
        await again.runner.aclose()

    with_panel(tmp_path, test)


def test_two_panels_show_the_same_runs(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        other = panel_of(server, tmp_path, supervisor=panel._runs.supervisor)
        panel.launch("helper", "Mend it.")
        assert [r.task_id for r in other.runs] == [r.task_id for r in panel.runs]
        await other.wait()
        for one in (panel, other):
            for card in one.cards.values():
                card.draw()
        assert panel.html() == other.html()
        await other.runner.aclose()

    with_panel(tmp_path, test)


def test_two_panels_at_one_picker_each_mind_their_own_agent(tmp_path: Path) -> None:
    strict = ui.AGENT.model_copy(
        update={"name": "strict", "model_constraints": ModelConstraints(max_output_cost=0.001)}
    )

    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        other = LaunchPanel(
            panel.runner, picker=panel.picker, agents=[strict], supervisor=panel._runs.supervisor
        )
        assert "Max output price of the agent" in other.reason.value
        assert other.button.disabled
        assert panel.picker is not None
        panel.picker.controls["work"].choice.value = "coding"  # type: ignore[attr-defined]
        assert not panel.button.disabled  # though the picker shows the strict agent
        panel.on_agent()
        panel.picker.refresh()
        assert other.button.disabled

    with_panel(tmp_path, test)


def test_after_a_restart_settled_runs_are_shown_and_running_ones_are_lost(tmp_path: Path) -> None:
    state = tmp_path / "state"

    async def main() -> None:
        async with LlmServer() as server:
            first = TaskSupervisor(state)
            panel = panel_of(server, tmp_path, supervisor=first)
            server.script("strong", [say("It is <i>done</i>.")])
            server.always("strong", Stall(seconds=30))
            panel.launch("helper", "Short.")
            await panel.wait()
            going = panel.launch("helper", "Long.")
            await ui.until(lambda: going.state == "running" and going.tries)
            # the kernel ends: its tasks and its lock are gone, what it wrote is there
            first._owners["notebook"]._journal.close()  # type: ignore[union-attr]
            after = panel_of(server, tmp_path, supervisor=TaskSupervisor(state))
            shown = {run.label: run for run in after.runs}
            assert {label: run.state for label, run in shown.items()} == {
                "helper: Short.": "done", "helper: Long.": "lost",
            }  # fmt: skip
            assert shown["helper: Short."].text == "It is <i>done</i>."
            page = after.html()
            assert "It is &lt;i&gt;done&lt;/i&gt;." in page
            assert "Lost: the kernel ended while the task was running" in page
            assert "1 lost in a restart" in after.counts.value
            assert all(run.restored for run in after.runs)
            panel.cancel(going)
            await panel.wait()
            await panel.runner.aclose()

    asyncio.run(main())


def test_the_runs_of_a_notebook_are_its_own_and_kept_on_disk(tmp_path: Path) -> None:
    env = {"ROUTINGLAB_HOME": str(tmp_path), "JPY_SESSION_NAME": "/home/a/launch.ipynb"}
    kept = notebook_runs(env)
    assert notebook_runs(env) is kept
    assert kept.note == ""
    assert list((tmp_path / ".routinglab" / "tasks").glob("*.jsonl"))
    other = notebook_runs({**env, "JPY_SESSION_NAME": "/home/a/other.ipynb"})
    assert other is not kept
    # somebody else has this notebook's runs open
    elsewhere = tmp_path / "elsewhere"
    taken = TaskSupervisor(elsewhere / ".routinglab" / "tasks")
    taken.open("/home/a/launch.ipynb")
    memory = notebook_runs({**env, "ROUTINGLAB_HOME": str(elsewhere)})
    assert "in memory only" in memory.note
    alone = notebook_runs({"ROUTINGLAB_HOME": str(tmp_path / "none")})
    assert not (tmp_path / "none").exists()
    assert alone is notebook_runs({})


def test_a_newer_lease_is_followed(tmp_path: Path) -> None:
    async def main() -> None:
        supervisor = TaskSupervisor()
        runs = runs_of(supervisor, "chat")
        lease = supervisor.open("chat")
        assert runs_of(supervisor, "chat") is runs
        assert runs.lease == lease
        with pytest.raises(TaskError):
            supervisor.snapshot(lease.model_copy(update={"generation": 1}))

    asyncio.run(main())
    assert shared_supervisor(tmp_path) is shared_supervisor(tmp_path)


def test_of_a_long_stream_the_end_is_kept_and_the_rest_is_counted() -> None:
    from routinglab.running.events import RunEvent

    run = RunState("abcdef", "long")
    for _ in range(1000):
        run.apply(RunEvent("text", text="x" * 100))
    assert len(run.text) <= 2 * TEXT_KEPT
    assert run.omitted + len(run.text) == 100_000
    from routinglab.ui.run_html import said_html

    assert f"{run.omitted:,} earlier characters not shown" in said_html(run)
