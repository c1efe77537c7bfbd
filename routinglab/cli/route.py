"""``routinglab route``: decide and explain, launching nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from routinglab.cli import options
from routinglab.cli.output import note, print_json, say

if TYPE_CHECKING:
    from routinglab.routing.decision import Decision, RoutingRequest


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("route")(route)


def route(
    task: Annotated[
        str | None,
        typer.Argument(help="The task. Given, models are asked: one reads it, one chooses."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", help="The skill or agent it is for, by name.")
    ] = None,
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
    record: options.Record = None,
    explain: Annotated[
        bool, typer.Option("--explain/--no-explain", help="Say why, and what would flip it.")
    ] = True,
    json: options.Json = False,
) -> None:
    """Decide which model and effort a task goes to, and explain why.

    Without a task nothing is sent: the needs that are stated count, an open scale counts as its
    middle level, and the ranking chooses.
    """
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
    router = options.router_of(
        project, catalog, evals, policy=policy, all_models=all_models, record=record
    )
    skill = options.skill_of(agent, project, router.settings)
    if task is None:
        if needs.missing and skill is None:
            note(f"not stated: {', '.join(needs.missing)}")
        decision = router.decide(agent=skill, needs=needs, constraints=limits)
    else:
        decision = router.route_sync(task, agent=skill, needs=needs, constraints=limits)
    if json:
        print_json({"decision": decision.to_dict(), "explanation": str(decision.explain())})
    else:
        _say(decision, explain)


def _say(decision: Decision, explain: bool) -> None:
    say(str(decision.primary))
    for fallback in decision.fallbacks:
        say(f"  then {fallback}")
    if explain:
        say()
        say(str(decision.explain()))
        for request in decision.requests:
            say(_asked(request))


def _asked(request: RoutingRequest) -> str:
    """Who was asked what in routing, and what that took; unknown figures are left out."""
    facts = [
        f"asked {request.model} ({request.purpose}): {request.outcome}",
        f"{request.input_tokens} tokens in" if request.input_tokens is not None else "",
        f"{request.output_tokens} out" if request.output_tokens is not None else "",
        f"${request.cost:.6f}" if request.cost is not None else "",
        f"{request.seconds:.1f} s" if request.seconds is not None else "",
    ]
    return ", ".join(fact for fact in facts if fact)
