"""A candidate that fails half way: the next one goes on with the same conversation."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from support import live
from support.llm_server import Called, Cut, Fail, calls, out_of_quota, say
from support.runs import Scene, agent, scene, turns

from routinglab.catalog.model import Model
from routinglab.running.toolbox import python_tool


def counting() -> tuple[list[str], Any]:
    ran: list[str] = []

    def step(name: str) -> str:
        """Do one step."""
        ran.append(name)
        return f"did {name}"

    return ran, python_tool(step)


def chosen(*models: str) -> Any:
    return agent(models[0], tools=("step",), fallback_models=models[1:])


def test_openai_to_anthropic_keeps_tool_results_and_runs_nothing_twice(tmp_path: Path) -> None:
    ran, tool = counting()

    async def act(s: Scene) -> None:
        s.server.script(
            "strong",
            [
                calls(
                    Called("step", {"name": "a"}), Called("step", {"name": "b"}), text="Looking."
                ),
                out_of_quota(),
            ],
        )
        s.server.script("small", [calls(Called("step", {"name": "c"})), say("all done")])
        result = await s.run(chosen("acme/strong", "beta/small"))
        assert result.text == "all done"
        assert [(a.failure, a.steps) for a in result.attempts] == [("quota", 1), (None, 2)]
        went_on = turns(s.server.requests[2])
        assert [turn["role"] for turn in went_on] == ["user", "assistant", "user"]
        said, *called = went_on[1]["content"]
        assert said == {"type": "text", "text": "Looking."}
        assert [(block["name"], block["input"]) for block in called] == [
            ("step", {"name": "a"}), ("step", {"name": "b"}),
        ]  # fmt: skip
        results = went_on[2]["content"]
        assert [block["content"][0]["text"] for block in results] == ["did a", "did b"]
        assert [block["tool_use_id"] for block in results] == [block["id"] for block in called]
        assert s.server.requests[2].json["system"] == "You check."

    scene(tmp_path, act, runner={"tools": [tool]})
    assert ran == ["a", "b", "c"]


def test_anthropic_to_openai_keeps_tool_results_and_runs_nothing_twice(tmp_path: Path) -> None:
    ran, tool = counting()

    async def act(s: Scene) -> None:
        s.server.script("small", [calls(Called("step", {"name": "a"}), text="Looking."), Fail(529)])
        s.server.script("middle", [say("all done")])
        result = await s.run(chosen("beta/small", "acme/middle"))
        assert result.text == "all done"
        system, asked, assistant, answer = turns(s.server.requests[2])
        assert (system["role"], system["content"]) == ("system", "You check.")
        assert asked["content"] == "Say whether the retry test is flaky."
        assert assistant["content"] == "Looking."
        [called] = assistant["tool_calls"]
        assert json.loads(called["function"]["arguments"]) == {"name": "a"}
        assert (answer["role"], answer["content"]) == ("tool", "did a")
        assert answer["tool_call_id"] == called["id"]

    scene(tmp_path, act, runner={"tools": [tool]})
    assert ran == ["a"]


def test_ids_that_a_server_counts_from_zero_in_every_turn_stay_apart(tmp_path: Path) -> None:
    ran, tool = counting()

    async def act(s: Scene) -> None:
        again = [
            calls(
                Called("step", {"name": n}, id="call_0"),
                Called("step", {"name": n * 2}, id="call_0"),
            )
            for n in "ab"
        ]
        s.server.script("strong", [*again, out_of_quota()])
        s.server.script("small", [say("all done")])
        result = await s.run(chosen("acme/strong", "beta/small"))
        assert result.text == "all done"
        used = [
            block["id"]
            for turn in turns(s.server.requests[3])
            for block in turn["content"]
            if isinstance(block, dict) and block["type"] == "tool_use"
        ]
        assert len(set(used)) == 4

    scene(tmp_path, act, runner={"tools": [tool]})
    # a call that was sent twice under one id is two calls
    assert ran == ["a", "aa", "b", "bb"]


def test_a_turn_that_broke_off_is_asked_for_again(tmp_path: Path) -> None:
    ran, tool = counting()

    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("step", {"name": "a"})), Cut("The answer is")])
        s.server.script("small", [say("42")])
        result = await s.run(chosen("acme/strong", "beta/small"))
        assert result.text == "42"
        assert result.attempts[0].partial == "The answer is"
        assert "The answer is" not in s.server.requests[2].text
        assert [turn["role"] for turn in turns(s.server.requests[2])] == [
            "user", "assistant", "user",
        ]  # fmt: skip

    scene(tmp_path, act, runner={"tools": [tool]})
    assert ran == ["a"]


def test_reasoning_goes_back_to_the_model_that_wrote_it_only(tmp_path: Path) -> None:
    _, tool = counting()

    async def act(s: Scene) -> None:
        thought = calls(Called("step", {"name": "a"}), reasoning="I think")
        s.server.script("small", [thought, calls(Called("step", {"name": "b"})), Fail(529)])
        s.server.script("middle", [say("done")])
        await s.run(chosen("beta/small", "acme/middle"))
        assert "I think" in s.server.requests[1].text
        assert "I think" not in s.server.requests[3].text

    scene(tmp_path, act, runner={"tools": [tool]})


@pytest.mark.parametrize("text", ['{"name": ', "[1]", '{"nme": "a"}', '{"name": 1}'])
def test_calls_the_model_got_wrong_are_told_to_it(tmp_path: Path, text: str) -> None:
    ran, tool = counting()

    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("step", text)), say("sorry")])
        result = await s.run(chosen("acme/strong"))
        assert result.text == "sorry"
        assert turns(s.server.requests[1])[-1]["role"] == "tool"

    scene(tmp_path, act, runner={"tools": [tool]})
    assert ran == []


def test_an_exception_of_a_tool_is_told_to_the_model_and_is_no_failure(tmp_path: Path) -> None:
    def broken() -> str:
        """Break."""
        raise RuntimeError("no such table")

    async def act(s: Scene) -> None:
        s.server.script("small", [calls(Called("broken")), say("it is broken")])
        result = await s.run(
            agent("beta/small", tools=("broken",), fallback_models=("acme/middle",))
        )
        assert result.text == "it is broken"
        [block] = turns(s.server.requests[1])[-1]["content"]
        assert block["is_error"] is True
        assert block["content"][0]["text"] == "RuntimeError: no such table"
        assert s.asked() == ["small", "small"]

    scene(tmp_path, act, runner={"tools": [python_tool(broken)]})


def test_a_failing_command_is_a_result_and_no_failure_of_the_chain(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("bash", {"command": "exit 1"})), say("1 failed")])
        result = await s.run(agent(tools=("bash",), fallback_models=("acme/middle",)))
        assert (result.text, [a.kind for a in result.attempts]) == ("1 failed", ["ok"])
        assert "[exit code 1]" in s.server.requests[1].text

    scene(tmp_path, act, tools={"shell": True})


def test_each_candidate_keeps_its_own_effort_in_mid_conversation(tmp_path: Path) -> None:
    _, tool = counting()
    thinker = Model(provider="beta", id="claude-opus-4-8", efforts=("low", "high"))

    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("step", {"name": "a"})), out_of_quota()])
        result = await s.run(chosen("acme/strong:high", "beta/claude-opus-4-8:low"))
        assert [a.effort for a in result.attempts] == ["high", "low"]
        assert s.server.requests[1].json["reasoning_effort"] == "high"
        assert "reasoning_effort" not in s.server.requests[2].json
        assert '"low"' in s.server.requests[2].text

    scene(tmp_path, act, catalog=live.catalog(thinker), runner={"tools": [tool]})


def test_what_was_asked_for_and_not_given_is_noted(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        result = await s.run(agent(tools=("read", "Bash(git:*)", "write", "teleport")))
        assert [t["function"]["name"] for t in s.server.requests[0].json["tools"]] == ["read"]
        assert result.notes == (
            "tool 'Bash(git:*)' is left out: its limit cannot be kept here, and bash without it "
            "would be more than was asked for",
            "tool 'write' is not allowed here (settings: tools.write)",
            "tool 'teleport' does not exist here",
        )

    scene(tmp_path, act, tools={"shell": True})
