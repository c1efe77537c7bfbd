"""The figures of the shipped report, each worked out from the shipped outcomes when asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from routinglab.catalog.model import Catalog
from routinglab.evals.evals import Evals
from routinglab.lab import policies, study
from routinglab.lab.compare import Comparison, compare
from routinglab.lab.imports.coderouterbench import SOURCE
from routinglab.lab.names import catalog_ids
from routinglab.lab.outcomes import Outcomes
from routinglab.routing.policies import PolicyLike

#: Routing policies that the report compares, as routing names them.
ROUTED: tuple[PolicyLike, ...] = ("evidence", "cheapest", "best_quality")


@dataclass(frozen=True, eq=False)
class StudyInputs:
    """What the report rests on: outcomes to judge on, outcomes to learn from, and the models."""

    judged: Outcomes
    learned: Outcomes
    catalog: Catalog

    @property
    def evals(self) -> Evals:
        """Evals built from ``learned``."""
        return study.evals_from(self.learned)


def study_inputs() -> StudyInputs:
    """The shipped ones."""
    return StudyInputs(study.agentic_outcomes(), study.short_outcomes(), study.study_catalog())


def study_comparison(
    inputs: StudyInputs | None = None,
    *,
    routed: Sequence[PolicyLike] = ROUTED,
    resamples: int = 2000,
    seed: int = 0,
) -> Comparison:
    """Routing from evals of other tasks, beside published routers' logs and the baselines.

    Routed policies see a task's needs and the evals built from the short tasks; none sees an
    outcome of the tasks it is judged on.
    """
    given = inputs or study_inputs()
    evals = given.evals
    judged = given.judged
    made = [study.route(judged, evals, given.catalog, policy=policy) for policy in routed]
    fitted = policies.k_nearest(8)
    beside = [
        *study.logged_choices(judged),
        policies.best_single(given.learned)(judged).named("best on the short tasks"),
        fitted(judged),
        policies.oracle("reward")(judged),
        policies.always("gpt-5.4")(judged),
        policies.cascade(_by_price(given.catalog, judged), 1.0)(judged).named("cascade by price"),
    ]
    return compare(judged, *made, *beside, resamples=resamples, seed=seed)


def _by_price(catalog: Catalog, outcomes: Outcomes) -> list[str]:
    """The table's models from cheap to dear, by blended catalog price."""
    ids = catalog_ids(SOURCE)
    return sorted(
        outcomes.models,
        key=lambda model: (catalog[ids[model]].blended_price or 0.0, model),
    )


def published_beside(comparison: Comparison) -> pd.DataFrame:
    """Published figures beside what the same router's log gives on the shipped outcomes."""
    published = study.published_figures()
    same = {
        "ACRouter (ours)": "ACRouter",
        "LinUCB": "LinUCB",
        "kNN Retrieval": "kNN retrieval",
        "LogReg": "LogReg",
        "Always-Opus 4.6": "Always claude-opus-4-6",
        "Oracle": "Reward oracle",
    }
    rows = comparison.frame.set_index("policy")
    found = published["router"].map(same)
    return published.assign(
        our_name=found,
        our_quality=found.map(rows["quality"]),
        our_reward_regret=found.map(rows["reward_regret"]),
        our_total_cost=found.map(rows["total_cost"]),
    )
