"""Children that tests launch, and a clock that only moves when it is told to."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from itertools import count
from typing import Any

from routinglab.tasks.child import TaskHandle
from routinglab.tasks.model import OwnerLease
from routinglab.tasks.supervisor import TaskSupervisor

START = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


class Clock:
    """Time that stands still until ``forward``."""

    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += timedelta(seconds=seconds)


def numbered_ids() -> Callable[[], str]:
    """Task ids ``000001aa``, ``000002aa``, ..."""
    numbers = count(1)
    return lambda: f"{next(numbers):06d}aa"


def answers(value: Any) -> Callable[[TaskHandle], Awaitable[Any]]:
    """A child that returns ``value`` at once."""

    async def child(_: TaskHandle) -> Any:
        return value

    return child


def fails(error: BaseException) -> Callable[[TaskHandle], Awaitable[Any]]:
    """A child that raises ``error`` at once."""

    async def child(_: TaskHandle) -> Any:
        raise error

    return child


class Held:
    """A child that reports what it is told to and ends when it is told to."""

    def __init__(self) -> None:
        self.answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        # a child that ends before it starts leaves its error to nobody
        self.answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())
        self.starts = 0
        self.handle: TaskHandle | None = None

    async def __call__(self, handle: TaskHandle) -> Any:
        self.starts += 1
        self.handle = handle
        return await self.answer

    def says(self, text: str) -> None:
        assert self.handle is not None
        self.handle.report(text)

    def ends(self, value: Any = "ok") -> None:
        self.answer.set_result(value)


async def turn(times: int = 3) -> None:
    """Let everything that is ready run."""
    for _ in range(times):
        await asyncio.sleep(0)


def opened(**options: Any) -> tuple[TaskSupervisor, OwnerLease]:
    """A supervisor in memory with one owner."""
    options.setdefault("new_id", numbered_ids())
    options.setdefault("clock", Clock())
    supervisor = TaskSupervisor(**options)
    return supervisor, supervisor.open("chat")
