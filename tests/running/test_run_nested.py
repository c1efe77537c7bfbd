"""Children that launch children, and the tools a host's model launches them with."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from support import live
from support.llm_server import Called, Fail, Stall, calls, say, structured
from support.runs import Scene, agent, scene, turns, until

from routinglab.errors import InvalidInput, SkillError
from routinglab.routing.router import Router
from routinglab.running.runner import Runner
from routinglab.running.toolbox import python_tool
from routinglab.skills.run import RunOptions, run_skill
from routinglab.skills.store import SkillStore

HELPER = """\
---
name: helper
description: Helps.
runAs: subagent
model: acme/middle
tools: []
---
You help.
"""


def put(folder: Path, name: str, text: str) -> None:
    path = folder / "work" / ".routinglab" / "skills" / f"{name}.md"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def launch(**arguments: Any) -> Any:
    return calls(Called("subagent", arguments))


def skills(folder: Path) -> dict[str, Any]:
    return {"skills": SkillStore(project=folder / "work", home=folder / "home")}


def test_a_child_launches_a_child_and_gets_its_answer_alone(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER)

    async def act(s: Scene) -> None:
        s.server.script("strong", [launch(agent="helper", task="Count to 3"), say("it says 3")])
        s.server.script("middle", [say("1 2 3", usage=(100, 20))])
        result = await s.run(agent(tools=("subagent",)))
        assert result.text == "it says 3"
        system, asked = turns(s.server.requests[1])
        assert (system["content"], asked["content"]) == ("You help.", "Count to 3")
        assert "Say whether the retry test" not in s.server.requests[1].text
        assert turns(s.server.requests[2])[-1]["content"] == "1 2 3"
        # the sum over both: two requests of the parent, one of the child
        assert (result.input_tokens, result.output_tokens) == (120, 30)
        assert result.cost == pytest.approx((20 * 10 + 10 * 20 + 100 * 4 + 20 * 8) / 1e6)
        # the parent's own attempts stay its own
        assert [str(a.candidate) for a in result.attempts] == ["acme/strong"]

    scene(tmp_path, act, runner=skills(tmp_path))


def test_three_tasks_make_three_decisions_and_one_failing_leaves_the_others(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER.replace("acme/middle", "auto"))

    async def act(s: Scene) -> None:
        needs = live.ALL_NEEDS
        one = {"agent": "helper", "taskNeeds": needs}
        tasks = [
            {**one, "task": "A", "modelConstraints": {"allowedModels": ["acme/strong"]}},
            {**one, "task": "B", "modelConstraints": {"allowedModels": ["beta/small"]}},
            {**one, "task": "C", "modelConstraints": {"maxOutputCost": 8}},
        ]
        s.server.script("strong", [launch(tasks=tasks), Fail(418), say("two of three")])
        s.server.script("small", [say("B is done")])
        # C leaves several models, so the router is asked
        s.server.script("chat", [structured({"choice": "acme/middle"})])
        s.server.script("middle", [say("C is done")])
        result = await s.run(agent(tools=("subagent",)))
        assert result.text == "two of three"
        told = turns(s.server.requests[-1])[-1]["content"]
        first, second, third = told.split("\n\n")
        assert first.startswith("[1] helper: failed\nacme/strong:high failed: ")
        assert second == "[2] helper: done\nB is done"
        assert third == "[3] helper: done\nC is done"
        decided = [e.decision for e in s.told("decided")]
        assert decided == []  # a child's steps are not its parent's events

    scene(tmp_path, act, runner=skills(tmp_path))


def test_children_run_side_by_side(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER)

    async def act(s: Scene) -> None:
        met = asyncio.Event()

        async def wait_for_the_other(_: Any) -> Any:
            if len(s.server.asked("middle")) == 3:
                met.set()
            await met.wait()
            return say("met")

        s.server.always("middle", wait_for_the_other)
        tasks = [{"agent": "helper", "task": name} for name in "ABC"]
        s.server.script("strong", [launch(tasks=tasks), say("done")])
        async with asyncio.timeout(10):
            result = await s.run(agent(tools=("subagent",)))
        assert result.text == "done"
        assert s.server.most_open == 3

    scene(tmp_path, act, runner=skills(tmp_path))


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_launching_ends_at_the_depth_limit(tmp_path: Path, depth: int) -> None:
    nested = HELPER.replace("tools: []", "tools: [subagent, ls]")
    put(tmp_path, "helper", nested)

    async def act(s: Scene) -> None:
        offered: list[set[str]] = []

        def note(seen: Any) -> Any:
            offered.append({t["function"]["name"] for t in seen.json["tools"]})
            if "subagent" not in offered[-1]:
                return say("bottom")
            told = [m for m in seen.json["messages"] if m["role"] == "tool"]
            return say(told[0]["content"]) if told else launch(agent="helper", task="deeper")

        s.server.always("strong", note)
        s.server.always("middle", note)
        result = await s.run(agent(tools=("subagent", "ls")))
        assert result.text == "bottom"
        if depth == 1:
            assert result.notes == (
                "tool 'subagent' is not given at depth 1: children may launch none deeper",
            )
        first = offered[:depth]
        assert first == [{"ls", "subagent"}] * (depth - 1) + [{"ls"}]

    scene(tmp_path, act, runner={**skills(tmp_path), "max_depth": depth})


def test_a_hosts_own_tool_cannot_run_deeper_either(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        async def again(task: str) -> str:
            """Run once more."""
            return (await s.runner.run(agent(tools=("again",)), task)).text

        s.runner.tools = (python_tool(again),)
        s.server.script("strong", [calls(Called("again", {"task": "x"}))] * 2 + [say("end")] * 2)
        result = await s.run(agent(tools=("again",)))
        assert result.text == "end"
        assert "would run at depth 3, and children may launch children down to 2 only" in (
            s.server.requests[2].text
        )

    scene(tmp_path, act)


def test_a_depth_below_one_is_refused(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        with pytest.raises(InvalidInput, match="max_depth must be at least 1, not 0"):
            Runner(s.runner.router, max_depth=0)

    scene(tmp_path, act)


def test_a_bare_function_and_a_path_for_a_recording_say_what_to_wrap_them_in() -> None:
    with pytest.raises(InvalidInput, match="no HostTool; wrap a function: python_tool"):
        Runner(tools=[len])  # type: ignore[list-item]
    for make in (Router, Runner):
        with pytest.raises(InvalidInput, match=r"RecordingWriter\('runs\.jsonl'\)"):
            make(record="runs.jsonl")


def test_cancelling_the_parent_cancels_its_children(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER)

    async def act(s: Scene) -> None:
        tasks = [{"agent": "helper", "task": name} for name in "ABC"]
        s.server.script("strong", [launch(tasks=tasks)])
        s.server.always("middle", Stall())
        running = asyncio.create_task(s.run(agent(tools=("subagent",))))
        await until(lambda: s.server.open_now == 3)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await until(lambda: not s.server.open_now)
        [finished] = s.told("finished")
        assert finished.result is not None
        assert finished.result.status == "cancelled"

    scene(tmp_path, act, runner=skills(tmp_path))


# The host's tools ----------------------------------------------------------------------------


async def use(s: Scene, tool_name: str, /, **arguments: Any) -> str:
    found = {tool.name: tool for tool in s.runner.host_tools()}
    return await found[tool_name].run(arguments)


def test_a_host_gets_the_launching_tools(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER)

    async def act(s: Scene) -> None:
        assert [tool.name for tool in s.runner.host_tools()] == [
            "read_skill", "run_skill", "subagent", "explore", "research", "review",
            "security_review",
        ]  # fmt: skip
        s.server.always("middle", say("helped"))
        assert await use(s, "run_skill", name="helper [subagent]", arguments="go") == "helped"
        assert await use(s, "subagent", agent="helper", task="go") == "helped"
        overridden = await use(s, "subagent", agent="helper", task="go", model="beta/small")
        assert overridden == "ok"
        assert s.asked() == ["middle", "middle", "small"]

    scene(tmp_path, act, runner=skills(tmp_path))


def test_the_subagent_tools_fallbacks_and_needs_reach_the_run(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER)

    async def act(s: Scene) -> None:
        s.server.always("middle", Fail(401))
        text = await use(
            s, "subagent", agent="helper", task="go", fallbackModels="beta/small, acme/strong"
        )
        assert text == "ok"
        assert s.asked() == ["middle", "small"]
        await use(
            s, "subagent", agent="helper", task="go", model="auto",
            taskNeeds=live.ALL_NEEDS, modelConstraints={"allowedModels": ["acme/strong"]},
        )  # fmt: skip
        assert s.asked()[2:] == ["strong"]

    scene(tmp_path, act, runner=skills(tmp_path))


def test_builtin_subagents_run_by_their_own_definition(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        needs = {k: v for k, v in live.ALL_NEEDS.items() if k != "work"}
        s.server.script("chat", [structured(needs), structured({"choice": "acme/strong"})])
        s.server.script("strong", [say("found it")])
        assert await use(s, "explore", task="Where are retries configured?") == "found it"
        reading, _, child = s.server.requests
        # work is stated in the definition and not asked
        assert '"work":"codebase_lookup"' in reading.text.replace("\\", "")
        assert [t["function"]["name"] for t in child.json["tools"]] == [
            "read", "search", "find", "ls",
        ]  # fmt: skip
        assert "You answer a question about the files" in child.text

    scene(tmp_path, act, runner=skills(tmp_path))


def test_a_builtin_overridden_by_a_projects_skill_is_what_runs(tmp_path: Path) -> None:
    put(tmp_path, "explore", HELPER.replace("name: helper", "name: explore"))

    async def act(s: Scene) -> None:
        s.server.script("middle", [say("my own")])
        assert await use(s, "explore", task="x") == "my own"

    scene(tmp_path, act, runner=skills(tmp_path))


# What a runner does with a skill (the contract of run_skill) -----------------------------------


def test_the_body_is_the_system_prompt_and_only_the_final_answer_returns(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER.replace("tools: []", "tools: [ls]"))

    async def act(s: Scene) -> None:
        s.server.script("middle", [calls(Called("ls"), text="Let me look."), say("3 files")])
        store = s.runner.skills
        assert await run_skill("helper", "How many?", store=store, runner=s.runner) == "3 files"
        first = s.server.requests[0]
        assert [t["content"] for t in turns(first)] == ["You help.", "How many?"]

    scene(tmp_path, act, runner=skills(tmp_path))


def test_model_and_effort_of_the_front_matter_are_used(tmp_path: Path) -> None:
    pinned = HELPER.replace("model: acme/middle", "model: deep\neffort: high")
    put(tmp_path, "helper", pinned)

    async def act(s: Scene) -> None:
        await s.runner(s.runner.skills.get("helper"), "go", RunOptions())
        [seen] = s.server.requests
        assert (seen.model, seen.json["reasoning_effort"]) == ("strong", "high")

    scene(tmp_path, act, runner=skills(tmp_path), modelAliases={"deep": "acme/strong:low"})


def test_a_skill_without_a_model_runs_on_the_hosts(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER.replace("model: acme/middle\n", ""))

    async def act(s: Scene) -> None:
        await s.runner(s.runner.skills.get("helper"), "go", RunOptions())
        assert s.asked() == ["chat"]

    scene(tmp_path, act, runner=skills(tmp_path))


def test_two_runs_share_nothing(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [say("blue"), say("none")])
        await s.run(agent(), "Remember blue.")
        await s.run(agent(), "Which colour?")
        assert "blue" not in s.server.requests[1].text

    scene(tmp_path, act)


def test_a_skill_needs_a_task_and_a_self_contained_agent_does_not(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        with pytest.raises(SkillError, match="skill 'checker' needs a task: it sees nothing else"):
            await s.run(agent(), " ")
        await s.run(agent(kind="agent"), "")
        assert [t["content"] for t in turns(s.server.requests[0])] == [
            "You check.", "Do what your instructions say.",
        ]  # fmt: skip
        with pytest.raises(SkillError, match="agent 'checker' needs a task"):
            await s.run(agent(kind="agent", body=" "), "")

    scene(tmp_path, act)


def test_a_self_contained_agents_prompt_is_read_for_routing(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("chat", [structured(live.ALL_NEEDS), structured({"choice": "acme/strong"})])
        result = await s.run(agent("auto", kind="agent", body="You check the nightly build."), "")
        assert "You check the nightly build." in s.server.requests[0].text
        assert str(result.used) == "acme/strong:high"

    scene(tmp_path, act)


def test_an_agent_is_found_by_name(tmp_path: Path) -> None:
    put(tmp_path, "helper", HELPER)

    async def act(s: Scene) -> None:
        assert (await s.run("helper")).agent == "helper"
        with pytest.raises(SkillError, match="helpr"):
            await s.run("helpr")

    scene(tmp_path, act, runner=skills(tmp_path))
