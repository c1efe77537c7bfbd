"""A small cache that keeps what was used last."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

Made = TypeVar("Made")


class Recent(Generic[Made]):
    """Values made once a key; beyond ``limit`` the longest unused is dropped. Safe in threads."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._made: OrderedDict[Hashable, Made] = OrderedDict()
        self._lock = Lock()

    def get(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """The value of ``key``, from ``make`` where it is not kept; an error is not kept."""
        with self._lock:
            if key in self._made:
                self._made.move_to_end(key)
                return self._made[key]
        value = make()
        with self._lock:
            self._made[key] = value
            while len(self._made) > self._limit:
                self._made.popitem(last=False)
        return value

    def __len__(self) -> int:
        return len(self._made)
