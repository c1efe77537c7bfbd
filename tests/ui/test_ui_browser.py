"""The panels in a real JupyterLab: what a person moves, sees, cancels, and finds again."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import ui
from support.jupyterlab import Page, notebook, wait_for
from support.llm_server import LlmServer, say

from routinglab.report.build import build_report

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("jupyterlab")]

HOSTILE = '<script>window.hit = 1</script><img src=x onerror="window.hit = 2"> done'


@pytest.mark.parametrize("name", ["evals", "replay", "launch"])
def test_each_notebook_opens_and_runs_in_jupyterlab(page: Page, name: str) -> None:
    panel = page.open(f"{name}.ipynb")
    page.finish_all()
    assert panel.locator(".jp-CodeCell .jp-OutputArea-output").count() > 5
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
        name = f"{control.replace('-', ' ').capitalize()}: {label}"
        return self.panel.get_by_role("checkbox", name=name, exact=True)

    def free(self, control: str) -> None:
        self.panel.locator(f".rl-{control} .rl-nolimit input").check()
        self.panel.locator(f".rl-{control}.rl-off").wait_for()

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
        form.panel.locator(f".rl-{control} select").select_option(label="yes")
    form.shows("latency_sensitive=True")
    _, told, asked = form.launched()
    assert asked == []
    for part in ('"work":"writing"', '"difficulty":"trivial"', '"mistakeCost":"low"',
                 '"needsImages":true', '"longContext":true', '"latencySensitive":true'):  # fmt: skip
        assert part in told
    form.panel.locator(".rl-difficulty select").select_option(label="unstated")
    form.panel.locator(".rl-long-context select").select_option(label="unstated")
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


def test_everything_can_be_done_with_the_keyboard(page: Page, server: LlmServer) -> None:
    form = Form(page, server)
    panel, keys = form.panel, page.page.keyboard
    server.always("strong", say(" ".join(["word"] * 2000), gap=0.05))

    # a figure that is none is told where it was typed, and the limit stays
    field = panel.get_by_role("textbox", name="Max input price")
    field.focus()
    keys.type("1,5")
    keys.press("Tab")
    hint = panel.locator(".rl-max-input-cost .rl-hint")
    hint.get_by_text("is not a figure such as 2.5 or 200k; it is still no limit").wait_for()
    keys.press("Shift+Tab")
    keys.press("Control+A")
    keys.type("0.1")
    keys.press("Tab")
    form.shows("max_input_cost=0.1")
    page.page.locator("button.rl-launch:disabled").wait_for()
    free = panel.get_by_role("checkbox", name="Max input price: no limit", exact=True)
    free.focus()
    keys.press("Space")
    page.page.locator("button.rl-launch:enabled").wait_for()

    # evidence, a launch, its end
    panel.locator("summary.rl-model", has_text="acme/strong").focus()
    keys.press("Enter")
    panel.locator("details[open] .rl-evidence").wait_for()
    panel.locator(".rl-task textarea").focus()
    keys.press("Tab")
    keys.press("Enter")
    card = panel.locator(".rl-cards > .rl-card").first
    card.locator(".rl-said", has_text="word word").wait_for()
    card.locator("button.rl-cancel").focus()
    keys.press("Enter")
    card.locator(".rl-state", has_text="cancelled").wait_for()
    server.always("strong", say("Mended."))


#: Roles that a person can act on. A slider is left out: ipywidgets gives its handle no name.
ROLES = ("button", "checkbox", "combobox", "textbox", "spinbutton", "radio", "link")


def test_every_control_has_a_name_and_nothing_is_cut_off_on_a_narrow_page(
    page: Page, server: LlmServer
) -> None:
    panel = Form(page, server).panel
    for part in (".rl-picker", ".rl-launcher"):
        lines = [line.strip("- '") for line in panel.locator(part).aria_snapshot().splitlines()]
        controls = [line for line in lines if line.split(" ")[0].rstrip(":") in ROLES]
        assert len(controls) >= 4
        assert [line for line in controls if '"' not in line] == []
    size = page.page.viewport_size
    panel.locator("summary.rl-model").first.click()
    panel.locator("details[open] .rl-evidence").wait_for()
    for width in (1300, 800):
        page.page.set_viewport_size({"width": width, "height": 1500})
        assert page.page.evaluate(CUT_OFF) == []
    page.page.set_viewport_size(size)


#: What reaches beyond the right edge of its output, save what can be scrolled to.
CUT_OFF = """() => [...document.querySelectorAll('.jp-NotebookPanel .rl-ui *')].filter(one => {
    const output = one.closest('.jp-OutputArea-output');
    if (!output || !one.checkVisibility() || one.closest('.rl-broad, .rl-hidden')) return false;
    return one.getBoundingClientRect().right > output.getBoundingClientRect().right + 1;
}).map(one => one.tagName + ' ' + one.className)"""


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
