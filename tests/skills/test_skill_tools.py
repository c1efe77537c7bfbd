"""Skills as tools of a host's model (SPEC 11.3, 11.5)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

import pytest

from routinglab.errors import InvalidInput, SkillError
from routinglab.skills.builtin import builtin_subagent_tools
from routinglab.skills.profile import Profile
from routinglab.skills.run import RunOptions
from routinglab.skills.skill import Skill
from routinglab.skills.tools import HostTool, read_skill_tool, run_skill_tool

NAMES = ["explore", "research", "review", "security_review"]


@dataclass
class Recorder:
    calls: list[tuple[Skill, str, RunOptions]] = field(default_factory=list)

    async def __call__(self, skill: Skill, task: str, options: RunOptions) -> str:
        self.calls.append((skill, task, options))
        return f"{skill.name} answers"


def use(tool: HostTool, **arguments: object) -> str:
    return asyncio.run(tool.run(arguments))


def tool_named(tools: list[HostTool], name: str) -> HostTool:
    return next(tool for tool in tools if tool.name == name)


def test_every_builtin_subagent_is_a_tool_that_passes_the_stores_skill_to_the_runner(store):
    found, runner = store(), Recorder()
    tools = builtin_subagent_tools(found, runner)
    assert [tool.name for tool in tools] == NAMES
    for tool in tools:
        assert use(tool, task="look") == f"{tool.name} answers"
    assert [call[0] for call in runner.calls] == [found.get(name) for name in NAMES]
    assert all(call[0] is found.get(call[0].name) for call in runner.calls)
    assert {call[1] for call in runner.calls} == {"look"}


def test_a_wrapper_and_run_skill_give_the_runner_the_same(store):
    found, runner = store(), Recorder()
    use(tool_named(builtin_subagent_tools(found, runner), "explore"), task="t", fork_from="sa_1")
    use(run_skill_tool(found, runner), name="explore", arguments="t", fork_from="sa_1")
    assert runner.calls[0] == runner.calls[1]


def test_an_override_of_the_same_name_is_honoured(put, store):
    put(
        ".claude/skills/review.md",
        "---\ndescription: my review\nrunAs: subagent\nmodel: a/mine:low\n---\nMine\n",
    )
    runner = Recorder()
    tool = tool_named(builtin_subagent_tools(store(), runner), "review")
    use(tool, task="x")
    assert (runner.calls[0][0].model, runner.calls[0][0].body) == ("a/mine:low", "Mine")
    assert tool.description == "my review"


def test_an_inline_override_is_an_error_that_names_run_skill(put, store):
    put(".claude/skills/review.md", "---\ndescription: inline\n---\nMine\n")
    runner = Recorder()
    with pytest.raises(SkillError, match="run_skill"):
        use(tool_named(builtin_subagent_tools(store(), runner), "review"), task="x")
    assert runner.calls == []


def test_a_missing_builtin_makes_no_tool(store):
    tools = builtin_subagent_tools(store(disabled=["research"]), Recorder())
    assert [tool.name for tool in tools] == ["explore", "review", "security_review"]


def test_a_profile_fills_empty_fields_of_a_wrapped_skill_only(put, store):
    put(".claude/skills/review.md", "---\ndescription: r\nrunAs: subagent\n---\nR\n")
    runner = Recorder()
    tools = builtin_subagent_tools(store(), runner, lambda _: Profile(model="p/m", effort="low"))
    use(tool_named(tools, "review"), task="x")
    use(tool_named(tools, "explore"), task="x")
    assert [(s.model, s.effort) for s, _, _ in runner.calls] == [("p/m", "low"), ("auto", "low")]


def test_errors_of_a_wrapper_name_it(store):
    tool = tool_named(builtin_subagent_tools(store(), None), "explore")
    with pytest.raises(SkillError, match=r"^explore: .*no subagent runner"):
        use(tool, task="x")
    tool = tool_named(builtin_subagent_tools(store(), Recorder()), "explore")
    with pytest.raises(SkillError, match=r"^explore: .*needs arguments"):
        use(tool)
    with pytest.raises(InvalidInput, match=r"^explore: unknown key 'tsak'.*task"):
        use(tool, tsak="x")
    with pytest.raises(InvalidInput, match="exclude each other"):
        use(tool, task="x", continue_from="a", fork_from="b")


def test_the_run_skill_tool_lists_skills_and_runs_inline_ones_without_a_runner(put, store):
    put(".claude/skills/notes.md", "---\ndescription: take notes\n---\nNotes\n")
    tool = run_skill_tool(store())
    assert "- notes: take notes" in tool.description
    assert "- explore [subagent]: " in tool.description
    assert use(tool, name="notes", arguments=None) == "Notes"
    assert use(read_skill_tool(store()), name="notes") == "Notes"


@pytest.mark.parametrize("arguments", [{}, {"name": 7}, {"name": "notes", "argument": "x"}])
def test_bad_arguments_name_the_tool_and_the_field(store, arguments):
    for tool in (run_skill_tool(store()), read_skill_tool(store())):
        with pytest.raises(InvalidInput, match=rf"^{tool.name}: .*(name|argument)"):
            use(tool, **arguments)


def test_schemas_are_closed_objects_whose_fields_are_described(store):
    tools = [
        *builtin_subagent_tools(store(), None),
        run_skill_tool(store()),
        read_skill_tool(store()),
    ]
    for tool in tools:
        assert tool.schema["type"] == "object"
        assert tool.schema["additionalProperties"] is False
        assert set(tool.schema["required"]) <= set(tool.schema["properties"])
        assert all(part["description"] for part in tool.schema["properties"].values())
        assert tool.description
