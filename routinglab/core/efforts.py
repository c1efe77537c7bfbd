"""Reasoning efforts: their names, their order, and the one a task's difficulty asks for."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

Effort = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]

EFFORTS: tuple[Effort, ...] = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
EFFORT_RANK: dict[str, int] = {effort: rank for rank, effort in enumerate(EFFORTS)}

#: SPEC 7.6: the order in which a degraded launch looks for an allowed effort.
DEGRADED_ORDER: tuple[Effort | None, ...] = (
    None, "medium", "high", "low", "xhigh", "minimal", "max", "off",
)  # fmt: skip

_FOR_DIFFICULTY: dict[str, Effort] = {
    "trivial": "minimal",
    "easy": "low",
    "moderate": "medium",
    "hard": "high",
    "very_hard": "xhigh",
}


def effort_for(
    efforts: Iterable[Effort | None] | None, difficulty: str, latency_sensitive: bool = False
) -> Effort | None:
    """The supported level nearest to what ``difficulty`` asks for (SPEC 7.4).

    ``efforts`` are the levels that are both supported and allowed, in any order; without any real
    level the answer is None. One level lower when speed matters, but not below ``minimal``; of two
    levels equally near, the lower.
    """
    levels = sorted({EFFORT_RANK[e] for e in efforts or () if e is not None})
    if not levels:
        return None
    wanted = EFFORT_RANK[_FOR_DIFFICULTY[difficulty]]
    if latency_sensitive:
        wanted = max(wanted - 1, EFFORT_RANK["minimal"])
    return EFFORTS[min(levels, key=lambda level: (abs(level - wanted), level))]
