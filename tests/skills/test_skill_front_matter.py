"""Front matter as people and editors write it (SPEC 11.1, 11.2)."""

from __future__ import annotations

import codecs

import pytest

from routinglab.errors import SkillError
from routinglab.skills.decode import MAX_BYTES
from routinglab.skills.parse import load_skill, parse_skill

PLAIN = "---\nname: x\ndescription: does it\nrunAs: subagent\nmodel: deepseek-pro\n---\n\nBody\n"


def test_every_documented_key_is_read():
    skill = parse_skill(
        "---\nname: deep\ndescription: look deep\nrunAs: subagent\nmodel: deepseek-pro\neffort: max\n"
        "allowed-tools: read, search\ninvocation: manual\nmax-steps: 12\n"
        "taskNeeds:\n  work: research\n  needsImages: false\n"
        "modelConstraints:\n  maxInputCost: 3\n  allowedEfforts: [off, high, null]\n"
        "license: MIT\nmetadata: {version: 1.10}\n---\nLook.\n"
    )
    assert (skill.name, skill.description, skill.run_as) == ("deep", "look deep", "subagent")
    assert (skill.model, skill.effort, skill.tools) == ("deepseek-pro", "max", ("read", "search"))
    assert (skill.invocation, skill.max_steps, skill.body) == ("manual", 12, "Look.")
    assert skill.task_needs.stated() == {"work": "research", "needs_images": False}
    assert skill.model_constraints is not None
    assert skill.model_constraints.stated() == {
        "max_input_cost": 3.0,
        "allowed_efforts": ("off", "high", None),
    }
    assert skill.extra == {"license": "MIT", "metadata": {"version": 1.1}}
    assert skill.warnings == ()
    assert skill.blockers == ()


@pytest.mark.parametrize(
    "raw",
    [
        codecs.BOM_UTF8 + PLAIN.encode(),
        codecs.BOM_UTF16_LE + PLAIN.encode("utf-16-le"),
        codecs.BOM_UTF16_BE + PLAIN.encode("utf-16-be"),
        PLAIN.encode("utf-16-le"),
        PLAIN.encode("utf-16-be"),
        codecs.BOM_UTF32_LE + PLAIN.encode("utf-32-le"),
        PLAIN.replace("\n", "\r\n").encode(),
        PLAIN.replace("\n", "\r").encode(),
        PLAIN.replace("---\n", "---  \t\n").encode(),
        b"\n\n" + PLAIN.encode(),
    ],
    ids=["bom", "utf16le", "utf16be", "le", "be", "utf32", "crlf", "cr", "fence-space", "blank"],
)
def test_encodings_line_ends_and_fences_give_the_same_skill(raw: bytes):
    assert parse_skill(raw) == parse_skill(PLAIN)
    assert parse_skill(raw).warnings == ()


def test_a_missing_closing_fence_is_warned_of_and_the_rest_is_the_body(one):
    skill = one("---\nname: x\ndescription: does it\nmodel: a/b\n\n# Title\n\nNote: text\n")
    assert (skill.description, skill.model) == ("does it", "a/b")
    assert skill.body == "# Title\n\nNote: text"
    assert len(skill.warnings) == 1
    assert skill.warnings[0].startswith(f"{skill.path}:1: ")
    assert "closing" in skill.warnings[0]


def test_a_rule_further_down_is_no_closing_fence(one):
    skill = one("---\nname: x\ndescription: does it\n\nSome text here.\n\n---\n\nMore text.\n")
    assert skill.description == "does it"
    assert skill.body == "Some text here.\n\n---\n\nMore text."
    assert "closing" in skill.warnings[0]


def test_dashes_inside_values_and_bodies_are_text():
    skill = parse_skill(
        "---\nname: x\ndescription: before --- after\nnotes: |\n  one\n  ---\n  two\n---\nA\n\n---\n\nB\n"
    )
    assert skill.description == "before --- after"
    assert skill.extra["notes"] == "one\n---\ntwo\n"
    assert skill.body == "A\n\n---\n\nB"
    assert skill.warnings == ()


def test_tabs_are_read_as_spaces_with_a_warning(one):
    skill = one("---\nname: x\ndescription:\tdoes it\ntaskNeeds:\n\twork: coding\n---\nB\n")
    assert skill.description == "does it"
    assert skill.task_needs.work == "coding"
    assert [w for w in skill.warnings if "tab" in w] == list(skill.warnings)
    assert skill.warnings[0].startswith(f"{skill.path}:3: ")


def test_a_tab_before_a_key_below_a_plain_value_hides_neither(one):
    skill = one("---\nname: x\n\tdescription: does it\ntaskNeeds:\n\twork: coding\n---\nB\n")
    assert (skill.name, skill.description) == ("x", "does it")
    assert skill.task_needs.work == "coding"
    assert skill.warnings


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("Use when: the user asks", "Use when: the user asks"),
        ("Use when: a: b: c", "Use when: a: b: c"),
        ('"Quick" look: around', '"Quick" look: around'),
        ("[beta] Look: around", "[beta] Look: around"),
        ("@file and `code`", "@file and `code`"),
        ("*bold* words", "*bold* words"),
        ("Use this\n  when: asked", "Use this when: asked"),
        ('"never closed', "never closed"),
        ("first line\nsecond line", "first line second line"),
    ],
)
def test_a_description_yaml_cannot_read_is_recovered_as_text(one, written: str, meant: str):
    skill = one(f"---\nname: x\ndescription: {written}\nmodel: a/b:high\neffort: low\n---\nB\n")
    assert skill.description == meant
    assert (skill.name, skill.model, skill.effort) == ("x", "a/b:high", "low")
    assert any(w.startswith(f"{skill.path}:3: description") for w in skill.warnings)
    assert skill.blockers == ()


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (">\n  two\n  lines\n", "two lines"),
        ("|\n  two\n  lines\n", "two lines"),
        (">-\n  one\n\n  para", "one para"),
        ("'it''s'", "it's"),
        ('"tab\\tand: colon"', "tab and: colon"),
        ("plain\n  folded", "plain folded"),
        ("2026-01-01", "2026-01-01"),
        ("1.10", "1.10"),
        ("yes", "yes"),
        ("0o17", "0o17"),
    ],
)
def test_every_yaml_form_of_a_text_keeps_its_words(written: str, meant: str):
    skill = parse_skill(f"---\ndescription: {written}\nname: x\n---\nB\n")
    assert skill.description == meant
    assert skill.warnings == ()


def test_a_description_that_is_a_mapping_is_read_as_text_with_a_warning(one):
    skill = one("---\nname: x\ndescription:\n  when: asked\n---\nB\n")
    assert skill.description == "when: asked"
    assert skill.warnings[0].startswith(f"{skill.path}:3: description")


def test_of_a_key_written_twice_the_last_counts_and_both_lines_are_named(one):
    skill = one("---\nname: x\ndescription: a\nmodel: a/one\nmodel: a/two\n---\nB\n")
    assert skill.model == "a/two"
    assert skill.warnings == (
        f"{skill.path}:5: model: is written twice (first on line 4); the last counts",
    )


@pytest.mark.parametrize("written", ["4.5", "true", "007", "1_0"])
def test_a_model_that_is_no_text_keeps_what_was_written_and_is_warned_of(one, written: str):
    skill = one(f"---\nname: x\ndescription: a\nmodel: {written}\n---\nB\n")
    assert skill.model == written
    assert skill.warnings[0].startswith(f"{skill.path}:4: model")


@pytest.mark.parametrize("written", ["[a/b, c/d]", "{id: a/b}", "\n  - a/b"])
def test_a_model_that_is_a_structure_stops_a_run_and_names_its_line(one, written: str):
    skill = one(f"---\nname: x\ndescription: a\nmodel: {written}\nrunAs: subagent\n---\nB\n")
    assert skill.model is None
    assert skill.blockers[0].startswith(f"{skill.path}:4: model")
    assert skill.blockers[0] in skill.warnings
    with pytest.raises(SkillError, match="model"):
        skill.require_runnable()


def test_invalid_utf8_is_marked_and_its_line_named(one):
    skill = one(b"---\nname: x\ndescription: caf\xe9 time\n---\nB\xff\n")
    assert skill.description == "caf\ufffd time"
    assert skill.warnings[0].startswith(f"{skill.path}:3: ")
    assert "UTF-8" in skill.warnings[0]


def test_control_characters_are_taken_out_with_a_warning(one):
    skill = one("---\nname: x\ndescription: be\x07ll\nmodel: a/b\n---\nB\n")
    assert (skill.description, skill.model) == ("bell", "a/b")
    assert skill.warnings[0].startswith(f"{skill.path}:3: ")


BOMB = "---\nname: x\ndescription: a\na: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{chr(c)}: &{chr(c)} [{','.join(['*' + chr(c - 1)] * 10)}]\n" for c in range(98, 108)
)


def test_an_alias_bomb_costs_its_own_keys_only(one):
    skill = one(BOMB + "model: a/b\n---\nB\n")
    assert (skill.name, skill.description, skill.model, skill.body) == ("x", "a", "a/b", "B")
    assert any(w.startswith(f"{skill.path}:8: e: ") for w in skill.warnings)
    assert "k" not in skill.extra


def test_an_alias_bomb_as_a_merge_key_or_a_model_is_refused(one):
    skill = one(BOMB + "model: *k\nmodelConstraints: *j\n---\nB\n")
    assert skill.model is None
    assert len(skill.blockers) == 2
    merged = one("---\nbase: &b {model: a/b, name: y}\n<<: *b\nname: z\n---\nB\n", name="z")
    assert (merged.name, merged.model) == ("z", "a/b")


def test_many_small_aliases_are_bounded_together(one):
    big = "[" + ",".join("1" * 900) + "]"
    text = f"---\nname: x\ndescription: a\na: &a {big}\n" + "".join(
        f"k{n}: *a\n" for n in range(3000)
    )
    skill = one(text + "model: a/b\n---\nB\n")
    assert skill.model is None or skill.model == "a/b"
    assert sum(len(v) for v in skill.extra.values()) <= 10_000
    assert skill.warnings


@pytest.mark.parametrize(
    "head",
    [
        "a: &a [*a]",
        "a: " + "[" * 5000,
        "a: " + "{x: " * 2000,
        "- " * 3000,
        "? " * 2000,
        "!!python/object/apply:os.system ['echo']",
        "a: !!python/object/apply:os.system ['echo']",
        "a: !!timestamp nonsense",
        'a: "\\UFFFFFFFF"',
        'a: "\\uD800"',
        "a: " + "9" * 6000,
        "%YAML 9.9",
        "a: *nowhere",
        "\x00",
    ],
)
def test_hostile_front_matter_never_raises_and_keeps_the_other_keys(head: str):
    skill = parse_skill(f"---\nname: x\ndescription: fine\n{head}\n---\nBody\n")
    assert skill.body.endswith("Body")
    assert skill.name == "x"
    assert skill.description.startswith("fine")
    assert skill.to_json()


def test_a_huge_file_is_listed_but_does_not_run(one):
    skill = one(
        "---\nname: x\ndescription: big\nrunAs: subagent\n---\n" + "word " * (MAX_BYTES // 4)
    )
    assert (skill.name, skill.description) == ("x", "big")
    assert skill.blockers[0].startswith(f"{skill.path}:1: ")
    with pytest.raises(SkillError, match="larger than"):
        skill.require_runnable()


def test_front_matter_beyond_its_limit_is_not_parsed(one):
    skill = one("---\nname: x\n" + "".join(f"k{n}: v\n" for n in range(20_000)) + "---\nB\n")
    assert "longer than" in skill.blockers[0]
    assert skill.body == "B"


def test_no_front_matter_at_all_gives_the_file_its_name(one):
    skill = one("# Just text\n", name="notes")
    assert (skill.name, skill.description, skill.body) == ("notes", "", "# Just text")
    assert skill.warnings == (f"{skill.path}:1: has no description, so it stays out of the index",)
    rule = one("---\nJust a rule above text\n", name="rule")
    assert rule.body == "---\nJust a rule above text"


def test_an_empty_file_is_a_skill_without_anything(one):
    skill = one(b"", name="empty")
    assert (skill.name, skill.body, skill.run_as) == ("empty", "", "inline")


def test_a_file_that_is_not_there_is_an_error(tmp_path):
    with pytest.raises(SkillError, match=r"nothing\.md: cannot be read"):
        load_skill(tmp_path / "nothing.md")
