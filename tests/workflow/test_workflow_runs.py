"""Running stages: routed one by one, in order or side by side, and what a failure does."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support.children import turn
from support.workflow_host import Host, chain

from routinglab.core.ids import Candidate
from routinglab.errors import InvalidInput, NoEligibleModel, RunFailed
from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt, RunResult
from routinglab.workflow import StageResult


def stage(stage_id: str, prompt: str = "do it", **fields: Any) -> dict[str, Any]:
    return {"id": stage_id, "prompt": prompt, **fields}


def test_each_stage_is_routed_for_itself_by_its_filled_prompt() -> None:
    host = Host({"plan": StageResult(text="three steps", used=Candidate.of("openai/used", "low"))})
    workflow = chain(
        stage("plan", "Plan {{input.goal}}"),
        stage("code", "Do {{plan}} as {{plan.model}} said"),
    )
    result = host.go(workflow, inputs={"goal": "the fix"})
    prompts = [("plan", "Plan the fix"), ("code", "Do three steps as openai/used:low said")]
    assert host.routed == prompts
    assert host.ran == prompts
    assert host.choices["code"] == host.decision("code")
    assert (result.state, result.ok, result.text) == ("done", True, "answer of code")


def test_a_concrete_model_is_not_routed_and_an_auto_one_is() -> None:
    host = Host()
    workflow = chain(
        stage("a", model="anthropic/claude-sonnet-4:high"),
        stage("b", model="nano/x:free", effort="low"),
        stage("c"),
    )
    host.go(workflow)
    assert [name for name, _ in host.routed] == ["c"]
    assert host.choices["a"] == Candidate.of("anthropic/claude-sonnet-4", "high")
    assert host.choices["b"] == Candidate.of("nano/x:free", "low")
    assert isinstance(host.choices["c"], Decision)


def test_a_host_resolves_names_of_its_own_and_bad_ones_stop_before_anything_runs() -> None:
    host = Host()
    workflow = chain(stage("a"), stage("b", model="fast"), stage("c", model=None))
    with pytest.raises(InvalidInput, match="'fast' is not a model id"):
        host.go(workflow)
    assert host.routed == host.ran == []
    names = {"auto": None, "fast": Candidate.of("groq/fast"), None: Candidate.of("openai/mine")}
    host.go(workflow, resolve=lambda s: names[s.model])
    assert [name for name, _ in host.routed] == ["a"]
    assert host.choices["b"] == Candidate.of("groq/fast")
    assert host.choices["c"] == Candidate.of("openai/mine")


def test_a_group_runs_side_by_side_and_the_next_stage_waits_for_all_of_it() -> None:
    async def main() -> None:
        host = Host()
        workflow = chain(
            stage("a", parallel="g"), stage("b", parallel="g"), stage("end", "{{a}}+{{b}}")
        )
        host.gates = {"a": asyncio.Event(), "b": asyncio.Event()}
        job = asyncio.create_task(host.start(workflow, None))
        await turn(10)
        assert host.live == {"a", "b"}
        host.gates["b"].set()
        await turn(10)
        assert host.live == {"a"}
        host.gates["a"].set()
        await job
        assert host.ran[-1] == ("end", "answer of a+answer of b")

    asyncio.run(main())


def test_no_more_stages_run_at_once_than_the_limit() -> None:
    stages = [stage(f"s{i}", parallel="g") for i in range(6)]
    host = Host()
    result = host.go(chain(*stages), limit=2)
    assert host.most_at_once == 2
    assert [r.state for r in result.stages] == ["done"] * 6
    with pytest.raises(InvalidInput, match="limit"):
        host.go(chain(*stages), limit=0)


def test_a_failing_stage_stops_what_comes_after_and_keeps_its_siblings_answers() -> None:
    async def main() -> None:
        host = Host({"bad": ValueError("broken")})
        workflow = chain(
            stage("good", parallel="g"), stage("bad", parallel="g"), stage("slow", parallel="g"),
            stage("end"),
        )  # fmt: skip
        host.gates = {"slow": asyncio.Event()}
        job = asyncio.create_task(host.start(workflow, None))
        await turn(10)
        host.gates["slow"].set()
        result = await job
        states = {r.id: r.state for r in result.stages}
        assert states == {"good": "done", "bad": "failed", "slow": "done"}
        assert result.state == "failed"
        failed = result.stage("bad")
        assert failed is not None
        assert failed.error == "ValueError: broken"
        assert failed.decision == host.decision("bad")
        assert result.stage("end") is None

    asyncio.run(main())


def test_a_failing_stage_keeps_siblings_that_wait_for_their_turn_from_starting() -> None:
    host = Host({"bad": ValueError("broken")})
    stages = [stage("bad", parallel="g"), stage("next", parallel="g")]
    result = host.go(chain(*stages), limit=1)
    assert result.state == "failed"
    assert [name for name, _ in host.ran] == ["bad"]


def test_a_stage_that_may_fail_lets_the_rest_go_on_past_those_that_quote_it() -> None:
    host = Host({"bad": RunFailed("nobody answered")})
    workflow = chain(
        stage("bad", onFailure="continue"),
        stage("quotes", "{{bad}}"),
        stage("quotes_that", "{{quotes}}"),
        stage("free"),
    )
    result = host.go(workflow)
    assert {r.id: r.state for r in result.stages} == {
        "bad": "failed",
        "quotes": "skipped",
        "quotes_that": "skipped",
        "free": "done",
    }
    assert (result.state, result.text) == ("incomplete", "answer of free")
    skipped = result.stage("quotes")
    assert skipped is not None
    assert skipped.error == "it quotes bad, which gave no answer"
    assert [name for name, _ in host.ran] == ["bad", "free"]


def test_a_stage_that_cannot_be_routed_fails_with_the_reason() -> None:
    host = Host({"route a": NoEligibleModel("no model is cheap enough")})
    result = host.go(chain(stage("a"), stage("b")))
    [record] = result.stages
    assert (record.state, record.error) == ("failed", "no model is cheap enough")
    assert (record.decision, record.candidate, host.ran) == (None, None, [])


@pytest.mark.parametrize(
    ("answer", "state", "error"),
    [
        (RunResult(status="ok", text="yes", cost=0.5), "done", None),
        (RunResult(status="failed", text="half", error="all failed"), "failed", "all failed"),
        (RunResult(status="out_of_steps"), "failed", "out of steps"),
        (RunResult(status="cancelled"), "decided", None),
    ],
)
def test_a_stage_ends_as_its_run_ended(answer: RunResult, state: str, error: str | None) -> None:
    result = Host({"a": answer}).go(chain(stage("a"), stage("b")))
    assert (result.stages[0].state, result.stages[0].error) == (state, error)
    assert (len(result.stages) == 2) == (state == "done")
    if state == "done":
        assert result.stages[0].result == StageResult(text="yes", cost=0.5)
    if state == "decided":
        assert result.state == "cancelled"


def test_what_was_tried_stays_with_a_stage_that_failed() -> None:
    attempt = Attempt(candidate=Candidate.of("openai/a"), kind="failed", failure="quota")
    result = Host({"a": RunFailed("none", attempts=[attempt])}).go(chain(stage("a")))
    assert result.stages[0].result == StageResult(attempts=(attempt,))


def test_an_answer_of_the_wrong_kind_fails_its_stage_and_says_what_is_right() -> None:
    result = Host({"a": 7}).go(chain(stage("a")))  # type: ignore[dict-item]
    assert "it must give a StageResult, a RunResult or text" in (result.stages[0].error or "")


@pytest.mark.parametrize(
    ("inputs", "says"), [({}, "inputs has no 'goal'"), ({"goal": 3}, "is a int, not text")]
)
def test_inputs_are_checked_before_anything_runs(inputs: dict[str, Any], says: str) -> None:
    host = Host()
    with pytest.raises(InvalidInput, match=says):
        host.go(chain(stage("a"), stage("b", "{{input.goal}}")), inputs=inputs)
    assert host.routed == []


def test_a_watcher_hears_of_every_decision_and_end_and_may_fail(
    caplog: pytest.LogCaptureFixture,
) -> None:
    seen: list[list[str]] = []

    def watch(checkpoint: Any) -> None:
        seen.append([f"{r.id} {r.state}" for r in checkpoint.stages])
        raise ValueError("broken view")

    result = Host().go(chain(stage("a"), stage("b")), on_change=watch)
    assert seen == [
        ["a decided"],
        ["a done"],
        ["a done", "b decided"],
        ["a done", "b done"],
    ]
    assert result.ok
    assert "broken view" in caplog.text
