"""``routinglab run``: launch a skill or an agent, and print its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from routinglab.cli import exits, options
from routinglab.cli.output import note, print_json, safe, say

if TYPE_CHECKING:
    from routinglab.running.attempt import Attempt
    from routinglab.running.events import RunEvent


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("run")(run)


def run(
    agent: Annotated[str, typer.Argument(help="A skill or agent, by name.")],
    task: Annotated[
        str, typer.Argument(help="What it is to do; it sees nothing else. An agent may need none.")
    ] = "",
    model: Annotated[
        str | None,
        typer.Option(
            "--model", help="provider/id:effort, an alias, or auto; else the agent's own."
        ),
    ] = None,
    fallback: Annotated[
        list[str] | None, typer.Option("--fallback", help="Tried in order after the first.")
    ] = None,
    continue_from: Annotated[
        str | None, typer.Option("--continue", help="Go on from this transcript (sa_...).")
    ] = None,
    fork_from: Annotated[
        str | None, typer.Option("--fork", help="Start from a copy of this transcript.")
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
    effort: Annotated[
        list[str] | None,
        typer.Option(
            "--effort",
            help="The reasoning level to run at; several: those that routing may choose from.",
        ),
    ] = None,
    evals: options.EvalsFile = None,
    catalog: options.CatalogFiles = None,
    project: options.Project = None,
    record: options.Record = None,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress.")] = False,
    json: options.Json = False,
) -> None:
    """Run a skill or agent on a task and print its final answer.

    What is tried, and which tools are called, goes to stderr as it happens.
    """
    from routinglab.catalog.names import as_effort
    from routinglab.errors import InvalidInput
    from routinglab.running.runner import Runner
    from routinglab.skills.run import RunOptions

    stated = effort or []
    several = len(stated) > 1
    needs = options.needs_from(work, difficulty, mistake_cost, images, long_context, fast)
    limits = options.constraints_from(
        allow_models=allow_model,
        allow_providers=allow_provider,
        exclude_providers=exclude_provider,
        max_input_cost=max_input_cost,
        max_output_cost=max_output_cost,
        min_context=min_context,
        require_inputs=require_input,
        efforts=effort if several or stated == ["none"] else None,
    )
    start = RunOptions(continue_from=continue_from, fork_from=fork_from)
    router = options.router_of(project, catalog, evals, record=record, tell=False)
    skill = options.skill_of(agent, project, router.settings)
    if skill.kind == "skill" and not task.strip() and not start:
        raise InvalidInput(f"{skill.name} is a skill and knows nothing else: say what it is to do")
    runner = Runner(router, workspace=project)
    result = runner.run_sync(
        skill,
        task,
        model=model,
        effort=None if several or stated in ([], ["none"]) else as_effort(stated[0]),
        needs=needs,
        constraints=limits,
        fallback_models=fallback,
        options=start,
        on_event=None if quiet else _tell,
    )
    if not quiet:
        for line in result.notes:
            note(safe(line))
        if result.transcript:
            note(f"transcript {result.transcript} (--continue, --fork)")
    if json:
        print_json(result)
    elif result.ok:
        say(result.text)
    if not result.ok:
        note(f"routinglab: {safe(result.error or f'the run ended as {result.status}')}")
        raise typer.Exit(exits.FAILED)


def _tell(event: RunEvent) -> None:
    match event.kind:
        case "decided" if event.decision is not None:
            note(f"routed to {event.decision.primary}")
        case "attempt" if event.candidate is not None:
            note(f"trying {event.candidate}")
        case "tool":
            note(f"  {safe(f'{event.tool} {event.text}')}")
        case "waiting":
            note(f"  {safe(event.text)}")
        case "attempt_done" if event.attempt is not None and event.attempt.kind != "ok":
            note(f"  {_how(event.attempt)}")
        case _:
            pass


def _how(attempt: Attempt) -> str:
    reason = f" ({attempt.failure})" if attempt.failure else ""
    # a skipped one was never announced, so its line says who
    who = f"{attempt.candidate} " if attempt.kind == "skipped" else ""
    return safe(f"{who}{attempt.kind}{reason}: {attempt.message}")
