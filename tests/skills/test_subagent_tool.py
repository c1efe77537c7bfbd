"""The ``subagent`` tool of a host's model (SPEC 11.3)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import EFFORTS
from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, NEED_KEYS, WORKS
from routinglab.core.value import known_fields
from routinglab.errors import InvalidInput, SkillError
from routinglab.skills.subagent_tool import SubagentCall, subagent_tool


async def echo(call: SubagentCall) -> str:
    return f"{call.agent}: {call.task}"


def use(tool: Any, **arguments: Any) -> str:
    return asyncio.run(tool.run(arguments))


def test_one_call_is_launched_with_everything_it_says(store):
    seen: list[SubagentCall] = []

    async def launch(call: SubagentCall) -> str:
        seen.append(call)
        return "done"

    answer = use(
        subagent_tool(store(), launch),
        agent="worker [subagent]",
        task="Open the app",
        model="auto",
        taskNeeds={"work": "computer_use", "difficulty": "hard", "needsImages": True},
        modelConstraints={"allowedModels": ["a/b", "c/d"], "allowedEfforts": [None, "high"]},
        fallbackModels=["e/f:low"],
    )
    assert answer == "done"
    call = seen[0]
    assert (call.agent, call.task, call.model) == ("worker", "Open the app", "auto")
    assert call.task_needs.stated() == {
        "work": "computer_use", "difficulty": "hard", "needs_images": True,
    }  # fmt: skip
    assert call.model_constraints == ModelConstraints(
        allowed_models=("a/b", "c/d"), allowed_efforts=(None, "high")
    )
    assert call.fallback_models == ("e/f:low",)


def test_null_blank_and_comma_forms_mean_what_they_should():
    call = SubagentCall(
        agent="a", task=None, model=" ", taskNeeds=None, fallbackModels="x/y:low, z/w"
    )
    assert (call.task, call.model, call.fallback_models) == ("", None, ("x/y:low", "z/w"))
    assert call.task_needs.stated() == {}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({}, "agent: is required"),
        ({"agent": ""}, "agent"),
        ({"agent": "worker", "taskNeeds": {"work": "cooking"}}, "taskNeeds.work: 'cooking'"),
        ({"agent": "worker", "taskneeds": {}}, "Did you mean 'taskNeeds'"),
        ({"agent": "worker", "modelConstraints": {"maxInputCost": -1}}, "maxInputCost"),
        ({"tasks": []}, "tasks"),
        ({"tasks": [{"agent": "worker"}], "task": "x"}, "tasks stands alone"),
        ({"tasks": [{"agent": "worker"}, {"agent": "worker", "taskNeeds": {"work": "x"}}]},
         "tasks.1.taskNeeds.work"),
    ],
)  # fmt: skip
def test_bad_arguments_fail_before_anything_starts(store, arguments: dict[str, Any], said: str):
    launched: list[SubagentCall] = []

    async def launch(call: SubagentCall) -> str:
        launched.append(call)
        return ""

    with pytest.raises(InvalidInput) as caught:
        use(subagent_tool(store(), launch), **arguments)
    assert str(caught.value).startswith("subagent: ")
    assert said in str(caught.value)
    assert launched == []


def test_tasks_run_side_by_side_up_to_the_limit_and_answer_in_order(store):
    running = most = 0

    async def launch(call: SubagentCall) -> str:
        nonlocal running, most
        running += 1
        most = max(most, running)
        for _ in range(5 - int(call.task)):
            await asyncio.sleep(0)
        running -= 1
        return f"answer {call.task}"

    tasks = [{"agent": "worker", "task": str(n)} for n in range(5)]
    text = use(subagent_tool(store(), launch, parallel=2), tasks=tasks)
    assert most == 2
    assert [line for line in text.split("\n") if line.startswith("answer")] == [
        f"answer {n}" for n in range(5)
    ]
    use(subagent_tool(store(), launch, parallel=5), tasks=tasks)
    assert most == 5


def test_one_that_fails_or_is_cancelled_leaves_the_others_alone(store):
    async def launch(call: SubagentCall) -> str:
        await asyncio.sleep(0)
        if call.task == "fail":
            raise SkillError("no candidate answered")
        if call.task == "crash":
            raise RuntimeError("key sk-secret in a foreign message")
        if call.task == "cancel":
            raise asyncio.CancelledError
        return "fine"

    tasks = [{"agent": "worker", "task": t} for t in ("ok", "fail", "crash", "cancel", "ok")]
    tasks.append({"agent": "nobody", "task": "x"})
    text = use(subagent_tool(store(), launch), tasks=tasks)
    assert [part.split("\n")[0] for part in text.split("\n\n")] == [
        "[1] worker: done",
        "[2] worker: failed",
        "[3] worker: failed",
        "[4] worker: cancelled",
        "[5] worker: done",
        "[6] nobody: failed",
    ]
    assert "no candidate answered" in text
    assert "no skill is named 'nobody'" in text
    assert "secret" not in text


def test_cancelling_the_tool_cancels_every_child(store):
    stopped: list[str] = []

    async def launch(call: SubagentCall) -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.append(call.task)
            raise
        return ""

    async def main() -> None:
        tool = subagent_tool(store(), launch)
        work = asyncio.create_task(
            tool.run({"tasks": [{"agent": "worker", "task": t} for t in "ab"]})
        )
        for _ in range(5):
            await asyncio.sleep(0)
        work.cancel()
        with pytest.raises(asyncio.CancelledError):
            await work

    asyncio.run(main())
    assert sorted(stopped) == ["a", "b"]


def test_a_single_launchs_error_is_raised_and_inline_skills_are_no_agents(put, store):
    put(".claude/skills/notes.md", "---\ndescription: n\n---\nN\n")
    with pytest.raises(SkillError, match="inline skill"):
        use(subagent_tool(store(), echo), agent="notes", task="x")
    with pytest.raises(SkillError, match="Did you mean 'worker'"):
        use(subagent_tool(store(), echo), agent="wroker", task="x")
    with pytest.raises(InvalidInput, match="parallel"):
        subagent_tool(store(), echo, parallel=0)


def test_the_schema_offers_exactly_what_a_call_takes(store):
    schema = subagent_tool(store(), echo).schema
    one = dict(schema["properties"])
    tasks = one.pop("tasks")
    assert set(one) == set(known_fields(SubagentCall))
    assert tasks["items"]["properties"] == one
    needs = one["taskNeeds"]["properties"]
    assert set(needs) == set(NEED_KEYS)
    assert tuple(needs["work"]["enum"]) == WORKS
    assert tuple(needs["difficulty"]["enum"]) == DIFFICULTIES
    assert tuple(needs["mistakeCost"]["enum"]) == MISTAKE_COSTS
    limits = one["modelConstraints"]["properties"]
    assert set(limits) == set(known_fields(ModelConstraints))
    assert limits["allowedEfforts"]["items"]["enum"] == [*EFFORTS, None]
    assert limits["requiredInputs"]["items"]["enum"] == ["text", "image"]
    ModelConstraints.model_validate({"requiredInputs": ["text", "image"]})
    for part in (*one.values(), *needs.values(), *limits.values(), tasks):
        assert part["description"]


def test_the_descriptions_ask_for_every_need_and_prefer_subscriptions(store):
    tool = subagent_tool(store(), echo)
    assert "every need" in tool.description
    assert "- worker: " in tool.description
    assert "every field" in tool.schema["properties"]["taskNeeds"]["description"]
    listed = tool.schema["properties"]["modelConstraints"]["properties"]["allowedModels"]
    assert "prefer the user's subscription models" in listed["description"]
