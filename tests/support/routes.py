"""Routing in the small world of ``support.live``, over real HTTP."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

from routinglab.routing.router import Router
from support import live
from support.llm_server import LlmServer, structured

TASK = "Fix the flaky retry test in the invoicing service."
NEEDS = live.ALL_NEEDS


def router(server: LlmServer, folder: Path, **keys: Any) -> Router:
    options = {name: keys.pop(name) for name in ("sleep", "log", "env", "record") if name in keys}
    return Router(
        live.settings(server, **keys),
        live.catalog(),
        live.evals(folder),
        env=options.pop("env", live.ENV),
        **options,
    )


def route(tmp_path: Path, prepare: Any, ask: Any, **keys: Any) -> tuple[Any, LlmServer]:
    """Start a server, let ``prepare`` script it, and give what ``ask(router)`` gave."""

    async def main() -> tuple[Any, LlmServer]:
        async with LlmServer() as server:
            prepare(server)
            async with router(server, tmp_path, **keys) as one:
                return await ask(one), server

    return asyncio.run(main())


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until the other side of a connection has noticed."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - there is no event on the far side of a socket
            await asyncio.sleep(0.005)


def answers(**changes: Any) -> Any:
    return structured({**NEEDS, **changes})


def choose(model: str) -> Any:
    return structured({"choice": model})
