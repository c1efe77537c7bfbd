"""The shipped recording: it answers every example, says so, needs no key and sends nothing."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from routinglab.providers.chat import ToolCall, ToolSpec
from routinglab.providers.recorded import load_exchanges
from routinglab.resources import shipped
from routinglab.tasks.supervisor import TaskSupervisor
from routinglab.ui import EXAMPLES, ConstraintPicker, LaunchPanel, TaskPanel, demo_runner
from routinglab.ui.demo import fitted
from routinglab.ui.run_state import RunState


def demo(**limits: object) -> tuple[LaunchPanel, ConstraintPicker]:
    runner = demo_runner(pace=0)
    picker = ConstraintPicker(runner.router, constraints=limits)
    return LaunchPanel(
        runner, picker=picker, examples=EXAMPLES, supervisor=TaskSupervisor()
    ), picker


def launched(*tasks: tuple[str, str], **limits: object) -> list[RunState]:
    async def main() -> list[RunState]:
        panel, _ = demo(**limits)
        runs = [panel.launch(agent, task) for agent, task in tasks]
        await panel.wait()
        return runs

    return asyncio.run(main())


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the demonstration must not reach out")

    monkeypatch.setattr(socket.socket, "connect", refuse)


def test_every_example_is_answered_without_a_key_or_a_connection() -> None:
    runs = launched(*((example.agent, example.task) for example in EXAMPLES))
    assert [run.state for run in runs] == ["done"] * len(EXAMPLES)
    for run in runs:
        assert run.decision is not None
        assert run.decision.degraded is None  # both routing requests are in the recording
        assert [request.purpose for request in run.decision.requests] == ["needs", "choice"]
        assert "does not know this task" not in run.text


def test_in_the_first_example_one_fails_and_the_next_of_the_decision_answers() -> None:
    (run,) = launched((EXAMPLES[0].agent, EXAMPLES[0].task))
    assert run.decision is not None
    first, second, *_ = map(str, run.decision.chain)
    assert [(one.candidate, one.state) for one in run.tries] == [
        (first, "failed"), (second, "answered"),
    ]  # fmt: skip
    assert "HTTP 529" in run.tries[0].why


def test_what_the_recording_says_of_the_shipped_skills_is_true() -> None:
    (run,) = launched((EXAMPLES[0].agent, EXAMPLES[0].task))
    here = shipped("skills")
    skills = sorted(path.stem for path in here.glob("*.md"))
    agents = sorted(path.stem for path in here.glob("agents/*.md"))
    assert len(skills) == len(agents) == 4
    assert f"at the top: {', '.join(skills)}." in run.text
    assert f"under agents/: {', '.join(agents)}." in run.text
    assert run.tools == ['ls {"path": "."}', 'ls {"path": "agents"}']


def test_the_long_example_is_long_enough_to_be_cancelled() -> None:
    (run,) = launched((EXAMPLES[1].agent, EXAMPLES[1].task))
    assert len(run.text.split()) > 300


def test_any_other_task_and_any_limits_are_answered_too() -> None:
    (run,) = launched(
        ("explore", "Something nobody recorded"),
        excludedProviders=["anthropic", "openai"], maxInputCost=1.0,
    )  # fmt: skip
    assert run.state == "done"
    assert run.decision is not None
    assert run.decision.degraded is None
    assert run.decision.primary.provider not in ("anthropic", "openai")
    assert "the recording does not know this task" in run.text


def test_the_panel_says_that_answers_are_recorded() -> None:
    panel, _ = demo()
    assert "Recorded answers: nothing is sent" in panel.banner.value
    assert "launch-demo.jsonl" in panel.banner.value
    assert "Recorded answers" in panel.html()
    first = shipped("evals", "launch-demo.jsonl").read_text().splitlines()[1]
    assert "written by hand" in first


def test_moving_the_price_below_the_cheapest_model_disables_launching() -> None:
    panel, picker = demo()
    control = picker.controls["max_input_cost"]
    control.slider.value = 1  # type: ignore[attr-defined]
    assert 0 < (picker.constraints.max_input_cost or 0) < 0.05
    assert panel.button.disabled
    assert "Max input price" in panel.reason.value
    assert "Max input price" in picker.html()


def test_choosing_an_example_fills_the_form() -> None:
    panel, picker = demo()
    panel.example.value = EXAMPLES[1].label
    assert (panel.agent.value, panel.task.value) == (EXAMPLES[1].agent, EXAMPLES[1].task)
    assert picker.model.agent is not None
    assert picker.model.agent.name == EXAMPLES[1].agent


def test_a_recorded_decision_is_fitted_to_what_is_asked() -> None:
    tool = ToolSpec(
        "structured_output", "", {"properties": {"choice": {"enum": ["b", "c"]}, "work": {}}}
    )
    given = ToolCall("1", "structured_output", '{"choice": ["a", "c"], "work": "x", "more": 1}')
    assert json.loads(fitted(given, tool).arguments) == {"choice": "c", "work": "x"}
    none = ToolCall("1", "structured_output", '{"choice": ["a"]}')
    assert json.loads(fitted(none, tool).arguments) == {"choice": "b"}


def test_the_recording_reads_as_one() -> None:
    assert len(load_exchanges(shipped("evals", "launch-demo.jsonl"))) >= 12


HOSTILE = '<script>window.hit = 1</script><img src=x onerror="window.hit = 2">'


def test_hostile_text_is_escaped_wherever_it_is_shown() -> None:
    async def main() -> None:
        panel, _ = demo()
        panel.launch("explore", HOSTILE)
        await panel.wait()
        for card in panel.cards.values():
            card.draw()
        run = panel.runs[0]
        assert run.result is not None
        answered = run.result.model_copy(update={"text": HOSTILE, "error": HOSTILE})
        for page in (panel.html(), TaskPanel(panel.store).html(), answered._repr_html_()):
            assert "<img" not in page
            assert "<script" not in page
            assert "&lt;img" in page

    asyncio.run(main())


def test_importing_the_package_and_its_panels_loads_no_widgets() -> None:
    code = (
        "import sys, routinglab, routinglab.ui; "
        "assert 'ipywidgets' not in sys.modules; dir(routinglab.ui); "
        "assert 'ipywidgets' not in sys.modules; routinglab.ui.ConstraintPicker; "
        "assert 'ipywidgets' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_below_the_panels_imports_widgets() -> None:
    package = Path(sys.modules["routinglab"].__file__ or "").parent
    users = {p.relative_to(package).parts[0] for p in package.rglob("*.py")
             if "import ipywidgets" in p.read_text()}  # fmt: skip
    assert users == {"ui"}


def test_a_panel_shows_as_a_widget_and_as_plain_html_elsewhere() -> None:
    panel, picker = demo()
    for one in (panel, picker):
        data = one._repr_mimebundle_()
        assert isinstance(data, dict)
        assert "application/vnd.jupyter.widget-view+json" in data
        assert data["text/plain"] == repr(one)
        assert "<style>" in data["text/html"]
        assert "<script" not in data["text/html"]
    assert repr(panel) == "LaunchPanel(0 runs, 0 going on)"
    assert repr(picker) == "ConstraintPicker(64 candidates)"
