"""Comparing policies over one outcome table, with the usual baselines beside them (SPEC 13.5, 13.9)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np
import pandas as pd

from routinglab.errors import OutcomesError
from routinglab.lab import metrics, policies
from routinglab.lab.choices import Choices
from routinglab.lab.findings import Finding
from routinglab.lab.outcomes import Floats, Outcomes
from routinglab.lab.policies import TaskPolicy, TaskView

#: A policy, choices made elsewhere, or a function from a task to a model's name.
PolicyOrChoices = TaskPolicy | Choices | Callable[[TaskView], str | None]

#: The columns of paired differences: the policy minus this baseline.
AGAINST = ("best single", "cheapest", "random", "oracle")


@dataclass(frozen=True, eq=False)
class Comparison:
    """Policies over one table: ``frame`` has one row a policy, baselines last.

    ``quality`` is the mean score over covered tasks with its interval; costs are USD; regrets as in
    :mod:`routinglab.lab.metrics`; ``vs_X`` is the paired difference in quality to baseline X with
    its interval; ``coverage`` and ``cost_coverage`` are the shares of tasks whose score and cost are
    known, on which these figures rest; ``cost_observed``, ``cost_imputed`` and ``cost_unknown`` are shares of the tasks;
    ``distinct`` is the number of different models chosen and ``labels`` says how to read the row.
    """

    outcomes: Outcomes
    choices: tuple[Choices, ...]
    frame: pd.DataFrame

    @property
    def findings(self) -> tuple[Finding, ...]:
        """What is odd about the table and the logs compared."""
        own = [found for choices in self.choices for found in choices.findings]
        return (*self.outcomes.findings, *own)

    def choices_of(self, name: str) -> Choices:
        """The choices of one policy."""
        for choices in self.choices:
            if choices.name == name:
                return choices
        names = ", ".join(choices.name for choices in self.choices)
        raise OutcomesError(f"no policy {name!r} was compared; there are {names}")

    def _repr_html_(self) -> str:
        notes = "".join(f"<li>{escape(str(found))}</li>" for found in self.findings)
        table = self.frame.to_html(index=False, float_format=lambda x: f"{x:.4g}", na_rep="–")
        return f"{table}<ul>{notes}</ul>" if notes else table


def compare(
    outcomes: Outcomes,
    *compared: PolicyOrChoices | Mapping[str, PolicyOrChoices],
    baselines: bool = True,
    price_weight: float = metrics.PRICE_WEIGHT,
    resamples: int = 2000,
    seed: int = 0,
) -> Comparison:
    """Compare policies on ``outcomes``; best single, cheapest, random and oracle stand beside.

    A mapping gives names. Everything random uses ``seed``. A table without costs has no cheapest
    model, and its reward figures are NaN.
    """
    made = [_made(name, item, outcomes) for name, item in _named(compared)]
    beside = _baselines(outcomes, seed)
    names = [choices.name for choices in made]
    added = [choices for choices in beside if baselines and choices.name not in names]
    everyone = tuple(made + added)
    repeated = {name for name in names if names.count(name) > 1}
    if repeated:
        raise OutcomesError(f"two policies are named {sorted(repeated)[0]!r}; name them apart")
    against = {choices.name: choices.quality for choices in beside}
    frame = pd.DataFrame(
        [_row(choices, against, price_weight, resamples, seed) for choices in everyone]
    )
    return Comparison(outcomes, everyone, frame)


def _named(
    compared: Sequence[PolicyOrChoices | Mapping[str, PolicyOrChoices]],
) -> list[tuple[str | None, PolicyOrChoices]]:
    pairs: list[tuple[str | None, PolicyOrChoices]] = []
    for item in compared:
        if isinstance(item, Mapping):
            pairs += item.items()
        else:
            pairs.append((None, item))
    return pairs


def _made(name: str | None, item: PolicyOrChoices, outcomes: Outcomes) -> Choices:
    if isinstance(item, Choices):
        choices = policies.logged(item)(outcomes)
    elif isinstance(item, TaskPolicy):
        choices = item(outcomes)
    elif callable(item):
        choices = policies.function(item, name)(outcomes)
    else:
        raise OutcomesError(f"{item!r} is neither a policy, choices nor a function of a task")
    return choices if name is None or name == choices.name else choices.named(name)


def _baselines(outcomes: Outcomes, seed: int) -> list[Choices]:
    beside = [policies.best_single()(outcomes)]
    if not np.isnan(outcomes.cost).all():
        beside.append(policies.cheapest()(outcomes))
    beside += [policies.random_choice(seed)(outcomes), policies.oracle()(outcomes)]
    return beside


def _row(
    choices: Choices,
    against: Mapping[str, Floats],
    price_weight: float,
    resamples: int,
    seed: int,
) -> dict[str, object]:
    quality = choices.quality
    interval = metrics.bootstrap(quality, resamples=resamples, seed=seed)
    row: dict[str, object] = {
        "policy": choices.name,
        "quality": interval.estimate,
        "quality_low": interval.low,
        "quality_high": interval.high,
        "mean_cost": metrics.mean_cost(choices),
        "total_cost": metrics.total_cost(choices),
        "quality_regret": metrics.quality_regret(choices),
        "reward_regret": metrics.reward_regret(choices, price_weight),
        "coverage": choices.coverage,
        "cost_coverage": metrics.cost_coverage(choices),
        "distinct": choices.distinct,
        "labels": ", ".join(choices.shown_labels),
    }
    for name in AGAINST:
        key = f"vs_{name.replace(' ', '_')}"
        base = against.get(name)
        if base is None:
            row |= {key: np.nan, f"{key}_low": np.nan, f"{key}_high": np.nan}
            continue
        difference = metrics.paired(quality, base, resamples=resamples, seed=seed)
        row |= {
            key: difference.estimate,
            f"{key}_low": difference.low,
            f"{key}_high": difference.high,
        }
    return row | {f"cost_{kind}": share for kind, share in choices.cost_provenance().items()}
