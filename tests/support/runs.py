"""Runs of agents in the small world of ``support.live``, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from routinglab.routing.router import Router
from routinglab.running.attempt import RunResult
from routinglab.running.events import RunEvent
from routinglab.running.runner import Runner
from routinglab.skills.skill import Skill
from support import live
from support.llm_server import LlmServer, Seen
from support.routes import until

__all__ = ["TASK", "Scene", "agent", "scene", "turns", "until"]

TASK = "Say whether the retry test is flaky."


def agent(model: str | None = "acme/strong", **fields: Any) -> Skill:
    """A subagent skill without tools, pinned to ``model``."""
    given: dict[str, Any] = {
        "name": "checker",
        "description": "Checks things.",
        "run_as": "subagent",
        "body": "You check.",
        "tools": (),
        "model": model,
    }
    return Skill(**(given | fields))


@dataclass
class Scene:
    """A server, a runner over it, what the runner told, and how long it would have waited."""

    server: LlmServer
    runner: Runner
    folder: Path
    events: list[RunEvent] = field(default_factory=list)
    waits: list[float] = field(default_factory=list)

    async def run(self, who: Any = None, task: str = TASK, **say: Any) -> RunResult:
        chosen = agent() if who is None else who
        return await self.runner.run(chosen, task, on_event=self.events.append, **say)

    def asked(self) -> list[str]:
        """The models that were asked, in order."""
        return [seen.model for seen in self.server.requests]

    def told(self, kind: str) -> list[RunEvent]:
        return [event for event in self.events if event.kind == kind]


def scene(
    folder: Path,
    act: Callable[[Scene], Awaitable[Any]],
    *,
    catalog: Any = None,
    runner: dict[str, Any] | None = None,
    env: dict[str, str] | None = None,
    router: dict[str, Any] | None = None,
    **settings: Any,
) -> Any:
    """Give what ``act(scene)`` gives; every key of settings by name, waits cost no time."""

    async def main() -> Any:
        waits: list[float] = []

        async def sleep(seconds: float) -> None:
            waits.append(seconds)

        async with LlmServer() as server:
            one = Router(
                live.settings(server, **settings),
                catalog if catalog is not None else live.catalog(),
                live.evals(folder),
                env=live.ENV if env is None else env,
                **(router or {}),
            )
            work = folder / "work"
            work.mkdir(exist_ok=True)
            options: dict[str, Any] = {
                "workspace": work,
                "transcripts": folder / "transcripts",
                "chain": {"sleep": sleep},
            }
            async with Runner(one, **(options | (runner or {}))) as made:
                return await act(Scene(server, made, folder, waits=waits))

    return asyncio.run(main())


def turns(seen: Seen) -> list[dict[str, Any]]:
    """The messages of a request in either dialect."""
    found: list[dict[str, Any]] = seen.json["messages"]
    return found
