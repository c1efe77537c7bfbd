"""``routinglab replay``: decide recorded tasks again, and say what came out otherwise."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from routinglab.cli import exits, options
from routinglab.cli.output import note, print_json, print_table, say


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("replay")(replay)


class Choice(StrEnum):
    """Who chooses from the shortlist in a replay."""

    recorded = "recorded"
    rank = "rank"


def replay(
    recording: Annotated[Path, typer.Argument(help="A recording (JSON Lines).")],
    check: Annotated[
        bool, typer.Option("--check", help="Exit with 1 when any decision came out otherwise.")
    ] = False,
    choice: Annotated[
        Choice, typer.Option("--choice", help="The recorded choice stands, or the ranking decides.")
    ] = Choice.recorded,
    policy: Annotated[str, typer.Option("--policy", help="The ranking policy.")] = "evidence",
    max_output_cost: options.MaxOutputCost = None,
    max_input_cost: options.MaxInputCost = None,
    evals: options.EvalsFile = None,
    catalog: options.CatalogFiles = None,
    project: Annotated[
        Path | None,
        typer.Option("--project", help="Use this folder's settings instead of the recorded ones."),
    ] = None,
    json: options.Json = False,
    csv: Annotated[
        bool, typer.Option("--csv", help="Print one line of CSV a task, and no summary.")
    ] = False,
) -> None:
    """Decide every recorded task again, without any network.

    With nothing changed every decision comes out the same, or the row says what drifted; with other
    evals, models, limits or another policy it says what would have been decided.
    """
    from routinglab.catalog.files import load_catalog
    from routinglab.errors import InvalidInput
    from routinglab.lab.recording import load_recording
    from routinglab.lab.replay import replay as replay_recording

    if json and csv:
        raise InvalidInput("name one of --json and --csv")
    recorded = load_recording(recording)
    for problem in recorded.problems:
        note(f"warning: {problem}")
    result = replay_recording(
        recorded,
        evals=evals or options.settings_of(project).evals,
        catalog=load_catalog(*catalog) if catalog else None,
        settings=options.settings_of(project) if project else None,
        also=options.constraints_from(
            max_input_cost=max_input_cost, max_output_cost=max_output_cost
        ),
        policy=policy,
        choice=choice.value,
    )
    drifted = set(result.drifted)
    if csv:
        say(result.decisions.to_csv(index=False, lineterminator="\n").rstrip("\n"))
    elif json:
        rows = result.decisions.astype(object)
        print_json(
            {
                "summary": {k: _finite(v) for k, v in result.summary.to_dict().items()},
                "drifted": list(result.drifted),
                "decisions": rows.where(rows.notna(), None).to_dict("records"),
            }
        )
    else:
        say(str(result.summary))
        if drifted:
            columns = ["task", "before", "after", "drift", "why"]
            frame = result.decisions[columns]
            other = frame[frame["task"].isin(drifted)].astype(object)
            say()
            print_table(columns, other.where(other.notna(), None).itertuples(index=False))
    if check and drifted:
        note(f"{len(drifted)} of {len(result)} decisions drifted")
        raise typer.Exit(exits.FOUND)


def _finite(value: float) -> float | None:
    return None if value != value else value  # NaN is no JSON
