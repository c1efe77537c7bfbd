"""Estimates of a policy's quality where only the chosen model's outcome is known (SPEC 13.5)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from routinglab.errors import MetricError
from routinglab.lab.intervals import Interval, bootstrap_rows
from routinglab.lab.numbers import Floats, column_names, figures, vector

#: No figure rests on fewer effective samples than this.
LEAST_EFFECTIVE = 30

#: Rounding may take a hair off a sample size that is 30.
_HAIR = 1e-9

#: Fits on (features, outcome, model) of some tasks; gives the prediction for (features, every model).
RewardModel = Callable[[Floats, Floats, NDArray[np.intp], Floats, int], Floats]


@dataclass(frozen=True, slots=True)
class OffPolicy:
    """An estimate with its interval and effective sample size, (sum w)^2 / sum w^2."""

    method: str
    estimate: float
    low: float
    high: float
    effective: float
    count: int

    def __float__(self) -> float:
        return self.estimate


@dataclass(frozen=True, slots=True)
class Logged:
    """What was logged a task: the chosen column, its outcome, and the logging propensities.

    ``propensity`` has the shape (tasks, models): the probability with which the logging policy
    would have chosen each model; ``target`` the same for the policy to be judged.
    """

    chosen: NDArray[np.intp]
    outcome: Floats
    propensity: Floats
    target: Floats

    @property
    def weights(self) -> Floats:
        """w = target / propensity of the chosen model a task."""
        rows = np.arange(len(self.chosen))
        weights: Floats = self.target[rows, self.chosen] / self.propensity[rows, self.chosen]
        return weights


def effective_sample_size(weights: ArrayLike) -> float:
    """(sum w)^2 / sum w^2 (Kish, 1965); 0 where all weights are 0."""
    array = figures(weights, "weights")
    squares = float(np.sum(array**2))
    return float(np.sum(array) ** 2 / squares) if squares > 0 else 0.0


def ips(
    chosen: ArrayLike,
    outcome: ArrayLike,
    propensity: ArrayLike,
    target: ArrayLike,
    *,
    seed: int = 0,
) -> OffPolicy:
    """Inverse propensity score: mean of w x outcome.

    ``chosen`` and ``outcome`` are one a task: which model was chosen (a column number, or the name
    where ``propensity`` is a frame) and its score. ``propensity`` and ``target`` are probabilities
    of the shape (tasks, models) over all offered models, under the logging and the judged policy;
    frames are matched by column name, and a ``target`` that is one choice a task is that choice for
    certain. Unbiased where the propensities are right. The interval is 95 %, by seeded bootstrap.
    MetricError where a model that the target may choose had no chance, or fewer than 30 effective
    samples remain. Source: Horvitz & Thompson (1952).
    """
    log = _logged(chosen, outcome, propensity, target)
    rows = np.column_stack([log.weights, log.outcome])
    return _estimate("ips", log, rows, lambda r: float(np.mean(r[:, 0] * r[:, 1])), seed)


def snips(
    chosen: ArrayLike,
    outcome: ArrayLike,
    propensity: ArrayLike,
    target: ArrayLike,
    *,
    seed: int = 0,
) -> OffPolicy:
    """Self-normalised IPS: sum of w x outcome over sum of w; arguments and refusals as for ``ips``.

    Source: Swaminathan & Joachims (2015).
    """
    log = _logged(chosen, outcome, propensity, target)
    rows = np.column_stack([log.weights, log.outcome])

    def ratio(r: Floats) -> float:
        total = float(r[:, 0].sum())
        return float((r[:, 0] * r[:, 1]).sum() / total) if total > 0 else float("nan")

    return _estimate("snips", log, rows, ratio, seed)


def doubly_robust(
    chosen: ArrayLike,
    outcome: ArrayLike,
    propensity: ArrayLike,
    target: ArrayLike,
    *,
    features: ArrayLike | None = None,
    predictions: ArrayLike | None = None,
    model: RewardModel | None = None,
    folds: int = 5,
    seed: int = 0,
) -> OffPolicy:
    """Doubly robust: mean of the predicted value under the target plus w x (outcome - prediction).

    Predictions of every model's outcome are made by ``model`` fitted on the other folds
    (cross-fitted; by default ridge regression for each model on ``features``, or its mean), or
    given whole as ``predictions`` (tasks, models), then fitted elsewhere. Right where either the
    propensities or the predictions are. Refusals as for ``ips``. Source: Dudik, Langford & Li
    (2011); cross-fitting: Chernozhukov et al. (2018).
    """
    log = _logged(chosen, outcome, propensity, target)
    if predictions is not None:
        guess = figures(predictions, "predictions")
        if not np.isfinite(guess).all():
            raise MetricError("a prediction is missing")
        if guess.shape != log.target.shape:
            raise MetricError(f"predictions have the shape {guess.shape}, not {log.target.shape}")
    else:
        guess = _cross_fitted(log, features, model or ridge_means, folds, seed)
    direct = np.sum(log.target * guess, axis=1)
    left = log.outcome - guess[np.arange(len(log.chosen)), log.chosen]
    rows = (direct + log.weights * left)[:, None]
    return _estimate("doubly_robust", log, rows, lambda r: float(np.mean(r)), seed)


def ridge_means(
    features: Floats,
    outcome: Floats,
    chosen: NDArray[np.intp],
    wanted: Floats,
    models: int,
    *,
    penalty: float = 1.0,
) -> Floats:
    """For each model, ridge regression of its outcomes on ``features``, shrunk to its mean."""
    overall = float(outcome.mean()) if len(outcome) else 0.0
    guess = np.full((len(wanted), models), overall)
    for column in range(models):
        mine = chosen == column
        if not mine.any():
            continue
        centre = features[mine].mean(axis=0)
        mean = outcome[mine].mean()
        x = features[mine] - centre
        slope = np.linalg.solve(
            x.T @ x + penalty * np.eye(x.shape[1]), x.T @ (outcome[mine] - mean)
        )
        guess[:, column] = mean + (wanted - centre) @ slope
    return guess


def _cross_fitted(
    log: Logged, features: ArrayLike | None, model: RewardModel, folds: int, seed: int
) -> Floats:
    count, models = log.target.shape
    table = np.zeros((count, 1)) if features is None else figures(features, "features")
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or len(table) != count:
        raise MetricError(f"features must be ({count} tasks, numbers), not {table.shape}")
    if not np.isfinite(table).all():
        raise MetricError("a feature is missing or infinite; fill it in or leave the task out")
    if not 2 <= folds <= count:
        raise MetricError(f"folds: {folds} is not between 2 and the {count} tasks")
    fold = np.random.default_rng(seed).permutation(count) % folds
    guess = np.empty((count, models))
    for number in range(folds):
        out = fold == number
        guess[out] = model(table[~out], log.outcome[~out], log.chosen[~out], table[out], models)
    return guess


def _logged(
    chosen: ArrayLike, outcome: ArrayLike, propensity: ArrayLike, target: ArrayLike
) -> Logged:
    names = column_names(propensity)
    if names is not None and column_names(target) is not None:
        target = _in_order(target, names)
    odds = _probabilities(propensity, "propensity")
    wanted = np.asarray(target, dtype=object)
    log = Logged(
        _columns(chosen, names, "chosen"),
        vector(outcome, "outcome"),
        odds,
        mixed_target(_columns(target, names, "target"), odds.shape[1])
        if wanted.ndim == 1
        else _probabilities(target, "target"),
    )
    count = len(log.chosen)
    if log.propensity.shape != log.target.shape:
        raise MetricError("propensity and target must be (tasks, models) of one shape")
    if not count or log.outcome.shape != (count,) or len(log.target) != count:
        raise MetricError("chosen, outcome, propensity and target must cover the same tasks")
    if not np.isfinite(log.outcome).all():
        raise MetricError("an outcome of a chosen model is missing; leave that task out")
    for name, values in (("propensity", log.propensity), ("target", log.target)):
        sums = values.sum(axis=1)
        if not (np.isfinite(values).all() and (values >= 0).all() and np.allclose(sums, 1)):
            raise MetricError(f"{name} must be probabilities that sum to 1 a task")
    if log.chosen.max() >= log.target.shape[1]:
        raise MetricError("a chosen column is not among the models")
    _refuse_without_overlap(log)
    return log


def _probabilities(table: Any, name: str) -> Floats:
    array = figures(table, name)
    if array.ndim != 2:
        raise MetricError(
            f"{name} must be (tasks, models): the probability of every model that was offered, not "
            f"only of the one chosen; it has the shape {array.shape}"
        )
    return array


def _in_order(target: Any, names: list[Any]) -> Any:
    theirs = column_names(target) or []
    if len(theirs) != len(names) or set(theirs) != set(names):
        odd = sorted(map(str, set(theirs) ^ set(names)))
        raise MetricError(f"propensity and target are not of the same models: {', '.join(odd)}")
    return target[names]


def _columns(chosen: Any, names: list[Any] | None, what: str) -> NDArray[np.intp]:
    """Choices as column numbers, from numbers or, where a frame names its columns, from names."""
    given = np.asarray(chosen, dtype=object)
    if given.ndim != 1:
        raise MetricError(f"{what} must be one choice a task, not of the shape {given.shape}")
    if names is not None and all(choice in names for choice in given):
        place = {name: number for number, name in enumerate(names)}
        return np.array([place[choice] for choice in given], dtype=np.intp)
    columns: list[int] = []
    for choice in given:
        if not isinstance(choice, int | float | np.number) or not 0 <= choice == np.floor(choice):
            among = f"; they are {', '.join(map(str, names))}" if names is not None else ""
            raise MetricError(f"{what}: {choice!r} is not among the models{among}")
        columns.append(int(choice))
    return np.array(columns, dtype=np.intp)


def _refuse_without_overlap(log: Logged) -> None:
    no_chance = (log.target > 0) & (log.propensity == 0)
    if no_chance.any():
        tasks, columns = int(no_chance.any(axis=1).sum()), no_chance.any(axis=0).nonzero()[0]
        raise MetricError(
            f"no overlap: on {tasks} tasks the policy may choose a model that had no chance of "
            f"being logged (columns {', '.join(map(str, columns[:5]))}); nothing can be said of it"
        )
    if (log.propensity[np.arange(len(log.chosen)), log.chosen] == 0).any():
        raise MetricError("a logged choice has the propensity 0, so the log contradicts itself")
    effective = effective_sample_size(log.weights)
    if effective < LEAST_EFFECTIVE - _HAIR:
        raise MetricError(
            f"too little overlap: {effective:.1f} effective samples of {len(log.chosen)}, "
            f"fewer than {LEAST_EFFECTIVE}; log more tasks or judge a policy nearer the logged one"
        )


def _estimate(
    method: str,
    log: Logged,
    rows: Floats,
    statistic: Callable[[Floats], float],
    seed: int,
) -> OffPolicy:
    interval: Interval = bootstrap_rows(rows, statistic, seed=seed)
    return OffPolicy(
        method,
        interval.estimate,
        interval.low,
        interval.high,
        effective_sample_size(log.weights),
        len(log.chosen),
    )


def mixed_target(
    choices: Sequence[int] | NDArray[np.intp], models: int, explore: float = 0.0
) -> Floats:
    """(tasks, models) probabilities of a policy that makes ``choices``, exploring evenly else."""
    if not 0 <= explore <= 1:
        raise MetricError(f"explore {explore} is not a share between 0 and 1")
    columns = _columns(choices, None, "choices")
    if len(columns) and columns.max() >= models:
        raise MetricError(f"choices: column {columns.max()} is not among {models} models")
    target = np.full((len(columns), models), explore / models)
    target[np.arange(len(columns)), columns] += 1 - explore
    return target
