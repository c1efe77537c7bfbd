"""What each key of a skill may hold (SPEC 11.1)."""

from __future__ import annotations

import pytest

from routinglab.errors import InvalidInput
from routinglab.skills.parse import parse_skill
from routinglab.skills.skill import Skill


def skill_of(lines: str) -> Skill:
    return parse_skill(f"---\nname: x\ndescription: d\n{lines}\n---\nB\n")


@pytest.mark.parametrize(
    "written",
    [
        "read, search, bash",
        "read,search,bash",
        "read search bash",
        "[read, search, bash]",
        '["read", "search", "bash"]',
        "\n  - read\n  - search\n  - bash",
        "\n- read\n- search\n- bash",
        '"read, search, bash"',
        ">\n  read, search,\n  bash",
        "read, search, bash, read,",
    ],
)
@pytest.mark.parametrize("key", ["tools", "allowed-tools", "allowedTools", "allowed_tools"])
def test_tools_are_the_same_however_they_are_listed(key: str, written: str):
    skill = skill_of(f"{key}: {written}")
    assert skill.tools == ("read", "search", "bash")
    assert skill.warnings == ()


def test_a_tool_with_a_limit_in_parentheses_stays_one_name():
    assert skill_of("tools: Read, Bash(git add:*, git push), Grep").tools == (
        "Read",
        "Bash(git add:*, git push)",
        "Grep",
    )


@pytest.mark.parametrize(
    "written",
    ["{read: true}", "[read, [bash]]", "[read, {a: b}]", "5", "true", "null", "", "[read, bash",
     "'*'", "*", "read; bash", "read, bash: yes", "[read, 7]", "Bash(git"],
)  # fmt: skip
def test_a_tool_list_that_cannot_be_read_allows_none_and_says_so(written: str):
    skill = skill_of(f"tools: {written}")
    assert skill.tools == ()
    assert any("tools" in warning and ":4:" in warning for warning in skill.warnings)


def test_no_tools_key_is_the_hosts_default_and_an_empty_list_is_none():
    assert skill_of("effort: low").tools is None
    assert skill_of("tools: []").tools == ()
    assert skill_of("tools: []").warnings == ()


def test_of_two_tool_lists_the_names_in_both_count():
    skill = skill_of("tools: read, bash\nallowed-tools: read, ls")
    assert skill.tools == ("read",)
    assert "only names in both" in skill.warnings[0]


@pytest.mark.parametrize(
    ("lines", "run_as"),
    [
        ("", "inline"),
        ("runAs: inline", "inline"),
        ("runAs: subagent", "subagent"),
        ("run-as: Subagent", "subagent"),
        ("run_as: sub-agent", "subagent"),
        ("context: fork", "subagent"),
        ("context: main", "inline"),
        ("agent: Explore", "subagent"),
        ("agent:", "inline"),
        ("context: fork\nrunAs: inline", "inline"),
    ],
)
def test_run_as_and_what_other_tools_write_for_it(lines: str, run_as: str):
    assert skill_of(lines).run_as == run_as
    assert skill_of(lines).warnings == ()


def test_a_bad_run_as_is_warned_of_with_its_line():
    skill = skill_of("runAs: background")
    assert skill.run_as == "inline"
    assert skill.warnings[0].startswith("skill:4: runAs: 'background' is not one of")
    assert skill_of("runAs: background\ncontext: fork").run_as == "subagent"


@pytest.mark.parametrize("effort", ["off", "minimal", "low", "medium", "high", "xhigh", "max"])
def test_every_effort_is_read_as_a_word(effort: str):
    assert skill_of(f"effort: {effort}").effort == effort
    assert skill_of(f"effort: {effort.upper()}").effort == effort
    assert skill_of(f"effort: {effort}").warnings == ()


def test_an_effort_that_is_none_stops_a_run_and_lists_the_levels():
    skill = skill_of("effort: extreme")
    assert skill.effort is None
    assert "off, minimal, low, medium, high, xhigh, max" in skill.blockers[0]
    assert skill.blockers[0].startswith("skill:4: effort: 'extreme'")
    assert skill_of("effort:").blockers == ()


@pytest.mark.parametrize(
    ("lines", "model"),
    [
        ("model: openai/gpt-5.5:xhigh", "openai/gpt-5.5:xhigh"),
        ("model: auto", "auto"),
        ("model: inherit", "inherit"),
        ("model:", None),
        ("model: null", None),
        ('model: ""', None),
        ("model: qwen3:8b", "qwen3:8b"),
        ("model: 'no'", "no"),
    ],
)
def test_models_are_kept_as_written(lines: str, model: str | None):
    assert skill_of(lines).model == model
    assert skill_of(lines).warnings == ()


@pytest.mark.parametrize(
    ("written", "steps"), [("12", 12), ("'12'", 12), ("0", None), ("-3", None), ("many", None),
                           ("1.5", None), ("[3]", None), ("99999999999999", None)]
)  # fmt: skip
def test_max_steps_is_a_whole_number_above_zero(written: str, steps: int | None):
    skill = skill_of(f"max-steps: {written}")
    assert skill.max_steps == steps
    assert bool(skill.warnings) == (steps is None)


def test_invocation_manual_and_the_key_other_tools_use():
    assert skill_of("invocation: manual").invocation == "manual"
    assert skill_of("disable-model-invocation: true").invocation == "manual"
    assert skill_of("invocation: auto").invocation == "auto"
    bad = skill_of("invocation: sometimes")
    assert bad.invocation == "auto"
    assert ":4: invocation" in bad.warnings[0]


@pytest.mark.parametrize(
    ("lines", "line", "said"),
    [
        ("taskNeeds:\n  work: coding\n  difficulty: extreme", 6, "extreme"),
        ("taskNeeds:\n  wrok: coding", 5, "Did you mean 'work'"),
        ("taskNeeds: coding", 4, "indented"),
        ("modelConstraints:\n  maxInputCost: -1", 5, "maxInputCost"),
        ("modelConstraints:\n  maxInputCost: '3'", 5, "maxInputCost"),
        ("modelConstraints:\n  maxInputCost: .inf", 5, "maxInputCost"),
        ("modelConstraints:\n  allowedModels: a/b", 5, "allowedModels"),
        ("modelConstraints:\n  allowedEfforts: [huge]", 5, "allowedEfforts"),
        ("modelConstraints: [a]", 4, "indented"),
        ("modelConstraints: {maxInputCost: 1, maxInputCost: 9}", 4, "twice"),
    ],
)
def test_needs_and_limits_that_cannot_hold_stop_a_run(lines: str, line: int, said: str):
    skill = skill_of(lines)
    assert skill.blockers[0].startswith(f"skill:{line}: ")
    assert said in skill.blockers[0]


def test_two_blocks_of_limits_that_differ_stop_a_run():
    skill = skill_of("modelConstraints: {maxInputCost: 1}\nmodelConstraints: {maxInputCost: 9}")
    assert "written twice" in skill.blockers[0]


def test_flags_of_needs_take_yes_and_no_but_limits_stay_strict():
    assert skill_of("taskNeeds: {needsImages: yes, longContext: off}").task_needs.stated() == {
        "needs_images": True,
        "long_context": False,
    }


def test_keys_of_other_tools_are_kept_and_likely_slips_pointed_out():
    skill = skill_of("color: red\nmode: subagent\nhooks:\n  stop: [a, 1, true, null]")
    assert skill.extra == {
        "color": "red",
        "mode": "subagent",
        "hooks": {"stop": ["a", 1, True, None]},
    }
    assert skill.warnings == ()
    slip = skill_of("modelConstrains: {maxInputCost: 1}")
    assert "did you mean modelConstraints" in slip.warnings[0]


def test_the_brief_holds_what_routing_sees():
    brief = skill_of("taskNeeds: {work: coding}\nmodelConstraints: {maxInputCost: 1}").brief()
    assert (brief.name, brief.description, brief.prompt) == ("x", "d", "B")
    assert brief.needs.work == "coding"
    assert [limits.max_input_cost for limits in brief.constraints] == [1.0]


def test_a_skill_is_a_value_with_camel_case_outside():
    skill = Skill(name="x", runAs="subagent", max_steps=3)
    assert Skill.model_validate(skill.to_dict()) == skill
    assert skill.to_dict()["maxSteps"] == 3
    with pytest.raises(InvalidInput, match="runAs"):
        Skill(name="x", runAs="sometimes")
