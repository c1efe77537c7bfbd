"""``routinglab skills``: listing and checking what is found."""

from __future__ import annotations

import json
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
    rows = {row["name"]: row for row in command("skills", "check", "--json").data["skills"]}
    assert (rows["quiet"]["status"], rows["explore"]["status"]) == ("warning", "ok")


def test_check_fails_on_a_skill_that_could_not_run(command) -> None:
    skill("deep", "---\nname: deep\ndescription: d\nrunAs: subagent\nmodel: nosuch/model-x\n---\nbody")  # fmt: skip
    ran = command("skills", "check")
    assert ran.code == exits.FOUND
    assert "deep.md:1: no model 'nosuch/model-x'" in ran.err
    assert ["error", "deep", "skill", "subagent"] in [
        line.split()[:4] for line in ran.out.splitlines()
    ]
    assert command("skills", "check", "--json").data["ok"] is False


def test_check_shows_which_file_hides_a_skill(command) -> None:
    skill("explore", "---\nname: explore\ndescription: mine\n---\nbody")
    rows = command("skills", "check", "--json").data["skills"]
    explore = {row["scope"]: row["hiddenBy"] for row in rows if row["name"] == "explore"}
    assert explore["project"] is None
    assert explore["builtin"].endswith(".routinglab/skills/explore.md")


def test_check_finds_contradicting_and_pointless_overrides(command) -> None:
    settings = {
        "worker": {"thinking": "high", "modelConstraints": {"allowedEfforts": ["low"]}},
        "ghost": {"model": "auto"},
    }
    Path(".routinglab").mkdir()
    Path(".routinglab/settings.json").write_text(
        json.dumps({"subagents": {"agentOverrides": settings}})
    )
    ran = command("skills", "check")
    assert ran.code == exits.FOUND
    told = ran.err.splitlines()
    assert any(line.startswith("error: ") and "no reasoning effort satisfies" in line for line in told)  # fmt: skip
    assert any(line.startswith("warning: ") and "agentOverrides.ghost" in line for line in told)
