from __future__ import annotations

import math
import os
import random
import subprocess
import sys
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cohorts import TableEvidence, ladder, model

from routinglab.catalog.model import Model
from routinglab.core.needs import WORKS, TaskNeeds
from routinglab.errors import InvalidInput
from routinglab.routing.cohorts import cohorts
from routinglab.routing.ranking import rank

HARD = TaskNeeds(work="coding", difficulty="hard", mistake_cost="severe")
TRIVIAL = TaskNeeds(work="coding", difficulty="trivial", mistake_cost="negligible")
MIDDLE = TaskNeeds(work="coding", difficulty="moderate", mistake_cost="low")


def ids(ranked: list) -> list[str]:
    return [item.model for item in ranked]


def test_each_kind_of_work_has_the_cohorts_that_measure_it() -> None:
    table = cohorts()
    assert set(table.work) == set(WORKS)
    assert table.of("coding") == ("aa:TB4", "dswe:Pass@1", "pub:DSWE", "fc:Main", "aa:TB21")
    assert table.of("writing") == ("aa:IF", "aa:Gn", "aa:Brief", "aa:LCR")
    assert table.of(None) == ()
    assert table.overall == "aa:idx"
    keys = [key for work in WORKS for key in table.of(work)]
    assert {key.partition(":")[0] for key in keys} <= {"aa", "dswe", "fc", "pub"}


def test_the_score_is_the_stated_sum() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d", "e")})
    models = [
        model("p/e", (10.0, 50.0), released=date(2026, 9, 1)),
        model("p/c", (1.0, 5.0), released=date(2026, 3, 1)),
        model("p/a", (0.1, 0.5), released=date(2025, 1, 1)),
    ]
    ranked = {item.model: item for item in rank(evals, models, MIDDLE)}
    # demand 0.5: weights 0.575 and 0.325; prices are two decades apart; 184 of 365 days
    assert ranked["p/e"].score == pytest.approx(0.575 * 1.0 + 0.325 * 0.0 + 0.1 * 1.0)
    assert ranked["p/c"].score == pytest.approx(0.575 * 0.5 + 0.325 * 0.5 + 0.1 * (1 - 184 / 365))
    assert ranked["p/a"].score == pytest.approx(0.575 * 0.0 + 0.325 * 1.0 + 0.0)
    terms = ranked["p/c"].terms
    assert (terms.quality, terms.demand) == (0.5, 0.5)
    assert terms.cheapness == pytest.approx(0.5)


def test_a_ranked_model_says_what_it_is() -> None:
    evals = TableEvidence(
        {"aa:TB4": ladder("a", "b", "c", "d"), "aa:idx": ladder("d", "c", "b", "a")}
    )
    (first,) = rank(evals, [model("p/d", released=date(2026, 1, 2))], HARD)
    assert first.model == "p/d"
    assert first.entry.full_id == "p/d"
    assert first.work_standing == 1.0
    assert first.overall_standing == 0.0
    assert first.released == date(2026, 1, 2)
    assert first.identity == ("d",)
    assert "p/d" in repr(first)


def test_a_hard_task_with_severe_mistakes_takes_the_best_proven_whatever_it_costs() -> None:
    evals = TableEvidence({"aa:TB4": ladder("small", "medium", "large", "huge")})
    models = [
        model("p/huge", (15.0, 75.0)), model("p/large", (3.0, 15.0)),
        model("p/medium", (0.5, 2.0)), model("p/small", (0.05, 0.2)), model("p/gratis", 0.0),
    ]  # fmt: skip
    assert ids(rank(evals, models, HARD))[0] == "p/huge"


def test_a_trivial_task_with_negligible_mistakes_takes_an_adequate_cheap_one() -> None:
    evals = TableEvidence({"aa:TB4": ladder("small", "medium", "large", "huge")})
    models = [
        model("p/huge", (15.0, 75.0)), model("p/large", (0.06, 0.2)),
        model("p/medium", (0.5, 2.0)), model("p/small", (0.05, 0.2)),
    ]  # fmt: skip
    assert ids(rank(evals, models, TRIVIAL))[0] == "p/large"


def test_quality_is_the_mean_standing_over_the_cohorts_that_measure_the_work() -> None:
    evals = TableEvidence(
        {
            "aa:TB4": ladder("w", "x", "y", "me"),  # 1
            "fc:Main": ladder("me", "w", "x", "y", "z"),  # 0
            "dswe:Pass@1": ladder("w", "me", "x", "y"),  # 1/3
            "aa:GPQA": ladder("w", "x", "y", "me"),  # not for coding
        }
    )
    (first,) = rank(evals, [model("p/me")], HARD)
    assert first.work_standing == pytest.approx((1 + 0 + 1 / 3) / 3)
    assert first.quality == first.work_standing


def test_every_reporters_cohort_of_a_published_benchmark_counts() -> None:
    evals = TableEvidence(
        {"pub:DSWE@One": ladder("w", "x", "y", "me"), "pub:DSWE@Two": ladder("me", "w", "x", "y")}
    )
    (first,) = rank(evals, [model("p/me")], HARD)
    assert first.work_standing == 0.5


def test_without_the_work_measured_the_overall_index_counts_four_fifths() -> None:
    evals = TableEvidence({"aa:idx": ladder("w", "x", "me", "y", "z")})
    (first,) = rank(evals, [model("p/me")], HARD)
    assert (first.work_standing, first.overall_standing) == (None, 0.5)
    assert first.quality == pytest.approx(0.4)


def test_without_any_standing_quality_is_a_fifth() -> None:
    for evals in (None, TableEvidence({})):
        (first,) = rank(evals, [model("p/me")], HARD)
        assert first.quality == 0.2
        assert first.work_standing is None
        assert not first.measured


def test_own_outcomes_come_before_every_public_cohort() -> None:
    evals = TableEvidence(
        {"own:coding": ladder("w", "me", "x", "y", "z"), "aa:TB4": ladder("w", "x", "y", "me")}
    )
    (first,) = rank(evals, [model("p/me")], HARD)
    assert first.quality == 0.25
    assert first.facts.quality.source == "own"
    (other,) = rank(evals, [model("p/me")], TaskNeeds(work="research"))
    assert other.facts.quality.source is None


def test_three_models_in_a_cohort_give_no_standing() -> None:
    evals = TableEvidence({"aa:TB4": ladder("x", "y", "me")})
    (first,) = rank(evals, [model("p/me")], HARD)
    assert first.work_standing is None


def test_removing_eligible_models_changes_no_standing() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d", "e"), "aa:idx": ladder(*"edcba")})
    models = [model(f"p/{name}") for name in "abcde"]
    whole = {m.model: (m.work_standing, m.overall_standing) for m in rank(evals, models, HARD)}
    for kept in (models[:1], models[2:4], models[::2]):
        for item in rank(evals, kept, HARD):
            assert (item.work_standing, item.overall_standing) == whole[item.model]


def test_two_models_still_rank() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d")})
    pair = [model("p/a", 1.0), model("p/d", 2.0)]
    assert ids(rank(evals, pair, HARD)) == ["p/d", "p/a"]
    assert ids(rank(evals, pair, TRIVIAL)) == ["p/a", "p/d"]
    assert rank(evals, [], HARD) == []


def test_a_zero_price_is_the_cheapest_and_an_unknown_one_the_dearest() -> None:
    models = [
        model("p/free", 0.0),
        model("p/some", 1.0),
        model("p/dear", 9.0),
        model("p/dark", None),
    ]
    cheap = {item.model: item.cheapness for item in rank(None, models, MIDDLE)}
    assert cheap == {"p/free": 1.0, "p/some": 1.0, "p/dear": 0.0, "p/dark": 0.0}
    half = model("p/half", (1.0, None))
    assert {m.model: m.cheapness for m in rank(None, [half, *models], MIDDLE)}["p/half"] == 0.0


def test_a_single_price_is_cheap() -> None:
    models = [model("p/a", 3.0), model("p/b", 3.0), model("p/c", None)]
    cheap = {item.model: item.cheapness for item in rank(None, models, MIDDLE)}
    assert cheap == {"p/a": 1.0, "p/b": 1.0, "p/c": 0.0}


def test_price_is_three_parts_input_and_one_part_output_of_the_base_tier() -> None:
    models = [model("p/a", (1.0, 1.0)), model("p/b", (2.0, 10.0)), model("p/c", (16.0, 16.0))]
    cheap = {item.model: item.cheapness for item in rank(None, models, MIDDLE)}
    assert cheap["p/b"] == pytest.approx(1 - math.log(4) / math.log(16))


def test_recency_counts_days_behind_the_newest_ranked_model_for_a_year() -> None:
    models = [
        model("p/new", released=date(2026, 9, 22)), model("p/mid", released=date(2026, 7, 11)),
        model("p/old", released=date(2020, 1, 1)), model("p/dark"),
    ]  # fmt: skip
    recent = {item.model: item.recency for item in rank(None, models, MIDDLE)}
    assert recent["p/new"] == 1.0
    assert recent["p/mid"] == pytest.approx(1 - 73 / 365)
    assert recent["p/old"] == recent["p/dark"] == 0.0
    assert all(item.recency == 0 for item in rank(None, [model("p/x"), model("p/y")], MIDDLE))


def test_a_release_date_missing_in_the_catalog_is_taken_from_the_evals() -> None:
    evals = TableEvidence({}, released={"me": date(2026, 5, 1), "you": date(2026, 5, 2)})
    you = model("p/you", released=date(2024, 1, 1))
    dates = {item.model: item.released for item in rank(evals, [model("p/me"), you], MIDDLE)}
    assert dates == {"p/me": date(2026, 5, 1), "p/you": date(2024, 1, 1)}


@pytest.mark.parametrize("difficulty", ["trivial", "easy", "moderate", "hard", "very_hard"])
def test_nothing_unmeasured_and_free_comes_first_by_its_price(difficulty: str) -> None:
    evals = TableEvidence({"aa:TB4": ladder("worst", "x", "y", "z")})
    models = [model("p/gratis", 0.0, released=date(2026, 9, 1)), model("p/worst", 90.0)]
    needs = TaskNeeds.model_validate({"work": "coding", "difficulty": difficulty})
    for policy in ("evidence", "best_quality"):
        assert ids(rank(evals, models, needs, policy)) == ["p/worst", "p/gratis"]


def test_among_the_unmeasured_the_score_decides() -> None:
    models = [model("p/a", 5.0), model("p/b", 0.0), model("p/c", 1.0)]
    assert ids(rank(None, models, TRIVIAL)) == ["p/b", "p/c", "p/a"]


def test_equal_scores_stand_in_code_point_order() -> None:
    models = [model(f"p/{name}") for name in ("é", "z", "a", "B", "a-b", "a.b", "Z", "a10", "a9")]
    assert ids(rank(None, models, MIDDLE)) == sorted(m.full_id for m in models)


def test_a_standard_route_stands_before_its_equal_faster_route() -> None:
    models = [model("p/a-fast", base_model="p/m"), model("p/m")]
    assert ids(rank(None, models, MIDDLE)) == ["p/m", "p/a-fast"]


def test_a_faster_route_gains_only_when_speed_matters() -> None:
    models = [model("p/m"), model("p/m-fast", base_model="p/m")]
    hurried = MIDDLE.model_copy(update={"latency_sensitive": True})
    ranked = rank(None, models, hurried)
    assert ids(ranked) == ["p/m-fast", "p/m"]
    assert ranked[0].score - ranked[1].score == pytest.approx(0.02)
    assert ranked[0].terms.route_bonus == 0.02
    assert rank(None, models, MIDDLE)[1].terms.route_bonus == 0.0


def test_a_faster_route_shares_its_base_models_evidence_through_the_catalog_alone() -> None:
    evals = TableEvidence({"aa:TB4": ladder("x", "y", "z", "base")})
    stated = model("p/turbo", base_model="p/base")
    unstated = model("q/base2-turbo")
    ranked = {item.model: item for item in rank(evals, [stated, unstated], HARD)}
    assert ranked["p/turbo"].work_standing == 1.0
    assert ranked["p/turbo"].identity == ("base",)
    assert ranked["q/base2-turbo"].work_standing is None


def test_a_faster_route_with_results_of_its_own_keeps_them() -> None:
    evals = TableEvidence({"aa:TB4": ladder("turbo", "y", "z", "base")})
    (first,) = rank(evals, [model("p/turbo", base_model="p/base")], HARD)
    assert first.work_standing == 0.0


def test_the_same_model_at_another_provider_has_the_same_evidence_and_identity() -> None:
    evals = TableEvidence({"aa:TB4": ladder("x", "y", "z", "gpt-6-astra")})
    one, two = rank(evals, [model("openai/gpt-6-astra"), model("hub/openai/gpt-6-astra")], HARD)
    assert one.work_standing == two.work_standing == 1.0
    assert one.identity == two.identity


def test_image_and_classifier_models_are_not_ranked() -> None:
    models = [model("p/draw", kind="image"), model("p/sort", kind="classifier"), model("p/chat")]
    assert ids(rank(None, models, MIDDLE)) == ["p/chat"]


def test_the_first_call_and_a_warm_one_agree() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d")})
    models = [model(f"p/{name}", price) for name, price in zip("abcd", (1, 2, 3, 4), strict=True)]
    cold = rank(evals, models, HARD)
    assert rank(evals, models, TRIVIAL) != cold
    assert rank(evals, models, HARD) == cold
    fresh = TableEvidence({"aa:TB4": ladder("d", "c", "b", "a")})
    assert ids(rank(fresh, models, HARD)) != ids(cold)


def test_rank_refuses_what_is_no_model_or_no_need() -> None:
    with pytest.raises(InvalidInput, match="catalog models, not str"):
        rank(None, ["p/m"], MIDDLE)  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="difficulty"):
        rank(None, [], {"difficulty": "extreme"})
    assert ids(rank(None, [model("p/m")], {"work": "coding", "mistakeCost": "low"})) == ["p/m"]


NAMES = [f"m{n}" for n in range(8)]


@st.composite
def fields(draw: st.DrawFn) -> tuple[TableEvidence, list[Model]]:
    """Evidence and models with ties, gaps, free and unknown prices."""
    measured = st.dictionaries(st.sampled_from(NAMES), st.integers(0, 5).map(float), max_size=8)
    evals = TableEvidence({key: draw(measured) for key in ("aa:TB4", "fc:Main", "aa:idx")})
    models = []
    for name in draw(st.sets(st.sampled_from(NAMES), min_size=1)):
        price = draw(st.sampled_from([None, 0.0, 1.0, 1.0, 2.0, 8.0]))
        day = draw(st.sampled_from([None, date(2026, 1, 1), date(2026, 6, 1)]))
        models.append(model(f"p/{name}", price, released=day))
        if draw(st.booleans()):
            models.append(model(f"p/{name}-fast", price, released=day, base_model=f"p/{name}"))
    return evals, models


@settings(max_examples=60, deadline=None)
@given(fields(), st.randoms(use_true_random=False), st.sampled_from([HARD, MIDDLE, TRIVIAL]))
def test_the_order_models_are_given_in_changes_nothing(
    given_field: tuple[TableEvidence, list[Model]], rng: random.Random, needs: TaskNeeds
) -> None:
    evals, models = given_field
    shuffled = list(models)
    rng.shuffle(shuffled)
    expected = rank(evals, models, needs)
    assert rank(evals, shuffled, needs) == expected
    keys = [(not item.measured, -item.score) for item in expected]
    assert keys == sorted(keys)


@settings(max_examples=60, deadline=None)
@given(fields(), st.data())
def test_no_standing_depends_on_which_models_are_eligible(
    given_field: tuple[TableEvidence, list[Model]], data: st.DataObject
) -> None:
    evals, models = given_field
    kept = data.draw(st.lists(st.sampled_from(models), min_size=1, unique_by=lambda m: m.full_id))
    whole = {item.model: item for item in rank(evals, models, MIDDLE)}
    for item in rank(evals, kept, MIDDLE):
        assert item.facts.quality == whole[item.model].facts.quality


ORDER_SCRIPT = """
import locale
try:
    locale.setlocale(locale.LC_ALL, "")
except locale.Error:
    pass
from support.cohorts import model
from routinglab import TaskNeeds, rank
names = ["é", "z", "a", "B", "ä", "i", "I", "ı", "a-b", "a_b", "ß", "ss"]
print(ascii([m.model for m in rank(None, [model("p/" + n) for n in names], TaskNeeds())]))
"""


def test_the_order_of_ties_depends_on_neither_hash_seed_nor_locale() -> None:
    tests = Path(__file__).parents[1]
    seen = set()
    for seed, name in (("0", "C"), ("1", "C.UTF-8"), ("77", "tr_TR.UTF-8")):
        env = {**os.environ, "PYTHONHASHSEED": seed, "LC_ALL": name, "PYTHONPATH": str(tests)}
        done = subprocess.run(
            [sys.executable, "-c", ORDER_SCRIPT],
            env=env,
            capture_output=True,
            text=True,
            check=True,
        )
        seen.add(done.stdout)
    assert len(seen) == 1


def test_equal_standings_tie_whatever_the_order_of_their_cohorts() -> None:
    # shares 0.1, 0.2, 0.3 add up to another float from the left than from the right
    pair = {("a", 1): (0.1, 0.2, 0.3), ("b", 1): (0.3, 0.2, 0.1)}
    keys = ("aa:TB4", "dswe:Pass@1", "fc:Main")
    shares = {
        ((name,), key): share
        for (name, _), several in pair.items()
        for key, share in zip(keys, several, strict=True)
    }
    evals = TableEvidence({key: ladder("a", "b", "c", "d") for key in keys}, shares=shares)
    ranked = rank(evals, [model("p/b"), model("p/a")], MIDDLE)
    assert ids(ranked) == ["p/a", "p/b"]
    assert ranked[0].score == ranked[1].score


def test_evals_that_were_not_loaded_are_refused() -> None:
    with pytest.raises(InvalidInput, match="load_evals"):
        rank("evals.md", [model("p/a")], MIDDLE)  # type: ignore[arg-type]
