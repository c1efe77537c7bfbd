"""Runs in a real JupyterLab: watched, cancelled, found again after a reload, lost in a restart."""

from __future__ import annotations

import pytest
from support.jupyterlab import Page, wait_for

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("jupyterlab")]


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
