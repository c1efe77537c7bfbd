from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routinglab.errors import MetricError
from routinglab.lab import metrics
from routinglab.lab.curves import MetricWarning

FIGURE = st.floats(0, 10, allow_nan=False).map(lambda x: round(x, 3))
POINTS = st.lists(st.tuples(FIGURE, FIGURE), min_size=1, max_size=12)


def test_the_hull_of_hand_made_points() -> None:
    # (2, 0.4) lies under the chord of (1, 0.3) and (4, 0.9); (6, 0.8) falls; (1, 0.1) is the worse twin
    curve = metrics.cost_quality([(4, 0.9), (1, 0.3), (2, 0.4), (6, 0.8), (1, 0.1)])
    assert curve.costs == (1, 2, 4, 6)
    assert curve.qualities == (0.3, 0.4, 0.9, 0.8)
    assert list(zip(curve.hull_costs, curve.hull_qualities, strict=True)) == [(1, 0.3), (4, 0.9)]
    assert curve.at(2.5) == pytest.approx(0.6)
    assert curve.at(0) == 0.3
    assert curve.at(100) == 0.9


@given(POINTS)
def test_the_hull_is_above_every_point_never_falls_and_only_turns_down(
    points: list[tuple[float, float]],
) -> None:
    curve = metrics.cost_quality(points)
    for cost, quality in points:
        assert curve.at(cost) >= quality - 1e-9
    slopes = np.diff(curve.hull_qualities) / np.diff(curve.hull_costs)
    assert (slopes > 0).all()
    assert (np.diff(slopes) < 1e-9).all()
    assert set(zip(curve.hull_costs, curve.hull_qualities, strict=True)) <= set(points)


@given(POINTS, st.randoms())
def test_the_order_of_points_does_not_matter(
    points: list[tuple[float, float]], random: object
) -> None:
    shuffled = list(points)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert metrics.cost_quality(points) == metrics.cost_quality(shuffled)


def test_aiq_by_hand() -> None:
    # from 0 to 1 constant at 0.2, from 1 to 3 rising to 0.6, from 3 to 5 constant at 0.6:
    # 0.2 + 2 * 0.4 + 2 * 0.6 = 2.2, over a width of 5
    points = [(1, 0.2), (3, 0.6)]
    assert metrics.aiq(points, bounds=(0, 5)) == pytest.approx(0.44)
    # without bounds: the points' own, the mean of 0.2 and 0.6
    assert metrics.aiq(points) == pytest.approx(0.4)
    # as the public code has it: the same area over the highest cost
    assert metrics.aiq(points, variant="code") == pytest.approx(0.8 / 3)
    assert metrics.aiq(points, bounds=(1, 3)) == metrics.aiq(metrics.cost_quality(points))
    assert metrics.aiq(points, bounds=(4, 6)) == pytest.approx(0.6)


def test_aiq_of_equal_bounds_is_nan_and_says_so() -> None:
    with pytest.warns(MetricWarning, match="both cost bounds are 2"):
        assert math.isnan(metrics.aiq([(2, 0.5)]))


@given(POINTS, st.floats(0, 5), st.floats(0.1, 5))
def test_aiq_lies_between_the_worst_and_best_quality_of_the_hull(
    points: list[tuple[float, float]], low: float, width: float
) -> None:
    curve = metrics.cost_quality(points)
    value = metrics.aiq(curve, bounds=(low, low + width))
    assert curve.hull_qualities[0] - 1e-9 <= value <= curve.hull_qualities[-1] + 1e-9


@pytest.mark.parametrize("points", [[], [(1, 2, 3)], [(1, math.nan)], [(math.inf, 1)]])
def test_points_that_are_none_are_refused(points: list[tuple[float, ...]]) -> None:
    with pytest.raises(MetricError):
        metrics.cost_quality(points)


def test_unknown_variants_and_bounds_are_refused() -> None:
    with pytest.raises(MetricError, match="paper, code"):
        metrics.aiq([(1, 0.2), (2, 0.3)], variant="mine")  # type: ignore[arg-type]
    with pytest.raises(MetricError, match="range"):
        metrics.aiq([(1, 0.2)], bounds=(3, 2))


def test_arena_score_by_hand() -> None:
    # the published figure of GPT-5: 73.96 % at 10.02 USD per 1,000
    assert round(metrics.arena_score(0.7396, 10.02), 2) == 64.32
    assert metrics.arena_score(0, 200) == 0
    assert metrics.arena_score(1, 0.0044) == pytest.approx(100)
    # dearer than the range counts as its end, and free as its other end
    assert metrics.arena_score(1, 500) == metrics.arena_score(1, 200) == 0
    assert metrics.arena_score(0.5, 0) == metrics.arena_score(0.5, 0.0044)


@given(st.floats(0, 1), st.floats(0, 500), st.floats(0, 500))
def test_arena_score_never_rises_with_cost(accuracy: float, one: float, other: float) -> None:
    low, high = sorted((one, other))
    assert metrics.arena_score(accuracy, low) >= metrics.arena_score(accuracy, high) - 1e-9
    assert 0 <= metrics.arena_score(accuracy, one) <= 100 + 1e-9


@pytest.mark.parametrize(("accuracy", "cost"), [(73.96, 10), (-0.1, 1), (0.5, -1), (0.5, math.nan)])
def test_arena_score_refuses_percentages_and_nonsense(accuracy: float, cost: float) -> None:
    with pytest.raises(MetricError):
        metrics.arena_score(accuracy, cost)
