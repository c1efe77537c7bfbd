"""``routinglab evals``: look at an evals file, or check one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from routinglab.cli import exits, options
from routinglab.cli.output import note, print_json, print_table, safe, say

if TYPE_CHECKING:
    from routinglab.core.standing import Standing
    from routinglab.evals.row import Row

verbs = typer.Typer(no_args_is_help=True, help="Show or check a file of published results.")

File = Annotated[
    Path | None, typer.Argument(help="An evals.md; the settings' or shipped one unless given.")
]


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.add_typer(verbs, name="evals")


@verbs.command()
def show(
    path: File = None,
    model: Annotated[str | None, typer.Option("--model", help="Only this model.")] = None,
    benchmark: Annotated[
        str | None, typer.Option("--benchmark", help="Only this key, such as aa:TB4.")
    ] = None,
    json: options.Json = False,
) -> None:
    """Print measured results: all of them, or those of a model or a benchmark.

    A model's results come with its standing among the other models of each cohort.
    """
    from routinglab.core.text import did_you_mean
    from routinglab.errors import InvalidInput

    evals = options.evals_of(path, options.settings_of(None))
    if benchmark is not None and benchmark not in evals.keys:
        hint = did_you_mean(benchmark, evals.keys)
        raise InvalidInput(f"no benchmark {benchmark!r} in the file.{hint}", where="--benchmark")
    rows = evals.rows if model is None else evals.rows_for(model)
    rows = tuple(row for row in rows if benchmark in (None, row.benchmark))
    if model is not None and not rows:
        raise InvalidInput(f"no results of {model!r} in the file", where="--model")
    standings = evals.standings_for(model) if model is not None else {}
    if json:
        print_json([_row(row, standings.get(row.benchmark)) for row in rows])
        return
    print_table(
        ("model", "benchmark", "value", "unit", "effort", "standing", "line"),
        [
            (
                row.slug, row.benchmark, row.value, row.unit, row.effort,
                _share(standings.get(row.benchmark), row.value), row.line,
            )
            for row in rows
        ],
    )  # fmt: skip


@verbs.command()
def check(
    path: File = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Exit with 1 when there is any warning.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Say what was read from an evals file, table by table, and what could not be, with line numbers.

    A file that holds no value at all exits with 1, --strict or not.
    """
    from routinglab.evals.check import check_evals

    report = check_evals(options.evals_of(path, options.settings_of(None)))
    if json:
        print_json({**report.to_dict(), "ok": report.ok})
    else:
        told = report.lines()
        name = Path(report.path).name if report.path else "the text"
        for line in (f"{name}: {told[0]}", *told[1 : len(told) - len(report.warnings)]):
            say(safe(line))
        for warning in report.warnings:
            note(f"warning: {safe(str(warning))}")
    if not report.values or (strict and report.warnings):
        raise typer.Exit(exits.FOUND)


def _share(standing: Standing | None, value: float) -> str | None:
    # the standing is the model's best value's, so only that row carries it
    if standing is None or standing.value != value:
        return None
    return f"above {standing.share:.0%} of {standing.models - 1} others"


def _row(row: Row, standing: Standing | None) -> dict[str, Any]:
    return {
        "source": row.source,
        "benchmark": row.benchmark,
        "label": row.label,
        "slug": row.slug,
        "model": row.model,
        "effort": row.effort,
        "value": row.value,
        "unit": row.unit,
        "ci": row.ci,
        "setting": row.setting,
        "reporter": row.reporter,
        "harness": row.harness,
        "released": row.released,
        "asOf": row.as_of,
        "line": row.line,
        "standing": None if standing is None else standing.to_dict(),
    }
