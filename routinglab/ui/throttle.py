"""Doing something soon, and once for many askings."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Throttle:
    """Calls ``act`` at most once in ``delay`` seconds, and always after the last call.

    Moving a slider asks a hundred times a second; drawing a panel once in a twentieth is enough.
    Without a running event loop, as in a script or a test, it acts at once.
    """

    def __init__(self, act: Callable[[], None], delay: float) -> None:
        self._act = act
        self.delay = delay
        self._due: tuple[asyncio.AbstractEventLoop, asyncio.TimerHandle] | None = None

    @property
    def pending(self) -> bool:
        """Whether a call is still to come."""
        return self._due is not None

    def __call__(self) -> None:
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            self.flush()
            return
        if self._due is None or self._due[0] is not loop:
            self._due = (loop, loop.call_later(self.delay, self.flush))

    def flush(self) -> None:
        """Act now; what was due later is not done again."""
        self.stop()
        self._act()

    def stop(self) -> None:
        """Forget what is due."""
        if self._due is not None:
            loop, timer = self._due
            self._due = None
            if not loop.is_closed():
                timer.cancel()
