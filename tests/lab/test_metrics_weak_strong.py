from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from routinglab.errors import MetricError
from routinglab.lab import metrics

SHARES = st.lists(st.integers(1, 99).map(lambda n: n / 100), min_size=1, max_size=8, unique=True)


def test_pgr_by_hand() -> None:
    assert metrics.pgr(0.7, 0.6, 0.8) == pytest.approx(0.5)
    assert metrics.pgr(0.5, 0.6, 0.8) == pytest.approx(-0.5)
    assert math.isnan(metrics.pgr(0.7, 0.6, 0.6))


def test_apgr_by_hand() -> None:
    # (0, 0.6), (0.5, 0.8), (1, 0.8): areas above 0.6 are 0.05 and 0.1, over 0.2
    assert metrics.apgr([0.5], [0.8], 0.6, 0.8) == pytest.approx(0.75)
    # nothing between the ends: the straight line of a router at random
    assert metrics.apgr([], [], 0.6, 0.8) == pytest.approx(0.5)
    # better than the strong model half way: more than 1
    assert metrics.apgr([0.1, 0.9], [1.0, 1.0], 0.6, 0.8) > 1
    assert math.isnan(metrics.apgr([0.5], [0.7], 0.6, 0.6))


def test_apgr_as_the_public_code_samples_it() -> None:
    # a spike at 0.05 lies between the quantile cuts 0 and 0.1, so sampling them sees the chords only
    whole = metrics.apgr([0.05, 0.1], [0.8, 0.62], 0.6, 0.8)
    sampled = metrics.apgr([0.05, 0.1], [0.8, 0.62], 0.6, 0.8, variant="quantiles")
    line = metrics.apgr([0.1], [0.62], 0.6, 0.8)
    assert sampled == pytest.approx(line)
    assert whole > sampled
    with pytest.raises(MetricError, match="area, quantiles"):
        metrics.apgr([0.5], [0.7], 0.6, 0.8, variant="x")  # type: ignore[arg-type]


def test_cpt_by_hand() -> None:
    shares, qualities = [0.25, 0.5], [0.65, 0.75]
    # PGR is 0, 0.25, 0.75, 1 at shares 0, 0.25, 0.5, 1
    assert metrics.cpt(0.5, shares, qualities, 0.6, 0.8) == pytest.approx(0.375)
    assert metrics.cpt(0, shares, qualities, 0.6, 0.8) == 0
    assert metrics.cpt(1, shares, qualities, 0.6, 0.8) == 1
    assert metrics.cpt(0.875, shares, qualities, 0.6, 0.8) == pytest.approx(0.75)


def test_cpt_takes_the_first_crossing_where_quality_rises_and_falls() -> None:
    # up to PGR 1 at 0.2, down to 0 at 0.6, up again to 1 at 1
    assert metrics.cpt(0.5, [0.2, 0.6], [0.8, 0.6], 0.6, 0.8) == pytest.approx(0.1)
    # falls below the weak model first, and crosses on the last stretch: from -1 at 0.5 to 1 at 1
    assert metrics.cpt(0.5, [0.5], [0.4], 0.6, 0.8) == pytest.approx(0.875)


def test_cpt_is_reached_on_a_plateau_that_rounding_puts_a_hair_too_low() -> None:
    assert (0.7 - 0.6) / (0.8 - 0.6) < 0.5
    assert metrics.cpt(0.5, [0.5, 0.9], [0.7, 0.7], 0.6, 0.8) == pytest.approx(0.5)


def test_cpt_is_nan_where_the_curve_never_gets_there() -> None:
    assert math.isnan(metrics.cpt(0.5, [0.5], [0.7], 0.6, 0.6))
    assert math.isnan(metrics.cpt(1.2, [0.5], [0.82], 0.6, 0.8))
    assert metrics.cpt(1.05, [0.5], [0.82], 0.6, 0.8) == pytest.approx(0.5 * 1.05 / 1.1)
    with pytest.raises(MetricError):
        metrics.cpt(math.nan, [0.5], [0.7], 0.6, 0.8)


def test_cpt_where_the_strong_model_is_the_worse_one() -> None:
    # PGR 0 at 0, -0.5 at 0.5, 1 at 1: half the (negative) gap at 0.5 + 0.5 * 1/1.5
    assert metrics.cpt(0.5, [0.5], [0.9], 0.8, 0.6) == pytest.approx(0.5 + 0.5 / 1.5)


@given(SHARES, st.data())
def test_cpt_reaches_what_it_promises_and_nothing_before_does(
    shares: list[float], data: st.DataObject
) -> None:
    qualities = data.draw(st.lists(st.floats(0, 1), min_size=len(shares), max_size=len(shares)))
    target = data.draw(st.floats(0, 1))
    found = metrics.cpt(target, shares, qualities, 0.2, 0.7)
    order = np.argsort(shares)
    x = np.concatenate([[0], np.array(shares)[order], [1]])
    y = np.concatenate([[0.2], np.array(qualities)[order], [0.7]])
    assert metrics.pgr(float(np.interp(found, x, y)), 0.2, 0.7) >= target - 1e-6
    for earlier in np.linspace(0, found, 20)[:-1]:
        assert metrics.pgr(float(np.interp(earlier, x, y)), 0.2, 0.7) <= target + 1e-6


def test_the_curve_of_a_routers_preferences() -> None:
    shares, qualities = metrics.strong_share_curve(
        preference=[0.9, 0.1, 0.5, 0.5], weak=[0, 1, 0, 1], strong=[1, 1, 1, 0]
    )
    # the 0.9 goes first, both 0.5 together (+1 and -1), the 0.1 last
    assert shares.tolist() == [0, 0.25, 0.75, 1]
    assert qualities.tolist() == [0.5, 0.75, 0.75, 0.75]


def test_a_router_at_random_recovers_about_half_the_gap() -> None:
    random = np.random.default_rng(5)
    weak = (random.random(4000) < 0.5).astype(float)
    strong = (random.random(4000) < 0.8).astype(float)
    shares, qualities = metrics.strong_share_curve(random.random(4000), weak, strong)
    assert metrics.apgr(shares, qualities, weak.mean(), strong.mean()) == pytest.approx(
        0.5, abs=0.05
    )


def test_what_is_no_curve_is_refused() -> None:
    with pytest.raises(MetricError, match="outside 0"):
        metrics.apgr([50], [0.7], 0.6, 0.8)
    with pytest.raises(MetricError, match="equal lists"):
        metrics.apgr([0.5, 0.6], [0.7], 0.6, 0.8)
    with pytest.raises(MetricError, match="finite"):
        metrics.apgr([0.5], [math.nan], 0.6, 0.8)
    with pytest.raises(MetricError, match="equal lists"):
        metrics.strong_share_curve([1, 2], [0], [1])
