"""``routinglab skills``: list skills and agents, or check them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from routinglab.cli import exits, options
from routinglab.cli.output import note, print_json, print_table, say

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
    """Read every skill and say what is wrong with any of them, with file and line."""
    store = _store(project)
    warnings = [str(warning) for warning in store.warnings]
    if json:
        print_json({"skills": list(store.names), "warnings": warnings})
    else:
        say(f"{len(store.names)} skills, {len(warnings)} warnings")
        for warning in warnings:
            note(f"warning: {warning}")
    if strict and warnings:
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
