"""The lab's metrics (SPEC 13.5): what is measured, with its definition and source.

Figures of one policy over a table take a :class:`~routinglab.lab.choices.Choices`; curve and
off-policy figures take plain numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from routinglab.errors import MetricError
from routinglab.lab.arena import arena_score
from routinglab.lab.choices import Choices
from routinglab.lab.curves import CostQuality, aiq, cost_quality
from routinglab.lab.intervals import Interval, bootstrap, bootstrap_rows, paired
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
from routinglab.lab.weakstrong import apgr, cpt, pgr, strong_share_curve

__all__ = [
    "CostQuality",
    "Interval",
    "OffPolicy",
    "agreement",
    "aiq",
    "apgr",
    "arena_score",
    "bootstrap",
    "bootstrap_rows",
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
    "paired",
    "pgr",
    "quality_regret",
    "quality_regrets",
    "regret",
    "reward_regret",
    "reward_regrets",
    "ridge_means",
    "snips",
    "strong_share_curve",
    "total_cost",
]

PRICE_WEIGHT = 0.1


def mean_quality(choices: Choices) -> float:
    """Mean score over the tasks whose outcome is known; NaN where none is."""
    return _mean(choices.quality)


def mean_cost(choices: Choices) -> float:
    """Mean USD a task over the tasks whose cost is stated, chains paying for every model called."""
    return _mean(choices.cost)


def total_cost(choices: Choices) -> float:
    """Total USD over the tasks whose cost is stated."""
    return float(np.nansum(choices.cost))


def coverage(choices: Choices) -> float:
    """Share of the tasks for which the answering model's score is known."""
    return choices.coverage


def quality_regrets(choices: Choices) -> Floats:
    """Best known score - the policy's, a task; NaN where the policy's outcome is missing."""
    return _best(choices.outcomes.score) - choices.quality


def reward_regrets(choices: Choices, price_weight: float = PRICE_WEIGHT) -> Floats:
    """Best reward - the policy's, a task, with reward = score - ``price_weight`` x USD."""
    rewards: Floats = choices.quality - price_weight * choices.cost
    return _best(choices.outcomes.reward(price_weight)) - rewards


def quality_regret(choices: Choices) -> float:
    """Oracle quality - policy quality a task, averaged."""
    return _mean(quality_regrets(choices))


def reward_regret(choices: Choices, price_weight: float = PRICE_WEIGHT) -> float:
    """Sum of (best reward - reward) over tasks, reward = score - 0.1 x USD unless weighted else.

    Source: CodeRouterBench (agent-as-a-router), cumulative regret.
    """
    return float(np.nansum(reward_regrets(choices, price_weight)))


def regret(
    choices: Choices,
    *,
    kind: Literal["quality", "reward"] = "quality",
    price_weight: float = PRICE_WEIGHT,
) -> float:
    """Regret to the oracle: ``quality`` (mean a task) or ``reward`` (summed, CodeRouterBench)."""
    if kind == "quality":
        return quality_regret(choices)
    if kind == "reward":
        return reward_regret(choices, price_weight)
    raise MetricError(f"kind {kind!r} is not one of quality, reward")


def flip_rate(before: Choices | Sequence[object], after: Choices | Sequence[object]) -> float:
    """Share of tasks for which two policies chose different models; NaN without tasks."""
    return 1 - agreement(before, after)


def agreement(first: Choices | Sequence[object], second: Choices | Sequence[object]) -> float:
    """Share of tasks for which two policies chose the same model, of those both chose for."""
    left, right = _chosen(first), _chosen(second)
    if len(left) != len(right):
        raise MetricError(f"{len(left)} and {len(right)} choices are not of the same tasks")
    pairs = [(a, b) for a, b in zip(left, right, strict=True) if a is not None and b is not None]
    if not pairs:
        return float("nan")
    return sum(a == b for a, b in pairs) / len(pairs)


def _chosen(choices: Choices | Sequence[object]) -> Sequence[object]:
    return choices.models if isinstance(choices, Choices) else choices


def _best(values: Floats) -> Floats:
    """The best known value a task; NaN for a task without any."""
    filled = np.where(np.isnan(values), -np.inf, values).max(axis=1)
    best: NDArray[np.float64] = np.where(np.isinf(filled), np.nan, filled)
    return best


def _mean(values: ArrayLike) -> float:
    array = np.asarray(values, dtype=np.float64)
    known = array[~np.isnan(array)]
    return float(known.mean()) if len(known) else float("nan")


def oracle_quality(outcomes: Outcomes) -> float:
    """Mean of the best known score a task."""
    return _mean(_best(outcomes.score))
