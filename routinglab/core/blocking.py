"""Calling async code from plain code, also where a loop is already running (a notebook)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

Result = TypeVar("Result")


def run_blocking(make: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
    """Run ``make()`` to its end and return its result.

    Inside a running loop it runs on a loop of its own in another thread, while the caller waits.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(make())
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(lambda: asyncio.run(make())).result()
