"""Errors of validated values, and texts that no file can hold."""

from __future__ import annotations

import pytest

from routinglab.core.needs import DIFFICULTIES, WORKS, TaskNeeds
from routinglab.core.text import nearest, text_digest
from routinglab.errors import InvalidInput


@pytest.mark.parametrize(("field", "choices"), [("work", WORKS), ("difficulty", DIFFICULTIES)])
def test_an_error_lists_every_choice_the_last_one_too(field: str, choices: tuple[str, ...]) -> None:
    with pytest.raises(InvalidInput) as caught:
        TaskNeeds.model_validate({field: "nothing"})
    assert caught.value.choices == choices


def test_an_error_speaks_of_objects_and_names_the_value_once() -> None:
    with pytest.raises(InvalidInput) as caught:
        TaskNeeds.model_validate(5)
    assert str(caught.value) == (
        "TaskNeeds: Input should be an object or instance of TaskNeeds (got 5)"
    )
    assert caught.value.field is None


def test_an_error_stays_short_whatever_was_written() -> None:
    with pytest.raises(InvalidInput) as caught:
        TaskNeeds.model_validate({"work" * 100_000: 1})
    assert len(str(caught.value)) < 300


def test_a_likeness_is_sought_by_the_start_of_a_long_word() -> None:
    assert nearest("gpt-5" + "x" * 300_000, ["gpt-5" + "x" * 195, "other"]) == ["gpt-5" + "x" * 195]


def test_half_a_character_has_a_digest() -> None:
    assert text_digest("\ud800") != text_digest("?")
