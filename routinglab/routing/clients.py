"""Provider clients that belong to the event loop they are used in."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from weakref import WeakKeyDictionary

from routinglab.providers.registry import Providers


class LoopProviders:
    """One :class:`Providers` for each running loop, since connections cannot move between loops.

    With ``given`` that one is used everywhere and closing it is its owner's business.
    """

    def __init__(self, make: Callable[[], Providers], given: Providers | None = None) -> None:
        self._make = make
        self._given = given
        self._made: WeakKeyDictionary[asyncio.AbstractEventLoop, Providers] = WeakKeyDictionary()

    @property
    def recorded(self) -> Path | None:
        """The file that every answer comes from, None where providers are asked."""
        return self._given.recorded if self._given is not None else None

    def get(self) -> Providers:
        """The clients of the running loop."""
        if self._given is not None:
            return self._given
        loop = asyncio.get_running_loop()
        if loop not in self._made:
            self._made[loop] = self._make()
        return self._made[loop]

    async def close(self) -> None:
        """Close the clients of the running loop."""
        made = self._made.pop(asyncio.get_running_loop(), None)
        if made is not None:
            await made.aclose()
