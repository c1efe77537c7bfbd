"""Where a model stands in its cohort (SPEC 3.3, 6.2)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.evals.benchmarks import direction
from routinglab.evals.evals import parse_evals

BASE = """# E
## Artificial Analysis v2 (2026-09-22)

| slug | idx | TB4 | $/task | Sci |
|---|---|---|---|---|
| one-1 | 10 | 50 | $1 | 5 |
| one-1-high | 20 | 45 | $2 | |
| two-2 | 15 | 60 | $3 | 6 |
| three-3 | 15 | 70 | $4 | 7 |
| four-4 | 5 | 80 | $0 | |
| five-5 | 30 | | $9 | |

## Artificial Analysis v1 (2026-09-01)

| slug | idx | TB4 |
|---|---|---|
| five-5 | 1 | 9 |
| six-6 | 2 | 8 |
| seven-7 | 3 | 7 |
| eight-8 | 4 | 6 |
| one-1 | 99 | 99 |
"""


@pytest.mark.parametrize(
    ("model", "key", "share", "value", "models"),
    [
        # idx, newest: others of one-1 are 15, 15, 5, 30; its best is 20 over both efforts
        ("one-1", "aa:idx", 3 / 4, 20, 5),
        # equals are not lower: of 20, 15, 5, 30 only 5 is below 15
        ("two-2", "aa:idx", 1 / 4, 15, 5),
        ("five-5", "aa:idx", 1.0, 30, 5),
        ("four-4", "aa:idx", 0.0, 5, 5),
        ("one-1", "aa:TB4", 0.0, 50, 4),
        # only measured in the older edition: others are 1, 3, 4, 99
        ("six-6", "aa:idx", 1 / 4, 2, 5),
        # five-5 has no TB4 in the newest edition, so the older one counts: 8, 7, 6 below, 99 above
        ("five-5", "aa:TB4", 3 / 4, 9, 5),
        # lower is better: others cost 3, 4, 0, 9 and the best of one-1 is 1
        ("one-1", "aa:usd", 3 / 4, 1, 5),
        ("four-4", "aa:usd", 1.0, 0, 5),
    ],
)
def test_a_standing_is_the_share_of_other_models_that_do_worse(
    model: str, key: str, share: float, value: float, models: int
) -> None:
    standing = parse_evals(BASE).standing(f"any/{model}", key)
    assert standing is not None
    assert standing.share == pytest.approx(share)
    assert (standing.value, standing.models, standing.key) == (value, models, key)


def test_a_cohort_of_three_models_gives_no_standing_but_a_measured_row() -> None:
    evals = parse_evals(BASE)
    assert evals.standing("any/three-3", "aa:Sci") is None
    row = evals.measured("any/three-3", "aa:Sci")
    assert row is not None
    assert row.value == 7


def test_a_model_that_is_not_measured_has_no_standing() -> None:
    evals = parse_evals(BASE)
    assert evals.standing("any/nine-9", "aa:idx") is None
    assert evals.standings_for("any/nine-9") == {}
    assert evals.standing("any/one-1", "aa:nothing") is None


def test_the_conditions_of_the_best_value_are_the_standings_own() -> None:
    standing = parse_evals(BASE).standing("any/one-1", "aa:idx")
    assert standing is not None
    assert (standing.effort, standing.edition) == ("high", "Artificial Analysis v2 (2026-09-22)")


def test_all_standings_of_a_model_come_at_once() -> None:
    found = parse_evals(BASE).standings_for("any/one-1")
    assert {key: place.share for key, place in found.items()} == {
        "aa:idx": 0.75, "aa:TB4": 0.0, "aa:usd": 0.75,
    }  # fmt: skip


def test_what_remains_of_a_model_beside_the_candidates_own_snapshot_is_another_model() -> None:
    text = """## Artificial Analysis (2026-09-22)

| slug | TB4 |
|---|---|
| kimi-k2 | 10 |
| kimi-k2-0905 | 40 |
| a-1 | 5 |
| b-1 | 20 |
| c-1 | 30 |
"""
    evals = parse_evals(text)
    snapshot = evals.standing("m/kimi-k2-0905", "aa:TB4")
    assert snapshot is not None
    assert (snapshot.value, snapshot.share, snapshot.models) == (40, 1.0, 5)
    both = evals.standing("m/kimi-k2", "aa:TB4")
    assert both is not None
    assert (both.value, both.share, both.models) == (40, 1.0, 4)


def test_sections_that_state_one_version_and_date_are_one_edition() -> None:
    text = """## AA coding v3 (2026-09-22)
| slug | TB4 |
|---|---|
| a-1 | 1 |
| b-1 | 2 |
## AA agents v3 (2026-09-22)
| slug | TB4 |
|---|---|
| c-1 | 3 |
| d-1 | 4 |
"""
    standing = parse_evals(text).standing("x/d-1", "aa:TB4")
    assert standing is not None
    assert standing.share == 1.0


def test_undated_sections_are_separate_editions() -> None:
    text = """## AA first
| slug | TB4 |
|---|---|
| a-1 | 1 |
| b-1 | 2 |
## AA second
| slug | TB4 |
|---|---|
| c-1 | 3 |
| d-1 | 4 |
"""
    assert parse_evals(text).standing("x/d-1", "aa:TB4") is None


@given(st.dictionaries(st.integers(1, 30), st.integers(0, 20), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_standings_agree_with_counting(values: dict[int, int]) -> None:
    lines = [f"| model{n}-{n} | {value} |" for n, value in values.items()]
    text = "## AA (2026-01-01)\n| slug | TB4 |\n|---|---|\n" + "\n".join(lines)
    evals = parse_evals(text)
    for n, value in values.items():
        standing = evals.standing(f"p/model{n}-{n}", "aa:TB4")
        others = [other for m, other in values.items() if m != n]
        if len(values) < 4:
            assert standing is None
        else:
            assert standing is not None
            assert standing.share == sum(other < value for other in others) / len(others)


@pytest.mark.parametrize(
    ("key", "way"),
    [("aa:TB4", "higher"), ("aa:usd", "lower"), ("fc:Flag", "lower"), ("aa:tps", "higher"),
     ("dswe:steps", "lower"), ("own:coding", "higher"), ("own:coding/usd", "lower"),
     ("pub:OSW2@OpenAI", "higher"), ("dswe:Pass@1", "higher"), ("what:ever", "higher")],
)  # fmt: skip
def test_directions(key: str, way: str) -> None:
    assert direction(key) == way
