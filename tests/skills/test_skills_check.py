"""The report of ``routinglab skills check``, and what the package ships."""

from __future__ import annotations

import subprocess
import sys

from routinglab.catalog.model import Catalog, Model
from routinglab.core.needs import TaskNeeds
from routinglab.resources import shipped
from routinglab.settings import Settings
from routinglab.skills.check import SkillReport, check_skills

CHILD_TOOLS = {"read", "search", "find", "ls", "write", "edit", "bash", "fetch"}


def test_what_ships_is_without_fault(store):
    report = check_skills(store())
    assert report.ok
    assert [c.status for c in report.skills] == ["ok"] * len(report.skills)
    assert report.warnings == ()
    assert {c.name: c.kind for c in report.skills} == {
        "explore": "skill", "research": "skill", "review": "skill", "security_review": "skill",
        "worker": "agent", "scout": "agent", "planner": "agent", "reviewer": "agent",
    }  # fmt: skip


def test_what_ships_routes_has_known_tools_and_a_prompt(store):
    for skill in store().skills:
        assert skill.model == "auto"
        assert skill.tools
        assert set(skill.tools) <= CHILD_TOOLS
        assert len(skill.body) > 500
        assert skill.extra == {}
        assert skill.path is not None
        assert skill.path.is_relative_to(shipped("skills"))
    assert store().get("security_review").task_needs == TaskNeeds(
        work="code_review", mistake_cost="high"
    )
    assert not set(store().get("explore").tools or ()) & {"write", "edit", "bash", "fetch"}


def test_errors_warnings_and_hidden_ones_are_told_apart(put, store):
    bad = put(
        ".claude/skills/bad.md", "---\ndescription: b\nrunAs: subagent\neffort: huge\n---\nB\n"
    )
    put(".claude/skills/odd.md", "---\ndescription: o\ninvocation: never\n---\nB\n")
    put(".claude/skills/empty.md", "---\ndescription: e\nrunAs: subagent\n---\n")
    mine = put(".claude/skills/review.md", "---\ndescription: r\n---\nB\n")
    report = check_skills(store(disabled=["scout"]))
    checks = {c.name: c for c in report.skills if c.hidden_by is None}
    assert not report.ok
    assert checks["bad"].status == "error"
    assert checks["bad"].errors[0].startswith(f"{bad}:4: effort: 'huge'")
    assert checks["bad"].warnings == ()
    assert checks["odd"].status == "warning"
    assert "no instructions" in checks["empty"].errors[0]
    hidden = {c.name: c.hidden_by for c in report.skills if c.hidden_by}
    assert hidden == {"review": str(mine), "scout": "skills.disabled"}
    assert f"error    bad  (skill, project, subagent)" in str(report)  # noqa: F541
    assert SkillReport.model_validate(report.to_dict()) == report


def test_a_hidden_broken_skill_does_not_fail_the_check(put, store, home):
    put(".claude/skills/a.md", "---\ndescription: a\n---\nB\n")
    put(".claude/skills/a.md", "---\ndescription: a\neffort: huge\n---\nB\n", at=home)
    assert check_skills(store()).ok


def test_overrides_are_checked_with_the_agents_they_change(store):
    settings = Settings(
        subagents={
            "agentOverrides": {
                "worker": {"thinking": "max", "modelConstraints": {"allowedEfforts": ["low"]}},
                "scout": {"model": "a/b"},
                "nobody": {"model": "a/b"},
            }
        }
    )
    report = check_skills(store(), settings)
    checks = {c.name: c for c in report.skills}
    assert "no reasoning effort" in checks["worker"].errors[0]
    assert checks["scout"].model == "a/b"
    assert any("nobody: no agent" in w for w in report.warnings)


def test_with_a_catalog_every_model_name_must_mean_something(put, store):
    head = "---\ndescription: d\nrunAs: subagent\nmodel: {}\n{}---\nB\n"
    put(".claude/skills/fine.md", head.format("one/m:high", "fallbackModels: mine, one/m\n"))
    put(".claude/skills/lost.md", head.format("nowhere-7", ""))
    put(".claude/skills/half.md", head.format("auto", "fallbackModels: nowhere-8\n"))
    catalog = Catalog([Model(provider="one", id="m", efforts=("high",))])
    settings = Settings(modelAliases={"mine": "one/m:high"})
    checks = {c.name: c for c in check_skills(store(), settings, catalog).skills}
    assert checks["fine"].errors == ()
    assert "nowhere-7" in checks["lost"].errors[0]
    assert "nowhere-8" in checks["half"].errors[0]
    assert checks["explore"].errors == ()


def test_files_that_cannot_be_read_are_in_the_report(store, project):
    folder = project / ".claude/skills"
    folder.mkdir(parents=True)
    (folder / "gone.md").symlink_to(folder / "nothing")
    assert any("gone.md" in warning for warning in check_skills(store()).warnings)


def test_importing_skills_loads_nothing_heavy():
    heavy = "pandas numpy scipy httpx ipywidgets matplotlib nbformat"
    code = (
        "import sys, routinglab.skills.check, routinglab.skills.agents, "
        "routinglab.skills.builtin, routinglab.skills.subagent_tool\n"
        f"print([m for m in {heavy.split()} if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
