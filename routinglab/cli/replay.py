"""``routinglab replay``: decide recorded tasks again, and say what came out otherwise."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from routinglab.cli import exits, options
from routinglab.cli.output import note, print_json, print_table, say


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("replay")(replay)


def replay(
    recording: Annotated[Path, typer.Argument(help="A recording (JSON Lines).")],
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 when any decision came out otherwise.")
    ] = False,
    choice: Annotated[
        str, typer.Option("--choice", help="recorded: the recorded choice stands; rank: ranking.")
    ] = "recorded",
    policy: Annotated[str, typer.Option("--policy", help="The ranking policy.")] = "evidence",
    evals: options.EvalsFile = None,
    catalog: options.CatalogFiles = None,
    project: options.Project = None,
    json: options.Json = False,
) -> None:
    """Decide every recorded task again, without any network.

    With the same inputs every decision comes out the same; with others this is a counterfactual.
    """
    from routinglab.lab.recording import load_recording
    from routinglab.lab.replay import replay as replay_recording

    settings = options.settings_of(project)
    recorded = load_recording(recording)
    for problem in recorded.problems:
        note(f"warning: {problem}")
    result = replay_recording(
        recorded,
        evals=options.evals_of(evals, settings),
        catalog=options.catalog_of(catalog, settings, whole=True),
        settings=settings,
        policy=policy,
        choice=choice,
    )
    rows = result.decisions
    drifted = rows[rows["flipped"]]
    if json:
        print_json(rows.astype(object).where(rows.notna(), None).to_dict("records"))
    else:
        say(f"{len(rows)} tasks, {len(drifted)} decided otherwise")
        if len(drifted):
            columns = ("task", "before", "after", "why")
            print_table(columns, drifted[list(columns)].itertuples(index=False))
    if check and len(drifted):
        raise typer.Exit(exits.FOUND)
