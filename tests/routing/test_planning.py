from __future__ import annotations

import hashlib
from datetime import UTC, datetime

import pytest
from support.cohorts import TableEvidence, ladder, model

from routinglab.catalog.model import Catalog, Model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.ids import Candidate
from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput, NoEligibleModel, RoutingFailed
from routinglab.routing.decision import Decision, RouterInfo, RoutingRequest
from routinglab.routing.offer import MAX_DESCRIPTION_BYTES, MAX_OPTIONS, description_bytes
from routinglab.routing.plan import Plan, Planner
from routinglab.settings import Settings

NAMES = ("a", "b", "c", "d", "e", "f", "g", "h")
EVALS = TableEvidence({"aa:TB4": ladder(*NAMES), "aa:idx": ladder(*NAMES)})
HARD = TaskNeeds(work="coding", difficulty="very_hard", mistake_cost="severe")
MODELS = [model(f"p/{name}", 1.0, efforts=("low", "high")) for name in NAMES]


def planner(models: list[Model] = MODELS, **settings: object) -> Planner:
    return Planner(Catalog(models), EVALS, Settings.model_validate(settings))


def models_of(candidates: tuple[Candidate, ...]) -> list[str]:
    return [candidate.model for candidate in candidates]


def test_a_plan_ranks_offers_and_decides() -> None:
    plan = planner().plan(HARD)
    assert plan.candidates == tuple(f"p/{name}" for name in reversed(NAMES))
    assert plan.offered == ("p/h", "p/g", "p/f", "p/e", "p/d", "p/c")
    assert len(plan.eligible) == 8
    decision = plan.decide()
    assert decision.primary == Candidate.of("p/h", "high")
    assert models_of(decision.fallbacks) == ["p/g", "p/f"]
    assert decision.candidates == plan.candidates
    assert decision.shortlist[0].effort == "high"
    assert decision.chosen_by == "ranking"
    assert decision.policy == "evidence"


def test_the_routers_choice_is_followed_by_the_best_of_the_others() -> None:
    decision = planner().plan(HARD).decide("p/e")
    assert decision.chosen_by == "router"
    assert models_of(decision.chain) == ["p/e", "p/h", "p/g"]


def test_a_choice_that_was_not_offered_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"'p/a' was not offered; the shortlist is p/h, p/g"):
        planner().plan(HARD).decide("p/a")


def test_one_option_needs_no_router() -> None:
    decision = planner(MODELS[:1]).plan(HARD).decide()
    assert decision.chosen_by == "single"
    assert decision.fallbacks == ()


def test_images_keep_only_models_known_to_read_them() -> None:
    models = [model("p/h"), model("p/g", inputs=("text", "image")), model("p/f", inputs=("text",))]
    needs = HARD.model_copy(update={"needs_images": True})
    assert planner(models).plan(needs).candidates == ("p/g",)
    computer = TaskNeeds(work="computer_use")
    assert planner(models).plan(computer).candidates == ("p/g",)
    said = TaskNeeds(work="computer_use", needs_images=False)
    assert len(planner(models).plan(said).candidates) == 3


def test_a_long_context_prefers_large_windows_and_keeps_all_where_none_is() -> None:
    needs = HARD.model_copy(update={"long_context": True})
    small, large = model("p/h", context_window=399_999), model("p/a", context_window=400_000)
    assert planner([small, large, model("p/g")]).plan(needs).candidates == ("p/a",)
    assert planner([small, model("p/g")]).plan(needs).candidates == ("p/h", "p/g")


def test_images_come_before_the_window() -> None:
    needs = HARD.model_copy(update={"long_context": True, "needs_images": True})
    seeing = model("p/a", inputs=("image",), context_window=8_000)
    assert planner([seeing, model("p/h", context_window=10**6)]).plan(needs).candidates == ("p/a",)


def test_each_candidate_has_its_own_nearest_allowed_effort() -> None:
    models = [
        model("p/h", efforts=("low", "max")), model("p/g", efforts=("off", "medium")), model("p/f"),
    ]  # fmt: skip
    plan = planner(models).plan(
        TaskNeeds(work="coding", difficulty="hard", latency_sensitive=False)
    )
    assert [str(c) for c in plan.decide("p/h").chain] == ["p/h:low", "p/g:medium", "p/f"]
    limited = planner(models).plan(
        HARD, call=ModelConstraints(allowed_efforts=("off", "low", None))
    )
    assert {str(limited.candidate(m)) for m in limited.candidates} == {"p/h:low", "p/g:off", "p/f"}


def test_fallbacks_are_other_identities_first_and_other_routes_after() -> None:
    models = [
        model("p/h"), model("q/h"), model("r/h"), model("p/h-fast", base_model="p/h"), model("p/g"),
    ]  # fmt: skip
    decision = planner(models).plan(HARD).decide("p/h")
    assert models_of(decision.chain) == ["p/h", "p/g", "q/h"]
    alone = planner(models[:3]).plan(HARD).decide()
    assert models_of(alone.chain) == ["p/h", "q/h", "r/h"]
    pair = planner(models[:2]).plan(HARD).decide()
    assert models_of(pair.chain) == ["p/h", "q/h"]


def test_a_shortlist_has_one_place_an_identity() -> None:
    models = [*MODELS, model("q/h", 2.0), model("p/h-fast", 3.0, base_model="p/h")]
    assert planner(models).plan(HARD).offered == ("p/h", "p/g", "p/f", "p/e", "p/d", "p/c")


def test_listed_models_are_offered_whole() -> None:
    models = [*MODELS, model("q/h", 2.0)]
    listed = (*(f"p/{name}" for name in NAMES), "q/h", "p/unknown")
    call = ModelConstraints(allowed_models=listed)
    assert set(planner(models).plan(HARD, call=call).offered) == set(listed) - {"p/unknown"}
    agent = AgentBrief("worker", constraints=(call,))
    assert len(planner(models).plan(HARD, agent=agent).offered) == 9
    override = {"agentOverrides": {"worker": {"modelConstraints": {"allowedModels": list(listed)}}}}
    by_settings = planner(models, subagents=override)
    assert len(by_settings.plan(HARD, agent=AgentBrief("worker")).offered) == 9
    setting = planner(models, modelRouting={"allowedModels": list(listed)})
    assert len(setting.plan(HARD).offered) == 6


def many(count: int, providers: int) -> list[Model]:
    return [model(f"p{n}/m{i}", 1.0) for i in range(count) for n in range(providers)]


def listing(models: list[Model]) -> ModelConstraints:
    return ModelConstraints(allowed_models=tuple(entry.full_id for entry in models))


def test_more_listed_models_than_a_request_holds_share_a_place_with_their_copies() -> None:
    models = many(100, 3)
    plan = planner(models).plan(HARD, call=listing(models))
    assert len(plan.candidates) == 300 > MAX_OPTIONS
    assert len(plan.offered) == 100
    assert plan.degraded is None


def test_as_many_listed_models_as_a_request_holds_stay_whole() -> None:
    models = many(MAX_OPTIONS, 1)
    plan = planner(models).plan(HARD, call=listing(models))
    fits = description_bytes(plan.shortlist) <= MAX_DESCRIPTION_BYTES
    assert len(plan.offered) == MAX_OPTIONS
    assert fits


def test_too_many_listed_models_let_the_current_one_stand_in() -> None:
    models = many(MAX_OPTIONS + 1, 1)
    plan = planner(models, currentModel="p0/m7").plan(HARD, call=listing(models))
    assert plan.offered == ()
    assert plan.degraded == "more models are listed than one routing request holds"
    assert plan.decide().primary == Candidate.of("p0/m7")


def test_descriptions_beyond_the_byte_limit_count_as_too_many() -> None:
    models = [model(f"p/m{i}", 1.0, name=f"{i} " + "long name " * 100) for i in range(80)]
    plan = planner(models).plan(HARD, call=listing(models))
    assert plan.degraded == "more models are listed than one routing request holds"
    copies = [model(f"p{n}/m{i}", 1.0, name="n" * 1000) for i in range(30) for n in range(3)]
    assert len(planner(copies).plan(HARD, call=listing(copies)).offered) == 30


def test_without_an_image_model_the_current_one_stands_in() -> None:
    needs = HARD.model_copy(update={"needs_images": True})
    plan = planner(currentModel="p/b").plan(needs)
    assert plan.candidates == ()
    decision = plan.decide(task_digest="t")
    assert decision.primary == Candidate.of("p/b", "high")
    assert decision.degraded == "the task needs images and no eligible model reads them"
    assert (decision.chosen_by, decision.fallbacks) == ("current", ())
    assert Decision.model_validate_json(decision.to_json()) == decision


@pytest.mark.parametrize("evals", [None, TableEvidence({})])
def test_without_evals_the_current_model_stands_in(evals: TableEvidence | None) -> None:
    settings = Settings(current_model="p/b")
    plan = Planner(Catalog(MODELS), evals, settings).plan(HARD)
    assert plan.degraded == "evals.md is missing or empty"
    assert plan.decide().primary.model == "p/b"
    assert Planner(Catalog(MODELS), evals, policy="cheapest").plan(HARD).degraded is None


def test_a_degraded_launch_takes_the_first_allowed_effort_of_its_order() -> None:
    levels = ("off", "minimal", "low", "high", "xhigh", "max")
    plans = planner([model("p/h", efforts=levels), model("p/g")], currentModel="p/h")

    def effort(*allowed: str | None) -> str | None:
        call = ModelConstraints(allowed_efforts=allowed)
        return plans.plan(HARD, call=call).decide(degraded="routing failed").primary.effort

    assert effort(*levels, "medium") == "high"
    assert effort("low", "xhigh", "off") == "low"
    assert effort("xhigh", "minimal") == "xhigh"
    assert effort("off", "max", "minimal") == "minimal"
    assert effort("off", "max") == "max"
    assert effort("off") == "off"
    plain = planner([model("p/g")], currentModel="p/g").plan(HARD).decide(degraded="why")
    assert plain.primary == Candidate.of("p/g", None)


def test_a_current_model_outside_the_constraints_does_not_stand_in() -> None:
    plan = planner(currentModel="p/b").plan(HARD, call=ModelConstraints(allowed_models=("p/c",)))
    with pytest.raises(RoutingFailed, match="timeout, and the current model p/b does not satisfy"):
        plan.decide(degraded="timeout")


@pytest.mark.parametrize("current", [None, "q/elsewhere"])
def test_no_available_current_model_cannot_stand_in(current: str | None) -> None:
    plan = planner(currentModel=current).plan(HARD)
    with pytest.raises(RoutingFailed, match="timeout, and no current model is available"):
        plan.decide(degraded="timeout")


def test_nothing_eligible_never_degrades() -> None:
    with pytest.raises(NoEligibleModel):
        planner(currentModel="p/b").plan(HARD, call=ModelConstraints(allowed_models=()))


def test_equal_plans_are_made_once_and_different_ones_are_not_mixed_up() -> None:
    plans = planner()
    call = ModelConstraints(max_input_cost=5)
    first = plans.plan(HARD, call=call)
    assert plans.plan(HARD.model_copy(), call=ModelConstraints(max_input_cost=5)) is first
    assert plans.plan(HARD) is not first
    assert plans.plan(HARD, call=call, agent=AgentBrief("x")) is not first
    assert plans.plan(HARD.model_copy(update={"difficulty": "easy"}), call=call) is not first


def test_a_policy_of_ones_own_orders_the_plan_and_is_named() -> None:
    def backwards(needs: TaskNeeds, ranked: tuple) -> list:
        return [(item, "worst first") for item in reversed(ranked)]

    plan = Planner(Catalog(MODELS), EVALS, policy=backwards).plan(HARD)
    decision = plan.decide()
    assert decision.primary.model == "p/a"
    assert decision.policy == "backwards"
    assert decision.shortlist[0].reason == "worst first"


def decisions(plan: Plan) -> list[dict]:
    return [
        {},
        {"choice": "p/e"},
        {"choice": "p/e", "chosen_by": "recorded", "agent": "worker"},
        {"answered_by": {"work": "caller", "difficulty": "reader"}, "reader": "p/b"},
        {"router": RouterInfo(requested="p/x", responded="p/x-1", kind="chat")},
        {"switches": ["classifier failed"], "created": datetime(2026, 1, 2, tzinfo=UTC)},
        {"requests": [RoutingRequest(purpose="choice", model="p/x", seconds=1.5, input_tokens=3)]},
        {"degraded": "timeout"},
    ]


@pytest.mark.parametrize("digest", ["", "0" * 64, 'quo"te\\ é\u2028', "\u0000"])
def test_a_canonical_text_made_from_a_template_is_the_decisions_own(digest: str) -> None:
    plan = planner(currentModel="p/b").plan(HARD)
    for parts in decisions(plan):
        decision = plan.decide(task_digest=digest, **parts)
        template = plan.template(**parts)
        assert template.canonical(digest) == decision.canonical()
        assert template.digest(digest) == decision.digest
        assert hashlib.sha256(decision.canonical().encode()).hexdigest() == decision.digest


def test_a_decision_names_the_inputs_it_rests_on() -> None:
    plans = planner()
    digests = plans.plan(HARD).decide().digests
    assert digests.catalog == Catalog(MODELS).digest
    assert digests.evals == "table"
    assert digests.settings == Settings().digest
    assert (
        Planner(Catalog(MODELS), None, policy="cheapest").plan(HARD).decide().digests.evals is None
    )
