"""One JupyterLab for all browser tests of a run, and a picture of the page where one failed."""

from __future__ import annotations

import contextlib
import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support import ui
from support.jupyterlab import Lab, Page, jupyterlab, lab_page, need_chromium, notebook
from support.llm_server import LlmServer

ROOT = Path(__file__).parents[2]

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


def slow_recording() -> str:
    """The shipped recording with a long answer that outlasts every test."""
    lines = (ROOT / "evals" / "launch-demo.jsonl").read_text().splitlines()
    text = next(line for line in lines if "Goal: the service reads" in line)
    answer = json.loads(text)
    answer["reply"]["text"] += "\n\n" + " ".join(f"More of step {i}." for i in range(1000))
    return "\n".join(json.dumps(answer) if line == text else line for line in lines)


@pytest.fixture(scope="session")
def server() -> Iterator[LlmServer]:
    need_chromium()
    with LlmServer().in_thread() as one:
        one.always("chat", ui.answer_routing)
        yield one


@pytest.fixture(scope="session")
def lab(server: LlmServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Lab]:
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
    with jupyterlab(folder, env) as one:
        yield one


@pytest.fixture(scope="module")
def page(lab: Lab) -> Iterator[Page]:
    # no longer than a module: while a page is open its event loop is in the way of asyncio.run
    with lab_page(lab, viewport={"width": 1400, "height": 1500}) as one:
        yield one


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any) -> Iterator[Any]:
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if report.when == "call" and report.failed and page is not None:
        with contextlib.suppress(Exception):  # the failure itself is what counts
            page.picture(f"failed-{item.name}")
    return report
