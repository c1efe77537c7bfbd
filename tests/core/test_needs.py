from __future__ import annotations

import pytest

from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, NEED_FIELDS, WORKS, TaskNeeds
from routinglab.errors import InvalidInput

ALL_SIX = {
    "work": "coding", "difficulty": "hard", "mistakeCost": "low",
    "needsImages": False, "longContext": True, "latencySensitive": False,
}  # fmt: skip


def test_needs_take_the_six_fields_in_either_spelling() -> None:
    camel = TaskNeeds(**ALL_SIX)
    snake = TaskNeeds(
        work="coding", difficulty="hard", mistake_cost="low",
        needs_images=False, long_context=True, latency_sensitive=False,
    )  # fmt: skip
    assert camel == snake
    assert camel.missing == ()
    assert camel.to_dict() == ALL_SIX


def test_what_nobody_stated_is_listed_in_one_order() -> None:
    assert TaskNeeds().missing == NEED_FIELDS == (
        "work", "difficulty", "mistake_cost", "needs_images", "long_context", "latency_sensitive",
    )  # fmt: skip
    assert TaskNeeds(needs_images=False, work="writing").missing == (
        "difficulty", "mistake_cost", "long_context", "latency_sensitive",
    )  # fmt: skip


def test_the_words_of_each_scale_are_the_documented_ones() -> None:
    assert WORKS == (
        "computer_use", "coding", "code_review", "codebase_lookup",
        "research", "business_workflow", "math_science", "writing",
    )  # fmt: skip
    assert DIFFICULTIES == ("trivial", "easy", "moderate", "hard", "very_hard")
    assert MISTAKE_COSTS == ("negligible", "low", "moderate", "high", "severe")


@pytest.mark.parametrize(
    ("given", "named"),
    [
        ({"work": "cooking"}, ("work", "cooking", "coding", "writing")),
        ({"difficulty": "Hard"}, ("difficulty", "very_hard")),
        ({"mistakeCost": "huge"}, ("mistakeCost", "severe")),
        ({"needsImages": "yes"}, ("needsImages",)),
        ({"longContext": 1}, ("longContext",)),
        ({"dificulty": "hard"}, ("dificulty", "difficulty")),
    ],
)
def test_an_unknown_field_or_value_names_the_field_and_the_choices(
    given: dict[str, object], named: tuple[str, ...]
) -> None:
    with pytest.raises(InvalidInput) as caught:
        TaskNeeds.model_validate(given)
    assert all(word in str(caught.value) for word in named)


def test_what_a_call_says_comes_before_the_agent() -> None:
    call = TaskNeeds(difficulty="easy", needs_images=False)
    agent = TaskNeeds(difficulty="hard", needs_images=True, work="coding")
    assert call.under(agent) == TaskNeeds(work="coding", difficulty="easy", needs_images=False)
    assert call.under(None) == call


@pytest.mark.parametrize(
    ("difficulty", "mistake_cost", "demand"),
    [
        ("trivial", "negligible", 0.0),
        ("trivial", "severe", 1.0),
        ("very_hard", "negligible", 1.0),
        ("easy", "moderate", 0.5),
        ("hard", "low", 0.75),
    ],
)
def test_demand_is_the_larger_of_difficulty_and_mistake_cost(
    difficulty: str, mistake_cost: str, demand: float
) -> None:
    assert TaskNeeds.model_validate(
        {"difficulty": difficulty, "mistakeCost": mistake_cost}
    ).demand == demand  # fmt: skip


def test_a_computer_use_task_wants_images_unless_it_was_said_otherwise() -> None:
    assert TaskNeeds(work="computer_use").wants_images
    assert not TaskNeeds(work="computer_use", needs_images=False).wants_images
    assert TaskNeeds(work="coding", needs_images=True).wants_images
    assert not TaskNeeds(work="coding").wants_images
