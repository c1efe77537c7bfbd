"""Cost-quality curves, their hulls and the areas under them (RouterBench)."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from routinglab.errors import MetricError
from routinglab.lab.choices import Choices
from routinglab.lab.findings import outside_level
from routinglab.lab.numbers import Floats, column_names, figures, vector


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


#: (cost, quality) pairs, an array or frame of them, or the choices of policies.
Points = Floats | Iterable[Sequence[float]] | Iterable[Choices] | pd.DataFrame

#: Columns of frames that hold points beside other things, as comparisons and sweeps do.
_COSTS, _QUALITIES = ("mean_cost", "cost"), ("quality", "score")


class MetricWarning(UserWarning):
    """A figure is not a number on this input; the message says why."""


def cost_quality(points: Points | ArrayLike, qualities: ArrayLike | None = None) -> CostQuality:
    """The cost-quality curve of a policy family (SPEC 13.5).

    ``points`` are (mean cost, mean quality) pairs, an array of the shape (points, 2), a frame (its
    columns ``mean_cost`` or ``cost`` and ``quality`` or ``score``, else its only two), or
    :class:`Choices`; or costs alone, with their ``qualities`` beside. Costs are USD a task or any
    other unit, one for all; at least one point; MetricError for what is no finite number.

    Of points with equal cost the better stays. The hull is the least concave, non-decreasing curve
    above the points: mixing two policies at random reaches every point of it. Source: RouterBench
    (Hu et al., 2024), section 3.2.
    """
    array = _pairs(points) if qualities is None else _side_by_side(points, qualities)
    if not len(array):
        raise MetricError("there are no points; at least one (cost, quality) pair is needed")
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


def _side_by_side(costs: Any, qualities: Any) -> Floats:
    x, y = figures(costs, "costs"), vector(qualities, "qualities")
    if x.ndim == 2 and x.shape[1] == 2:
        raise MetricError("points are pairs already; bounds are given as bounds=(low, high)")
    x = vector(costs, "costs")
    if len(x) != len(y):
        raise MetricError(f"{len(x)} costs and {len(y)} qualities are not points")
    return np.column_stack([x, y])


def _pairs(points: Any) -> Floats:
    names = column_names(points)
    if names is not None:
        cost = next((name for name in _COSTS if name in names), None)
        quality = next((name for name in _QUALITIES if name in names), None)
        if cost is not None and quality is not None:
            return _side_by_side(points[cost], points[quality])
        if len(names) != 2:
            raise MetricError(
                "a frame of points needs the columns 'cost' (or 'mean_cost') and 'quality' (or "
                f"'score'), or two columns; it has {', '.join(map(str, names))}"
            )
    elif isinstance(points, Iterable) and not isinstance(points, np.ndarray):
        points = [_known_means(p) if isinstance(p, Choices) else p for p in points]
    array = figures(points, "points")
    if array.size == 0:
        return array.reshape(0, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        raise MetricError(
            f"points must be (cost, quality) pairs, not of the shape {array.shape}; "
            "give costs and qualities apart as two lists"
        )
    return array


def _known_means(choices: Choices) -> tuple[float, float]:
    cost, quality = choices.cost, choices.quality
    known = [values[~np.isnan(values)] for values in (cost, quality)]
    if not all(map(len, known)):
        raise MetricError(f"{choices.name}: no cost or no quality is known, so it is no point")
    return float(known[0].mean()), float(known[1].mean())


def shared_bounds(*families: Points | CostQuality) -> tuple[float, float]:
    """(lowest, highest) cost over all points of several families: the bounds their AIQs share."""
    curves = [f if isinstance(f, CostQuality) else cost_quality(f) for f in families]
    if not curves:
        raise MetricError("bounds are of at least one family of points")
    return min(curve.costs[0] for curve in curves), max(curve.costs[-1] for curve in curves)


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
    points: Points | CostQuality | ArrayLike,
    qualities: ArrayLike | None = None,
    bounds: tuple[float, float] | None = None,
    *,
    variant: Literal["paper", "code"] = "paper",
) -> float:
    """Average improvement in quality: the mean height of the hull over the cost ``bounds``.

    Points as for :func:`cost_quality`, or a curve made by it. ``bounds`` (lowest, highest cost) must
    be the ones shared by all policies compared, see :func:`shared_bounds`; by default the points'
    own. Outside its ends the hull is constant. Equal bounds give NaN and a warning, for there is no
    width to average over. ``variant="code"`` divides the area by the highest cost, as RouterBench's
    public code does. MetricError for bounds that are no range. Source: RouterBench (Hu et al.,
    2024), section 3.2, equation for AIQ.
    """
    if isinstance(points, CostQuality):
        curve = points
        if qualities is not None:
            raise MetricError("a curve has its qualities; give the bounds as bounds=(low, high)")
    else:
        curve = cost_quality(points, qualities)
    low, high = (curve.costs[0], curve.costs[-1]) if bounds is None else _range(bounds)
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


def _range(bounds: Any) -> tuple[float, float]:
    ends = vector(bounds, "bounds")
    if len(ends) != 2 or not np.isfinite(ends).all() or ends[0] > ends[1]:
        raise MetricError(f"bounds {bounds} are not a range of costs (lowest, highest)")
    return float(ends[0]), float(ends[1])
