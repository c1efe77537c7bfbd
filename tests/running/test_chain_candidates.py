"""Which candidates a run tries, in which order and at which effort, and why some are skipped."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from support import live
from support.chains import planned
from support.llm_server import calls, out_of_quota, say
from support.llm_server_wire import Called
from support.runs import Scene, agent, scene

from routinglab.catalog.model import Model
from routinglab.core.constraints import ModelConstraints
from routinglab.core.ids import Candidate
from routinglab.errors import InvalidInput, ModelNameError, SettingsError
from routinglab.routing.router import Router
from routinglab.running.candidates import Planned, passed_over
from routinglab.running.launch import Call
from routinglab.skills.profile import Profile
from routinglab.skills.skill import Skill

Make = Callable[..., Router]


def test_primary_then_fallbacks_in_order_then_the_current_model(router: Make) -> None:
    skill = agent("acme/strong", fallback_models=("acme/middle", "beta/small"))
    assert planned(router(), skill) == ["acme/strong", "acme/middle", "beta/small", "acme/chat"]


def test_ranked_candidates_come_before_configured_fallbacks(router: Make) -> None:
    skill = agent("auto", fallback_models=("beta/strong:low",))
    assert planned(router(), skill) == [
        "acme/strong:high", "acme/middle:high", "beta/small", "beta/strong:low", "acme/chat",
    ]  # fmt: skip


def test_a_model_is_tried_once_at_its_first_position(router: Make) -> None:
    skill = agent(
        "acme/strong:high", fallback_models=("acme/middle:low", "acme/strong:low", "acme/chat")
    )
    assert planned(router(), skill) == ["acme/strong:high", "acme/middle:low", "acme/chat"]
    # an already ranked model does not come back at another effort
    skill = agent("auto", fallback_models=("acme/strong:low", "acme/chat"))
    assert planned(router(), skill) == [
        "acme/strong:high", "acme/middle:high", "beta/small", "acme/chat",
    ]  # fmt: skip


def test_the_calls_model_beats_the_override_which_beats_the_definition(router: Make) -> None:
    skill = agent("acme/small")
    one = router(subagents={"agentOverrides": {"checker": {"model": "acme/middle"}}})
    assert planned(one, skill, Call(model="beta/strong"))[0] == "beta/strong"
    assert planned(one, skill)[0] == "acme/middle"
    assert planned(router(), skill)[0] == "acme/small"
    assert planned(router(), agent(None))[0] == "acme/chat"


@pytest.mark.parametrize("name", ["inherit", "", " ", None])
def test_inherit_and_blank_mean_the_host_default(router: Make, name: str | None) -> None:
    assert planned(router(currentModel="acme/middle:low"), agent(name)) == ["acme/middle:low"]


def test_inherit_as_the_calls_model_beats_the_definition(router: Make) -> None:
    assert planned(router(), agent("auto"), Call(model="inherit")) == ["acme/chat"]


def test_a_skills_effort_comes_before_the_hosts_on_the_inherited_model(router: Make) -> None:
    one = router(currentModel="acme/middle:low")
    assert planned(one, agent(None, effort="high")) == ["acme/middle:high"]
    assert planned(one, agent(None, thinking="high")) == ["acme/middle:low"]


def test_without_a_model_and_a_current_one_it_says_what_to_set(router: Make) -> None:
    with pytest.raises(ModelNameError, match="names no model and there is no current model; set"):
        planned(router(currentModel=None), agent(None))


def test_a_suffix_beats_effort_which_beats_an_aliass_suffix(router: Make) -> None:
    one = router(modelAliases={"deep": "acme/strong:high"})
    assert planned(one, agent("deep"))[0] == "acme/strong:high"
    assert planned(one, agent("deep", effort="low"))[0] == "acme/strong:low"
    assert planned(one, agent("deep:medium", effort="low"))[0] == "acme/strong:medium"
    assert planned(one, agent("deep"), Call(effort="low"))[0] == "acme/strong:low"
    assert planned(one, agent("deep", effort="medium"), Call(effort="low"))[0] == "acme/strong:low"


def test_legacy_thinking_is_the_default_of_every_candidate_without_a_suffix(router: Make) -> None:
    skill = agent(
        "acme/strong", thinking="low", fallback_models=("acme/middle", "beta/strong:high")
    )
    assert planned(router(), skill)[:3] == [
        "acme/strong:low",
        "acme/middle:low",
        "beta/strong:high",
    ]


def test_fallback_levels_align_by_index_and_lose_to_a_suffix(router: Make) -> None:
    skill = agent(
        "acme/small",
        fallback_models=("acme/strong", "acme/middle:low", "beta/strong"),
        fallback_thinking_levels=("high", "medium", None),
    )
    assert planned(router(), skill)[1:4] == ["acme/strong:high", "acme/middle:low", "beta/strong"]


def test_the_calls_fallbacks_stand_in_for_the_agents(router: Make) -> None:
    skill = agent("acme/small", fallback_models=("acme/strong",))
    assert planned(router(), skill, Call(fallback_models=("acme/middle:low",))) == [
        "acme/small", "acme/middle:low", "acme/chat",
    ]  # fmt: skip
    assert planned(router(), skill, Call(fallback_models=())) == ["acme/small", "acme/chat"]


def test_an_override_changes_fallbacks(router: Make) -> None:
    changed = {"checker": {"fallbackModels": "acme/middle:low, beta/small"}}
    one = router(subagents={"agentOverrides": changed})
    assert planned(one, agent("acme/strong", fallback_models=("beta/strong",))) == [
        "acme/strong", "acme/middle:low", "beta/small", "acme/chat",
    ]  # fmt: skip


def test_inherit_among_fallbacks_is_the_current_model_at_that_place(router: Make) -> None:
    skill = agent("acme/strong", fallback_models=("inherit", "acme/middle"))
    assert planned(router(), skill) == ["acme/strong", "acme/chat", "acme/middle"]


def test_a_profile_fills_only_what_the_skill_leaves_empty(router: Make) -> None:
    def profile(_: Skill) -> Profile:
        return Profile(model="acme/middle", effort="low")

    assert planned(router(), agent(None), None, profile)[0] == "acme/middle:low"
    assert planned(router(), agent("acme/strong"), None, profile)[0] == "acme/strong:low"
    assert planned(router(), agent("acme/strong", effort="high"), None, profile)[0] == (
        "acme/strong:high"
    )
    assert planned(router(), agent(None), Call(model="beta/strong"), profile)[0] == (
        "beta/strong:low"
    )


# Skipped -------------------------------------------------------------------------------------


def test_an_unconfigured_provider_is_a_skipped_attempt(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        result = await s.run(agent("openai/gpt-5.4", fallback_models=("acme/middle",)))
        assert [(str(a.candidate), a.kind, a.message) for a in result.attempts] == [
            (
                "openai/gpt-5.4",
                "skipped",
                "provider openai is not configured: OPENAI_API_KEY is not set",
            ),
            ("acme/middle", "ok", ""),
        ]
        assert [(a.cost, a.failure) for a in result.attempts[:1]] == [(None, None)]
        assert result.switches == (
            "openai/gpt-5.4: skipped, provider openai is not configured: OPENAI_API_KEY is not set",
        )

    scene(tmp_path, act)


def test_an_unknown_model_at_an_unknown_provider_with_an_address_is_tried(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("own-model", say("hello"))
        result = await s.run(agent("acme/own-model"))
        assert (result.text, result.cost) == ("hello", None)

    scene(tmp_path, act)


def test_without_an_address_a_fallback_is_skipped_and_a_primary_is_an_error(router: Make) -> None:
    skill = agent("acme/strong", fallback_models=("nowhere/model:high", "acme/middle"))
    _, skipped, *rest = planned(router(), skill)
    assert skipped.startswith("nowhere/model:high - no model 'nowhere/model:high': the catalog")
    assert rest == ["acme/middle", "acme/chat"]
    with pytest.raises(ModelNameError, match="provider 'nowhere' has no address"):
        planned(router(), agent("nowhere/model"))


def test_a_pinned_model_that_means_nothing_is_an_error_with_the_nearest(router: Make) -> None:
    with pytest.raises(ModelNameError, match=r"no model 'strnog'.*acme/strong"):
        planned(router(), agent("strnog"))
    with pytest.raises(ModelNameError, match="is served by 2 providers"):
        planned(router(), agent("strong"))
    with pytest.raises(InvalidInput, match="'auto' cannot be a fallback"):
        planned(router(), agent("acme/strong", fallback_models=("auto",)))


def test_a_window_that_is_too_small_is_skipped_before_any_call(tmp_path: Path) -> None:
    tiny = Model(provider="acme", id="tiny", context_window=1000)
    task = "x" * 3600

    async def act(s: Scene) -> None:
        result = await s.run(agent("acme/tiny", fallback_models=("acme/middle",)), task)
        assert result.attempts[0].kind == "skipped"
        assert result.attempts[0].message == (
            "the request needs about 1,203 tokens, its window holds 1,000"
        )
        assert s.asked() == ["middle"]

    scene(tmp_path, act, catalog=live.catalog(tiny))


def test_a_window_that_the_conversation_outgrew_is_skipped(tmp_path: Path) -> None:
    tiny = Model(provider="acme", id="tiny", context_window=2000)

    async def act(s: Scene) -> None:
        (s.folder / "work" / "long.txt").write_text("word " * 2000)
        s.server.script("strong", [calls(Called("read", {"path": "long.txt"})), out_of_quota()])
        result = await s.run(agent("acme/strong", tools=("read",), fallback_models=("acme/tiny",)))
        assert [a.kind for a in result.attempts] == ["failed", "skipped", "ok"]
        assert s.asked() == ["strong", "strong", "chat"]

    scene(tmp_path, act, catalog=live.catalog(tiny))


def test_a_pinned_effort_a_fallback_lacks_is_skipped(router: Make) -> None:
    skill = agent("acme/strong", fallback_models=("acme/middle:max", "acme/small:off"))
    assert planned(router(), skill)[1:3] == [
        "acme/middle:max - it does not support effort max; it has low, medium, high",
        "acme/small:off - it does not support effort off; it has no configurable effort",
    ]


def test_models_that_do_not_chat_are_no_candidates(router: Make) -> None:
    image = Model(provider="acme", id="painter", kind="image")
    skill = agent("acme/strong", fallback_models=("acme/painter", "judge/one"))
    assert planned(router(image), skill)[1:3] == [
        "acme/painter - it is no chat model but image",
        "judge/one - it is no chat model but classifier",
    ]
    with pytest.raises(ModelNameError, match="acme/painter cannot run an agent: it is no chat"):
        planned(router(image), agent("acme/painter"))


def test_a_concrete_call_never_filters_the_current_model(tmp_path: Path) -> None:
    """Without its key it is tried all the same, and its failure is recorded as one."""

    async def act(s: Scene) -> None:
        s.server.always("strong", out_of_quota())
        result = await s.run(agent("acme/strong"))
        assert [(str(a.candidate), a.kind, a.failure) for a in result.attempts] == [
            ("acme/strong", "failed", "quota"),
            ("openai/gpt-5.4", "failed", "auth"),
        ]
        # ... nor where it stands among the fallbacks
        result = await s.run(agent("acme/strong", fallback_models=("openai/gpt-5.4",)))
        assert [a.kind for a in result.attempts] == ["failed", "failed"]

    scene(tmp_path, act, currentModel="openai/gpt-5.4")


def test_the_current_model_is_tried_where_a_fallback_pinned_it_at_an_effort_it_lacks(
    router: Make,
) -> None:
    skill = agent("acme/strong", fallback_models=("acme/chat:high",))
    assert planned(router(), skill) == [
        "acme/strong",
        "acme/chat:high - it does not support effort high; it has no configurable effort",
        "acme/chat",
    ]


def test_the_current_model_is_not_held_to_its_window_on_concrete_calls() -> None:
    entry = Model(provider="acme", id="chat", context_window=10)
    item = Planned(Candidate(model="acme/chat"), entry, "current", spared=True)
    assert passed_over(item, request_bytes=10**6, why_not_configured=lambda _: "no key") is None


def test_a_current_model_without_an_address_is_skipped_and_a_meaningless_one_an_error(
    router: Make,
) -> None:
    chain = planned(router(currentModel="nowhere/model"), agent("acme/strong"))
    assert chain[0] == "acme/strong"
    assert chain[1].startswith("nowhere/model - no model 'nowhere/model'")
    with pytest.raises(SettingsError, match="currentModel: no model 'strnog'"):
        planned(router(currentModel="strnog"), agent("acme/strong"))


def test_constraints_do_not_apply_to_concrete_calls(router: Make) -> None:
    limits = ModelConstraints(allowed_providers=("beta",), max_output_cost=0.01)
    skill = agent("acme/strong", fallback_models=("acme/middle",), model_constraints=limits)
    assert planned(router(), skill, Call(constraints=limits)) == [
        "acme/strong", "acme/middle", "acme/chat",
    ]  # fmt: skip
