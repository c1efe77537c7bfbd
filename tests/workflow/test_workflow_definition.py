"""Workflows as people write them: what is accepted, in which order stages run, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.workflow_host import chain

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput
from routinglab.workflow import Stage, Workflow, load_workflow
from routinglab.workflow.template import fill, references


def stage(stage_id: str, prompt: str = "do it", **fields: Any) -> dict[str, Any]:
    return {"id": stage_id, "prompt": prompt, **fields}


def test_a_stage_takes_the_keys_of_agents_and_pythons_own() -> None:
    outside = Stage.model_validate(
        {
            "name": "review",
            "prompt": "Review it",
            "model": "anthropic/claude-sonnet-4:high",
            "taskNeeds": {"work": "code_review"},
            "modelConstraints": {"maxInputCost": 3},
            "fallbackModels": "openai/gpt-5:medium, xai/grok-4",
            "onFailure": "continue",
        }
    )
    inside = Stage(
        id="review",
        prompt="Review it",
        model="anthropic/claude-sonnet-4:high",
        needs=TaskNeeds(work="code_review"),
        constraints=ModelConstraints(max_input_cost=3),
        fallback_models=("openai/gpt-5:medium", "xai/grok-4"),
        on_failure="continue",
    )
    assert outside == inside
    assert Stage.model_validate(inside.to_dict()) == inside
    assert Stage(id="x", prompt="y").model == "auto"


def test_a_workflow_reads_back_from_its_own_json() -> None:
    workflow = chain(stage("a"), stage("b", "{{a}}", needs={"difficulty": "hard"}))
    assert Workflow.model_validate_json(workflow.to_json()) == workflow
    assert Workflow(name="n", version=2, stages=[stage("a")]).version == "2"


def test_stages_run_in_order_and_neighbours_with_one_group_side_by_side() -> None:
    workflow = chain(
        stage("plan"),
        stage("code", parallel="work"),
        stage("docs", parallel="work"),
        stage("test", parallel="check"),
        stage("lint", parallel="check"),
        stage("ship"),
    )
    assert workflow.waits_for == {
        "plan": (),
        "code": ("plan",),
        "docs": ("plan",),
        "test": ("plan", "code", "docs"),
        "lint": ("plan", "code", "docs"),
        "ship": ("plan", "code", "docs", "test", "lint"),
    }


def test_after_names_what_to_wait_for_and_a_plain_stage_waits_for_all_above() -> None:
    workflow = chain(stage("a"), stage("b", after=[]), stage("c", after=["a"]), stage("d"))
    assert workflow.waits_for == {"a": (), "b": (), "c": ("a",), "d": ("a", "b", "c")}


@pytest.mark.parametrize(
    ("stages", "says"),
    [
        ([stage("a"), stage("a")], "'a' is there twice"),
        ([stage("input")], "reserved for inputs"),
        ([stage("b", after=["a"]), stage("a")], "'b' comes after 'a', which is no stage before it"),
        ([stage("plan"), stage("b", after=["plna"])], "Did you mean 'plan'"),
        ([stage("a"), stage("b", after=["a"], parallel="g")], "both 'parallel' and 'after'"),
        (
            [stage("a", parallel="g"), stage("b"), stage("c", parallel="g")],
            "group 'g' must be neighbours",
        ),
        (
            [stage("a", "{{b}}"), stage("b")],
            "quotes {{b.text}}, which is no stage that ends before",
        ),
        (
            [stage("a", parallel="g"), stage("b", "{{a}}", parallel="g")],
            "which is no stage that ends before",
        ),
        ([stage("a"), stage("b", after=[]), stage("c", "{{a}}", after=["b"])], "quotes {{a.text}}"),
        ([stage("a"), stage("b", "{{a.cost}}")], "a stage has text, model"),
        ([stage("a", "{{input}}")], "name the input"),
        ([stage("a b")], "id"),
        ([stage("a", agent="x", skill="y")], "both 'agent' and 'skill'"),
        ([stage("a", "")], "prompt"),
        ([stage("a", modle="auto")], "Did you mean 'model'"),
        ([stage("a", taskNeeds={"work": "cooking"})], "cooking"),
        ([], "stages"),
    ],
)
def test_a_workflow_that_cannot_run_is_refused_with_the_reason(
    stages: list[dict[str, Any]], says: str
) -> None:
    with pytest.raises(InvalidInput) as caught:
        chain(*stages)
    assert says in str(caught.value)


def test_a_stage_may_quote_what_ends_before_it_indirectly() -> None:
    workflow = chain(stage("a"), stage("b"), stage("c", "{{ a }} {{b.model}}", after=["b"]))
    assert [str(r) for r in workflow.stages[2].references] == ["{{a.text}}", "{{b.model}}"]


def test_what_is_put_into_a_prompt_is_not_looked_through_again() -> None:
    values = {"a": "{{input.key}} $& \\1 {{b}}", "b": "B", "key": "secret"}
    filled = fill(
        "<{{a}}|{{ b.text }}|{{input.key}}>", lambda r: values[r.field if r.is_input else r.name]
    )
    assert filled == "<{{input.key}} $& \\1 {{b}}|B|secret>"


def test_braces_that_are_no_reference_stay_and_a_backslash_keeps_those_that_look_like_one() -> None:
    text = '{"a": {{ }} {{1}} {{a b}} {{a|up}} {a} \\{{a}}'
    assert list(references(text)) == []
    assert fill(text, lambda r: "X") == '{"a": {{ }} {{1}} {{a b}} {{a|up}} {a} {{a}}'


@given(st.text(), st.text())
def test_filling_changes_nothing_but_the_references(before: str, value: str) -> None:
    plain = before.replace("{{", "")
    assert fill(plain + "{{a}}", lambda r: value) in (plain + value, plain[:-1] + "{{a}}")


def test_titles_and_description_do_not_change_what_a_workflow_is() -> None:
    one = chain(stage("a"))
    assert one.digest == chain(stage("a", title="First")).digest
    assert one.digest == chain(stage("a", model="auto", onFailure="stop")).digest
    assert one.digest != chain(stage("a", "do that")).digest
    assert one.digest != chain(stage("a", model="openai/gpt-5")).digest
    assert one.digest != chain(stage("a"), version="2").digest


def test_a_workflow_loads_from_a_json_file(tmp_path: Path) -> None:
    file = tmp_path / "fix.json"
    file.write_text(
        "\ufeff" + json.dumps({"name": "fix", "version": 1, "stages": [stage("a")]}),
        encoding="utf-8",
    )
    assert load_workflow(file) == chain(stage("a"))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("{", "is not JSON"),
        ("[]", "holds no JSON object"),
        ('{"name":"a","name":"b"}', "'name' is there twice"),
        (
            '{"name":"x","version":"1","stages":[{"id":"a","prompt":"p"}],"stage":1}',
            "Did you mean 'stages'",
        ),
        ("[" * 100_000, "is not JSON"),
        ('{"name":"x","version":"1","stages":[{"id":"a","prompt":"p","effort":"huge"}]}', "huge"),
    ],
)
def test_a_file_that_is_no_workflow_is_refused_by_name(
    tmp_path: Path, text: str, says: str
) -> None:
    file = tmp_path / "fix.json"
    file.write_text(text)
    with pytest.raises(InvalidInput, match=says) as caught:
        load_workflow(file)
    assert str(file) in str(caught.value)
    assert str(caught.value).count(str(file)) == 1


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="cannot be read"):
        load_workflow(tmp_path / "none.json")
