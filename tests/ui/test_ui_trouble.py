"""What a launch panel says when something is wrong with what it is given or gets back."""

from __future__ import annotations

from pathlib import Path

from support import ui
from support.llm_server import Html, LlmServer, say
from support.panels import panel_of, with_panel

from routinglab.ui import LaunchPanel
from routinglab.ui.launch import CARDS
from routinglab.ui.run_state import Try


def test_errors_are_said_as_a_person_wants_them(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        panel.task.value = "   "
        panel.on_launch()
        assert "Write a task first" in panel.said.value
        run = panel.launch("helper", "Use the key sk-ant-abcdefghijklmnopqrstuvwx")
        await panel.wait()
        assert run.state == "failed"
        assert "remove secrets" in run.error
        panel.cards[run.task_id].draw()
        shown = panel.html()
        assert "remove secrets" in shown
        assert "Traceback" not in shown
        assert "sk-ant-abcdefghijklmnopqrstuvwx" not in shown  # nor in its label

    with_panel(tmp_path, test)


def test_a_model_name_that_means_nothing_is_told_before_a_launch(tmp_path: Path) -> None:
    lost = ui.AGENT.model_copy(update={"name": "lost", "model": "no-such-model"})

    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        panel.named.value = "strongest <b>"
        assert panel.button.disabled
        assert "no model" in panel.reason.value
        assert "strongest &lt;b&gt;" in panel.reason.value
        panel.named.value = ""
        assert not panel.button.disabled
        other = LaunchPanel(panel.runner, agents=[lost], supervisor=panel._runs.supervisor)
        assert "no-such-model" in other.blocked
        other.task.value = "Mend it."
        other.on_launch()
        run = other.launch("lost", "Mend it.")  # from a cell it is a run that failed
        await other.wait()
        assert (run.state, len(other.runs)) == ("failed", 1)
        assert "no-such-model" in run.error
        assert server.requests == []

    with_panel(tmp_path, test)


def test_fifty_launches_at_once_all_end_and_the_newest_are_cards(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        runs = [panel.launch("helper", f"Task {i}") for i in range(50)]
        await panel.wait()
        assert {run.state for run in runs} == {"done"}
        assert len({run.task_id for run in panel.runs}) == 50
        assert list(panel.cards) == [run.task_id for run in runs[-CARDS:]]
        assert f"{50 - CARDS} older runs in the task panel" in panel.counts.value

    with_panel(tmp_path, test)


def test_a_task_with_a_secret_sends_nothing_and_no_task_says_what_is_missing(
    tmp_path: Path,
) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        secret = panel.launch("helper", "Use sk-ant-abcdefghijklmnopqrstuvwx")
        empty = panel.launch("helper", "  ")
        await panel.wait()
        assert "Nothing was sent" in secret.error
        assert "needs a task" in empty.error
        assert server.requests == []

    with_panel(tmp_path, test)


def test_terminal_codes_and_pages_of_errors_are_shown_as_harmless_text(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        server.always("strong", Html(502))
        told = "\x1b[31mred\x1b[0m \u202egnp.exe\u202c \x00bell\x07 שלום\nnext"
        server.always("middle", say(told))
        run = panel.launch("helper", "Mend it.")
        await panel.wait()
        card = panel.cards[run.task_id]
        card.draw()
        assert "red gnp.exe\u202c bell שלום\nnext</div>" in card.said.value
        assert run.tries[0].state == "failed"
        assert "502" in card.head.value
        assert "<html" not in card.head.value
        assert "<h1" not in card.head.value

    with_panel(tmp_path, test)


def test_an_error_in_drawing_is_shown_and_not_lost(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        run = panel.launch("helper", "Mend it.")
        card = panel.cards[run.task_id]
        run.tries.append(Try("acme/strong", state="odd"))  # type: ignore[arg-type]
        card.on_change()
        assert "KeyError" in card.head.value
        panel.on_runs()
        await panel.wait()

    with_panel(tmp_path, test)


def test_without_a_running_loop_launching_says_so(tmp_path: Path) -> None:
    with LlmServer().in_thread() as server:
        panel = panel_of(server, tmp_path)
        panel.task.value = "Mend it."
        panel.button.click()
        assert "running event loop" in panel.said.value


def test_an_unexpected_error_in_a_click_is_shown(tmp_path: Path) -> None:
    async def test(server: LlmServer, panel: LaunchPanel) -> None:
        panel.task.value = "Mend it."
        await panel._runs.supervisor.close(panel._runs.lease)
        panel.button.click()
        assert "was closed" in panel.said.value

    with_panel(tmp_path, test)
