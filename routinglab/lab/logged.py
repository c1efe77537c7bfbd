"""What a recording says for off-policy estimates: who was chosen, with what odds, how it went."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from routinglab.errors import MetricError
from routinglab.lab.outcomes import Floats
from routinglab.lab.recording import Recording


@dataclass(frozen=True, eq=False)
class LoggedChoices:
    """The arguments of ``metrics.ips``, ``snips`` and ``doubly_robust`` but the policy to judge.

    ``chosen`` are columns of ``models``, ``propensity`` has the shape (tasks, models), 0 for models
    that were not offered. ``left_out`` counts tasks that lack a choice with probabilities or an
    outcome of the model chosen.
    """

    tasks: tuple[str, ...]
    models: tuple[str, ...]
    chosen: NDArray[np.intp]
    outcome: Floats
    propensity: Floats
    left_out: int

    def target(self, chosen: dict[str, str]) -> Floats:
        """(tasks, models) probabilities of a policy that chooses ``chosen[task]`` for certain."""
        place = {model: column for column, model in enumerate(self.models)}
        missing = [task for task in self.tasks if chosen.get(task) not in place]
        if missing:
            raise MetricError(
                f"no overlap: on {len(missing)} tasks (such as {missing[0]!r}) the policy chooses "
                f"{chosen.get(missing[0])!r}, which was never offered"
            )
        target = np.zeros(self.propensity.shape)
        target[np.arange(len(self.tasks)), [place[chosen[task]] for task in self.tasks]] = 1
        return target


def logged_choices(recording: Recording) -> LoggedChoices:
    """The choices of a recording whose probabilities and outcomes are known.

    Probabilities are the router's own, as its ``choice`` line states them over all it was offered.
    MetricError where no task has both, or probabilities do not sum to 1.
    """
    index = recording.index
    scores: dict[tuple[int, str], float] = {}
    for number, row in index.outcome_rows():
        outcome = row["outcome"]
        if outcome.get("score") is not None:
            scores[number, outcome["model"]] = float(outcome["score"])
    kept: list[tuple[int, str, dict[str, float], float]] = []
    for number, at in enumerate(index.choice_at):
        row = index.row(at) or {}
        odds, model = row.get("probabilities"), row.get("model")
        score = scores.get((number, model)) if isinstance(model, str) else None
        if isinstance(odds, dict) and isinstance(model, str) and score is not None:
            _check(index.ids[number], model, odds)
            kept.append((number, model, odds, score))
    if not kept:
        raise MetricError("no task has both a choice with probabilities and its model's outcome")
    models = tuple(sorted({model for _, _, odds, _ in kept for model in odds}))
    place = {model: column for column, model in enumerate(models)}
    propensity = np.zeros((len(kept), len(models)))
    for row_number, (_, _, odds, _) in enumerate(kept):
        for model, chance in odds.items():
            propensity[row_number, place[model]] = chance
    return LoggedChoices(
        tuple(index.ids[number] for number, *_ in kept),
        models,
        np.array([place[model] for _, model, _, _ in kept], dtype=np.intp),
        np.array([score for *_, score in kept]),
        propensity,
        len(index.ids) - len(kept),
    )


def _check(task: str, model: str, odds: dict[str, float]) -> None:
    if model not in odds:
        raise MetricError(f"task {task!r}: {model!r} was chosen but has no probability")
    if not math.isclose(sum(odds.values()), 1, abs_tol=1e-6):
        raise MetricError(f"task {task!r}: its probabilities sum to {sum(odds.values()):g}, not 1")
