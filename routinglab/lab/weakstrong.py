"""Figures for routing between one weak and one strong model (RouteLLM)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from routinglab.errors import MetricError

Floats = NDArray[np.float64]


def pgr(quality: float, weak: float, strong: float) -> float:
    """Performance gap recovered: (quality - weak) / (strong - weak).

    NaN where weak and strong are equal. Below 0 or above 1 is possible. Source: RouteLLM (Ong et
    al., 2024), section 3.2.
    """
    gap = strong - weak
    return float("nan") if gap == 0 else float((quality - weak) / gap)


def strong_share_curve(
    preference: ArrayLike, weak: ArrayLike, strong: ArrayLike
) -> tuple[Floats, Floats]:
    """(shares, qualities) as the threshold on a router's preference for the strong model falls.

    ``preference`` is one number a task, higher where the strong model should answer; ``weak`` and
    ``strong`` are the two models' scores on the tasks. One point for each distinct threshold, from
    share 0 (all weak) to 1 (all strong); tasks of equal preference move together.
    """
    wants, low, high = (np.asarray(x, dtype=np.float64) for x in (preference, weak, strong))
    if not (wants.shape == low.shape == high.shape) or wants.ndim != 1 or not len(wants):
        raise MetricError("preference, weak and strong must be equal lists, one figure a task")
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
    weak: float,
    strong: float,
    *,
    variant: Literal["area", "quantiles"] = "area",
) -> float:
    """Average performance gap recovered over all shares of strong calls.

    The area between the piecewise-linear quality curve over the share of strong calls, with
    (0, weak) and (1, strong) added, and the weak model's constant, divided by strong - weak. It can
    exceed 1; a random router gives about 0.5. NaN where weak and strong are equal.
    ``variant="quantiles"`` reads the curve at the ten quantile cuts 0, 0.1, ... 1 only, as the
    public code does. Source: RouteLLM (Ong et al., 2024), section 3.2.
    """
    if strong == weak:
        return float("nan")
    x, y = _curve(shares, qualities, weak, strong)
    if variant == "quantiles":
        cuts = np.linspace(0, 1, 11)
        x, y = cuts, np.interp(cuts, x, y)
    elif variant != "area":
        raise MetricError(f"variant {variant!r} is not one of area, quantiles")
    return float(np.trapezoid(y - weak, x) / (strong - weak))


def cpt(
    target: float, shares: ArrayLike, qualities: ArrayLike, weak: float, strong: float
) -> float:
    """Call-performance threshold: the least share of strong calls that recovers ``target`` PGR.

    ``target`` is a share of the gap, 0.5 for half of it. Read on the same piecewise-linear curve as
    :func:`apgr`; right also where quality rises and falls. NaN where the curve never gets there (it
    always reaches 1, at the latest with the strong model alone), or weak and strong are equal. Source: RouteLLM
    (Ong et al., 2024), section 3.2.
    """
    if np.isnan(target):
        raise MetricError("the target is not a number")
    if strong == weak:
        return float("nan")
    x, y = _curve(shares, qualities, weak, strong)
    recovered = (y - weak) / (strong - weak)
    if recovered[0] >= target:
        return float(x[0])
    for at in range(1, len(x)):
        if recovered[at] >= target:
            rise = recovered[at] - recovered[at - 1]
            step = (target - recovered[at - 1]) / rise
            return float(x[at - 1] + step * (x[at] - x[at - 1]))
    return float("nan")


def _curve(
    shares: ArrayLike, qualities: ArrayLike, weak: float, strong: float
) -> tuple[Floats, Floats]:
    """The curve with its two ends; points of one share keep their order by quality."""
    x, y = np.asarray(shares, dtype=np.float64), np.asarray(qualities, dtype=np.float64)
    if x.shape != y.shape or x.ndim != 1:
        raise MetricError("shares and qualities must be equal lists")
    if not (np.isfinite(x).all() and np.isfinite(y).all()):
        raise MetricError("a point of the curve is not a finite number")
    if len(x) and (x.min() < 0 or x.max() > 1):
        raise MetricError("a share of strong calls lies outside 0..1")
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order]
    inside = (x > 0) & (x < 1)
    best: dict[float, float] = {}
    for share, quality in zip(x[inside].tolist(), y[inside].tolist(), strict=True):
        best[share] = max(quality, best.get(share, quality))
    return (
        np.array([0.0, *best, 1.0]),
        np.array([weak, *best.values(), strong]),
    )
