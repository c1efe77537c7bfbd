"""Baselines that every policy is compared with (SPEC 13.4), and policies of one's own.

A policy is a function from an outcome table to :class:`~routinglab.lab.choices.Choices`. Most look
at nothing but the task; those that look at outcomes say so in their labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from routinglab.errors import OutcomesError
from routinglab.lab.choices import NOBODY, Choices, choices_from_columns, choices_of, moved_to
from routinglab.lab.metrics import PRICE_WEIGHT
from routinglab.lab.outcomes import UNKNOWN, Floats, Outcomes, mean_known

By = Literal["score", "reward"]


@dataclass(frozen=True, slots=True)
class TaskPolicy:
    """A named policy: ``choose`` maps a table to choices."""

    name: str
    choose: Callable[[Outcomes], Choices]

    def __call__(self, outcomes: Outcomes) -> Choices:
        return self.choose(outcomes)


@dataclass(frozen=True, slots=True)
class TaskView:
    """What a policy of one's own is shown of a task: no outcome.

    ``info`` holds the table's other facts of the task by column name; ``models`` what it may name.
    """

    task: str
    text: str | None
    group: str | None
    info: dict[str, Any]
    models: tuple[str, ...]


def always(model: str) -> TaskPolicy:
    """The same model for every task."""

    def choose(outcomes: Outcomes) -> Choices:
        column = outcomes.column(model)
        return choices_from_columns(f"always {model}", outcomes, [column] * len(outcomes))

    return TaskPolicy(f"always {model}", choose)


def cheapest() -> TaskPolicy:
    """The model with the lowest mean cost, over the tasks whose cost is not unknown."""

    def choose(outcomes: Outcomes) -> Choices:
        column = cheapest_column(outcomes)
        return choices_from_columns(
            "cheapest", outcomes, [column] * len(outcomes), labels=(outcomes.models[column],)
        )

    return TaskPolicy("cheapest", choose)


def cheapest_column(outcomes: Outcomes) -> int:
    """The model with the lowest mean known cost; without any cost, an OutcomesError."""
    cost = mean_known(np.where(outcomes.provenance == UNKNOWN, np.nan, outcomes.cost))
    if np.isnan(cost).all():
        cost = mean_known(outcomes.cost)
    if np.isnan(cost).all():
        raise OutcomesError(f"{outcomes.name}: no costs, so there is no cheapest model")
    return int(np.nanargmin(np.round(cost, 12)))


def best_single(fit_on: Outcomes | None = None) -> TaskPolicy:
    """The model that is best on average; ties go to the cheaper.

    Chosen on ``fit_on``; without it on the very tasks it is judged on, and labelled in-sample.
    """

    def choose(outcomes: Outcomes) -> Choices:
        model = best_model(fit_on or outcomes)
        column = outcomes.column(model)
        label = "in-sample" if fit_on is None else f"fitted on {fit_on.name}"
        return choices_from_columns(
            "best single", outcomes, [column] * len(outcomes), labels=(model, label)
        )

    return TaskPolicy("best single", choose)


def best_model(outcomes: Outcomes) -> str:
    """The model with the highest mean score, of equals the cheaper, then the first by name."""
    best = _best_column(mean_known(outcomes.score), mean_known(outcomes.cost), outcomes.models)
    if best == NOBODY:
        raise OutcomesError(f"{outcomes.name}: no scores, so there is no best model")
    return outcomes.models[best]


def random_choice(seed: int = 0) -> TaskPolicy:
    """A model drawn evenly for each task; the same seed draws the same."""

    def choose(outcomes: Outcomes) -> Choices:
        drawn = np.random.default_rng(seed).integers(0, len(outcomes.models), len(outcomes))
        return choices_from_columns("random", outcomes, drawn.tolist(), labels=(f"seed {seed}",))

    return TaskPolicy("random", choose)


def oracle(by: By = "score", price_weight: float = PRICE_WEIGHT) -> TaskPolicy:
    """The best model for each task in hindsight; ties go to the cheaper, then the first by name.

    ``by="reward"`` takes the best score - ``price_weight`` x USD. It looks at outcomes: a bound, not
    a policy one could have had.
    """
    if by not in ("score", "reward"):
        raise OutcomesError(f"by {by!r} is not one of score, reward")

    def choose(outcomes: Outcomes) -> Choices:
        worth = outcomes.score if by == "score" else outcomes.reward(price_weight)
        columns = [
            _best_column(worth[row], outcomes.cost[row], outcomes.models)
            for row in range(len(outcomes))
        ]
        return choices_from_columns(
            "oracle" if by == "score" else "oracle by reward",
            outcomes,
            columns,
            labels=("hindsight",),
        )

    return TaskPolicy("oracle" if by == "score" else "oracle by reward", choose)


def _best_column(worth: Floats, cost: Floats, models: Sequence[str]) -> int:
    """The column worth most, of equals the cheaper, then the first by name; -1 where none is known.

    Rounded first, for means of the same figures may differ by a hair, and a hair decides no tie.
    """
    known = [n for n in range(len(models)) if not np.isnan(worth[n])]
    usd = np.where(np.isnan(cost), np.inf, cost)
    return min(
        known,
        key=lambda n: (-round(float(worth[n]), 12), round(float(usd[n]), 12), models[n]),
        default=NOBODY,
    )


def cascade(models: Sequence[str], threshold: float) -> TaskPolicy:
    """Call ``models`` in order until one scores at least ``threshold``; every call is paid for.

    The last one called answers. It looks at the score of each answer before going on, which nobody
    has at run time without a perfect verifier: labelled verifier-assisted. A model without an
    outcome is passed over, unpaid.
    """
    if not models:
        raise OutcomesError("a cascade needs at least one model")
    name = f"cascade {' > '.join(models)} at {threshold:g}"

    def choose(outcomes: Outcomes) -> Choices:
        columns = [outcomes.column(model) for model in models]
        answering = np.full(len(outcomes), NOBODY, dtype=np.intp)
        called: list[tuple[int, ...]] = []
        for row in range(len(outcomes)):
            chain: list[int] = []
            for column in columns:
                score = outcomes.score[row, column]
                if np.isnan(score):
                    continue
                chain.append(column)
                answering[row] = column
                if score >= threshold:
                    break
            called.append(tuple(chain))
        return Choices(name, outcomes, answering, tuple(called), ("verifier-assisted",))

    return TaskPolicy(name, choose)


def k_nearest(
    k: int = 8,
    *,
    train: Outcomes | None = None,
    features: Callable[[Outcomes], ArrayLike] | None = None,
    by: By = "score",
    price_weight: float = PRICE_WEIGHT,
) -> TaskPolicy:
    """The model that did best on the ``k`` most alike tasks; ties go to the cheaper there.

    Neighbours come from ``train``; without it from the other tasks of the table itself
    (leave-one-out, labelled). Likeness is the cosine of ``features`` (an array a task), by default
    of word counts of the text and the task's group, weighed by rarity in the neighbours' table.
    """
    if k < 1:
        raise OutcomesError(f"k: {k} is not a number of neighbours")

    def choose(outcomes: Outcomes) -> Choices:
        from routinglab.lab.likeness import nearest_tasks

        known = train or outcomes
        near = nearest_tasks(outcomes, known, k, features, leave_one_out=train is None)
        worth = known.score if by == "score" else known.reward(price_weight)
        place = [outcomes.column(model) for model in known.models]
        columns = []
        for rows in near:
            best = _best_column(mean_known(worth[rows]), mean_known(known.cost[rows]), known.models)
            columns.append(NOBODY if best == NOBODY else place[best])
        label = "leave-one-out" if train is None else f"fitted on {train.name}"
        return choices_from_columns(f"{k} nearest", outcomes, columns, labels=(label,))

    return TaskPolicy(f"{k} nearest", choose)


def function(choose_model: Callable[[TaskView], str | None], name: str | None = None) -> TaskPolicy:
    """A policy of one's own: a function from a task to the name of a model, or None for none."""
    title = name or str(getattr(choose_model, "__name__", "function"))

    def choose(outcomes: Outcomes) -> Choices:
        return choices_of(title, outcomes, [choose_model(view) for view in views(outcomes)])

    return TaskPolicy(title, choose)


def logged(choices: Choices) -> TaskPolicy:
    """Choices that were made elsewhere, such as a router's own log, as a policy.

    Over another table they are found again by task and model name.
    """
    return TaskPolicy(choices.name, lambda outcomes: moved_to(choices, outcomes))


def views(outcomes: Outcomes) -> Iterable[TaskView]:
    """What a policy may see of each task, in the table's order."""
    for row in outcomes.info.to_dict("records"):
        yield TaskView(
            task=str(row.pop("task")),
            text=_text(row.pop("text", None)),
            group=_text(row.pop("group", None)),
            info={str(key): value for key, value in row.items()},
            models=outcomes.models,
        )


def _text(cell: Any) -> str | None:
    """A cell as text; a frame has NaN where there is none."""
    return None if cell is None or cell != cell else str(cell)
