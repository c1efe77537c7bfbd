"""Confidence intervals by seeded bootstrap over tasks, and paired comparison of two policies."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from routinglab.errors import MetricError
from routinglab.lab.choices import Choices
from routinglab.lab.numbers import figures, vector

Method = Literal["percentile", "basic", "BCa"]

#: One figure a task, or choices, whose scores are meant.
PerTask = ArrayLike | Choices

#: scipy draws this many numbers at once at most, so that a long table needs no gigabytes.
_AT_ONCE = 4_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """An estimate with its interval; ``count`` is the number of tasks it rests on."""

    estimate: float
    low: float
    high: float
    level: float
    count: int

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __float__(self) -> float:
        return self.estimate

    def __str__(self) -> str:
        return f"{self.estimate:.4g} [{self.low:.4g}, {self.high:.4g}]"


def bootstrap(
    values: PerTask,
    statistic: Callable[..., Any] = np.mean,
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    method: Method = "percentile",
) -> Interval:
    """The interval of ``statistic`` over tasks, resampling tasks with replacement.

    ``values`` is one figure a task, shape (tasks,), or :class:`Choices`, whose scores are meant; NaN
    and None (missing) are left out and lower ``count``. ``statistic`` maps figures to one; one that
    takes an ``axis`` is quicker. The same seed gives the same interval. Without a value everything
    is NaN; where all values are equal the interval is that value. MetricError for what is no number,
    a level outside 0..1, or no resamples. Source: Efron & Tibshirani (1993), chapters 13 and 14;
    computed by ``scipy.stats.bootstrap``.
    """
    if method not in get_args(Method):
        raise MetricError(f"method {method!r} is not one of {', '.join(get_args(Method))}")
    _check(level, resamples)
    known = _known(values)
    estimate = float(statistic(known)) if len(known) else float("nan")
    if len(known) < 2 or bool(np.all(known == known[0])):
        return Interval(estimate, estimate, estimate, level, len(known))
    low, high = _scipy((known,), statistic, seed, resamples, level, method, paired=False)
    return Interval(estimate, low, high, level, len(known))


def paired(
    first: PerTask,
    second: PerTask,
    *,
    seed: int = 0,
    resamples: int = 2000,
    level: float = 0.95,
    method: Method = "percentile",
) -> Interval:
    """The mean of ``first - second`` over the tasks that both have, with its interval.

    Both are one figure a task in the same order, shape (tasks,), or :class:`Choices`, whose scores
    are meant; resampling takes tasks, so that what the two have in common cancels. Errors as for
    :func:`bootstrap`, and where the two differ in length.
    """
    left, right = _per_task(first), _per_task(second)
    if left.shape != right.shape:
        raise MetricError(
            f"paired figures must be two equal lists, not {left.shape}, {right.shape}"
        )
    return bootstrap(left - right, seed=seed, resamples=resamples, level=level, method=method)


def bootstrap_rows(
    rows: ArrayLike,
    statistic: Callable[[NDArray[np.float64]], float],
    *,
    seed: int = 0,
    resamples: int = 1000,
    level: float = 0.95,
) -> Interval:
    """The percentile interval of a figure that needs several numbers a task.

    ``rows`` has the shape (tasks, numbers); ``statistic`` takes such an array. Resamples on which
    the figure is undefined (NaN) are left out. Errors as for :func:`bootstrap`.
    """
    _check(level, resamples)
    table = figures(rows, "rows")
    if table.ndim != 2 or not len(table):
        raise MetricError(f"rows must be tasks x numbers, not {table.shape}")
    random = np.random.default_rng(seed)
    drawn = np.array(
        [statistic(table[random.integers(0, len(table), len(table))]) for _ in range(resamples)]
    )
    drawn = drawn[~np.isnan(drawn)]
    estimate = float(statistic(table))
    if not len(drawn):
        return Interval(estimate, float("nan"), float("nan"), level, len(table))
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(estimate, float(low), float(high), level, len(table))


def _per_task(values: PerTask) -> NDArray[np.float64]:
    return values.quality if isinstance(values, Choices) else vector(values, "figures a task")


def _known(values: PerTask) -> NDArray[np.float64]:
    array = _per_task(values)
    known: NDArray[np.float64] = array[~np.isnan(array)]
    if np.isinf(known).any():
        raise MetricError("a figure is infinite; no interval can be given")
    return known


def _check(level: float, resamples: int) -> None:
    if not 0 < level < 1:
        raise MetricError(f"level {level} is not between 0 and 1")
    if resamples < 1:
        raise MetricError(f"resamples: {resamples} is not a number of them; 1 or more")


def _scipy(
    data: tuple[NDArray[np.float64], ...],
    statistic: Callable[..., Any],
    seed: int,
    resamples: int,
    level: float,
    method: Method,
    *,
    paired: bool,
) -> tuple[float, float]:
    from scipy.stats import bootstrap as scipy_bootstrap

    result = scipy_bootstrap(
        data,
        statistic,
        n_resamples=resamples,
        batch=max(1, _AT_ONCE // len(data[0])),
        paired=paired,
        confidence_level=level,
        method=method,
        rng=np.random.default_rng(seed),
    )
    return float(result.confidence_interval.low), float(result.confidence_interval.high)
