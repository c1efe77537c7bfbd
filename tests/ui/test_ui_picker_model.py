"""What a picker says is left, what each limit took away, and why a model is out."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import live, ui

from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints, eligible
from routinglab.core.efforts import EFFORTS
from routinglab.core.needs import TaskNeeds
from routinglab.evals.evals import parse_evals
from routinglab.settings import Settings
from routinglab.ui.picker_model import Outlook, PickerModel

CATALOG = ui.catalog()
EVALS = parse_evals(live.EVALS)
CHAT = [model for model in CATALOG if model.kind == "chat"]


def outlook(limits: ModelConstraints, needs: TaskNeeds | None = None, **more: object) -> Outlook:
    model = PickerModel(CATALOG, EVALS, more.pop("settings", None), **more)  # type: ignore[arg-type]
    model.constraints = limits
    model.needs = needs or TaskNeeds()
    return model.outlook()


LIMITS = st.builds(
    ModelConstraints,
    allowed_providers=st.none() | st.lists(st.sampled_from(["acme", "beta"]), unique=True),
    excluded_providers=st.none() | st.lists(st.sampled_from(["acme", "beta"]), unique=True),
    max_input_cost=st.none() | st.floats(0, 12),
    min_context_window=st.none() | st.integers(0, 1_500_000),
    required_inputs=st.none() | st.lists(st.sampled_from(["text", "image"]), unique=True),
    allowed_efforts=st.none() | st.lists(st.sampled_from([None, *EFFORTS]), unique=True),
)


@settings(max_examples=120)
@given(LIMITS)
def test_every_chat_model_is_a_candidate_or_out_with_a_reason(limits: ModelConstraints) -> None:
    found = outlook(limits)
    left = {m.full_id for m in CHAT if any(eligible(m, e, limits) for e in m.effort_choices)}
    kept = set(found.plan.candidates) if found.plan else set()
    assert kept == left
    assert found.ready == bool(left)
    if found.ready or found.removals:  # else lists contradict each other, and no model is looked at
        out = {fallen.model.full_id: fallen.reasons for fallen in found.fallen}
        assert set(out) == {m.full_id for m in CHAT} - left
        assert all(why and all(why) for why in out.values())


def test_a_limit_says_what_it_is_and_how_many_candidates_it_rules_out() -> None:
    found = outlook(ModelConstraints(max_input_cost=4.0))
    # strong at two providers, three efforts each, and reader without any
    assert [(r.label, r.says, r.candidates) for r in found.removals] == [
        ("Max input price", "at most $4 per million tokens", 7)
    ]
    assert {f.model.full_id: f.reasons for f in found.fallen} == {
        "acme/strong": ("input $10 is over $4",),
        "beta/strong": ("input $11 is over $4",),
        "acme/reader": ("input $5 is over $4",),
    }


def test_a_price_below_the_cheapest_model_leaves_nothing_and_names_the_limit() -> None:
    found = outlook(ModelConstraints(max_input_cost=0.4))
    assert not found.ready
    assert found.plan is None
    assert "Max input price (at most $0.40 per million tokens)" in found.problem
    assert "the lowest price is $0.50, of beta/small" in found.problem
    assert len(found.fallen) == len(CHAT)


def test_the_hint_looks_only_at_models_that_nothing_else_keeps_out() -> None:
    found = outlook(ModelConstraints(max_input_cost=0.4, excluded_providers=["beta"]))
    # beta/small is cheaper, but widening the price would not bring it back
    assert "the lowest price is $1, of acme/small" in found.problem
    assert "1 more limit rules out others" in found.problem


def test_an_empty_list_is_said_to_allow_nothing() -> None:
    found = outlook(ModelConstraints(allowed_efforts=[]))
    assert "Allowed efforts (only nothing)" in found.problem
    assert "an empty list allows nothing" in found.problem


@pytest.mark.parametrize(
    ("limits", "model", "reason"),
    [
        ({"allowedProviders": ["beta"]}, "acme/small", "provider acme is not allowed"),
        ({"excludedProviders": ["acme"]}, "acme/small", "provider acme is excluded"),
        ({"allowedModels": ["acme/small"]}, "acme/chat", "not among the allowed models"),
        ({"maxOutputCost": 3}, "acme/chat", "output $4 is over $3"),
        ({"minContextWindow": 100_000}, "acme/chat", "window 20k is under 100k"),
        ({"requiredInputs": ["text", "image"]}, "acme/chat", "does not read image"),
        ({"allowedEfforts": [None]}, "acme/middle", "efforts low, medium, high: none is allowed"),
    ],
)
def test_each_kind_of_limit_gives_its_reason_beside_the_model(
    limits: dict[str, object], model: str, reason: str
) -> None:
    found = outlook(ModelConstraints.model_validate(limits))
    assert {f.model.full_id: f.reasons for f in found.fallen}[model] == (reason,)


def test_needs_that_narrow_give_their_reason_too() -> None:
    found = outlook(ModelConstraints(), TaskNeeds(needs_images=True))
    assert found.plan is not None
    assert set(found.plan.candidates) == {"acme/vision", "acme/reader"}
    assert {f.reasons[0] for f in found.fallen} == {
        "the task needs images and it is not known to read them"
    }
    found = outlook(ModelConstraints(), TaskNeeds(long_context=True))
    assert "long context prefers windows of 400k tokens or more" in {
        f.reasons[0] for f in found.fallen
    }


def test_an_agents_own_limits_hold_besides_and_are_named_as_its_own() -> None:
    agent = AgentBrief("helper", constraints=(ModelConstraints(max_input_cost=2.0),))
    found = outlook(ModelConstraints(), agent=agent)
    assert [r.label for r in found.removals] == ["Max input price of the agent"]
    # the call cannot widen it
    wider = outlook(ModelConstraints(max_input_cost=20.0), agent=agent)
    assert wider.plan is not None
    assert found.plan is not None
    assert wider.plan.candidates == found.plan.candidates


def test_restrictions_that_can_never_hold_together_are_told_as_such() -> None:
    agent = AgentBrief("helper", constraints=(ModelConstraints(allowed_providers=["beta"]),))
    found = outlook(ModelConstraints(allowed_providers=["acme"]), agent=agent)
    assert not found.ready
    assert "have nothing in common" in found.problem


def test_without_images_or_evals_the_current_model_stands_in_or_the_reason_is_told() -> None:
    chat = Settings.model_validate({"currentModel": "acme/chat"})
    no_images = ModelConstraints(max_input_cost=2.0)
    found = outlook(no_images, TaskNeeds(needs_images=True), settings=chat)
    assert found.ready
    assert found.note == (
        "The task needs images and no eligible model reads them. The current model acme/chat stands in."
    )
    alone = outlook(no_images, TaskNeeds(needs_images=True))
    assert not alone.ready
    assert "no current model is available" in alone.problem


def test_choices_are_what_the_catalog_holds(tmp_path: Path) -> None:
    choices = PickerModel(CATALOG, EVALS).choices
    assert choices.providers == ("acme", "beta")
    assert choices.inputs == ("text", "image")
    assert choices.efforts == (None, "low", "medium", "high")
    assert "judge/one" not in choices.models
    assert choices.input_prices.steps[1] < 0.5
