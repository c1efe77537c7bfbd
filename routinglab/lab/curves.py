"""Cost-quality curves, their hulls and the areas under them (RouterBench)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from routinglab.errors import MetricError
from routinglab.lab.findings import outside_level

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class CostQuality:
    """A policy family's points by rising cost, and their non-decreasing upper convex hull."""

    costs: tuple[float, ...]
    qualities: tuple[float, ...]
    hull_costs: tuple[float, ...]
    hull_qualities: tuple[float, ...]

    def at(self, cost: float) -> float:
        """Quality the hull reaches at a mean cost, constant beyond its ends."""
        return float(np.interp(cost, self.hull_costs, self.hull_qualities))


Points = NDArray[np.float64] | Iterable[Sequence[float]]


class MetricWarning(UserWarning):
    """A figure is not a number on this input; the message says why."""


def cost_quality(points: Points) -> CostQuality:
    """The cost-quality curve of ``(mean cost, mean quality)`` points (SPEC 13.5).

    Of points with equal cost the better stays. The hull is the least concave, non-decreasing curve
    above the points: mixing two policies at random reaches every point of it. Source: RouterBench
    (Hu et al., 2024), section 3.2.
    """
    array = np.array([tuple(point) for point in points], dtype=np.float64)
    if array.ndim != 2 or array.shape[1] != 2 or not len(array):
        raise MetricError("points must be (cost, quality) pairs, at least one")
    if not np.isfinite(array).all():
        raise MetricError("a point has a cost or quality that is not a finite number")
    best: dict[float, float] = {}
    for cost, quality in array.tolist():
        best[cost] = max(quality, best.get(cost, quality))
    curve = sorted(best.items())
    hull = _upper_hull(curve)
    return CostQuality(
        tuple(cost for cost, _ in curve),
        tuple(quality for _, quality in curve),
        tuple(cost for cost, _ in hull),
        tuple(quality for _, quality in hull),
    )


def _upper_hull(curve: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Upper hull of points sorted by cost (Andrew's monotone chain), cut where it would fall."""
    hull: list[tuple[float, float]] = []
    for point in curve:
        if hull and point[1] <= hull[-1][1]:
            continue
        while len(hull) > 1 and not _turns_down(hull[-2], hull[-1], point):
            hull.pop()
        hull.append(point)
    return hull


def _turns_down(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> bool:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0


def aiq(
    points: Points | CostQuality,
    *,
    bounds: tuple[float, float] | None = None,
    variant: Literal["paper", "code"] = "paper",
) -> float:
    """Average improvement in quality: the mean height of the hull over the cost ``bounds``.

    ``bounds`` must be the ones shared by all policies compared (default: the points' own). Outside
    its ends the hull is constant. Equal bounds give NaN, for there is no width to average over.
    ``variant="code"`` divides the area by the highest cost, as RouterBench's public code does.
    Source: RouterBench (Hu et al., 2024), section 3.2, equation for AIQ.
    """
    curve = points if isinstance(points, CostQuality) else cost_quality(points)
    low, high = bounds if bounds is not None else (curve.costs[0], curve.costs[-1])
    if not (np.isfinite(low) and np.isfinite(high) and low <= high):
        raise MetricError(f"bounds ({low}, {high}) are not a range of costs")
    if variant not in ("paper", "code"):
        raise MetricError(f"variant {variant!r} is not one of paper, code")
    width = high - low if variant == "paper" else high
    if high == low or width == 0:
        message = f"AIQ is not defined where both cost bounds are {low:g}; it is given as NaN"
        warnings.warn(message, MetricWarning, stacklevel=outside_level())
        return float("nan")
    inner = [cost for cost in curve.hull_costs if low < cost < high]
    grid = np.array([low, *inner, high])
    heights = np.interp(grid, curve.hull_costs, curve.hull_qualities)
    return float(np.trapezoid(heights, grid) / width)
