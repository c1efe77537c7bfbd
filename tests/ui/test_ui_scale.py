"""Steps of a slider, and figures as they are shown."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.ui.scale import Scale, plain_figure, read_figure, tokens, usd
from routinglab.ui.throttle import Throttle

PRICES = st.lists(st.floats(0.0001, 900, allow_nan=False), min_size=1, max_size=30)


@settings(max_examples=80)
@given(PRICES)
def test_steps_rise_from_zero_past_the_smallest_to_the_largest_value(values: list[float]) -> None:
    steps = Scale.over(values, zero=True).steps
    assert steps[0] == 0
    assert list(steps) == sorted(set(steps))
    assert steps[1] < min(values)  # a place below the cheapest
    assert steps[-1] >= max(values)
    assert steps[-2] < max(values)
    assert all(b / a <= 1.5 for a, b in pairwise(steps[1:]))


@settings(max_examples=60)
@given(PRICES, st.floats(0, 1000, allow_nan=False))
def test_the_slider_goes_to_the_step_nearest_to_a_typed_value(
    values: list[float], typed: float
) -> None:
    scale = Scale.over(values, zero=True)
    found = abs(scale.steps[scale.nearest(typed)] - typed)
    assert found == min(abs(step - typed) for step in scale.steps)


def test_a_catalog_without_prices_still_gives_steps() -> None:
    assert Scale.over([], zero=False).steps[0] <= 1
    assert Scale.over([0.0], zero=True).steps[-1] == 10


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0, "$0"), (2, "$2"), (1.7, "$1.70"), (0.25, "$0.25"), (0.075, "$0.075"), (0.0004, "$0.0004"),
     (1500, "$1,500")],
)  # fmt: skip
def test_prices_are_short_and_never_rounded_to_zero(value: float, shown: str) -> None:
    assert usd(value) == shown


@pytest.mark.parametrize(
    ("value", "shown"), [(400, "400"), (8000, "8k"), (131072, "131.1k"), (1_050_000, "1.05M")]
)
def test_windows_are_short(value: int, shown: str) -> None:
    assert tokens(value) == shown


def test_many_askings_in_one_moment_are_one_act_and_the_last_state_counts() -> None:
    drawn: list[int] = []
    state = 0

    async def main() -> None:
        nonlocal state
        throttle = Throttle(lambda: drawn.append(state), 0.01)
        for state in range(100):  # noqa: B007 - the last value is what counts
            throttle()
        assert drawn == []
        assert throttle.pending
        await asyncio.sleep(0.05)
        assert drawn == [99]
        throttle()
        throttle.flush()
        await asyncio.sleep(0.03)
        assert drawn == [99, 99]
        throttle()
        throttle.stop()
        await asyncio.sleep(0.03)
        assert drawn == [99, 99]

    asyncio.run(main())


def test_without_a_loop_it_acts_at_once() -> None:
    drawn: list[str] = []
    Throttle(lambda: drawn.append("now"), 60)()
    assert drawn == ["now"]


@settings(max_examples=80)
@given(st.floats(0, 1e9))
def test_a_figure_that_is_shown_is_read_back_to_itself(value: float) -> None:
    assert read_figure(plain_figure(value)) == value


def test_figures_are_read_as_people_type_them() -> None:
    typed = {"2.5": 2.5, "$ 2.50": 2.5, ".5": 0.5, "1e-3": 0.001, "1,200": 1200.0, "1.05M": 1.05e6}
    assert {one: read_figure(one) for one in typed} == typed
    assert read_figure("200k", whole=True) == 200_000
    for wrong in ("", "1,5", "12,00", "0x10", "inf", "٣", "1 2", "2.5.1", "1e12345"):
        with pytest.raises(ValueError, match="figure"):
            read_figure(wrong)
    with pytest.raises(ValueError, match="not a whole number"):
        read_figure("100000.7", whole=True)
