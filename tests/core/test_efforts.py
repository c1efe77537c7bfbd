from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from routinglab.core.efforts import DEGRADED_ORDER, EFFORT_RANK, EFFORTS, effort_for
from routinglab.core.needs import DIFFICULTIES
from routinglab.errors import InvalidInput

WANTED = {
    "trivial": "minimal", "easy": "low", "moderate": "medium", "hard": "high", "very_hard": "xhigh",
}  # fmt: skip
LOWER = {
    "trivial": "minimal",
    "easy": "minimal",
    "moderate": "low",
    "hard": "medium",
    "very_hard": "high",
}


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_effort_follows_difficulty_where_every_level_is_supported(difficulty: str) -> None:
    assert effort_for(EFFORTS, difficulty) == WANTED[difficulty]


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_speed_takes_one_level_off_but_not_below_minimal(difficulty: str) -> None:
    assert effort_for(EFFORTS, difficulty, latency_sensitive=True) == LOWER[difficulty]


@pytest.mark.parametrize(
    ("levels", "difficulty", "effort"),
    [
        (("low", "high"), "moderate", "low"),  # a tie goes to the lower
        (("off", "low"), "trivial", "off"),  # off is a level like the others
        (("max", "low"), "very_hard", "max"),
        (("high", "low", "medium"), "easy", "low"),
        (("max",), "trivial", "max"),
    ],
)
def test_the_nearest_supported_level_is_taken(
    levels: tuple[str, ...], difficulty: str, effort: str
) -> None:
    assert effort_for(levels, difficulty) == effort  # type: ignore[arg-type]


@pytest.mark.parametrize("levels", [None, (), (None,)])
def test_a_model_without_levels_has_no_effort(levels: tuple[None, ...] | None) -> None:
    assert effort_for(levels, "hard") is None


@given(st.sets(st.sampled_from(EFFORTS), min_size=1), st.sampled_from(DIFFICULTIES), st.booleans())
def test_no_supported_level_is_nearer_than_the_chosen_one(
    levels: set[str], difficulty: str, fast: bool
) -> None:
    wanted = EFFORT_RANK[(LOWER if fast else WANTED)[difficulty]]
    chosen = effort_for(levels, difficulty, fast)  # type: ignore[arg-type]
    assert chosen in levels
    distance = abs(EFFORT_RANK[str(chosen)] - wanted)
    for level in levels:
        other = abs(EFFORT_RANK[level] - wanted)
        assert other > distance or (
            other == distance and EFFORT_RANK[level] >= EFFORT_RANK[str(chosen)]
        )


def test_a_wrong_word_is_refused_with_the_choices() -> None:
    with pytest.raises(InvalidInput, match=r"'brutal' is no difficulty; choose trivial"):
        effort_for(EFFORTS, "brutal")
    with pytest.raises(InvalidInput, match=r"'ultra' is no effort"):
        effort_for(["ultra"], "hard")  # type: ignore[list-item]


def test_a_degraded_launch_looks_for_efforts_in_its_own_order() -> None:
    assert DEGRADED_ORDER == (None, "medium", "high", "low", "xhigh", "minimal", "max", "off")


@pytest.mark.parametrize(
    ("efforts", "difficulty"), [("low", "hard"), (["low"], None), (["low"], ["hard"])]
)
def test_what_is_no_list_of_levels_or_no_difficulty_is_refused(
    efforts: object, difficulty: object
) -> None:
    with pytest.raises(InvalidInput):
        effort_for(efforts, difficulty)  # type: ignore[arg-type]
