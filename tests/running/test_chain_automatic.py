"""Under automatic routing every candidate is held to the constraints; legacy efforts and names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.chains import planned
from support.llm_server import Fail, out_of_quota
from support.runs import Scene, agent, scene

from routinglab.catalog.model import Catalog, Model
from routinglab.core.constraints import ModelConstraints
from routinglab.errors import ConstraintConflict, InvalidInput, ModelNameError
from routinglab.routing.router import Router
from routinglab.running.launch import Call, prepare
from routinglab.skills.skill import Skill

Make = Callable[..., Router]


def test_constraints_hold_for_every_candidate_under_auto(router: Make) -> None:
    skill = agent("auto", fallback_models=("beta/strong", "acme/new-one", "acme/middle"))
    call = Call(constraints=ModelConstraints(max_output_cost=8.0))
    assert planned(router(), skill, call) == [
        "acme/middle:high",
        "beta/small",
        "acme/chat",
        "beta/strong - it does not satisfy call.maxOutputCost",
        "acme/new-one - nothing is known of it that could satisfy constraints",
    ]


def test_the_current_model_is_held_to_the_constraints_under_auto(router: Make) -> None:
    skill = agent("auto", model_constraints=ModelConstraints(allowed_providers=("beta",)))
    assert planned(router(), skill)[-1] == "acme/chat - it does not satisfy agent.allowedProviders"


def test_model_routing_settings_hold_for_fallbacks_under_auto(router: Make) -> None:
    one = router(modelRouting={"excludedModels": ["acme/middle"]})
    skill = agent("auto", fallback_models=("acme/middle",))
    assert "acme/middle - it does not satisfy modelRouting.excludedModels" in planned(one, skill)


def test_allowed_efforts_hold_even_for_an_explicit_suffix_under_auto(router: Make) -> None:
    limits = ModelConstraints(allowed_efforts=("high",))
    skill = agent(
        "auto",
        fallback_models=("beta/strong:low",),
        model_constraints=limits,
    )
    call = Call(constraints=ModelConstraints(allowed_models=("acme/strong", "beta/strong")))
    assert planned(router(), skill, call)[:2] == ["acme/strong:high", "beta/strong:high"]
    only = Call(constraints=ModelConstraints(allowed_models=("acme/middle", "beta/strong")))
    chain = planned(router(), agent("auto", fallback_models=("acme/strong:low",)), only)
    assert "acme/strong:low - it does not satisfy call.allowedModels" in chain


def test_the_calls_effort_restricts_routing_in_place_of_the_skills(router: Make) -> None:
    skill = agent("auto", effort="high")
    assert planned(router(), skill)[0] == "acme/strong:high"
    # models without levels are not eligible at an effort that was asked for
    assert planned(router(), skill, Call(effort="low"))[:2] == [
        "acme/strong:low",
        "acme/middle:low",
    ]
    assert planned(router(), agent("auto:medium", effort="high"))[0] == "acme/strong:medium"
    conflicting = Call(effort="low", constraints=ModelConstraints(allowed_efforts=("high",)))
    with pytest.raises(InvalidInput, match="effort 'low' is not among the call's allowedEfforts"):
        planned(router(), skill, conflicting)


def builtin(**fields: Any) -> Skill:
    return agent("auto", scope="builtin", **fields)


def legacy(effort: Any, **more: Any) -> dict[str, Any]:
    return {"agentOverrides": {"checker": {"thinking": effort, **more}}}


def test_a_builtins_legacy_thinking_restricts_ranking_and_not_suffixed_fallbacks(
    router: Make,
) -> None:
    one = router(subagents=legacy("low"))
    skill = builtin(fallback_models=("beta/strong:high", "acme/middle:high", "acme/small"))
    call = Call(constraints=ModelConstraints(allowed_providers=("acme", "beta")))
    assert planned(one, skill, call) == [
        "acme/strong:low",
        "acme/middle:low",
        # ranked as another route already, at the legacy effort; no other effort brings it back
        "beta/strong:low",
        "acme/small:low - it does not support effort low; it has no configurable effort",
        "acme/chat",
    ]


def test_a_suffixed_fallback_leaves_the_legacy_effort_but_not_allowed_efforts(
    router: Make,
) -> None:
    extra = Model(
        provider="acme", id="extra", efforts=("low", "high"), input_price=1, output_price=1
    )
    one = router(extra, subagents=legacy("low"))
    call = Call(constraints=ModelConstraints(excluded_providers=("beta",)))
    chain = planned(one, builtin(fallback_models=("acme/extra:high",)), call)
    assert chain[:3] == ["acme/strong:low", "acme/middle:low", "acme/extra:low"]
    # four with levels: the unranked last one keeps its own suffix
    more = Model(
        provider="acme", id="other", efforts=("low", "high"), input_price=9, output_price=9
    )
    one = router(extra, more, subagents=legacy("low"))
    chain = planned(one, builtin(fallback_models=("acme/extra:high",)), call)
    ranked = chain[:3]
    assert "acme/extra:low" not in ranked
    assert chain[3] == "acme/extra:high"
    held = router(
        extra,
        more,
        subagents=legacy("low", modelConstraints={"allowedEfforts": ["low", "medium"]}),
    )
    chain = planned(held, builtin(fallback_models=("acme/extra:high",)), call)
    assert chain[3] == "acme/extra:high - it does not satisfy agent.allowedEfforts"


def test_legacy_thinking_that_contradicts_allowed_efforts_stops_before_launch(
    router: Make,
) -> None:
    one = router(subagents=legacy("low", modelConstraints={"allowedEfforts": ["high"]}))
    with pytest.raises(ConstraintConflict, match="no reasoning effort satisfies"):
        planned(one, builtin())


@pytest.mark.parametrize("cleared", ["", False])
def test_clearing_legacy_thinking_leaves_allowed_efforts(router: Make, cleared: Any) -> None:
    one = router(subagents=legacy(cleared))
    assert planned(one, builtin(thinking="low"))[0] == "acme/strong:high"
    held = router(subagents=legacy(cleared, modelConstraints={"allowedEfforts": ["medium"]}))
    assert planned(held, builtin(thinking="low"))[0] == "acme/strong:medium"


def test_a_users_definition_keeps_thinking_as_a_default_only(router: Make) -> None:
    skill = agent("auto", thinking="low", fallback_models=("beta/strong",))
    call = Call(constraints=ModelConstraints(max_output_cost=22.0))
    chain = planned(router(), skill, call)
    assert chain[0] == "acme/strong:high"
    assert "beta/strong:low" in chain


def test_a_concrete_suffix_wins_over_a_builtins_legacy_thinking(router: Make) -> None:
    one = router(subagents=legacy("low"))
    assert planned(one, builtin(), Call(model="acme/strong:high"))[0] == "acme/strong:high"
    assert planned(one, builtin(), Call(model="acme/strong"))[0] == "acme/strong:low"


def test_omitting_the_model_routes_only_where_the_effective_one_is_auto(router: Make) -> None:
    assert prepare(agent("auto"), Call(), router()).automatic
    assert not prepare(agent(None), Call(), router()).automatic
    assert not prepare(agent("auto"), Call(model="acme/small"), router()).automatic
    assert prepare(agent("acme/small"), Call(model="auto"), router()).automatic
    constrained = Call(constraints=ModelConstraints(allowed_providers=("beta",)))
    assert not prepare(agent("acme/small"), constrained, router()).automatic


def test_a_custom_agent_opts_in_by_an_override(router: Make) -> None:
    one = router(subagents={"agentOverrides": {"checker": {"model": "auto"}}})
    assert prepare(agent(None), Call(), one).automatic


def test_names_are_checked_before_any_request(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        for bad in ({"model": "acme/strong", "fallback_models": ["strnog"]}, {"effort": "huge"}):
            with pytest.raises((ModelNameError, InvalidInput)):
                await s.run(agent("auto"), **bad)
        assert s.server.requests == []

    scene(tmp_path, act)


def test_fallbacks_may_be_a_comma_text(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("strong", out_of_quota())
        s.server.always("middle", Fail(401))
        result = await s.run(agent(), fallback_models="acme/middle:low, beta/small")
        assert [str(a.candidate) for a in result.attempts] == [
            "acme/strong", "acme/middle:low", "beta/small",
        ]  # fmt: skip

    scene(tmp_path, act)


def test_an_empty_catalog_still_runs_what_is_named(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        result = await s.run(agent("acme/whatever:high"))
        assert (str(result.used), result.cost) == ("acme/whatever:high", None)
        assert s.server.requests[0].model == "whatever"

    scene(tmp_path, act, catalog=Catalog([]))
