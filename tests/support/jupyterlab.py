"""A JupyterLab on loopback with its whole state in a temporary folder, and how tests drive it."""

from __future__ import annotations

import contextlib
import json
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest

from support.chromium import chromium_page, chromium_path

ARTEFACTS = Path(__file__).parents[2] / "artefacts"

#: Long enough for a first kernel start on a busy machine.
PATIENCE = 60_000

_SETTINGS = {
    # without this Lab asks about news, in a toast that covers a corner
    "@jupyterlab/apputils-extension/notification.jupyterlab-settings": {
        "fetchNews": "false", "checkForUpdates": False, "doNotDisturbMode": True,
    },
    # a page that is loaded again shows what was last saved
    "@jupyterlab/docmanager-extension/plugin.jupyterlab-settings": {"autosave": False},
    # otherwise cells outside the window are not drawn, and what a test waits for never shows
    "@jupyterlab/notebook-extension/tracker.jupyterlab-settings": {"windowingMode": "none"},
}  # fmt: skip


@dataclass
class Lab:
    """A running server. ``folder`` is what its file browser shows, ``env`` what kernels get."""

    url: str
    token: str
    folder: Path
    headers: dict[str, str] = field(repr=False, default_factory=dict)

    def kernels(self) -> list[dict[str, Any]]:
        """The kernels that run."""
        return httpx.get(f"{self.url}/api/kernels", headers=self.headers, trust_env=False).json()

    def restart_kernels(self) -> None:
        """Restart every kernel, as a crash or a person does; the page notices."""
        for kernel in self.kernels():
            at = f"{self.url}/api/kernels/{kernel['id']}/restart"
            httpx.post(at, headers=self.headers, trust_env=False, timeout=60).raise_for_status()

    def use_theme(self, name: str) -> None:
        """Choose a theme, such as ``JupyterLab Dark``, for pages that are loaded from now on."""
        at = f"{self.url}/lab/api/settings/@jupyterlab/apputils-extension:themes"
        raw = {"raw": json.dumps({"theme": name})}
        httpx.put(at, json=raw, headers=self.headers, trust_env=False).raise_for_status()

    def stop_kernels(self) -> None:
        """End every kernel. They are sessions of their own, so ending the server misses them."""
        for kernel in self.kernels():
            at = f"{self.url}/api/kernels/{kernel['id']}"
            httpx.delete(at, headers=self.headers, trust_env=False, timeout=60)


@contextlib.contextmanager
def jupyterlab(folder: Path, env: Mapping[str, str] | None = None) -> Iterator[Lab]:
    """Serve ``folder``; kernels get the process environment and ``env``."""
    token, port = secrets.token_hex(16), _free_port()
    with tempfile.TemporaryDirectory(prefix="lab-") as scratch:
        places = {
            "JUPYTER_CONFIG_DIR": "config", "JUPYTER_DATA_DIR": "data", "JUPYTER_RUNTIME_DIR": "run",
            "IPYTHONDIR": "ipython", "JUPYTERLAB_SETTINGS_DIR": "settings",
            "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
        }  # fmt: skip
        for name, settings in _SETTINGS.items():
            path = Path(scratch, "settings", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(settings))
        command = [
            sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1",
            f"--port={port}", "--ServerApp.port_retries=0", f"--ServerApp.root_dir={folder}",
            "--LabApp.extension_manager=readonly", "--LabApp.news_url=None",
            "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
        ]  # fmt: skip
        log = Path(scratch, "lab.log")
        with log.open("w") as out:
            process = subprocess.Popen(
                command,
                env={
                    **os.environ,
                    **{name: f"{scratch}/{place}" for name, place in places.items()},
                    "JUPYTER_TOKEN": token,  # a command line can be read by others
                    **(env or {}),
                },
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        lab = Lab(f"http://127.0.0.1:{port}", token, folder, {"Authorization": f"token {token}"})
        try:
            _wait_until_ready(lab, process, log)
            yield lab
        finally:
            with contextlib.suppress(httpx.HTTPError):
                lab.stop_kernels()
            os.killpg(process.pid, signal.SIGTERM)
            try:
                process.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()


def _wait_until_ready(lab: Lab, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + 60
    while True:
        if process.poll() is not None:
            raise RuntimeError(f"JupyterLab stopped:\n{log.read_text()[-2000:]}")
        with contextlib.suppress(httpx.TransportError):
            at = f"{lab.url}/api/status"
            if httpx.get(at, headers=lab.headers, trust_env=False).status_code == 200:
                return
        if time.monotonic() > deadline:
            raise RuntimeError(f"JupyterLab was not ready in time:\n{log.read_text()[-2000:]}")
        time.sleep(0.2)


def _free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port: int = sock.getsockname()[1]
        return port


# what a cell wrote on its error stream, a traceback, or that all cells have a number
_ENDED = """() => {
    const panel = [...document.querySelectorAll('.jp-NotebookPanel')].find(p => p.checkVisibility());
    const kind = 'application/vnd.jupyter.';
    const bad = panel.querySelector(`[data-mime-type='${kind}error'], [data-mime-type='${kind}stderr']`);
    if (bad) return bad.textContent;
    const prompts = [...panel.querySelectorAll('.jp-CodeCell .jp-InputPrompt')];
    return prompts.every(p => /\\[\\d+\\]/.test(p.textContent)) && 'all ran';
}"""


class Page:
    """One browser page in a lab. Selects on classes that the code sets; the rest is unstable."""

    def __init__(self, lab: Lab, page: Any, seen: Any) -> None:
        self.lab, self.page, self.seen = lab, page, seen

    def open(self, notebook: str) -> Any:
        """Open a notebook in a fresh workspace and wait for its kernel; its panel."""
        self.page.goto(f"{self.lab.url}/lab/tree/{notebook}?token={self.lab.token}&reset")
        return self.ready()

    def ready(self) -> Any:
        """Wait for the kernel. The notebook's own indicator says idle before there is one."""
        self.page.locator("#jp-main-statusbar").get_by_text("| Idle").wait_for(timeout=PATIENCE)
        return self.page.locator(".jp-NotebookPanel:visible")

    def run_all(self) -> None:
        """Run every cell of the notebook in front; returns while they run."""
        self.menu("Run", "Run All Cells")

    def finish_all(self) -> None:
        """Run every cell and wait until all have ended. The first that fails fails the test."""
        self.run_all()
        found = self.page.wait_for_function(_ENDED).json_value()
        assert found == "all ran", found

    def menu(self, menu: str, entry: str) -> None:
        """Choose an entry of the main menu."""
        self.page.get_by_role("menuitem", name=menu, exact=True).click()
        self.page.get_by_role("menuitem", name=re.compile(f"^{re.escape(entry)}")).first.click()

    def cell(self, number: int) -> Any:
        """A cell of the notebook in front, from 0."""
        return self.page.locator(".jp-NotebookPanel:visible .jp-Notebook .jp-Cell").nth(number)

    def run_cell(self, number: int) -> Any:
        """Run one cell; its output area."""
        self.cell(number).locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        return self.cell(number).locator(".jp-OutputArea")

    def picture(self, name: str, of: Any = None) -> None:
        """Keep a screenshot under ``artefacts/``, to be looked at by a person."""
        ARTEFACTS.mkdir(exist_ok=True)
        (of or self.page).screenshot(path=ARTEFACTS / f"{name}.png")


@contextlib.contextmanager
def lab_page(lab: Lab, **context: Any) -> Iterator[Page]:
    """A browser page for ``lab``."""
    context.setdefault("viewport", {"width": 1400, "height": 1000})
    with chromium_page(**context) as (page, seen):
        page.set_default_timeout(PATIENCE)
        yield Page(lab, page, seen)


def need_chromium() -> None:
    """Skip where there is no browser, before a server is started for nothing."""
    if chromium_path() is None:
        pytest.skip("Chromium is not installed")


def notebook(cells: tuple[str, ...]) -> str:
    """A notebook of code cells, as JSON."""
    from nbformat import v4, writes

    made = [v4.new_code_cell(source, id=f"cell-{i}") for i, source in enumerate(cells)]
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return str(writes(v4.new_notebook(cells=made, metadata={"kernelspec": kernel})))


def wait_for(ready: Callable[[], Any]) -> Any:
    """What the server sees comes a moment after a click."""
    deadline = time.monotonic() + 20
    while not (found := ready()):
        assert time.monotonic() < deadline, "nothing came"
        time.sleep(0.02)
    return found
