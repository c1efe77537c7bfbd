"""``routinglab skills``: listing and checking what is found."""

from __future__ import annotations

from pathlib import Path

from routinglab.cli import exits


def skill(name: str, text: str) -> None:
    folder = Path(".routinglab/skills")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)


def test_lists_builtin_and_project_skills(command) -> None:
    skill("deepsearch", "---\nname: deepsearch\ndescription: d\nrunAs: subagent\nmodel: deepseek-pro\neffort: max\n---\nbody")  # fmt: skip
    listed = {row["name"]: row for row in command("skills", "list", "--json").data}
    assert {"explore", "research", "review", "security_review", "deepsearch"} <= set(listed)
    mine = listed["deepsearch"]
    assert (mine["runAs"], mine["model"], mine["effort"], mine["scope"]) == (
        "subagent", "deepseek-pro", "max", "project",
    )  # fmt: skip
    assert any(line.split()[:4] == ["deepsearch", "subagent", "deepseek-pro", "max"]
               for line in command("skills", "list").out.splitlines())  # fmt: skip


def test_check_names_file_and_problem_and_strict_fails(command) -> None:
    assert command("skills", "check", "--strict").code == exits.OK
    skill("quiet", "---\nname: quiet\n---\nbody")
    ran = command("skills", "check")
    assert ran.code == exits.OK
    assert "quiet.md" in ran.err
    assert command("skills", "check", "--strict").code == exits.FOUND
    assert "quiet" in command("skills", "check", "--json").data["skills"]
