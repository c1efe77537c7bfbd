from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.cohorts import model

from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints, eligible
from routinglab.errors import ConstraintConflict, NoEligibleModel
from routinglab.routing.restrictions import Admission, admit, restrictions_for
from routinglab.settings import Settings

MODELS = [
    model("a/one", 1.0, efforts=("low", "high"), context_window=100_000),
    model("a/two", 5.0, efforts=("high",), context_window=1_000_000),
    model("b/one", 1.0, context_window=100_000),
    model("b/draw", 1.0, kind="image"),
    model("c/dark", None),
]


def limits(**fields: object) -> ModelConstraints:
    return ModelConstraints(**fields)


def admitted(
    settings: Settings | None = None,
    agent: AgentBrief | None = None,
    call: ModelConstraints | None = None,
) -> Admission:
    return admit(MODELS, restrictions_for(settings, agent, call))


def ids(admission: Admission) -> list[str]:
    return [entry.full_id for entry in admission.models]


def routing(**lists: list[str]) -> Settings:
    return Settings.model_validate({"modelRouting": lists})


def overriding(name: str, **fields: object) -> Settings:
    return Settings.model_validate({"subagents": {"agentOverrides": {name: fields}}})


def test_without_restrictions_every_chat_model_is_admitted_at_all_its_efforts() -> None:
    admission = admitted()
    assert ids(admission) == ["a/one", "a/two", "b/one", "c/dark"]
    assert admission.efforts["a/one"] == ("low", "high")
    assert admission.efforts["b/one"] == (None,)
    assert admission.considered == 5
    assert admission.removed == {}


def test_agent_settings_and_call_all_hold_at_once() -> None:
    agent = AgentBrief("worker", constraints=(limits(allowed_providers=["a", "b"]),))
    settings = overriding("worker", modelConstraints={"maxInputCost": 2})
    admission = admitted(settings, agent, limits(allowed_efforts=["high", None]))
    assert ids(admission) == ["a/one", "b/one"]
    assert admission.efforts["a/one"] == ("high",)
    assert admission.removed == {
        "settings.maxInputCost": 2,  # a/two at high, and c/dark, whose price is unknown
        "agent.allowedProviders": 1,
        "call.allowedEfforts": 1,
    }
    assert ids(admitted(settings, AgentBrief("other"))) == ids(admitted())


def test_a_call_cannot_widen_what_an_agent_allows() -> None:
    agent = AgentBrief("worker", constraints=(limits(allowed_models=["a/one"]),))
    assert ids(admitted(None, agent, limits(allowed_models=["a/one", "a/two"]))) == ["a/one"]
    assert ids(admitted(None, agent, limits(max_input_cost=100))) == ["a/one"]


def test_an_empty_list_of_a_call_allows_nothing() -> None:
    for field in ("allowed_models", "allowed_providers", "allowed_efforts"):
        with pytest.raises(NoEligibleModel):
            admitted(None, None, limits(**{field: []}))
    assert len(ids(admitted(None, None, limits(excluded_providers=[], required_inputs=[])))) == 4


def test_an_empty_list_of_the_routing_setting_is_no_restriction() -> None:
    empty = routing(allowedProviders=[], excludedProviders=[], allowedModels=[], excludedModels=[])
    assert ids(admitted(empty)) == ids(admitted())


def test_the_routing_setting_applies_on_top() -> None:
    assert ids(admitted(routing(allowedProviders=["a"]))) == ["a/one", "a/two"]
    assert ids(admitted(routing(excludedProviders=["a", "c"]))) == ["b/one"]
    assert ids(admitted(routing(allowedModels=["a/two", "b/one"]))) == ["a/two", "b/one"]
    excluding = admitted(routing(excludedModels=["a/one"]))
    assert ids(excluding) == ["a/two", "b/one", "c/dark"]
    assert excluding.removed == {"modelRouting.excludedModels": 2}


@pytest.mark.parametrize("call", [{"allowed_providers": ["a"]}, {"excluded_providers": ["b", "c"]}])
def test_either_provider_list_of_a_call_replaces_both_of_the_setting(call: dict) -> None:
    settings = routing(allowedProviders=["b"], excludedProviders=["a"])
    assert ids(admitted(settings)) == ["b/one"]
    assert ids(admitted(settings, None, limits(**call))) == ["a/one", "a/two"]


def test_an_empty_provider_list_of_a_call_replaces_the_setting_too() -> None:
    settings = routing(allowedProviders=["b"])
    assert len(ids(admitted(settings, None, limits(excluded_providers=[])))) == 4


def test_an_agents_provider_list_narrows_the_settings() -> None:
    settings = routing(allowedProviders=["a", "b"])
    agent = AgentBrief("worker", constraints=(limits(allowed_providers=["b", "c"]),))
    assert ids(admitted(settings, agent)) == ["b/one"]


def test_an_agents_provider_list_still_holds_where_a_call_replaces_the_settings() -> None:
    settings = routing(allowedProviders=["c"])
    agent = AgentBrief("worker", constraints=(limits(allowed_providers=["a"]),))
    call = limits(allowed_providers=["a", "b"])
    assert ids(admitted(settings, agent, call)) == ["a/one", "a/two"]


def test_model_lists_of_the_setting_hold_whatever_a_call_lists() -> None:
    settings = routing(allowedModels=["a/one", "b/one"], excludedModels=["b/one"])
    call = limits(allowed_providers=["a", "b"], allowed_models=["a/one", "a/two", "b/one"])
    assert ids(admitted(settings, None, call)) == ["a/one"]


def test_a_legacy_effort_restricts_an_agent_that_ships_with_the_package() -> None:
    settings = overriding("explore", thinking="high")
    builtin = AgentBrief("explore", builtin=True)
    assert admitted(settings, builtin).efforts == {"a/one": ("high",), "a/two": ("high",)}
    assert len(ids(admitted(settings, AgentBrief("explore")))) == 4


@pytest.mark.parametrize("cleared", ["", False])
def test_clearing_a_legacy_effort_leaves_allowed_efforts_alone(cleared: object) -> None:
    settings = overriding("explore", thinking=cleared, modelConstraints={"allowedEfforts": ["low"]})
    assert admitted(settings, AgentBrief("explore", builtin=True)).efforts == {"a/one": ("low",)}


def test_a_legacy_effort_that_contradicts_allowed_efforts_is_a_conflict() -> None:
    settings = overriding("explore", thinking="high", modelConstraints={"allowedEfforts": ["low"]})
    with pytest.raises(ConstraintConflict, match=r"settings\.allowedEfforts and thinking\."):
        admitted(settings, AgentBrief("explore", builtin=True))


@pytest.mark.parametrize(
    ("agent", "call", "named"),
    [
        ({"allowed_models": ["a/one"]}, {"allowed_models": ["b/one"]}, "allowedModels"),
        ({"allowed_providers": ["a"]}, {"allowed_providers": ["b"]}, "allowedProviders"),
        ({"allowed_efforts": ["low"]}, {"allowed_efforts": ["high"]}, "allowedEfforts"),
        ({"allowed_providers": ["a"]}, {"excluded_providers": ["a"]}, "excludedProviders"),
        ({"allowed_models": ["a/one"]}, {"excluded_providers": ["a"]}, "excludedProviders"),
        ({"allowed_models": ["a/one"]}, {"allowed_providers": ["b"]}, "allowedModels"),
    ],
)
def test_restrictions_that_can_never_hold_together_are_a_conflict(
    agent: dict, call: dict, named: str
) -> None:
    brief = AgentBrief("worker", constraints=(limits(**agent),))
    with pytest.raises(ConstraintConflict, match=named):
        restrictions_for(None, brief, limits(**call))


def test_one_empty_list_is_no_contradiction_but_leaves_nothing() -> None:
    brief = AgentBrief("worker", constraints=(limits(allowed_models=[]),))
    with pytest.raises(NoEligibleModel, match=r"agent\.allowedModels rules out 5"):
        admitted(None, brief, limits(allowed_models=["a/one"]))


def test_nothing_eligible_says_which_restriction_removed_the_most() -> None:
    with pytest.raises(NoEligibleModel) as caught:
        admitted(routing(excludedModels=["b/one"]), None, limits(min_context_window=2_000_000))
    assert caught.value.removed == {"call.minContextWindow": 5, "modelRouting.excludedModels": 1}
    assert "of 5 candidates" in str(caught.value)
    assert "Widen call.minContextWindow first" in str(caught.value)


def test_an_allowed_provider_without_any_model_here_is_named() -> None:
    with pytest.raises(NoEligibleModel, match="set the key of nobody: no model there is available"):
        admitted(None, None, limits(allowed_providers=["nobody"]))
    with pytest.raises(NoEligibleModel) as caught:
        admitted(None, None, limits(allowed_providers=["nobody", "a"], min_context_window=10**7))
    assert "nobody" not in str(caught.value)


def test_a_catalog_without_chat_models_says_to_set_a_key() -> None:
    with pytest.raises(NoEligibleModel, match="set the key of a provider"):
        admit([MODELS[3]], ())


CALLS = st.builds(
    ModelConstraints,
    allowed_providers=st.none() | st.lists(st.sampled_from("abc")).map(tuple),
    excluded_providers=st.none() | st.lists(st.sampled_from("abc")).map(tuple),
    max_input_cost=st.none() | st.sampled_from([0.0, 1.0, 5.0]),
    allowed_efforts=st.none() | st.lists(st.sampled_from([None, "low", "high"])).map(tuple),
)


@settings(max_examples=80, deadline=None)
@given(st.lists(CALLS, max_size=2), CALLS)
def test_what_is_admitted_is_what_every_restriction_allows(
    agents: list[ModelConstraints], call: ModelConstraints
) -> None:
    brief = AgentBrief("worker", constraints=tuple(agents))
    expected = {
        (entry.full_id, effort)
        for entry in MODELS
        for effort in entry.effort_choices
        if eligible(entry, effort, [*agents, call])
    }
    try:
        admission = admitted(None, brief, call)
    except (ConstraintConflict, NoEligibleModel):
        assert not expected
        return
    found = {(name, effort) for name, efforts in admission.efforts.items() for effort in efforts}
    assert found == expected
    assert all(0 < count <= admission.considered for count in admission.removed.values())
