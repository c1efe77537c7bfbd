"""Metrics take numbers as people have them, and say what is wrong with what is none."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import pytest

from routinglab.errors import MetricError
from routinglab.lab import metrics
from routinglab.lab.choices import choices_from_columns
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.table import outcomes_from_rows

COSTS, QUALITIES = [1, 2, 4], [0.2, 0.5, 0.6]
N = 40
ODDS, WANTED = [[0.5, 0.5]] * N, [[0.75, 0.25]] * N
CHOSEN, SCORES = [0, 1] * 20, [1, 0] * 20


def table(*, cost: bool = True) -> Outcomes:
    """a scores 1, 0.5, missing for USD 1, 2, -; b scores 0, 1, 1 for USD 3 each."""
    rows = pd.DataFrame(
        {
            "task": ["x", "y", "x", "y", "z"],
            "model": ["a", "a", "b", "b", "b"],
            "score": [1, 0.5, 0, 1, 1],
            "cost": [1, 2, 3, 3, 3] if cost else None,
        }
    )
    return outcomes_from_rows(rows, name="t", quiet=True)


@pytest.mark.parametrize(
    "points",
    [
        list(zip(COSTS, QUALITIES, strict=True)),
        zip(COSTS, QUALITIES, strict=True),
        np.column_stack([COSTS, QUALITIES]),
        pd.DataFrame({"usd": COSTS, "accuracy": QUALITIES}),
        pd.DataFrame({"policy": list("abc"), "quality": QUALITIES, "mean_cost": COSTS}),
        pd.DataFrame({"cost": pd.Series(COSTS, dtype="Int64"), "score": QUALITIES}),
    ],
)
def test_points_may_be_pairs_arrays_or_frames(points: object) -> None:
    two_lists = metrics.cost_quality(COSTS, pd.Series(QUALITIES))
    assert metrics.cost_quality(points) == two_lists  # type: ignore[arg-type]


def test_points_may_be_policies() -> None:
    outcomes = table()
    first, second = (choices_from_columns("p", outcomes, [n] * 3) for n in (0, 1))
    # a costs 1.5 and scores 0.75 over its two tasks; b costs 3 and scores 2/3 over three
    curve = metrics.cost_quality([first, second])
    assert curve.costs == (1.5, 3)
    assert curve.qualities == (0.75, pytest.approx(2 / 3))


def test_aiq_takes_two_lists_and_bounds() -> None:
    # 0..1 at 0.2, 1..2 rising to 0.5, 2..4 rising to 0.6: 0.2 + 0.35 + 1.1 over 4
    assert metrics.aiq(COSTS, QUALITIES, (0, 4)) == pytest.approx(1.65 / 4)
    curve = metrics.cost_quality(COSTS, QUALITIES)
    assert metrics.aiq(curve, bounds=(0, 4)) == pytest.approx(1.65 / 4)


def test_families_share_the_bounds_of_all_their_points() -> None:
    family = [(3, 0.1), (9, 0.2)]
    assert metrics.shared_bounds(family, metrics.cost_quality(COSTS, QUALITIES)) == (1, 9)


def test_a_curve_with_its_ends_needs_no_weak_and_strong_beside() -> None:
    shares, qualities = [0, 0.5, 1], [0.6, 0.8, 0.8]
    assert metrics.apgr(shares, qualities) == metrics.apgr([0.5], [0.8], 0.6, 0.8)
    assert metrics.cpt(0.5, shares, qualities) == 0.25
    with pytest.raises(MetricError, match="no point at share 0; give weak="):
        metrics.apgr([0.5, 1], [0.7, 0.8])


def test_a_point_at_an_end_stays_beside_the_model_that_is_added_there() -> None:
    # from (0, 0.6) straight up to (0, 0.7), then to (1, 0.8): 0.15 above weak on average
    assert metrics.apgr([0], [0.7], 0.6, 0.8) == pytest.approx(0.75)
    assert metrics.cpt(0.5, [0], [0.7], 0.6, 0.8) == pytest.approx(0)


def test_cpts_target_may_come_last_as_apgrs_arguments_come_first() -> None:
    assert metrics.cpt([0.5], [0.8], 0.6, 0.8, 0.25) == metrics.cpt(0.25, [0.5], [0.8], 0.6, 0.8)  # type: ignore[arg-type]


def test_off_policy_estimates_take_frames_by_column_name() -> None:
    by_number = metrics.ips(CHOSEN, SCORES, ODDS, [[0.6, 0.4]] * N)
    odds, wanted = (pd.DataFrame(rows, columns=["a", "b"]) for rows in (ODDS, [[0.6, 0.4]] * N))
    names = ["a", "b"] * 20
    assert metrics.ips(names, pd.Series(SCORES), odds, wanted[["b", "a"]]) == by_number
    with pytest.raises(MetricError, match="not of the same models: b, c"):
        metrics.ips(names, SCORES, odds, wanted.rename(columns={"b": "c"}))
    with pytest.raises(MetricError, match="'c' is not among the models; they are a, b"):
        metrics.ips(["c"] * N, SCORES, odds, wanted)


def test_a_target_of_one_choice_a_task_is_that_choice_for_certain() -> None:
    certain = metrics.mixed_target([0] * N, 2)
    as_choices = metrics.snips([0] * N, SCORES, ODDS, [0] * N)
    assert as_choices == metrics.snips([0] * N, SCORES, ODDS, certain)


@pytest.mark.parametrize("weight", [0.1, 0.2, 0.3, 1 / 3, 0.6, 0.7])
def test_thirty_equal_weights_are_thirty_effective_samples(weight: float) -> None:
    # (30 w)^2 / (30 w^2) is 29.999999999999996 in floats for some w
    found = metrics.ips(
        [0] * 30, [1] * 30, [[0.9, 0.1]] * 30, [[0.9 * weight, 1 - 0.9 * weight]] * 30
    )
    assert found.effective == pytest.approx(30)


def test_estimates_and_intervals_are_numbers_too() -> None:
    assert float(metrics.ips(CHOSEN, SCORES, ODDS, WANTED)) == pytest.approx(0.75)
    assert float(metrics.bootstrap([1, 2, 3])) == 2


def test_intervals_take_choices_series_and_one_column() -> None:
    outcomes = table()
    first, second = (choices_from_columns("p", outcomes, [n] * 3) for n in (0, 1))
    assert metrics.bootstrap(first) == metrics.bootstrap([1, 0.5, None])
    assert metrics.paired(first, second).estimate == pytest.approx((1 - 0.5) / 2)
    frame = pd.DataFrame({"score": pd.Series([1, 2, None], dtype="Int64")})
    assert metrics.bootstrap(frame) == metrics.bootstrap([1, 2])


def test_missing_choices_in_a_series_are_no_choice() -> None:
    before, after = pd.Series(["a", None, "b"]), pd.Series(["a", None, "c"])
    assert metrics.agreement(before, after) == 0.5
    assert metrics.flip_rate(iter("ab"), iter("ac")) == 0.5


def test_figures_of_a_list_leave_out_what_is_missing() -> None:
    assert metrics.mean_quality([1, None, 2]) == metrics.mean_cost([1, None, 2]) == 1.5
    assert metrics.total_cost([1, None, 2]) == 3
    assert metrics.coverage([1, None, 2]) == pytest.approx(2 / 3)


def test_without_any_cost_the_total_and_the_reward_regret_are_unknown_and_not_nothing() -> None:
    choices = choices_from_columns("p", table(cost=False), [1] * 3)
    assert np.isnan(metrics.total_cost(choices))
    assert np.isnan(metrics.reward_regret(choices))
    assert metrics.cost_coverage(choices) == 0


def test_quality_regret_by_hand_in_every_form() -> None:
    # best 1, 1, 1; the choices score 0, 0.5, 1
    outcomes = table()
    expected = (1 + 0.5 + 0) / 3
    assert metrics.regret(choices_from_columns("p", outcomes, [1, 0, 1])) == pytest.approx(expected)
    assert metrics.regret(outcomes, ["b", "a", "b"]) == pytest.approx(expected)
    assert metrics.regret([0, 0.5, 1], [1, 1, 1]) == pytest.approx(expected)
    assert metrics.regret(pd.Series([0, 0.5, 1]), outcomes.score) == pytest.approx(expected)
    frame = pd.DataFrame(outcomes.score, columns=["a", "b"])
    assert metrics.regret(frame, ["b", "a", "b"]) == pytest.approx(expected)
    assert metrics.regret(outcomes.score, [1, 0, 1]) == pytest.approx(expected)


def test_reward_regret_by_hand_in_every_form() -> None:
    # rewards at 0.1 a USD: a 0.9, 0.3, -; b -0.3, 0.7, 0.7. Chosen -0.3, 0.3, 0.7
    outcomes = table()
    expected = 1.2 + 0.4
    choices = choices_from_columns("p", outcomes, [1, 0, 1])
    assert metrics.regret(choices, kind="reward") == pytest.approx(expected)
    assert metrics.reward_regret(choices) == pytest.approx(expected)
    by_table = metrics.regret(outcomes.score, [1, 0, 1], kind="reward", cost=outcomes.cost)
    assert by_table == pytest.approx(expected)
    by_figures = metrics.regret(
        [0, 0.5, 1], outcomes.score, kind="reward", cost=[3, 2, 3], best_cost=outcomes.cost
    )
    assert by_figures == pytest.approx(expected)
    heavier = metrics.regret(choices, kind="reward", price_weight=1)
    # rewards a 0, -1.5, -; b -3, -2, -2: best 0, -1.5, -2 against -3, -1.5, -2
    assert heavier == pytest.approx(3)


NOT_NUMBERS: list[tuple[Callable[[], object], str]] = [
    (lambda: metrics.cost_quality([("a", 1)]), "points must be numbers"),
    (lambda: metrics.cost_quality(None), "pairs"),
    (lambda: metrics.cost_quality([(1, 2), (1, 2, 3)]), "points must be numbers"),
    (lambda: metrics.cost_quality([1, 2], [1]), "2 costs and 1 qualities"),
    (lambda: metrics.cost_quality(pd.DataFrame(columns=["a", "b", "c"])), "'mean_cost'"),
    (lambda: metrics.aiq([(1, 0.2), (2, 0.3)], (0, 5)), r"bounds=\(low, high\)"),
    (lambda: metrics.aiq([(1, 0.2), (2, 0.3)], bounds=3), "bounds must be"),
    (lambda: metrics.pgr([0, 1], 0, 1), "quality must be one number"),
    (lambda: metrics.pgr("a", 0, 1), "quality must be numbers"),
    (lambda: metrics.apgr([50], [0.7], 0.6, 0.8), "outside 0..1"),
    (lambda: metrics.apgr([0.5], [0.7], [0, 1], 0.8), "weak must be one number"),
    (lambda: metrics.arena_score([0.5, 0.6], 1), "accuracy must be one number"),
    (lambda: metrics.arena_score(0.5, None), "not None"),
    (lambda: metrics.strong_share_curve([None, 1], [0, 1], [1, 1]), "missing"),
    (lambda: metrics.bootstrap(["a"]), "must be numbers"),
    (lambda: metrics.bootstrap(3), "one list of numbers"),
    (lambda: metrics.bootstrap([1, 1], level=95), "level 95"),
    (lambda: metrics.bootstrap([1, 2], resamples=0), "resamples: 0"),
    (lambda: metrics.bootstrap([1, 2], method="x"), "percentile, basic, BCa"),
    (lambda: metrics.bootstrap([1, float("inf")]), "infinite"),
    (lambda: metrics.ips(CHOSEN, SCORES, [0.5] * N, [0.75] * N), "every model that was offered"),
    (lambda: metrics.ips([0.7] * N, SCORES, ODDS, WANTED), "chosen: 0.7 is not among"),
    (lambda: metrics.ips([None] * N, SCORES, ODDS, WANTED), "chosen: None is not among"),
    (lambda: metrics.doubly_robust(CHOSEN, SCORES, ODDS, WANTED, features=["a"] * N), "features"),
    (lambda: metrics.doubly_robust(CHOSEN, SCORES, ODDS, WANTED, features=[None] * N), "missing"),
    (
        lambda: metrics.doubly_robust(CHOSEN, SCORES, ODDS, WANTED, predictions=[[0, None]] * N),
        "prediction",
    ),
    (lambda: metrics.mixed_target([0, 5], 2), "column 5"),
    (lambda: metrics.agreement(3, 4), "one model a task"),
    (lambda: metrics.regret(None), r"regret\(quality, best\)"),
    (lambda: metrics.regret([1, 1], [0.5, 1]), "wrong way round"),
    (lambda: metrics.regret([1, 1], [0.5]), "2 tasks"),
    (lambda: metrics.regret([1], [1], kind="reward"), "cost= and best_cost="),
    (lambda: metrics.regret([[1, 0]], [0], kind="reward"), "needs cost="),
    (lambda: metrics.regret([[1, 0]], [2]), "2 is not among"),
    (lambda: metrics.regret(table()), "needs the model chosen"),
    (lambda: metrics.regret([1], [1], kind="cost"), "quality, reward"),
]  # type: ignore[arg-type]


@pytest.mark.parametrize(("call", "said"), NOT_NUMBERS)
def test_what_makes_no_sense_is_an_error_that_says_what(
    call: Callable[[], object], said: str
) -> None:
    with pytest.raises(MetricError, match=said):
        call()
