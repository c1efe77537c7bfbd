"""Where skills are found and which one a name means (SPEC 11.2)."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from routinglab.errors import SkillError
from routinglab.skills.scan import AGENT_FOLDERS, SKILL_FOLDERS

BUILTIN = {"explore", "research", "review", "security_review"}
BUILTIN_AGENTS = {"worker", "scout", "planner", "reviewer"}


def md(description: str = "d", *lines: str) -> str:
    return "\n".join(("---", f"description: {description}", *lines, "---", "Body", ""))


def test_all_four_folders_of_a_project_are_scanned_and_the_first_wins(put, store):
    for number, folder in enumerate(reversed(SKILL_FOLDERS)):
        put(f"{folder}/shared.md", md(f"from {folder}"))
        put(f"{folder}/own{number}/SKILL.md", md("own"))
    found = store()
    assert found.get("shared").description == "from .routinglab/skills"
    assert {f"own{n}" for n in range(4)} <= set(found.names)
    assert [h.by for h in found.hidden] == [found.get("shared")] * 3


def test_project_then_custom_then_global_then_builtin(put, store, home, tmp_path):
    custom = tmp_path / "custom"
    put(".claude/skills/explore.md", md("project"))
    put("explore.md", md("custom"), at=custom)
    put("research.md", md("custom"), at=custom)
    put("review.md", md("custom"), at=custom)
    for name in ("explore", "research", "security_review"):
        put(f".agents/skills/{name}/SKILL.md", md("global"), at=home)
    found = store(paths=[custom])
    assert [(s.name, s.description, s.scope) for s in found.skills if s.name in BUILTIN] == [
        ("explore", "project", "project"),
        ("research", "custom", "custom"),
        ("review", "custom", "custom"),
        ("security_review", "global", "global"),
    ]
    assert {h.skill.scope for h in found.hidden} >= {"custom", "global", "builtin"}


def test_a_name_of_its_own_beats_the_folder_and_file_name(put, store):
    put(".claude/skills/folder/SKILL.md", md("d", "name: told"))
    put(".claude/skills/flat.md", md("d"))
    assert {"told", "flat"} <= set(store().names)
    assert "folder" not in store().names


def test_depth_is_counted_in_folders_and_can_be_set(put, store):
    put(".agents/skills/a/b/c/SKILL.md", md())
    put(".agents/skills/a/b/c/d/SKILL.md", md())
    assert "c" in store().names
    assert "d" not in store().names
    assert "d" in store(max_depth=4).names
    assert "c" not in store(max_depth=2).names


@pytest.mark.parametrize("name", ["assets", "node_modules", "references", "scripts", ".git"])
def test_folders_that_hold_no_skills_are_skipped(put, store, name: str):
    put(f".agents/skills/{name}/hidden/SKILL.md", md())
    put(f".agents/skills/{name}/flat.md", md())
    put(".agents/skills/.dot.md", md())
    assert not {"hidden", "flat", ".dot"} & set(store().names)


def test_files_beside_a_skill_file_are_its_material(put, store):
    put(".claude/skills/pdf/SKILL.md", md("pdf"))
    put(".claude/skills/pdf/forms.md", "# Forms")
    put(".claude/skills/pdf/more/notes.md", "# Notes")
    put(".claude/skills/pdf/more/sub/SKILL.md", md("nested"))
    found = store()
    assert {"pdf", "sub"} <= set(found.names)
    assert not {"forms", "notes"} & set(found.names)


def test_links_are_followed_and_loops_are_not(put, store, project, tmp_path):
    put("linked/SKILL.md", md("by link"), at=tmp_path / "elsewhere")
    put("flat.md", md("flat by link"), at=tmp_path / "elsewhere")
    root = project / ".claude/skills"
    (root / "a").mkdir(parents=True)
    (root / "linked").symlink_to(tmp_path / "elsewhere/linked")
    (root / "other.md").symlink_to(tmp_path / "elsewhere/flat.md")
    (root / "a/up").symlink_to(root)
    (root / "self").symlink_to(root / "self")
    (root / "gone.md").symlink_to(root / "nothing")
    found = store()
    assert found.get("linked").description == "by link"
    assert found.get("other").description == "flat by link"
    assert len([s for s in found.skills if s.name == "linked"]) == 1
    assert any("gone.md" in warning for warning in found.warnings)


def test_a_pipe_or_an_unreadable_file_costs_no_other_skill(put, store, project):
    put(".claude/skills/good.md", md())
    put(".claude/skills/bad.md", b"\xff\xfe\x00")
    os.mkfifo(project / ".claude/skills/pipe.md")
    (project / ".claude/skills/folder.md").mkdir()
    found = store()
    assert "good" in found.names
    assert any("pipe.md" in warning for warning in found.warnings)


def test_settings_disable_names_and_exclude_paths(put, store, project):
    put(".claude/skills/a.md", md())
    put(".claude/skills/b/SKILL.md", md())
    put(".claude/skills/c.md", md())
    found = store(disabled=["a", "explore"], excluded_paths=[project / ".claude/skills/b"])
    assert not {"a", "b", "explore"} & set(found.names)
    assert "c" in found.names
    with pytest.raises(SkillError, match="'a' is disabled"):
        found.get("a")


def test_a_custom_path_may_be_a_file_or_a_skill_folder_and_a_missing_one_is_told(
    put, store, tmp_path
):
    file = put("single.md", md(), at=tmp_path)
    folder = put("mine/SKILL.md", md(), at=tmp_path).parent
    put("mine/extra.md", "text", at=tmp_path)
    found = store(paths=[file, folder, tmp_path / "missing"])
    assert {"single", "mine"} <= set(found.names)
    assert "extra" not in found.names
    assert any("missing: is listed under skills.paths" in w for w in found.warnings)


def test_agent_files_load_as_subagents(put, store, home):
    for number, folder in enumerate(AGENT_FOLDERS):
        put(f"{folder}/agent{number}.md", md(), at=home)
    put(".claude/agents/helper.md", md("helps", "tools: Read, Grep", "model: sonnet"))
    found = store()
    helper = found.get("helper")
    assert (helper.run_as, helper.kind, helper.scope) == ("subagent", "agent", "project")
    assert (helper.tools, helper.model) == (("Read", "Grep"), "sonnet")
    assert all(found.get(f"agent{n}").is_subagent for n in range(4))
    assert set(found.names) >= BUILTIN | BUILTIN_AGENTS


def test_a_file_without_a_description_loads_but_stays_out_of_the_index(put, store):
    put(".claude/skills/plain.md", "Just text")
    put(".claude/skills/README.md", "# About these skills")
    found = store()
    assert found.get("plain").body == "Just text"
    assert "plain" not in found.index()
    assert any("plain.md:1: has no description" in w for w in found.warnings)
    assert "README" not in found.names


def test_the_index_lists_names_tags_and_descriptions_on_one_line_each(put, store):
    put(".claude/skills/b.md", md("|\n  two\n  lines"))
    put(".claude/skills/a.md", md("runs alone", "runAs: subagent"))
    put(".claude/skills/c.md", md("secret", "invocation: manual"))
    put(".claude/skills/d.md", md("long " * 400))
    lines = store(disabled=[*BUILTIN, *BUILTIN_AGENTS]).index().split("\n")
    assert lines[:2] == ["- a [subagent]: runs alone", "- b: two lines"]
    assert lines[2].startswith("- d: long long")
    assert len(lines[2]) == len("- d: ") + 500
    assert len(lines) == 3


def test_a_tag_copied_with_a_name_is_forgiven(store):
    found = store()
    assert found.get("explore [subagent]") is found.get("explore")
    assert found.get("  explore ") is found.get("explore")


def test_an_unknown_name_lists_what_exists(put, store):
    put(".claude/skills/mine.md", md())
    with pytest.raises(SkillError) as caught:
        store().get("exlpore [subagent]")
    text = str(caught.value)
    assert "'exlpore'" in text
    assert "Did you mean 'explore'?" in text
    assert all(name in text for name in ("mine", *BUILTIN, *BUILTIN_AGENTS))
    assert store().find("exlpore") is None


def test_a_broken_skill_still_hides_the_builtin_of_its_name(put, store):
    put(".claude/skills/review.md", md("mine", "model: [a, b]", "runAs: subagent"))
    found = store()
    assert found.get("review").scope == "project"
    assert found.get("review").blockers


def test_two_files_of_one_name_in_one_scope_are_told(put, store):
    put(".claude/skills/a.md", md("first", "name: same"))
    put(".claude/skills/b.md", md("second", "name: same"))
    found = store()
    assert found.get("same").description == "first"
    assert any("b.md:1: 'same' is already named by" in w for w in found.warnings)


def test_reload_sees_what_changed(put, store):
    found = store()
    put(".claude/skills/late.md", md())
    assert "late" not in found.names
    found.reload()
    assert "late" in found.names


def test_home_and_project_in_one_place_are_scanned_once(put, project):
    from routinglab.skills.store import SkillStore

    put(".claude/skills/a.md", md())
    found = SkillStore(project, project)
    assert [s.scope for s in found.skills if s.name == "a"] == ["project"]
    assert not [h for h in found.hidden if h.skill.name == "a"]


def test_names_no_terminal_can_show_do_not_stop_a_scan(project, store):
    folder = project / ".claude/skills"
    folder.mkdir(parents=True)
    try:
        (folder / os.fsdecode(b"caf\xe9.md")).write_text("text")
    except OSError:
        pytest.skip("this file system takes no such name")
    found = store()
    assert any(name.startswith("caf") for name in found.names)
    assert all(warning.encode() for warning in found.warnings)


def test_the_defaults_are_the_working_directory_and_the_named_home(put, project, home, monkeypatch):
    from routinglab import SkillStore

    monkeypatch.chdir(project)
    monkeypatch.setenv("ROUTINGLAB_HOME", str(home))
    put(".claude/skills/here.md", md())
    put(".agents/skills/there.md", md(), at=home)
    assert {"here", "there"} <= set(SkillStore().names)
    assert Path.cwd() == project
