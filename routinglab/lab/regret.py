"""Regret to the oracle, of choices over a table or of plain figures (SPEC 13.5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from routinglab.errors import MetricError
from routinglab.lab.choices import Choices, choices_of
from routinglab.lab.numbers import Floats, column_names, figures, vector
from routinglab.lab.outcomes import Outcomes

PRICE_WEIGHT = 0.1

#: A policy's score above the best there is by more than this is no rounding.
_ABOVE = 1e-9


def quality_regrets(choices: Choices) -> Floats:
    """Best known score - the policy's, shape (tasks,); NaN where the policy's outcome is missing."""
    return best_known(choices.outcomes.score) - choices.quality


def reward_regrets(choices: Choices, price_weight: float = PRICE_WEIGHT) -> Floats:
    """Best reward - the policy's, shape (tasks,), reward = score - ``price_weight`` x USD.

    NaN where the policy's score or cost is missing.
    """
    rewards: Floats = choices.quality - price_weight * choices.cost
    return best_known(choices.outcomes.reward(price_weight)) - rewards


def quality_regret(choices: Choices) -> float:
    """Oracle quality - policy quality a task, averaged over the tasks where both are known."""
    return mean_known(quality_regrets(choices))


def reward_regret(choices: Choices, price_weight: float = PRICE_WEIGHT) -> float:
    """Sum of (best reward - reward) over tasks, reward = score - 0.1 x USD unless weighted else.

    Over the tasks whose score and cost are known; NaN where none is. Source: CodeRouterBench
    (agent-as-a-router), cumulative regret.
    """
    return sum_known(reward_regrets(choices, price_weight))


def regret(
    policy: Choices | Outcomes | ArrayLike,
    against: ArrayLike | Sequence[str | None] | None = None,
    *,
    kind: Literal["quality", "reward"] = "quality",
    cost: ArrayLike | None = None,
    best_cost: ArrayLike | None = None,
    price_weight: float = PRICE_WEIGHT,
) -> float:
    """Regret to the oracle: ``quality`` (mean a task) or ``reward`` (summed, CodeRouterBench).

    Of :class:`Choices` alone; of an :class:`Outcomes` table with the model chosen for each task; or
    of plain figures:

    - ``regret(quality, best)``: the policy's score a task, shape (tasks,), and the oracle's, or every
      model's, shape (tasks, models). ``kind="reward"`` needs ``cost`` and ``best_cost`` (USD) in the
      shapes of the two.
    - ``regret(scores, chosen)``: every model's scores, shape (tasks, models), and the column chosen
      for each task, or its name where ``scores`` is a frame. ``kind="reward"`` needs ``cost`` in the
      shape of ``scores``.

    Missing figures (NaN) leave their task out; NaN where none is left. MetricError where shapes do
    not agree or the policy does better than what it is compared with.
    """
    if kind not in ("quality", "reward"):
        raise MetricError(f"kind {kind!r} is not one of quality, reward")
    if isinstance(policy, Outcomes):
        if against is None:
            raise MetricError("regret(outcomes, chosen) needs the model chosen for each task")
        names: Any = against
        policy, against = choices_of("chosen", policy, list(names)), None
    if isinstance(policy, Choices):
        if against is not None or cost is not None or best_cost is not None:
            raise MetricError("choices know their oracle and costs; give them alone")
        return quality_regret(policy) if kind == "quality" else reward_regret(policy, price_weight)
    if against is None:
        raise MetricError(
            "regret needs Choices, or figures of the policy and of the oracle: regret(quality, best)"
        )
    weight = None if kind == "quality" else price_weight
    if figures(policy, "scores").ndim == 2:
        mine, best = _of_table(policy, against, cost, weight)
    else:
        mine, best = _of_figures(policy, against, cost, best_cost, weight)
    gaps = best - mine
    if (gaps < -_ABOVE).any():
        raise MetricError(
            f"the policy does better than the best on {int((gaps < -_ABOVE).sum())} tasks; "
            "are the two the wrong way round?"
        )
    return mean_known(gaps) if weight is None else sum_known(gaps)


def _of_figures(
    quality: Any, best: Any, cost: Any, best_cost: Any, weight: float | None
) -> tuple[Floats, Floats]:
    mine, all_of = vector(quality, "quality"), figures(best, "best")
    if weight is not None:
        if cost is None or best_cost is None:
            raise MetricError('kind="reward" needs cost= and best_cost=, USD a task')
        mine = mine - weight * _shaped(cost, mine, "cost")
        all_of = all_of - weight * _shaped(best_cost, all_of, "best_cost")
    top = best_known(all_of) if all_of.ndim == 2 else all_of
    if top.shape != mine.shape:
        raise MetricError(
            f"quality is of {len(mine)} tasks, best of the shape {all_of.shape}; it must be (tasks,) "
            "or (tasks, models)"
        )
    return mine, top


def _of_table(scores: Any, chosen: Any, cost: Any, weight: float | None) -> tuple[Floats, Floats]:
    worth, names = figures(scores, "scores"), column_names(scores)
    if weight is not None:
        if cost is None:
            raise MetricError('kind="reward" needs cost=, USD in the shape of the scores')
        worth = worth - weight * _shaped(cost, worth, "cost")
    picks = np.asarray(chosen, dtype=object)
    if picks.shape != (len(worth),):
        raise MetricError(f"{len(worth)} tasks, but choices of the shape {picks.shape}")
    known = list(range(worth.shape[1])) if names is None or picks[0] not in names else names
    place = {name: number for number, name in enumerate(known)}
    unknown = [pick for pick in picks if pick not in place]
    if unknown:
        raise MetricError(f"{unknown[0]!r} is not among the models; they are {known}")
    columns = np.array([place[pick] for pick in picks], dtype=np.intp)
    return worth[np.arange(len(worth)), columns], best_known(worth)


def _shaped(cost: Any, like: Floats, name: str) -> Floats:
    array = figures(cost, name)
    if array.shape != like.shape:
        raise MetricError(f"{name} has the shape {array.shape}, not {like.shape}")
    return array


def best_known(values: Floats) -> Floats:
    """The best known value a row of (tasks, models); NaN for a task without any."""
    known = ~np.isnan(values)
    top = np.max(values, axis=1, initial=-np.inf, where=known)
    best: Floats = np.where(known.any(axis=1), top, np.nan)
    return best


def mean_known(values: ArrayLike) -> float:
    """Mean of what is not NaN; NaN where nothing is."""
    array = np.asarray(values, dtype=np.float64)
    known = array[~np.isnan(array)]
    return float(known.mean()) if len(known) else float("nan")


def sum_known(values: ArrayLike) -> float:
    """Sum of what is not NaN; NaN, and not 0, where nothing is."""
    array = np.asarray(values, dtype=np.float64)
    known = array[~np.isnan(array)]
    return float(known.sum()) if len(known) else float("nan")
