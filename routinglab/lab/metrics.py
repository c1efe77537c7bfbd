"""The lab's metrics (SPEC 13.5): what is measured, with its definition and source.

Figures of one policy over a table take a :class:`~routinglab.lab.choices.Choices`, or plain figures a
task; curve and off-policy figures take plain numbers: lists, arrays, Series or frames. What is
undefined is NaN; what makes no sense is a :class:`~routinglab.errors.MetricError`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import ArrayLike

from routinglab.errors import MetricError
from routinglab.lab.arena import arena_score
from routinglab.lab.choices import Choices
from routinglab.lab.curves import CostQuality, aiq, cost_quality, shared_bounds
from routinglab.lab.intervals import Interval, bootstrap, bootstrap_rows, paired
from routinglab.lab.numbers import vector
from routinglab.lab.offpolicy import (
    OffPolicy,
    doubly_robust,
    effective_sample_size,
    ips,
    mixed_target,
    ridge_means,
    snips,
)
from routinglab.lab.outcomes import Floats, Outcomes
from routinglab.lab.regret import (
    PRICE_WEIGHT,
    best_known,
    mean_known,
    quality_regret,
    quality_regrets,
    regret,
    reward_regret,
    reward_regrets,
    sum_known,
)
from routinglab.lab.weakstrong import apgr, cpt, pgr, strong_share_curve

__all__ = [
    "PRICE_WEIGHT",
    "CostQuality",
    "Interval",
    "OffPolicy",
    "agreement",
    "aiq",
    "apgr",
    "arena_score",
    "bootstrap",
    "bootstrap_rows",
    "cost_coverage",
    "cost_quality",
    "coverage",
    "cpt",
    "doubly_robust",
    "effective_sample_size",
    "flip_rate",
    "ips",
    "mean_cost",
    "mean_quality",
    "mixed_target",
    "oracle_quality",
    "paired",
    "pgr",
    "quality_regret",
    "quality_regrets",
    "regret",
    "reward_regret",
    "reward_regrets",
    "ridge_means",
    "shared_bounds",
    "snips",
    "strong_share_curve",
    "total_cost",
]


def mean_quality(choices: Choices | ArrayLike) -> float:
    """Mean score over the tasks whose outcome is known; NaN where none is.

    Of :class:`Choices`, or of one score a task, shape (tasks,).
    """
    return mean_known(_quality(choices))


def mean_cost(choices: Choices | ArrayLike) -> float:
    """Mean USD a task over the tasks whose cost is stated, chains paying for every model called.

    Of :class:`Choices`, or of one cost a task, shape (tasks,); NaN where none is stated.
    """
    return mean_known(_cost(choices))


def total_cost(choices: Choices | ArrayLike) -> float:
    """Total USD over the tasks whose cost is stated; NaN, and not 0, where none is.

    Of :class:`Choices`, or of one cost a task, shape (tasks,).
    """
    return sum_known(_cost(choices))


def coverage(choices: Choices | ArrayLike) -> float:
    """Share of the tasks, 0..1, for which the answering model's score is known.

    Of :class:`Choices`, or of one score a task with NaN where it is missing.
    """
    return _share(_quality(choices))


def cost_coverage(choices: Choices | ArrayLike) -> float:
    """Share of the tasks, 0..1, for which the cost of every model called is stated."""
    return _share(_cost(choices))


def oracle_quality(outcomes: Outcomes) -> float:
    """Mean of the best known score a task."""
    return mean_known(best_known(outcomes.score))


def flip_rate(before: Choices | Iterable[object], after: Choices | Iterable[object]) -> float:
    """Share of tasks, 0..1, for which two policies chose different models; NaN without tasks."""
    return 1 - agreement(before, after)


def agreement(first: Choices | Iterable[object], second: Choices | Iterable[object]) -> float:
    """Share of tasks, 0..1, for which two policies chose the same model, of those both chose for.

    Of :class:`Choices` or lists (arrays, Series) of models in one order of tasks; None and NaN are
    no choice. MetricError where they differ in length.
    """
    left, right = _chosen(first), _chosen(second)
    if len(left) != len(right):
        raise MetricError(f"{len(left)} and {len(right)} choices are not of the same tasks")
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if not (_none(a) or _none(b))]
    if not pairs:
        return float("nan")
    return sum(a == b for a, b in pairs) / len(pairs)


def _chosen(choices: Choices | Iterable[object]) -> list[object]:
    if isinstance(choices, Choices):
        return list(choices.models)
    if isinstance(choices, str) or not isinstance(choices, Iterable):
        raise MetricError(f"choices must be one model a task, not {choices!r}")
    return list(choices)


def _none(choice: Any) -> bool:
    """Whether there was no choice: None, NaN or pandas' NA, which is no truth value."""
    return choice is None or str(choice) in ("nan", "<NA>")


def _quality(given: Choices | ArrayLike) -> Floats:
    return given.quality if isinstance(given, Choices) else vector(given, "scores")


def _cost(given: Choices | ArrayLike) -> Floats:
    return given.cost if isinstance(given, Choices) else vector(given, "costs")


def _share(values: Floats) -> float:
    known = values == values
    return float(known.mean()) if len(known) else float("nan")
