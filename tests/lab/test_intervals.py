from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.errors import MetricError
from routinglab.lab import metrics


def test_an_interval_is_about_the_normal_one_for_many_tasks() -> None:
    values = np.random.default_rng(3).normal(2.0, 1.0, 1000)
    interval = metrics.bootstrap(values)
    half = 1.96 * values.std() / math.sqrt(1000)
    assert interval.estimate == pytest.approx(values.mean())
    assert interval.low == pytest.approx(values.mean() - half, abs=0.01)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.01)
    assert (interval.level, interval.count) == (0.95, 1000)
    assert 2.0 in interval


def test_the_same_seed_gives_the_same_interval_and_another_seed_another() -> None:
    values = np.random.default_rng(4).random(50)
    assert metrics.bootstrap(values, seed=1) == metrics.bootstrap(values, seed=1)
    assert metrics.bootstrap(values, seed=1) != metrics.bootstrap(values, seed=2)


def test_missing_values_are_left_out_and_counted() -> None:
    interval = metrics.bootstrap([1, math.nan, 0, 1])
    assert interval.count == 3
    assert interval.estimate == pytest.approx(2 / 3)
    empty = metrics.bootstrap([math.nan])
    assert math.isnan(empty.estimate)
    assert empty.count == 0


def test_equal_values_have_no_spread() -> None:
    assert metrics.bootstrap([0.5] * 20).low == metrics.bootstrap([0.5] * 20).high == 0.5


def test_pairing_cancels_what_two_policies_have_in_common() -> None:
    random = np.random.default_rng(6)
    difficulty = random.normal(0, 10, 300)
    one, other = difficulty + 1 + random.normal(0, 0.1, 300), difficulty
    interval = metrics.paired(one, other)
    assert interval.estimate == pytest.approx((one - other).mean())
    assert 0.9 < interval.low < interval.high < 1.1
    assert metrics.paired(one, one).high == 0
    assert metrics.paired([1, math.nan], [0, 0]).count == 1


def test_a_figure_of_several_numbers_a_task() -> None:
    rows = np.column_stack([np.arange(1.0, 101), np.full(100, 2.0)])
    interval = metrics.bootstrap_rows(rows, lambda r: float(r[:, 0].sum() / r[:, 1].sum()))
    assert interval.estimate == pytest.approx(25.25)
    assert interval.low < 25.25 < interval.high


@settings(max_examples=30, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=2, max_size=30))
def test_the_interval_lies_within_the_data_and_around_the_mean(values: list[float]) -> None:
    interval = metrics.bootstrap(values, resamples=200)
    assert min(values) - 1e-9 <= interval.low <= interval.high <= max(values) + 1e-9


@pytest.mark.parametrize("values", [[[1, 2], [3, 4]], 3])
def test_what_is_not_one_figure_a_task_is_refused(values: object) -> None:
    with pytest.raises(MetricError):
        metrics.bootstrap(values)  # type: ignore[arg-type]


def test_unequal_lists_cannot_be_paired() -> None:
    with pytest.raises(MetricError, match="equal lists"):
        metrics.paired([1, 2], [1])
    with pytest.raises(MetricError, match="level"):
        metrics.bootstrap([1, 2], level=95)
