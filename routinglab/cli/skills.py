"""``routinglab skills``: list skills and agents, or check them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from routinglab.cli import exits, options
from routinglab.cli.output import note, print_json, print_table, safe

if TYPE_CHECKING:
    from routinglab.skills.skill import Skill
    from routinglab.skills.store import SkillStore

verbs = typer.Typer(no_args_is_help=True, help="List or check the skills that are found here.")


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.add_typer(verbs, name="skills")


@verbs.command("list")
def list_(project: options.Project = None, json: options.Json = False) -> None:
    """List the skills found in the project, the home directory and the package."""
    store = _store(project)
    found = store.skills
    if json:
        print_json([_summary(skill) for skill in found])
        return
    print_table(
        ("name", "runs as", "model", "effort", "scope", "description"),
        [(s.name, s.run_as, s.model, s.effort, s.scope, _short(s.description)) for s in found],
    )


@verbs.command()
def check(
    project: options.Project = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 when there is any warning.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Look at every skill, hidden ones too, and say what is wrong with any, with file and line.

    A skill that is offered and could not run exits with 1: it lacks something, its overrides
    contradict each other, or it names a model that means nothing here. Warnings alone do so only
    with --strict.
    """
    from routinglab.skills.check import check_skills

    settings = options.settings_of(project)
    store = _store(project)
    report = check_skills(store, settings, options.catalog_of(None, settings))
    warnings = [*(text for skill in report.skills for text in skill.warnings), *report.warnings]
    if json:
        skills = [{**skill.to_dict(), "status": skill.status} for skill in report.skills]
        print_json({"ok": report.ok, "skills": skills, "warnings": list(report.warnings)})
    else:
        print_table(
            ("status", "name", "kind", "runs as", "scope", "model", "not used because of"),
            [
                (s.status, s.name, s.kind, s.run_as, s.scope, s.model, s.hidden_by)
                for s in report.skills
            ],
        )
        for text in dict.fromkeys(text for skill in report.skills for text in skill.errors):
            note(f"error: {safe(text)}")
        for text in dict.fromkeys(warnings):
            note(f"warning: {safe(text)}")
    if not report.ok or (strict and warnings):
        raise typer.Exit(exits.FOUND)


def _store(project: Path | None) -> SkillStore:
    from routinglab.skills.store import SkillStore

    return SkillStore(project or Path.cwd(), settings=options.settings_of(project))


def _summary(skill: Skill) -> dict[str, Any]:
    return {
        "name": skill.name,
        "description": skill.description,
        "runAs": skill.run_as,
        "model": skill.model,
        "effort": skill.effort,
        "scope": skill.scope,
        "path": str(skill.path) if skill.path else None,
    }


def _short(text: str) -> str:
    return text if len(text) <= 60 else text[:57] + "..."
