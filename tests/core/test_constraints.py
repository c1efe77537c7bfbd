from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cohorts import model

from routinglab.catalog.model import PriceTier
from routinglab.core.constraints import CONSTRAINT_FIELDS, ModelConstraints, eligible
from routinglab.core.efforts import EFFORTS
from routinglab.errors import InvalidInput

TIERED = model(
    "p/tiered", (2.0, 8.0), tiers=(PriceTier(above=200_000, input_price=4.0, output_price=16.0),)
)


def test_there_are_eight_fields_and_none_restricts_by_default() -> None:
    assert len(CONSTRAINT_FIELDS) == 8
    assert eligible(model("p/m", None), None, ModelConstraints())
    assert eligible(model("p/m", None), None, [])


@pytest.mark.parametrize(
    ("limits", "allowed"),
    [
        ({"allowedModels": ["p/m"]}, True),
        ({"allowedModels": ["p/M"]}, False),
        ({"allowedModels": ["m"]}, False),
        ({"allowedModels": []}, False),
        ({"allowedProviders": ["p"]}, True),
        ({"allowedProviders": []}, False),
        ({"excludedProviders": ["p"]}, False),
        ({"excludedProviders": []}, True),
        ({"maxInputCost": 2}, True),
        ({"maxInputCost": 1.99}, False),
        ({"maxOutputCost": 8}, True),
        ({"maxOutputCost": 7.9}, False),
        ({"minContextWindow": 200_000}, True),
        ({"minContextWindow": 200_001}, False),
        ({"requiredInputs": ["text", "image"]}, True),
        ({"requiredInputs": []}, True),
        ({"allowedEfforts": ["low"]}, True),
        ({"allowedEfforts": ["high"]}, False),
        ({"allowedEfforts": [None]}, False),
        ({"allowedEfforts": []}, False),
    ],
)
def test_each_field_restricts_as_stated(limits: dict[str, object], allowed: bool) -> None:
    entry = model(
        "p/m", (2.0, 8.0), context_window=200_000, inputs=("text", "image"), efforts=("low", "high")
    )
    assert eligible(entry, "low", ModelConstraints.model_validate(limits)) is allowed


def test_what_is_unknown_satisfies_no_limit() -> None:
    unknown = model("p/m", None)
    for limits in (
        {"maxInputCost": 1000}, {"maxOutputCost": 1000}, {"minContextWindow": 0},
        {"requiredInputs": ["text"]},
    ):  # fmt: skip
        assert not eligible(unknown, None, ModelConstraints.model_validate(limits))


def test_a_zero_price_is_a_price() -> None:
    assert eligible(model("p/m", 0), None, ModelConstraints(max_input_cost=0, max_output_cost=0))


def test_a_tier_cannot_evade_a_price_limit() -> None:
    assert not eligible(TIERED, None, ModelConstraints(max_input_cost=3))
    assert not eligible(TIERED, None, ModelConstraints(max_output_cost=15))
    assert eligible(TIERED, None, ModelConstraints(max_input_cost=4, max_output_cost=16))
    half_known = model("p/m", 1.0, tiers=(PriceTier(above=1000, output_price=1.0),))
    assert not eligible(half_known, None, ModelConstraints(max_input_cost=100))


def test_null_among_allowed_efforts_admits_models_without_reasoning() -> None:
    limits = ModelConstraints(allowed_efforts=(None,))
    assert eligible(model("p/plain"), None, limits)
    assert not eligible(model("p/m", efforts=("off", "low")), "off", limits)


def test_only_a_chat_model_at_one_of_its_own_efforts_is_eligible() -> None:
    assert not eligible(model("p/m", kind="image"), None, ())
    assert not eligible(model("p/m", kind="classifier"), None, ())
    assert not eligible(model("p/m", efforts=("low",)), "high", ())
    assert not eligible(model("p/m", efforts=("low",)), None, ())
    assert eligible(model("p/m", efforts=("off",)), "off", ())


@pytest.mark.parametrize(
    "limits",
    [
        {"maxInputCost": math.nan}, {"maxInputCost": math.inf}, {"maxOutputCost": -0.01},
        {"maxInputCost": "3"}, {"maxInputCost": True}, {"minContextWindow": -1},
        {"minContextWindow": 1.5}, {"minContextWindow": math.inf}, {"allowedModels": "p/m"},
        {"allowedModels": [3]}, {"requiredInputs": ["smell"]}, {"allowedEfforts": ["ultra"]},
        {"maxCost": 3}, {"allowedModel": ["p/m"]},
    ],
)  # fmt: skip
def test_a_wrong_limit_fails_and_names_its_key(limits: dict[str, object]) -> None:
    with pytest.raises(InvalidInput) as caught:
        ModelConstraints.model_validate(limits)
    assert next(iter(limits)) in str(caught.value)


def test_an_unknown_key_names_the_nearest() -> None:
    with pytest.raises(InvalidInput, match="Did you mean 'maxInputCost'"):
        ModelConstraints.model_validate({"maxInputCosts": 3})


LIMITS = st.builds(
    ModelConstraints,
    allowed_models=st.none() | st.lists(st.sampled_from(["a/x", "b/y"])).map(tuple),
    allowed_providers=st.none() | st.lists(st.sampled_from(["a", "b"])).map(tuple),
    excluded_providers=st.none() | st.lists(st.sampled_from(["a", "b"])).map(tuple),
    max_input_cost=st.none() | st.floats(0, 10),
    max_output_cost=st.none() | st.floats(0, 10),
    min_context_window=st.none() | st.integers(0, 10),
    required_inputs=st.none() | st.lists(st.sampled_from(["text", "image"])).map(tuple),
    allowed_efforts=st.none() | st.lists(st.sampled_from([None, *EFFORTS])).map(tuple),
)
MODELS = st.builds(
    model,
    st.sampled_from(["a/x", "b/y", "b/z"]),
    st.none() | st.floats(0, 10),
    context_window=st.none() | st.integers(1, 10),
    inputs=st.none() | st.sets(st.sampled_from(["text", "image"])).map(tuple),
    efforts=st.sets(st.sampled_from(EFFORTS)).map(tuple),
)


@settings(max_examples=150)
@given(MODELS, st.lists(LIMITS, max_size=3), LIMITS)
def test_another_restriction_never_makes_a_candidate_eligible(
    entry: object, limits: list[ModelConstraints], more: ModelConstraints
) -> None:
    for effort in entry.effort_choices:  # type: ignore[attr-defined]
        both = eligible(entry, effort, [*limits, more])  # type: ignore[arg-type]
        assert both == (
            eligible(entry, effort, limits) and eligible(entry, effort, more)  # type: ignore[arg-type]
        )


def test_only_text_and_image_can_be_required() -> None:
    with pytest.raises(InvalidInput, match=r"requiredInputs\.0: 'audio' is not one of") as caught:
        ModelConstraints.model_validate({"requiredInputs": ["audio"]})
    assert caught.value.choices == ("text", "image")


@pytest.mark.parametrize("none", [None, [], [None], {}, [{}]])
def test_no_restriction_may_be_written_in_any_way(none: object) -> None:
    assert eligible(model("p/m"), None, none)  # type: ignore[arg-type]


def test_restrictions_may_be_objects_and_values_side_by_side() -> None:
    entry = model("p/m", (2.0, 8.0))
    assert eligible(entry, None, {"maxInputCost": 2})
    assert not eligible(entry, None, [ModelConstraints(), {"max_input_cost": 1}])
    with pytest.raises(InvalidInput, match="unknown key 'maxCost'"):
        eligible(entry, "no level of it", [{"maxCost": 1}])
    with pytest.raises(InvalidInput, match="an object"):
        eligible(entry, None, ["p/m"])  # type: ignore[list-item]
    with pytest.raises(InvalidInput, match="no catalog model"):
        eligible("p/m", None, [])  # type: ignore[arg-type]
