"""Reasoning efforts: their names, their order, and the one a task's difficulty asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, TypeVar

from routinglab.errors import InvalidInput

Effort = Literal["off", "minimal", "low", "medium", "high", "xhigh", "max"]

EFFORTS: tuple[Effort, ...] = ("off", "minimal", "low", "medium", "high", "xhigh", "max")
EFFORT_RANK: dict[str, int] = {effort: rank for rank, effort in enumerate(EFFORTS)}

#: SPEC 7.6: the order in which a degraded launch looks for an allowed effort.
DEGRADED_ORDER: tuple[Effort | None, ...] = (
    None, "medium", "high", "low", "xhigh", "minimal", "max", "off",
)  # fmt: skip

Found = TypeVar("Found")

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

    Raises :class:`InvalidInput` for an unknown level or difficulty.
    """
    if isinstance(efforts, str):
        raise InvalidInput(f"efforts must be a list such as [{efforts!r}]", field="efforts")
    wanted = EFFORT_RANK[_look_up(difficulty, _FOR_DIFFICULTY, "difficulty")]
    ranks = {_look_up(e, EFFORT_RANK, "effort") for e in efforts or () if e is not None}
    if not ranks:
        return None
    if latency_sensitive:
        wanted = max(wanted - 1, EFFORT_RANK["minimal"])
    return EFFORTS[min(ranks, key=lambda rank: (abs(rank - wanted), rank))]


def _look_up(word: str, table: Mapping[str, Found], what: str) -> Found:
    if not isinstance(word, str) or word not in table:
        raise InvalidInput(f"{word!r} is no {what}; choose {', '.join(table)}", field=what)
    return table[word]
