"""The panels in a real JupyterLab: what a person moves, sees, cancels, and finds again."""

from __future__ import annotations

import json
import re
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from support import ui
from support.jupyterlab import Page, jupyterlab, lab_page, need_chromium
from support.llm_server import LlmServer, say

from routinglab.report.build import build_report

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[2]
HOSTILE = '<script>window.hit = 1</script><img src=x onerror="window.hit = 2"> done'

LIVE = (
    "import os\nfrom pathlib import Path\nfrom support import ui\n"
    "from routinglab.ui import ConstraintPicker, LaunchPanel\n"
    "runner = ui.runner_at(os.environ['LIVE_URL'], Path('.'))\n"
    "picker = ConstraintPicker(runner.router, needs=ui.all_needs())\npicker",
    "panel = LaunchPanel(runner, picker=picker, agents=[ui.AGENT])\npanel",
    "panel.runs[-1].result",
)
DEMO = (
    "from routinglab.ui import EXAMPLES, ConstraintPicker, LaunchPanel, TaskPanel, demo_runner\n"
    "runner = demo_runner('slow.jsonl', pace=0.04)\npicker = ConstraintPicker(runner.router)\npicker",
    "panel = LaunchPanel(runner, picker=picker, examples=EXAMPLES)\npanel",
    "print('meanwhile', len(panel._runs.live), 'running')",
    "TaskPanel(panel.store)",
    "TaskPanel(panel.store, task_rows_in_chat=False)",
)


def notebook(cells: tuple[str, ...]) -> str:
    from nbformat import v4, writes

    made = [v4.new_code_cell(source, id=f"cell-{i}") for i, source in enumerate(cells)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return str(writes(v4.new_notebook(cells=made, metadata={"kernelspec": kernel})))


def slow_recording() -> str:
    """The shipped recording with a long answer that outlasts every test."""
    lines = (ROOT / "evals" / "launch-demo.jsonl").read_text().splitlines()
    text = next(line for line in lines if "Goal: the service reads" in line)
    answer = json.loads(text)
    answer["reply"]["text"] += "\n\n" + " ".join(f"More of step {i}." for i in range(1000))
    return "\n".join(json.dumps(answer) if line == text else line for line in lines)


@pytest.fixture(scope="module")
def server() -> Iterator[LlmServer]:
    need_chromium()
    with LlmServer().in_thread() as one:
        one.always("chat", ui.answer_routing)
        yield one


@pytest.fixture(scope="module")
def page(server: LlmServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    folder = tmp_path_factory.mktemp("lab")
    for name in ("evals", "replay", "launch"):
        shutil.copy(ROOT / "notebooks" / f"{name}.ipynb", folder)
    (folder / "live.ipynb").write_text(notebook(LIVE))
    (folder / "slow.jsonl").write_text(slow_recording())
    (folder / "demo.ipynb").write_text(notebook(DEMO))
    env = {
        "LIVE_URL": server.url,
        "PYTHONPATH": str(ROOT / "tests"),
        "ROUTINGLAB_HOME": str(folder / "home"),
    }
    size = {"width": 1400, "height": 1500}
    with jupyterlab(folder, env) as lab, lab_page(lab, viewport=size) as one:
        yield one


def wait_for(ready: Callable[[], Any]) -> Any:
    """What the server sees comes a moment after a click."""
    deadline = time.monotonic() + 20
    while not (found := ready()):
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.02)
    return found


@pytest.mark.parametrize("name", ["evals", "replay", "launch"])
def test_each_notebook_opens_and_runs_in_jupyterlab(page: Page, name: str) -> None:
    panel = page.open(f"{name}.ipynb")
    page.run_all()
    last = panel.locator(".jp-CodeCell").last.locator(".jp-InputPrompt")
    last.filter(has_text=re.compile(r"\[\d+\]")).wait_for()
    assert panel.locator("[data-mime-type='application/vnd.jupyter.error']").count() == 0
    assert panel.locator("[data-mime-type='application/vnd.jupyter.stderr']").count() == 0
    page.picture(f"notebook-{name}")
    assert page.seen.errors == []


class Form:
    """The live notebook's picker and panel as a person uses them."""

    def __init__(self, page: Page, server: LlmServer) -> None:
        self.page, self.server = page, server
        self.panel = page.open("live.ipynb")
        page.run_cell(0)
        self.panel.locator(".rl-picker").wait_for()
        page.run_cell(1)
        self.panel.locator(".rl-launcher").wait_for()
        self.panel.locator(".rl-task textarea").fill("Mend it.")

    def box(self, control: str, label: str) -> Any:
        return self.panel.locator(f".rl-{control} .rl-check input[title='{label}']")

    def free(self, control: str) -> None:
        self.panel.locator(f".rl-{control} .rl-nolimit input").check()

    def keys(self, control: str, *keys: str) -> None:
        handle = self.panel.locator(f".rl-{control} .noUi-handle")
        handle.focus()
        for key in keys:
            handle.press(key)

    def typed(self, control: str, figure: str) -> None:
        field = self.panel.locator(f".rl-{control} .rl-number input")
        field.fill(figure)
        field.press("Enter")

    def shows(self, text: str) -> None:
        """Wait until the Python call in the page says so: the kernel has heard of the change."""
        self.panel.locator(".rl-code pre").filter(has_text=text).wait_for(state="attached")

    def launched(self) -> tuple[set[str], str, list[str]]:
        """Launch; options offered, what the choice was told, and questions to the reader."""
        self.server.requests.clear()
        self.panel.locator("button.rl-launch").click()
        wait_for(lambda: any("choice" in ui.properties(s) for s in self.server.asked("chat")))
        return set(ui.offered(self.server)), ui.prompt(self.server), ui.asked_needs(self.server)


def test_each_control_changes_the_request_that_the_server_sees(
    page: Page, server: LlmServer
) -> None:
    form = Form(page, server)
    cheap = {"acme/middle", "beta/small", "acme/chat", "acme/vision"}
    seeing = {"acme/vision", "acme/reader"}

    form.box("allowed-providers", "beta").check()
    form.shows("allowed_providers=['beta']")
    assert form.launched()[0] == {"beta/strong", "beta/small"}
    form.free("allowed-providers")

    form.box("excluded-providers", "beta").check()
    form.shows("excluded_providers=['beta']")
    assert {model.partition("/")[0] for model in form.launched()[0]} == {"acme"}
    form.free("excluded-providers")

    for model in ("acme/middle", "acme/chat"):
        form.box("allowed-models", model).check()
    form.shows("allowed_models=['acme/chat', 'acme/middle']")
    assert form.launched()[0] == {"acme/middle", "acme/chat"}
    form.free("allowed-models")

    form.keys("max-input-cost", "Home", *["ArrowRight"] * 4)
    form.shows("max_input_cost=0.4")
    form.typed("max-input-cost", "4")
    form.shows("max_input_cost=4.0")
    assert form.launched()[0] == cheap
    form.free("max-input-cost")

    form.typed("max-output-cost", "4.4")
    form.shows("max_output_cost=4.4")
    assert form.launched()[0] == {"beta/small", "acme/chat"}
    form.keys("max-output-cost", "End")  # the last place of the slider is no limit
    form.panel.locator(".rl-max-output-cost.rl-off").wait_for()

    form.keys("min-context-window", "ArrowLeft", "ArrowLeft", "ArrowLeft")
    form.shows("min_context_window=600000")
    assert form.launched()[0] == seeing
    form.free("min-context-window")

    form.box("required-inputs", "image").check()
    form.shows("required_inputs=['image']")
    assert form.launched()[0] == seeing
    form.free("required-inputs")

    form.box("allowed-efforts", "none").check()
    form.shows("allowed_efforts=[None]")
    assert form.launched()[0] == {"beta/small", "acme/chat", *seeing}
    form.box("allowed-efforts", "low").check()
    form.box("allowed-efforts", "none").uncheck()
    form.shows("allowed_efforts=['low']")
    assert form.launched()[0] == {"acme/strong", "acme/middle"}
    form.free("allowed-efforts")

    for control, value in (("work", "writing"), ("difficulty", "trivial"), ("mistake-cost", "low")):
        form.panel.locator(f".rl-{control} select").select_option(label=value)
        form.shows(f"'{value}'")
    for control in ("needs-images", "long-context", "latency-sensitive"):
        form.panel.locator(f".rl-{control} button", has_text="yes").click()
    form.shows("latency_sensitive=True")
    _, told, asked = form.launched()
    assert asked == []
    for part in ('"work":"writing"', '"difficulty":"trivial"', '"mistakeCost":"low"',
                 '"needsImages":true', '"longContext":true', '"latencySensitive":true'):  # fmt: skip
        assert part in told
    form.panel.locator(".rl-difficulty select").select_option(label="unstated")
    form.panel.locator(".rl-long-context button", has_text="unstated").click()
    form.shows("work='writing'")
    wait_for(lambda: "long_context" not in form.panel.locator(".rl-code pre").inner_text())
    assert form.launched()[2] == ["difficulty", "longContext"]

    # what a model answered does nothing in the page but stand there
    form.panel.locator("button.rl-clear").click()
    form.box("allowed-models", "acme/small").check()
    form.shows("allowed_models=['acme/small']")
    server.always("small", say(HOSTILE))
    form.panel.locator("button.rl-launch").click()
    form.panel.locator(".rl-cards .rl-said", has_text="onerror").first.wait_for()
    page.run_cell(2).get_by_text("onerror").wait_for()
    assert page.page.evaluate("window.hit") is None
    page.picture("live-controls", form.panel.locator(".rl-picker"))
    assert page.seen.errors == []


def test_a_hostile_answer_does_nothing_on_a_rendered_page(page: Page, tmp_path: Path) -> None:
    cell = (
        "from routinglab import RunResult\n"
        "from routinglab.ui.runs import runs_of\n"
        "from routinglab.tasks.supervisor import TaskSupervisor\n"
        "from routinglab.ui import TaskPanel\n"
        f"hostile = {HOSTILE!r}\n"
        "async def child(handle):\n    handle.report(hostile)\n    return hostile\n"
        "runs = runs_of(TaskSupervisor(), 'page')\n"
        "await runs.supervisor.wait(runs.lease, "
        "runs.supervisor.submit(runs.lease, child, label=hostile))\n"
        "display(TaskPanel(runs.store))\n"
        "RunResult(status='failed', text=hostile, error=hostile, agent=hostile, notes=(hostile,))"
    )
    (tmp_path / "hostile.ipynb").write_text(notebook((cell,)))
    build_report(tmp_path / "hostile.ipynb", tmp_path / "page.html")
    tab = page.page.context.new_page()
    tab.goto((tmp_path / "page.html").as_uri())
    assert tab.get_by_text("onerror", exact=False).filter(visible=True).count() >= 4
    assert tab.evaluate("window.hit") is None
    assert tab.locator("img").count() == 0
    tab.close()


def test_running_cancelling_reloading_and_restarting(page: Page) -> None:
    panel = page.open("demo.ipynb")
    page.run_all()
    panel.locator(".rl-tasks").last.wait_for()
    launch, cards = panel.locator("button.rl-launch"), panel.locator(".rl-cards > .rl-card")
    panel.locator(".rl-recorded", has_text="Recorded answers").wait_for()

    # below the cheapest model nothing is left, the limit is named, and launching waits
    handle = panel.locator(".rl-max-input-cost .noUi-handle")
    handle.focus()
    handle.press("Home")
    handle.press("ArrowRight")
    panel.locator(".rl-outlook .rl-problem", has_text="Max input price (at most $0.02").wait_for()
    panel.locator(".rl-blocked .rl-problem", has_text="Max input price").wait_for()
    assert launch.is_disabled()
    page.picture("demo-nothing-left", panel.locator(".rl-picker"))
    panel.locator(".rl-clear").click()
    panel.locator(".rl-outlook", has_text="64 candidate models").wait_for()

    # a model is typed with completion, and its evidence is one click away
    entry = panel.locator(".rl-allowed-models input[type=text]")
    for model in ("openai/gpt-6-astra", "anthropic/claude-opus-5-5"):
        entry.fill(model)
        entry.press("Enter")
        panel.locator(".rl-chip", has_text=model).wait_for()
    panel.locator(".rl-outlook", has_text="2 candidate models").wait_for()
    panel.locator("summary.rl-model", has_text="openai/gpt-6-astra").click()
    panel.locator("details[open] .rl-evidence", has_text="Intelligence Index").wait_for()
    panel.locator(".rl-chip", has_text="openai/gpt-6-astra").click()
    panel.locator(".rl-outlook", has_text="1 candidate model").wait_for()
    panel.locator(".rl-clear").click()

    # the first provider fails and the second answers
    example = panel.locator(".rl-example select")
    example.select_option(label="a provider fails, the next one answers")
    task = panel.locator(".rl-task textarea")
    wait_for(lambda: "Which skills and agents" in task.input_value())
    launch.click()
    first = cards.first
    first.get_by_text("provider unavailable (HTTP 529)").wait_for()
    first.locator(".rl-said", has_text="four skills and four agents").wait_for()
    first.locator(".rl-state", has_text="answered").wait_for()

    # three at once, and another cell answers while they run
    example.select_option(label="a long answer, to be cancelled half way")
    wait_for(lambda: "Plan the move" in task.input_value())
    for _ in range(3):
        launch.click()
    panel.locator(".rl-counts", has_text="3 running").first.wait_for()
    cards.nth(2).locator(".rl-said", has_text="Goal:").wait_for()
    page.run_cell(2).get_by_text("meanwhile 3 running").wait_for()
    page.picture("demo-three-running", panel.locator(".rl-launcher"))

    # cancelling one in the middle of its stream touches no other
    newest = cards.first
    newest.locator(".rl-said", has_text="1. Put every query").wait_for()
    newest.locator("button.rl-cancel").click()
    newest.locator(".rl-state", has_text="cancelled").wait_for()
    newest.locator("li", has_text="openai/gpt-6-astra:high cancelled").wait_for()
    assert newest.locator("li").count() == 1  # nobody else was asked
    partial = newest.locator(".rl-said").inner_text()
    assert "1. Put every query" in partial
    assert "More of step" not in partial
    panel.locator(".rl-counts", has_text="2 running").first.wait_for()
    page.picture("demo-cancelled", panel.locator(".rl-launcher"))

    # the page is loaded again, in the dark: the same tasks, and none is started
    page.lab.use_theme("JupyterLab Dark")
    page.page.reload()
    panel = page.ready()
    page.page.locator("body[data-jp-theme-light='false']").wait_for(state="attached")
    page.run_all()
    panel.locator(".rl-tasks").last.wait_for()
    cards = panel.locator(".rl-cards > .rl-card")
    assert cards.count() == 4
    panel.locator(".rl-counts", has_text="2 running").first.wait_for()
    cards.nth(1).locator(".rl-said", has_text="1. Put every query").wait_for()
    assert cards.first.locator(".rl-said").inner_text() == partial
    rows, counts = panel.locator(".rl-tasks").first, panel.locator(".rl-tasks").last
    assert rows.locator(".rl-task-row").count() == 4
    assert counts.locator(".rl-task-row").count() == 0
    said = "background: 2 running · 1 finished · 1 cancelled"
    for one in (rows, counts):
        one.locator(".rl-status", has_text=said).wait_for()
    page.picture("demo-reloaded-dark", panel.locator(".rl-launcher"))

    # after a restart of the kernel: what had settled, and what was lost
    page.lab.restart_kernels()
    page.page.reload()
    panel = page.ready()
    page.run_all()
    panel.locator(".rl-counts", has_text="2 lost in a restart").first.wait_for()
    cards = panel.locator(".rl-cards > .rl-card")
    assert [cards.nth(i).locator(".rl-state").inner_text() for i in range(4)] == [
        "cancelled", "lost", "lost", "answered",
    ]  # fmt: skip
    cards.nth(3).locator(".rl-said", has_text="four skills and four agents").wait_for()
    cards.nth(0).get_by_text("had said: Goal: the service reads").wait_for()
    panel.locator(".rl-tasks", has_text="2 tasks were lost").first.wait_for()
    page.picture("demo-restarted-dark", panel.locator(".rl-launcher"))
    page.picture("demo-picker-dark", panel.locator(".rl-picker"))
    assert page.seen.errors == []
