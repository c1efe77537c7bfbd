"""Agent definitions: load, change, save, load again (SPEC 11.6)."""

from __future__ import annotations

import codecs
import os
import stat
from pathlib import Path

import pytest

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput, SkillError
from routinglab.settings import Settings
from routinglab.skills.agent import EDITABLE, AgentDefinition
from routinglab.skills.agents import load_agents
from routinglab.skills.decode import MAX_BYTES

FULL = """\
---
# who this is
name: deep-reviewer
description: Adversarial reviewer for risky diffs   # shown to people

tools: read, search, bash
color: purple  # another tool's
model: anthropic/claude-sonnet-4:high # pinned
fallbackModels: openai/gpt-5:medium, anthropic/claude-haiku-4-5:off
thinking: xhigh
modelConstraints:
  # the budget
  maxInputCost: 3
  allowedEfforts: [high, xhigh, null]
taskNeeds: {work: code_review}
hooks:
    stop:
      - run: it
# end
---

You review.

---

Twice.
"""


def load(tmp_path: Path, text: str | bytes, name: str = "a.md") -> AgentDefinition:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return AgentDefinition.load(path)


def test_every_field_of_an_agent_is_read(tmp_path):
    agent = load(tmp_path, FULL).skill
    assert (agent.name, agent.kind, agent.run_as) == ("deep-reviewer", "agent", "subagent")
    assert agent.description == "Adversarial reviewer for risky diffs"
    assert agent.tools == ("read", "search", "bash")
    assert agent.model == "anthropic/claude-sonnet-4:high"
    assert agent.fallback_models == ("openai/gpt-5:medium", "anthropic/claude-haiku-4-5:off")
    assert agent.thinking == "xhigh"
    assert agent.model_constraints == ModelConstraints(
        max_input_cost=3, allowed_efforts=("high", "xhigh", None)
    )
    assert agent.task_needs == TaskNeeds(work="code_review")
    assert agent.extra == {"color": "purple", "hooks": {"stop": [{"run": "it"}]}}
    assert agent.body == "You review.\n\n---\n\nTwice."
    assert agent.warnings == ()


def test_saving_what_was_loaded_gives_the_same_bytes(tmp_path):
    for raw in (
        FULL.encode(),
        FULL.replace("\n", "\r\n").encode(),
        codecs.BOM_UTF8 + FULL.encode(),
        codecs.BOM_UTF16_LE + FULL.encode("utf-16-le"),
        FULL.encode() + b"\xff\xfe broken \xe9",
        b"no front matter",
        b"---\nname: x\ndescription: a: b: c\n\tmodel: y\nno fence",
        b"",
    ):
        agent = load(tmp_path, raw)
        assert agent.save(tmp_path / "copy.md").read_bytes() == raw


def test_a_change_touches_only_the_lines_of_its_field(tmp_path):
    agent = load(tmp_path, FULL).changed(model="openai/gpt-5.5:xhigh", tools=["read"])
    agent = agent.changed(description="Careful: reads twice", task_needs=TaskNeeds(work="coding"))
    expected = (
        FULL.replace("anthropic/claude-sonnet-4:high #", "openai/gpt-5.5:xhigh #")
        .replace("read, search, bash", "read")
        .replace("Adversarial reviewer for risky diffs   #", "'Careful: reads twice'   #")
        .replace("taskNeeds: {work: code_review}", "taskNeeds:\n  work: coding")
    )
    assert agent.text == expected
    agent.save()
    again = AgentDefinition.load(tmp_path / "a.md")
    assert again.skill == agent.skill
    assert again.skill.extra == {"color": "purple", "hooks": {"stop": [{"run": "it"}]}}


def test_line_ends_mark_and_encoding_survive_a_change(tmp_path):
    raw = codecs.BOM_UTF16_BE + FULL.replace("\n", "\r\n").encode("utf-16-be")
    agent = load(tmp_path, raw).changed(model="auto", max_steps=7, body="New\nbody")
    saved = agent.save().read_bytes()
    text = saved.decode("utf-16")
    assert saved.startswith(codecs.BOM_UTF16_BE)
    assert text.count("\n") == text.count("\r\n")
    assert "model: auto # pinned\r\n" in text
    assert "max-steps: 7\r\n" in text
    assert text.endswith("---\r\n\r\nNew\r\nbody\r\n")


def test_none_takes_a_field_out_and_a_new_one_comes_last(tmp_path):
    agent = load(tmp_path, FULL).changed(thinking=None, model_constraints=None, effort="low")
    assert "thinking" not in agent.text
    assert "maxInputCost" not in agent.text
    assert "# the budget" not in agent.text
    assert "  - run: it\n# end\neffort: low\n---\n" in agent.text
    assert (agent.skill.thinking, agent.skill.model_constraints, agent.skill.effort) == (
        None,
        None,
        "low",
    )


def test_every_editable_field_comes_back_as_it_was_set(tmp_path):
    values = {
        "name": "other",
        "description": "has: colon, 'quotes' and \"more\" # hash é 🙂",
        "tools": ("read", "Bash(git add:*, git push)"),
        "model": "1e3",
        "effort": "off",
        "fallback_models": ("a/b:low", "c/d"),
        "thinking": "off",
        "fallback_thinking_levels": ("high", None),
        "model_constraints": ModelConstraints(allowed_models=(), allowed_efforts=("off", None)),
        "task_needs": TaskNeeds(work="writing", needs_images=False),
        "max_steps": 3,
        "invocation": "manual",
        "body": "--- not a fence\n\nmodel: no key\n",
    }
    assert set(values) == set(EDITABLE)
    for start in (FULL, "---\nname: a\n---\nB\n", "Just a body", ""):
        agent = load(tmp_path, start).changed(**values)
        again = AgentDefinition.load(agent.save())
        for name, value in values.items():
            wanted = value.strip() if name == "body" else value
            assert getattr(again.skill, name) == wanted, (start, name)


def test_thinking_is_cleared_by_a_blank_or_false(tmp_path):
    for written in ('""', "''", "false"):
        assert load(tmp_path, f"---\nname: a\nthinking: {written}\n---\nB").skill.thinking is False
    assert load(tmp_path, "---\nname: a\nthinking:\n---\nB").skill.thinking is None
    assert load(tmp_path, FULL).changed(thinking="").skill.thinking is False


@pytest.mark.parametrize(
    ("written", "levels"),
    [("high, low", ("high", "low")), ("[high, null, off]", ("high", None, "off")), ("", ())],
)
def test_fallback_thinking_levels_line_up_by_position(tmp_path, written, levels):
    agent = load(tmp_path, f"---\nname: a\nfallbackThinkingLevels: {written}\n---\nB").skill
    assert agent.fallback_thinking_levels == levels
    assert agent.blockers == ()


def test_fallback_models_as_list_comma_string_or_junk(tmp_path):
    for written in ("[a/b:low, c/d]", "a/b:low, c/d", "\n  - a/b:low\n  - c/d"):
        agent = load(tmp_path, f"---\nname: a\nfallbackModels: {written}\n---\nB").skill
        assert agent.fallback_models == ("a/b:low", "c/d")
    twice = load(tmp_path, "---\nname: a\nfallbackModels: a/b, a/b, c/d,\n---\nB").skill
    assert twice.fallback_models == ("a/b", "a/b", "c/d")
    bad = load(tmp_path, "---\nname: a\nfallbackModels: {a: b}\n---\nB").skill
    assert ":3: fallbackModels" in bad.blockers[0]


def test_a_file_yaml_cannot_read_can_still_be_changed(tmp_path):
    agent = load(tmp_path, "---\nname: a\ndescription: use: it: well\nmodel: x/y\n---\nB\n")
    changed = agent.changed(model="auto")
    assert changed.text == "---\nname: a\ndescription: use: it: well\nmodel: auto\n---\nB\n"
    assert changed.skill.description == "use: it: well"


def test_a_key_written_twice_is_left_once(tmp_path):
    agent = load(tmp_path, "---\nmodel: a/b\nname: a\nmodel: c/d\n---\nB\n").changed(model="e/f")
    assert agent.text == "---\nname: a\nmodel: e/f\n---\nB\n"


def test_both_spellings_of_tools_become_the_one_that_is_set(tmp_path):
    agent = load(tmp_path, "---\nname: a\nallowed-tools: [read, ls]\n---\nB\n")
    assert agent.changed(tools=["bash"]).text == "---\nname: a\nallowed-tools: [bash]\n---\nB\n"


def test_what_cannot_be_changed_safely_is_refused(tmp_path):
    agent = load(tmp_path, "---\n{name: a, model: b/c}\n---\nB\n")
    with pytest.raises(SkillError, match="line of its own"):
        agent.changed(model="d/e")
    anchored = load(tmp_path, "---\nname: a\nmodel: &m b/c\nother: *m\n---\nB\n")
    with pytest.raises(SkillError):
        anchored.changed(model=None)
    big = load(tmp_path, "---\nname: a\n---\n" + "x" * MAX_BYTES)
    with pytest.raises(SkillError, match="losing text"):
        big.changed(model="d/e")
    with pytest.raises(SkillError, match="losing text"):
        big.save()


def test_bad_changes_name_the_field(tmp_path):
    agent = load(tmp_path, FULL)
    with pytest.raises(InvalidInput, match="Did you mean 'model'"):
        agent.changed(modle="x")
    with pytest.raises(InvalidInput, match="effort"):
        agent.changed(effort="huge")
    with pytest.raises(InvalidInput, match="maxInputCost"):
        agent.changed(model_constraints={"maxInputCost": -1})


def test_a_new_definition_can_be_written_and_loaded(tmp_path):
    agent = AgentDefinition.new("helper", "Helps: always", "You help.", model="auto")
    with pytest.raises(SkillError, match="where to save"):
        agent.save()
    path = agent.save(tmp_path / "deep/agents/helper.md")
    again = AgentDefinition.load(path).skill
    assert (again.name, again.description, again.body, again.model) == (
        "helper", "Helps: always", "You help.", "auto",
    )  # fmt: skip


def test_saving_keeps_mode_and_follows_a_link(tmp_path):
    agent = load(tmp_path, FULL, "real.md")
    (tmp_path / "real.md").chmod(0o600)
    (tmp_path / "link.md").symlink_to(tmp_path / "real.md")
    linked = AgentDefinition.load(tmp_path / "link.md").changed(model="auto")
    assert linked.save() == Path(os.path.realpath(tmp_path / "real.md"))
    assert (tmp_path / "link.md").is_symlink()
    assert stat.S_IMODE((tmp_path / "real.md").stat().st_mode) == 0o600
    assert sorted(p.name for p in tmp_path.iterdir()) == ["link.md", "real.md"]
    assert agent.text == FULL


def test_agents_of_project_home_and_package_by_name(put, project, home):
    put(".claude/agents/worker.md", "---\ndescription: mine\nmodel: a/b\n---\nW\n")
    put(".claude/agents/helper.md", "---\ndescription: helps\n---\nH\n")
    put(".routinglab/agents/helper.md", "---\ndescription: home\n---\nH\n", at=home)
    put(".routinglab/agents/other.md", "---\ndescription: home\n---\nH\n", at=home)
    put(".claude/skills/skill.md", "---\ndescription: no agent\n---\nS\n")
    agents = load_agents(project, home)
    assert {n: a.skill.scope for n, a in agents.items()} == {
        "worker": "project", "helper": "project", "other": "global",
        "scout": "builtin", "planner": "builtin", "reviewer": "builtin",
    }  # fmt: skip
    assert agents["helper"].skill.description == "helps"
    assert "other" not in load_agents(project, home, Settings(skills={"disabled": ["other"]}))


def test_a_builtin_is_not_written_over(project, home):
    worker = load_agents(project, home)["worker"].changed(model="a/b")
    with pytest.raises(SkillError, match="where to save"):
        worker.save()
    assert worker.brief().name == "worker"


def test_a_definition_that_cannot_be_read_is_an_error(tmp_path):
    with pytest.raises(SkillError, match="cannot be read"):
        AgentDefinition.load(tmp_path / "none.md")
    with pytest.raises(SkillError, match="cannot be read"):
        AgentDefinition.load(tmp_path)
