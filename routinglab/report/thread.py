"""Run a coroutine on a loop of its own in a thread, and stop it when the caller is stopped.

A notebook client takes Ctrl-C for itself where it runs on the main thread, and a notebook's own
loop is busy; here neither matters.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future, wait
from threading import Event, Thread
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_apart(
    coroutine: Coroutine[Any, Any, Result], on_interrupt: Callable[[], None] = lambda: None
) -> Result:
    """The coroutine's result or error.

    An interrupt calls ``on_interrupt``, cancels the coroutine and waits for its clean-up.
    """
    outcome: Future[Result] = Future()
    started = Event()
    running: list[tuple[asyncio.AbstractEventLoop, asyncio.Task[Any] | None]] = []

    async def main() -> Result:
        running.append((asyncio.get_running_loop(), asyncio.current_task()))
        started.set()
        return await coroutine

    def work() -> None:
        try:
            outcome.set_result(asyncio.run(main()))
        except BaseException as error:
            outcome.set_exception(error)

    thread = Thread(target=work, name="routinglab-report", daemon=True)
    thread.start()
    try:
        wait([outcome])  # not join(): an interrupted join takes the thread for ended
    except BaseException:
        on_interrupt()
        started.wait()
        loop, task = running[0]
        if task is not None:
            loop.call_soon_threadsafe(task.cancel)
        wait([outcome])
        raise
    return outcome.result()
