"""Definition, settings override and call together (SPEC 9.1, 9.2, 11.6)."""

from __future__ import annotations

from typing import Any

import pytest

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.errors import ConstraintConflict, SkillError
from routinglab.settings import Settings
from routinglab.skills.agents import load_agents
from routinglab.skills.effective import effective_agent
from routinglab.skills.skill import Skill


def override(name: str = "a", **change: Any) -> Settings:
    return Settings(subagents={"agentOverrides": {name: change}})


def agent(**fields: Any) -> Skill:
    return Skill(name="a", description="d", run_as="subagent", kind="agent", body="P", **fields)


def builtin(**fields: Any) -> Skill:
    return agent(scope="builtin", **{"model": "auto", **fields})


@pytest.mark.parametrize(
    ("call", "setting", "own", "model", "source"),
    [
        ("c/c", "s/s", "d/d", "c/c", "call"),
        (None, "s/s", "d/d", "s/s", "override"),
        (None, None, "d/d", "d/d", "definition"),
        (None, None, None, None, "host"),
        ("auto", "s/s", None, "auto", "call"),
        ("c/c", None, "auto", "c/c", "call"),
        (" ", None, "d/d", "d/d", "definition"),
        ("inherit", "s/s", "d/d", "inherit", "call"),
    ],
)
def test_the_model_is_the_first_one_stated(call, setting, own, model, source):
    found = effective_agent(agent(model=own), override(model=setting), model=call)
    assert (found.model, found.model_from) == (model, source)
    assert found.is_auto == (model == "auto")


def test_builtin_agents_default_to_auto(project, home):
    agents = load_agents(project, home)
    for name in ("worker", "scout", "planner", "reviewer"):
        assert effective_agent(agents[name]).is_auto
        assert not effective_agent(agents[name], model="a/b").is_auto
    assert effective_agent(builtin(model=None)).model == "auto"
    assert effective_agent(agent(), Settings()).model is None


def test_without_an_override_a_definition_holds_as_it_is():
    limits = ModelConstraints(max_input_cost=3)
    skill = agent(
        model="a/b:high", effort="low", tools=("read",), model_constraints=limits,
        task_needs=TaskNeeds(work="coding"), fallback_models=("c/d", "e/f"),
        fallback_thinking_levels=("low", None), thinking="high",
    )  # fmt: skip
    found = effective_agent(skill, Settings())
    assert found.skill is skill
    assert (found.name, found.prompt, found.tools, found.effort) == ("a", "P", ("read",), "low")
    assert (found.fallback_models, found.fallback_thinking_levels) == (
        ("c/d", "e/f"),
        ("low", None),
    )
    assert (found.thinking, found.constraints, found.ranking_only) == ("high", (limits,), None)
    assert found.brief().constraints == (limits,)


def test_an_override_adds_limits_fills_needs_and_replaces_lists():
    skill = agent(
        model="auto", tools=("read",), model_constraints=ModelConstraints(max_input_cost=3),
        task_needs=TaskNeeds(work="coding", difficulty="easy"), fallback_models=("c/d",),
        fallback_thinking_levels=("low",),
    )  # fmt: skip
    found = effective_agent(
        skill,
        override(
            modelConstraints={"maxInputCost": 9, "allowedEfforts": ["high"]},
            taskNeeds={"difficulty": "hard"},
            tools=["ls"],
            fallbackModels="x/y:off, z/w",
        ),
    )
    assert [c.stated() for c in found.constraints] == [
        {"max_input_cost": 3.0},
        {"max_input_cost": 9.0, "allowed_efforts": ("high",)},
    ]
    assert found.needs.stated() == {"work": "coding", "difficulty": "hard"}
    assert found.brief().needs == found.needs
    assert found.tools == ("ls",)
    assert (found.fallback_models, found.fallback_thinking_levels) == (("x/y:off", "z/w"), ())
    assert effective_agent(skill, override("other", tools=["ls"])).tools == ("read",)
    assert effective_agent(skill, override(fallbackModels=[])).fallback_models == ()


def test_an_override_of_a_builtin_subagent_skill_counts_too(store):
    found = effective_agent(store().get("explore"), override("explore", model="a/b:low"))
    assert (found.model, found.model_from) == ("a/b:low", "override")


def test_legacy_thinking_on_a_builtin_restricts_ranking_only():
    found = effective_agent(builtin(), override(thinking="high"))
    assert found.ranking_only == ModelConstraints(allowed_efforts=("high",))
    assert found.constraints == ()
    assert found.thinking == "high"
    assert found.brief().constraints == (ModelConstraints(allowed_efforts=("high",)),)


def test_legacy_thinking_intersects_allowed_efforts_and_a_conflict_stops():
    limits = {"allowedEfforts": ["high", "low"]}
    found = effective_agent(builtin(), override(thinking="high", modelConstraints=limits))
    assert [c.allowed_efforts for c in found.brief().constraints] == [("high", "low"), ("high",)]
    with pytest.raises(ConstraintConflict, match=r"\[high, low\] and \[max\]"):
        effective_agent(builtin(), override(thinking="max", modelConstraints=limits))
    with pytest.raises(ConstraintConflict, match="no reasoning effort"):
        effective_agent(
            builtin(model_constraints=ModelConstraints(allowed_efforts=("low",))),
            override(modelConstraints={"allowedEfforts": ["high"]}),
        )


def test_a_conflict_does_not_matter_to_a_concrete_model():
    settings = override(thinking="max", modelConstraints={"allowedEfforts": ["low"]})
    found = effective_agent(builtin(), settings, model="a/b")
    assert (found.model, found.thinking, found.ranking_only) == ("a/b", "max", None)


@pytest.mark.parametrize("cleared", ["", False])
def test_blank_or_false_clears_a_legacy_effort_but_not_allowed_efforts(cleared):
    limits = {"allowedEfforts": ["high"]}
    found = effective_agent(
        builtin(thinking="low"), override(thinking=cleared, modelConstraints=limits)
    )
    assert (found.thinking, found.ranking_only) == (None, None)
    assert [c.allowed_efforts for c in found.constraints] == [("high",)]


def test_definitions_a_user_wrote_keep_thinking_as_a_default_only():
    for scope in ("project", "custom", "global"):
        skill = agent(model="auto", thinking="high", scope=scope)
        found = effective_agent(skill, Settings())
        assert (found.thinking, found.ranking_only) == ("high", None)
        found = effective_agent(skill, override(thinking="low"))
        assert (found.thinking, found.ranking_only) == ("low", None)


def test_effort_restricts_an_automatic_choice_and_not_a_concrete_model():
    assert effective_agent(agent(model="auto", effort="max")).ranking_only == ModelConstraints(
        allowed_efforts=("max",)
    )
    assert effective_agent(agent(model="a/b", effort="max")).ranking_only is None
    with pytest.raises(ConstraintConflict, match=r"'max'.*'low'"):
        effective_agent(builtin(effort="max"), override(thinking="low"))


def test_an_agent_with_something_unreadable_is_not_launched_as_something_else():
    with pytest.raises(SkillError, match="f:3: model"):
        effective_agent(agent(blockers=("f:3: model: must be one model name",)), model="a/b")


def test_it_is_pure_and_takes_a_definition_or_its_skill(project, home):
    definition = load_agents(project, home)["scout"]
    settings = override("scout", thinking="low")
    first = effective_agent(definition, settings)
    assert first == effective_agent(definition.skill, settings)
    assert definition == load_agents(project, home)["scout"]
