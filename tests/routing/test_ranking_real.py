"""Ranking over evals files as they are written, and over the ones that ship."""

from __future__ import annotations

import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from support.cohorts import model

from routinglab.catalog.files import load_catalog
from routinglab.catalog.model import Catalog
from routinglab.core.needs import WORKS, TaskNeeds
from routinglab.evals.evals import Evals, load_evals, parse_evals
from routinglab.routing.plan import Planner
from routinglab.routing.ranking import rank
from routinglab.routing.shortlist import shortlist

TEXT = """
## Artificial Analysis Intelligence Index v4.3.2 (2026-09-22)

| slug | Model | idx | TB4 |
| --- | --- | --- | --- |
| alpha-2-max | Alpha 2 (Max Effort) | 60 | 50 |
| alpha-2-low | Alpha 2 (Low Effort) | 40 | 20 |
| beta-3 | Beta 3 | 50 | 40 |
| gamma-4 | Gamma 4 | 30 | ∅ |
| delta-5 | Delta 5 | 20 | 30 |
| epsilon-6 | Epsilon 6 | 10 | 10 |

## Artificial Analysis Intelligence Index v4.3.2 (2026-09-05)

| slug | Model | idx | TB4 |
| --- | --- | --- | --- |
| beta-3 | Beta 3 | 1 | 1 |
| gamma-4 | Gamma 4 | 2 | 2 |
| delta-5 | Delta 5 | 3 | 3 |
| epsilon-6 | Epsilon 6 | 4 | 4 |
"""
HARD = TaskNeeds(work="coding", difficulty="hard", mistake_cost="severe")


@pytest.fixture(scope="module")
def evals() -> Evals:
    return parse_evals(TEXT)


@pytest.fixture(scope="module")
def shipped() -> tuple[Catalog, Evals]:
    return load_catalog(), load_evals()


def test_effort_rows_and_provider_copies_count_once(evals: Evals) -> None:
    models = [model("p/beta-3"), model("hub/vendor/beta-3"), model("p/alpha-2"), model("p/gamma-4")]
    ranked = {item.model: item for item in rank(evals, models, HARD)}
    # the others measured on TB4 are alpha (once, at its best effort), delta and epsilon
    assert ranked["p/beta-3"].work_standing == pytest.approx(2 / 3)
    assert ranked["hub/vendor/beta-3"].work_standing == ranked["p/beta-3"].work_standing
    assert ranked["p/alpha-2"].work_standing == 1.0
    assert ranked["p/alpha-2"].overall_standing == 1.0
    assert ranked["p/beta-3"].overall_standing == pytest.approx(3 / 4)


def test_an_older_edition_counts_where_the_newer_lacks_the_model(evals: Evals) -> None:
    (gamma,) = rank(evals, [model("p/gamma-4")], HARD)
    assert gamma.work_standing == pytest.approx(1 / 3)
    assert gamma.overall_standing == pytest.approx(2 / 4)


def test_the_public_names_work_together() -> None:
    import routinglab as rl

    evals = parse_evals(TEXT)
    needs = {"work": "coding", "difficulty": "hard", "mistakeCost": "low"}
    ranked = rl.rank(evals, [model("p/beta-3"), model("p/alpha-2")], needs)
    chosen = rl.shortlist(ranked, size=1)
    option = rl.describe(chosen[0], needs, ranked)
    assert option.to_dict()["model"] == "p/alpha-2"
    assert "max effort" in option.to_dict()["results"][0]


def test_the_shipped_files_give_proven_models_hard_tasks_and_cheap_ones_easy_tasks(
    shipped: tuple[Catalog, Evals],
) -> None:
    catalog, evals = shipped
    hard = rank(evals, catalog, HARD)
    best = max(m.work_standing for m in hard if m.work_standing is not None)
    assert hard[0].work_standing is not None
    assert hard[0].work_standing >= best - 0.12
    easy = rank(
        evals, catalog, {"work": "coding", "difficulty": "trivial", "mistakeCost": "negligible"}
    )
    assert easy[0].measured
    assert easy[0].cheapness > 0.8
    assert hard[0].identity != easy[0].identity


@pytest.mark.parametrize("work", WORKS)
def test_the_shipped_files_can_route_every_kind_of_work(
    shipped: tuple[Catalog, Evals], work: str
) -> None:
    plan = Planner(*shipped).plan(TaskNeeds.model_validate({"work": work, "difficulty": "hard"}))
    decision = plan.decide()
    assert len(decision.chain) == 3
    assert len(plan.shortlist) == 6
    described = [option.to_dict() for option in plan.shortlist]
    assert all(item["results"] and item["overall"] for item in described)
    assert len(shortlist(plan.ranked)) == len({m.identity for m in shortlist(plan.ranked)})
    explained = decision.explain()
    assert explained.text.startswith(str(decision.primary))
    assert explained.flips


def test_a_change_named_for_the_shipped_files_flips_them(shipped: tuple[Catalog, Evals]) -> None:
    catalog, evals = shipped
    needs = TaskNeeds(work="writing", difficulty="easy", mistake_cost="low")
    decision = Planner(catalog, evals).plan(needs).decide()
    flips = {flip.kind: flip for flip in decision.explain().flips}
    found = [flip for kind, flip in flips.items() if kind in ("price", "date")]
    assert found
    for flip in found:
        entry = catalog[str(flip.model)]
        for value, same in ((flip.after, False), (flip.half, True)):
            if isinstance(value, date):
                facts = {"released": value}
            else:
                facts = {
                    "input_price": entry.input_price * value,  # type: ignore[operator]
                    "output_price": entry.output_price * value,  # type: ignore[operator]
                }
            changed = type(entry).model_validate({**entry.model_dump(), **facts})
            first = rank(evals, catalog.having([changed]), needs)[0]
            assert (first.model == decision.primary.model) is same


def test_deciding_leaves_numpy_and_pandas_unloaded() -> None:
    script = (
        "import sys; from routinglab import load_catalog, load_evals, TaskNeeds;"
        "from routinglab.routing.plan import Planner;"
        "Planner(load_catalog(), load_evals()).plan(TaskNeeds(work='coding')).decide().canonical();"
        "print(sorted({'numpy', 'pandas', 'httpx'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.stdout.strip() == "[]"
