"""The score of the standard policy, term by term (SPEC 6.2).

One small set of functions serves the ranking, the explanation and the tests, so that what an
explanation says of a change is what the ranking does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import log

#: An unknown release date counts as this old, and nothing counts as older.
OLDEST_DAYS = 365


@dataclass(frozen=True, slots=True)
class Weights:
    """What each term counts for at one demand; ``route_bonus`` is added for a faster route."""

    demand: float
    quality: float
    price: float
    recency: float
    route_bonus: float


def weights(demand: float, latency_sensitive: bool) -> Weights:
    """The weights for a demand of 0..1."""
    return Weights(
        demand=demand,
        quality=0.25 + 0.65 * demand,
        price=0.65 - 0.65 * demand,
        recency=0.1,
        route_bonus=0.02 if latency_sensitive else 0.0,
    )


def score(
    by: Weights, quality: float, cheapness: float, recency: float, faster: bool = False
) -> float:
    """The weighted sum of a model's terms."""
    total = by.quality * quality + by.price * cheapness + by.recency * recency
    return total + by.route_bonus if faster else total


def scores(
    by: Weights, qualities: Sequence[float], cheap: Sequence[float], recent: Sequence[float]
) -> list[float]:
    """:func:`score` of many standard routes at once; a call a model would double a ranking's time."""
    wq, wp, wr = by.quality, by.price, by.recency
    return [wq * q + wp * c + wr * r for q, c, r in zip(qualities, cheap, recent, strict=True)]


@dataclass(frozen=True, slots=True)
class PriceScale:
    """The logs of the cheapest and the dearest positive price among the ranked."""

    low: float
    high: float


def price_scale(prices: Iterable[float | None]) -> PriceScale | None:
    """The scale of these blended prices; None where none is positive."""
    logs = [log(price) for price in prices if price]
    return PriceScale(min(logs), max(logs)) if logs else None


def cheapness(price: float | None, scale: PriceScale | None) -> float:
    """1 for the cheapest, 0 for the dearest and for an unknown price, by the log of the price."""
    if price is None:
        return 0.0
    if not price or scale is None or scale.low == scale.high:
        return 1.0
    return 1.0 - (log(price) - scale.low) / (scale.high - scale.low)


def recency(day: int | None, newest: int | None) -> float:
    """1 for the newest release, falling to 0 at a year behind it; days are ordinals."""
    if day is None or newest is None:
        return 0.0
    return max(0.0, 1.0 - (newest - day) / OLDEST_DAYS)
