"""run_skill, read_skill, run options and profiles (SPEC 11.3, 11.4)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

import pytest

from routinglab import run_skill
from routinglab.errors import InvalidInput, SkillError
from routinglab.skills.profile import Profile, resolve_profile, with_profile
from routinglab.skills.run import RunOptions, read_skill
from routinglab.skills.skill import Skill

DEEPSEARCH = (
    "---\nname: deepsearch\ndescription: search deeply\nrunAs: subagent\n"
    "model: deepseek-pro\neffort: max\n---\n\nSearch until nothing new turns up.\n"
)
INLINE = "---\nname: notes\ndescription: how to take notes\n---\nWrite short notes.\n"


@dataclass
class Recorder:
    """A runner that keeps what it was given and answers."""

    calls: list[tuple[Skill, str, RunOptions]] = field(default_factory=list)

    async def __call__(self, skill: Skill, task: str, options: RunOptions) -> str:
        self.calls.append((skill, task, options))
        return "the final answer"


def go(*args: Any, **kwargs: Any) -> str:
    return asyncio.run(run_skill(*args, **kwargs))


def test_deepsearch_keeps_model_and_effort_from_file_to_runner(put, store):
    put(".reasonix/skills/deepsearch.md", DEEPSEARCH)
    found, runner = store(), Recorder()
    assert go("deepsearch", "find the origin", store=found, runner=runner) == "the final answer"
    skill, task, options = runner.calls[0]
    assert (skill.model, skill.effort, skill.run_as) == ("deepseek-pro", "max", "subagent")
    assert skill.body == "Search until nothing new turns up."
    assert skill is found.get("deepsearch")
    assert task == "find the origin"
    assert options == RunOptions()


def test_a_subagent_without_a_runner_is_an_error_that_says_so(put, store):
    put(".claude/skills/deepsearch.md", DEEPSEARCH)
    with pytest.raises(SkillError, match="no subagent runner is configured"):
        go("deepsearch", "task", store=store())


@pytest.mark.parametrize("nothing", ["", "   \n"])
def test_a_subagent_without_arguments_is_an_error_that_says_so(put, store, nothing: str):
    put(".claude/skills/deepsearch.md", DEEPSEARCH)
    runner = Recorder()
    with pytest.raises(SkillError, match="needs arguments"):
        go("deepsearch", nothing, store=store(), runner=runner)
    assert runner.calls == []


def test_an_inline_skill_gives_its_body_and_the_arguments(put, store):
    put(".claude/skills/notes.md", INLINE)
    runner = Recorder()
    assert go("notes", "on the talk", store=store(), runner=runner) == (
        "Write short notes.\n\nArguments: on the talk"
    )
    assert go("notes", store=store()) == "Write short notes."
    assert runner.calls == []


@pytest.mark.parametrize("option", ["continue_from", "fork_from"])
def test_a_transcript_reference_reaches_the_runner_and_is_refused_inline(put, store, option: str):
    put(".claude/skills/notes.md", INLINE)
    put(".claude/skills/deepsearch.md", DEEPSEARCH)
    runner = Recorder()
    go("deepsearch", "more", store=store(), runner=runner, **{option: "sa_1"})
    go("deepsearch", "more", store=store(), runner=runner, options=RunOptions(**{option: "sa_1"}))
    assert [call[2] for call in runner.calls] == [RunOptions(**{option: "sa_1"})] * 2
    with pytest.raises(SkillError, match="runs inline"):
        go("notes", "x", store=store(), **{option: "sa_1"})


def test_continue_and_fork_exclude_each_other(put, store):
    put(".claude/skills/deepsearch.md", DEEPSEARCH)
    with pytest.raises(InvalidInput, match="exclude each other"):
        RunOptions(continue_from="a", fork_from="b")
    with pytest.raises(InvalidInput, match="exclude each other"):
        go("deepsearch", "x", store=store(), runner=Recorder(), continue_from="a", fork_from="b")
    assert RunOptions(continue_from="a", fork_from=" ") == RunOptions(continue_from="a")
    assert not RunOptions(continue_from="")


def test_unknown_names_and_copied_tags(put, store):
    put(".claude/skills/deepsearch.md", DEEPSEARCH)
    runner = Recorder()
    go("deepsearch [subagent]", "x", store=store(), runner=runner)
    assert runner.calls[0][0].name == "deepsearch"
    with pytest.raises(SkillError, match=r"Skills: .*deepsearch"):
        go("depsearch", "x", store=store(), runner=runner)


def test_a_subagent_whose_model_cannot_be_read_does_not_run_on_another(put, store):
    put(".claude/skills/deepsearch.md", DEEPSEARCH.replace("deepseek-pro", "[a, b]"))
    runner = Recorder()
    with pytest.raises(SkillError, match=r"deepsearch\.md:5: model"):
        go("deepsearch", "x", store=store(), runner=runner)
    assert runner.calls == []


def test_a_runners_own_error_passes_through(put, store):
    put(".claude/skills/deepsearch.md", DEEPSEARCH)

    async def failing(skill: Skill, task: str, options: RunOptions) -> str:
        raise SkillError("no candidate answered")

    with pytest.raises(SkillError, match="no candidate answered"):
        go("deepsearch", "x", store=store(), runner=failing)


def test_arguments_that_are_no_text_are_refused(store):
    with pytest.raises(InvalidInput, match="must be text"):
        go("explore", {"task": "x"}, store=store(), runner=Recorder())


def test_read_skill_renders_inline_skills_only(put, store):
    put(".claude/skills/notes.md", INLINE)
    assert read_skill("notes", store=store()) == "Write short notes."
    with pytest.raises(SkillError, match="run_skill"):
        read_skill("explore", store=store())


def test_a_profile_fills_only_what_a_skill_leaves_empty():
    profile = Profile(model="a/profile", effort="low")
    own = Skill(name="own", model="a/own", effort="max")
    half = Skill(name="half", model="a/own")
    bare = Skill(name="bare")
    assert with_profile(own, lambda _: profile) is own
    assert (with_profile(half, lambda _: profile).model, with_profile(half, lambda _: profile).effort) == (
        "a/own",
        "low",
    )  # fmt: skip
    assert resolve_profile(bare, lambda _: profile) == profile
    assert with_profile(bare, lambda _: None) is bare
    assert with_profile(bare) is bare


def test_after_skill_and_profile_comes_the_host_each_field_for_itself():
    host = Profile(model="a/host", effort="medium")
    assert resolve_profile(Skill(name="x"), None, host) == host
    assert resolve_profile(Skill(name="x"), lambda _: Profile(effort="high"), host) == Profile(
        model="a/host", effort="high"
    )
    assert resolve_profile(Skill(name="x", effort="off"), None, host).effort == "off"
    assert resolve_profile(
        Skill(name="x", model="inherit"), lambda _: Profile(model="a/p"), host
    ).model == "inherit"  # fmt: skip


def test_a_resolver_is_asked_with_the_skill_and_only_when_something_is_empty():
    asked: list[str] = []

    def resolver(skill: Skill) -> Profile:
        asked.append(skill.name)
        return Profile()

    with_profile(Skill(name="full", model="a/b", effort="low"), resolver)
    with_profile(Skill(name="bare"), resolver)
    assert asked == ["bare"]
