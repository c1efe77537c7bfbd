"""What must hold for any text at all (SPEC 11.2, 11.6)."""

from __future__ import annotations

import json
from typing import Any

import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from routinglab.core.efforts import EFFORTS
from routinglab.core.needs import DIFFICULTIES, WORKS
from routinglab.skills.agent import AgentDefinition
from routinglab.skills.decode import decode
from routinglab.skills.edit import set_body, set_key
from routinglab.skills.parse import parse_skill
from routinglab.skills.safe_yaml import Sizes, compose, dump, plain

quick = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))

KEYS = ["name", "description", "runAs", "model", "effort", "tools", "allowed-tools", "max-steps",
        "invocation", "taskNeeds", "modelConstraints", "fallbackModels", "thinking", "context",
        "other", "<<", "---", "?", "- ", "", "\t", "#"]  # fmt: skip
scraps = st.sampled_from(
    ["[", "]", "{", "}", ": ", ":", "- ", "|\n", ">\n", "&a ", "*a", "'", '"', "#", "\t", "\n", "  ",
     "!!int ", "~", "off", "a/b:high", "read, bash", "\r\n", "\\", "---\n", "...\n", "%", "@", "`",
     "\x85", "\u2028", "\x00", "\ufeff", "1e9", "null", "word", "é", "🙂"]
)  # fmt: skip
values = st.lists(scraps, max_size=8).map("".join) | st.text(max_size=30)
heads = st.lists(st.tuples(st.sampled_from(KEYS), values), max_size=6).map(
    lambda pairs: "".join(f"{key}: {value}\n" for key, value in pairs)
)
texts = st.builds("{}{}{}{}".format, st.sampled_from(["---\n", "", "\n---\n"]), heads,
                  st.sampled_from(["---\n", "", "---"]), st.text(max_size=20))  # fmt: skip


def line_texts() -> st.SearchStrategy[str]:
    """Text that front matter keeps as it is: one line, single spaces, nothing unprintable."""
    allowed = st.characters(exclude_categories=("C", "Z"), include_characters=" ")
    return st.text(allowed, min_size=1, max_size=40).map(lambda t: " ".join(t.split())).filter(bool)


@quick
@given(texts)
def test_any_text_is_a_skill_and_every_warning_has_its_line(text: str):
    skill = parse_skill(text)
    lines = text.count("\n") + text.count("\r") + 1
    for warning in skill.warnings:
        place, number, _ = warning.split(":", 2)
        assert place == "skill"
        assert 1 <= int(number) <= lines
    assert set(skill.blockers) <= set(skill.warnings)
    assert json.loads(skill.to_json())["name"] == skill.name
    assert skill.name


@quick
@given(
    st.binary(max_size=200) | texts.map(lambda t: b"\xff\xfe" + t.encode("utf-16-le", "replace"))
)
def test_any_bytes_are_a_skill_and_whole_ones_come_back_the_same(raw: bytes):
    parse_skill(raw).to_json().encode()
    found = decode(raw)
    if found.whole:
        assert found.encode(found.text) == raw


@quick
@given(line_texts(), line_texts(), st.sampled_from(EFFORTS), line_texts())
def test_a_written_skill_reads_back_the_same(name: str, description: str, effort: str, model: str):
    head = dump("name", name) + dump("description", description)
    head += dump("effort", effort) + dump("model", model)
    skill = parse_skill(f"---\n{head}---\nBody\n")
    assert (skill.name, skill.description, skill.effort, skill.model) == (
        name, description, effort, model,
    )  # fmt: skip
    assert skill.warnings == ()
    assert yaml.safe_load(head)["name"] == name


@quick
@given(line_texts())
def test_an_unquoted_description_with_a_colon_keeps_its_words(words: str):
    text = f"Use when: {words}"
    skill = parse_skill(f"---\nname: x\ndescription: {text}\nmodel: a/b\n---\nB\n")
    if " #" not in text:
        assert skill.description == text
    assert (skill.name, skill.model) == ("x", "a/b")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | line_texts(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(line_texts(), inner, max_size=4),
    max_leaves=10,
)


@quick
@given(json_values)
def test_keys_of_other_tools_keep_their_values(value: Any):
    skill = parse_skill(f"---\nname: x\n{dump('other', value)}---\nB\n")
    assert skill.extra == {"other": value}


changes = st.fixed_dictionaries(
    {},
    optional={
        "description": line_texts(),
        "model": line_texts() | st.none(),
        "effort": st.sampled_from(EFFORTS) | st.none(),
        "tools": st.lists(st.sampled_from(["read", "bash", "Bash(git add:*, x)"]), unique=True).map(tuple),
        "max_steps": st.integers(1, 999) | st.none(),
        "task_needs": st.fixed_dictionaries(
            {}, optional={"work": st.sampled_from(WORKS), "difficulty": st.sampled_from(DIFFICULTIES)}
        ),
        "model_constraints": st.fixed_dictionaries(
            {}, optional={"allowedEfforts": st.lists(st.sampled_from([*EFFORTS, None])), "maxInputCost": st.floats(0, 99)}
        ),
        "body": st.text(st.characters(exclude_categories=("C",)), max_size=40),
    },
)  # fmt: skip
starts = st.sampled_from(
    [
        "---\nname: x\n# note\nmodel: a/b # why\nother: [1, {a: b}]\ntools:\n- read\n---\n\nBody\n",
        "---\r\nname: x\r\ndescription: |\r\n  two\r\n\r\n  lines\r\n# end\r\n---\r\nBody",
        "---\nname: x\ndescription: bad: yaml: here\n---\nBody\n",
        "No front matter",
        "---\nname: x\nmax-steps: 3",
    ]
)


@quick
@given(starts, changes)
def test_changing_fields_keeps_all_others_and_saves_what_it_shows(
    start: str, change: dict[str, Any]
):
    source = decode(start.encode())
    before = AgentDefinition(parse_skill(start, kind="agent", name="x"), source)
    after = before.changed(**change)
    read = parse_skill(after.text, kind="agent", name="x")
    assert read == after.skill
    for name in set(type(read).model_fields) - set(change) - {"warnings", "blockers"}:
        assert getattr(read, name) == getattr(before.skill, name)
    lines = set(start.replace("\r\n", "\n").split("\n"))
    if set(change) <= {"effort"}:
        assert lines - set(after.text.replace("\r\n", "\n").split("\n")) <= {""}
    again = after.changed(**change)
    assert again.skill == after.skill


@quick
@given(texts, st.sampled_from(["model", "other"]), line_texts(), st.text(max_size=20))
def test_editing_never_raises_on_any_text(text: str, key: str, value: str, body: str):
    set_key(text, key, value)
    set_key(text, key, None)
    set_body(text, body)


@quick
@given(json_values)
def test_sizes_count_every_value(value: Any):
    def count(item: Any) -> int:
        if isinstance(item, list):
            return 1 + sum(map(count, item))
        if isinstance(item, dict):
            return 1 + sum(1 + count(inner) for inner in item.values())
        return 1

    node = compose(json.dumps(value))
    assert node is not None
    sizes = Sizes()
    sizes.add(node)
    assert sizes._total == count(value)
    assert plain(node) == value
