"""A launch panel over real HTTP, for tests that look at what it says."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

from routinglab.tasks.supervisor import TaskSupervisor
from routinglab.ui import ConstraintPicker, LaunchPanel
from support import ui
from support.llm_server import LlmServer

Test = Callable[[LlmServer, LaunchPanel], Awaitable[None]]


def panel_of(server: LlmServer, folder: Path, **more: Any) -> LaunchPanel:
    """A panel for ``ui.AGENT`` with all needs stated, its runs in memory."""
    runner = ui.runner(server, folder)
    picker = ConstraintPicker(runner.router, needs=ui.all_needs())
    more.setdefault("supervisor", TaskSupervisor())
    return LaunchPanel(runner, picker=picker, agents=[ui.AGENT], **more)


def with_panel(folder: Path, test: Test) -> None:
    """Run ``test`` on a fresh panel and server, in a loop of its own."""

    async def main() -> None:
        async with LlmServer() as server:
            panel = panel_of(server, folder)
            try:
                await test(server, panel)
            finally:
                await panel.runner.aclose()

    asyncio.run(main())
