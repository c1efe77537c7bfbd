"""``routinglab route``: decide and explain, launching nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from routinglab.cli import options
from routinglab.cli.output import note, print_json, say

if TYPE_CHECKING:
    from routinglab.core.needs import TaskNeeds


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("route")(route)


def route(
    work: options.Work = None,
    difficulty: options.Difficulty = None,
    mistake_cost: options.MistakeCost = None,
    images: options.Images = None,
    long_context: options.LongContext = None,
    fast: options.Fast = None,
    allow_model: options.AllowModels = None,
    allow_provider: options.AllowProviders = None,
    exclude_provider: options.ExcludeProviders = None,
    max_input_cost: options.MaxInputCost = None,
    max_output_cost: options.MaxOutputCost = None,
    min_context: options.MinContext = None,
    require_input: options.RequireInputs = None,
    effort: options.Efforts = None,
    policy: Annotated[str, typer.Option("--policy", help="The ranking policy.")] = "evidence",
    evals: options.EvalsFile = None,
    catalog: options.CatalogFiles = None,
    project: options.Project = None,
    all_models: options.WholeCatalog = False,
    json: options.Json = False,
) -> None:
    """Decide which model and effort a task goes to, and explain why. Sends nothing.

    What is not stated is not asked: an open scale counts as its middle level. The ranking chooses.
    """
    from routinglab.routing.plan import Planner

    settings = options.settings_of(project)
    needs = options.needs_from(work, difficulty, mistake_cost, images, long_context, fast)
    limits = options.constraints_from(
        allow_models=allow_model,
        allow_providers=allow_provider,
        exclude_providers=exclude_provider,
        max_input_cost=max_input_cost,
        max_output_cost=max_output_cost,
        min_context=min_context,
        require_inputs=require_input,
        efforts=effort,
    )
    planner = Planner(
        options.catalog_of(catalog, settings, whole=all_models),
        options.evals_of(evals, settings),
        settings,
        policy=policy,
    )
    decision = planner.plan(needs, call=limits).decide()
    if json:
        print_json({"decision": decision.to_dict(), "explanation": str(decision.explain())})
        return
    say(f"{decision.primary}")
    for fallback in decision.fallbacks:
        say(f"  then {fallback}")
    say()
    say(str(decision.explain()))
    _say_assumptions(needs)


def _say_assumptions(needs: TaskNeeds) -> None:
    if needs.missing:
        note(f"not stated: {', '.join(needs.missing)}")
