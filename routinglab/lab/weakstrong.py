"""Figures for routing between one weak and one strong model (RouteLLM)."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from routinglab.errors import MetricError
from routinglab.lab.numbers import Floats, number, vector

#: (0.7 - 0.6) / (0.8 - 0.6) is a hair below 0.5 in floats; a plateau at 0.5 must still reach it.
_ROUNDING = 1e-12


def pgr(quality: float, weak: float, strong: float) -> float:
    """Performance gap recovered: (quality - weak) / (strong - weak).

    Three mean qualities, in one unit. NaN where weak and strong are equal. Below 0 or above 1 is
    possible. MetricError for what is not one number. Source: RouteLLM (Ong et al., 2024), section
    3.2.
    """
    low, high = number(weak, "weak"), number(strong, "strong")
    gap = high - low
    return float("nan") if gap == 0 else (number(quality, "quality") - low) / gap


def strong_share_curve(
    preference: ArrayLike, weak: ArrayLike, strong: ArrayLike
) -> tuple[Floats, Floats]:
    """(shares, qualities) as the threshold on a router's preference for the strong model falls.

    ``preference`` is one number a task, higher where the strong model should answer; ``weak`` and
    ``strong`` are the two models' scores on the tasks. One point for each distinct threshold, from
    share 0 (all weak) to 1 (all strong); tasks of equal preference move together. All three have
    the shape (tasks,); MetricError where one is missing a figure.
    """
    wants, low, high = (
        vector(values, what)
        for values, what in ((preference, "preference"), (weak, "weak"), (strong, "strong"))
    )
    if not (wants.shape == low.shape == high.shape) or not len(wants):
        raise MetricError("preference, weak and strong must be equal lists, one figure a task")
    if np.isnan(wants).any() or not np.isfinite([low, high]).all():
        raise MetricError("a preference or a score is missing; leave those tasks out")
    order = np.argsort(-wants, kind="stable")
    gained = np.concatenate([[0.0], np.cumsum((high - low)[order])])
    ends = np.append(np.flatnonzero(np.diff(wants[order])) + 1, len(wants))
    counts = np.concatenate([[0], ends])
    shares: Floats = counts / len(wants)
    qualities: Floats = low.mean() + gained[counts] / len(wants)
    return shares, qualities


def apgr(
    shares: ArrayLike,
    qualities: ArrayLike,
    weak: float | None = None,
    strong: float | None = None,
    *,
    variant: Literal["area", "quantiles"] = "area",
) -> float:
    """Average performance gap recovered over all shares of strong calls.

    ``shares`` (0..1) and ``qualities`` are the points of one router's curve, equally many, as
    :func:`strong_share_curve` gives them; ``weak`` and ``strong`` the two models' mean qualities, by
    default the curve's own at shares 0 and 1. The area between the piecewise-linear quality curve,
    with (0, weak) and (1, strong) added, and the weak model's constant, divided by strong - weak.
    It can exceed 1; a random router gives about 0.5. NaN where weak and strong are equal.
    ``variant="quantiles"`` reads the curve at the ten quantile cuts 0, 0.1, ... 1 only, as the
    public code does. Of points with one share the better stays. Source: RouteLLM (Ong et al.,
    2024), section 3.2.
    """
    if variant not in ("area", "quantiles"):
        raise MetricError(f"variant {variant!r} is not one of area, quantiles")
    x, y, low, high = _curve(shares, qualities, weak, strong)
    if high == low:
        return float("nan")
    if variant == "quantiles":
        cuts = np.linspace(0, 1, 11)
        x, y = cuts, np.interp(cuts, x, y)
    return float(np.trapezoid(y - low, x) / (high - low))


def cpt(
    target: float,
    shares: ArrayLike,
    qualities: ArrayLike,
    weak: float | None = None,
    strong: float | None = None,
) -> float:
    """Call-performance threshold: the least share of strong calls that recovers ``target`` PGR.

    ``target`` is a share of the gap, 0.5 for half of it (it may also come last). Read on the same
    piecewise-linear curve as :func:`apgr`; right also where quality rises and falls. NaN where the
    curve never gets there (it always reaches 1, at the latest with the strong model alone), or weak
    and strong are equal. Source: RouteLLM (Ong et al., 2024), section 3.2.
    """
    if np.ndim(target) > 0 and np.ndim(qualities) == 0:  # cpt(shares, qualities, weak, strong, x)
        given: Any = (strong, target, shares, qualities, weak)
        target, shares, qualities, weak, strong = given
    wanted = number(target, "target")
    if np.isnan(wanted):
        raise MetricError("the target is not a number")
    x, y, low, high = _curve(shares, qualities, weak, strong)
    if high == low:
        return float("nan")
    recovered = (y - low) / (high - low)
    enough = recovered >= wanted - _ROUNDING
    if enough[0]:
        return float(x[0])
    for at in range(1, len(x)):
        if enough[at]:
            rise = recovered[at] - recovered[at - 1]
            step = min((wanted - recovered[at - 1]) / rise, 1.0)
            return float(x[at - 1] + step * (x[at] - x[at - 1]))
    return float("nan")


def _curve(
    shares: ArrayLike, qualities: ArrayLike, weak: float | None, strong: float | None
) -> tuple[Floats, Floats, float, float]:
    """The curve with its two ends added, and the two models' qualities."""
    x, y = vector(shares, "shares"), vector(qualities, "qualities")
    if x.shape != y.shape:
        raise MetricError("shares and qualities must be equal lists")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise MetricError("a point of the curve is not a finite number")
    if len(x) and (x.min() < 0 or x.max() > 1):
        raise MetricError("a share of strong calls lies outside 0..1")
    best: dict[float, float] = {}
    for share, quality in sorted(zip(x.tolist(), y.tolist(), strict=True)):
        best[share] = max(quality, best.get(share, quality))
    low, high = _end(best, 0.0, weak, "weak"), _end(best, 1.0, strong, "strong")
    return np.array([0.0, *best, 1.0]), np.array([low, *best.values(), high]), low, high


def _end(best: dict[float, float], share: float, given: float | None, name: str) -> float:
    if given is None:
        if share not in best:
            raise MetricError(f"the curve has no point at share {share:g}; give {name}=")
        return best[share]
    value = number(given, name)
    if not np.isfinite(value):
        raise MetricError(f"{name} is not a finite number")
    return value
