"""Options that several verbs share, and the inputs they name."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, overload

import typer

if TYPE_CHECKING:
    from routinglab.catalog.model import Catalog
    from routinglab.core.constraints import ModelConstraints
    from routinglab.core.needs import TaskNeeds
    from routinglab.evals.evals import Evals
    from routinglab.routing.router import Router
    from routinglab.settings import Settings
    from routinglab.skills.skill import Skill

Json = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]

EvalsFile = Annotated[
    Path | None,
    typer.Option("--evals", help="An evals.md; else the settings' one, else the shipped one."),
]
CatalogFiles = Annotated[
    list[Path] | None,
    typer.Option("--catalog", help="A model file over the curated catalog; may be repeated."),
]
Project = Annotated[
    Path | None,
    typer.Option("--project", help="The folder whose .routinglab to read; else this one."),
]
Record = Annotated[
    Path | None, typer.Option("--record", help="Append what happens to this recording.")
]
WholeCatalog = Annotated[
    bool,
    typer.Option("--all-models", help="Offer the whole catalog, not only configured providers."),
]

Work = Annotated[
    str | None,
    typer.Option(
        "--work",
        help="Kind of work: computer_use, coding, code_review, codebase_lookup, research, "
        "business_workflow, math_science, writing.",
    ),
]
Difficulty = Annotated[
    str | None,
    typer.Option("--difficulty", help="trivial, easy, moderate, hard or very_hard."),
]
MistakeCost = Annotated[
    str | None,
    typer.Option("--mistake-cost", help="negligible, low, moderate, high or severe."),
]
Images = Annotated[
    bool | None, typer.Option("--images/--no-images", help="Whether the task needs images read.")
]
LongContext = Annotated[
    bool | None,
    typer.Option("--long-context/--no-long-context", help="Whether it must hold very much text."),
]
Fast = Annotated[
    bool | None,
    typer.Option("--fast/--no-fast", help="Whether a fast answer beats extra reasoning."),
]
AllowModels = Annotated[
    list[str] | None, typer.Option("--allow-model", help="Only these models; may be repeated.")
]
AllowProviders = Annotated[
    list[str] | None, typer.Option("--allow-provider", help="Only these providers.")
]
ExcludeProviders = Annotated[
    list[str] | None, typer.Option("--exclude-provider", help="Never these providers.")
]
MaxInputCost = Annotated[
    float | None, typer.Option("--max-input-cost", help="USD per million input tokens, at most.")
]
MaxOutputCost = Annotated[
    float | None, typer.Option("--max-output-cost", help="USD per million output tokens, at most.")
]
MinContext = Annotated[
    int | None, typer.Option("--min-context", help="Context window in tokens, at least.")
]
RequireInputs = Annotated[
    list[str] | None, typer.Option("--require-input", help="text or image; may be repeated.")
]
Efforts = Annotated[
    list[str] | None,
    typer.Option("--effort", help="An allowed effort, or none; may be repeated."),
]


def needs_from(
    work: str | None,
    difficulty: str | None,
    mistake_cost: str | None,
    images: bool | None,
    long_context: bool | None,
    fast: bool | None,
) -> TaskNeeds:
    """The needs that were stated."""
    from routinglab.core.needs import TaskNeeds

    stated = {
        "work": work,
        "difficulty": difficulty,
        "mistake_cost": mistake_cost,
        "needs_images": images,
        "long_context": long_context,
        "latency_sensitive": fast,
    }
    return TaskNeeds(**_given(stated))


def constraints_from(
    *,
    allow_models: list[str] | None = None,
    allow_providers: list[str] | None = None,
    exclude_providers: list[str] | None = None,
    max_input_cost: float | None = None,
    max_output_cost: float | None = None,
    min_context: int | None = None,
    require_inputs: list[str] | None = None,
    efforts: list[str] | None = None,
) -> ModelConstraints | None:
    """The constraints that were stated, or None where none was."""
    from routinglab.core.constraints import ModelConstraints

    stated = {
        "allowed_models": allow_models,
        "allowed_providers": allow_providers,
        "excluded_providers": exclude_providers,
        "max_input_cost": max_input_cost,
        "max_output_cost": max_output_cost,
        "min_context_window": min_context,
        "required_inputs": require_inputs,
        "allowed_efforts": [None if e in ("none", "null") else e for e in efforts or ()] or None,
    }
    given = _given(stated)
    return ModelConstraints(**given) if given else None


def _given(stated: dict[str, Any]) -> dict[str, Any]:
    # an option that may be repeated is an empty list when it was not given
    return {name: value for name, value in stated.items() if value is not None and value != []}


def settings_of(project: Path | None) -> Settings:
    """The settings that hold in ``project``, with their warnings on stderr."""
    from routinglab.cli.output import note
    from routinglab.settings import load_settings

    settings = load_settings(project)
    for warning in settings.warnings:
        note(f"warning: {warning}")
    return settings


def catalog_of(files: list[Path] | None, settings: Settings) -> Catalog:
    """The curated catalog with the settings' and the given files over it."""
    from routinglab.catalog.files import load_catalog

    return load_catalog(*settings.catalog, *(files or ()))


def router_of(
    project: Path | None,
    catalog: list[Path] | None,
    evals: Path | None,
    *,
    policy: str = "evidence",
    all_models: bool = False,
    record: Path | None = None,
    tell: bool = True,
) -> Router:
    """A router over what the options name; ``tell`` says on stderr how much of the catalog it offers."""
    from routinglab.cli.output import note
    from routinglab.evals.evals import load_evals
    from routinglab.lab.writer import RecordingWriter
    from routinglab.routing.router import Router

    settings = settings_of(project)
    router = Router(
        settings,
        catalog_of(catalog, settings),
        load_evals(evals) if evals is not None else settings.evals,
        policy=policy,
        what_if=all_models,
        record=RecordingWriter(record) if record is not None else None,
    )
    offered, known = len(router.planner().catalog), len(router.catalog)
    if tell and offered < known and not all_models:
        note(f"{offered} of {known} models are at configured providers (--all-models: all of them)")
    return router


def evals_of(path: Path | None, settings: Settings) -> Evals:
    """The evals file that was given, else the settings' one, else the shipped one."""
    from routinglab.evals.evals import load_evals

    return load_evals(path or settings.evals)


@overload
def skill_of(name: str, project: Path | None, settings: Settings) -> Skill: ...
@overload
def skill_of(name: None, project: Path | None, settings: Settings) -> None: ...
@overload
def skill_of(name: str | None, project: Path | None, settings: Settings) -> Skill | None: ...
def skill_of(name: str | None, project: Path | None, settings: Settings) -> Skill | None:
    """The skill or agent of that name, as found from ``project``."""
    from routinglab.skills.store import SkillStore

    return None if name is None else SkillStore(project or Path.cwd(), settings=settings).get(name)
