"""``routinglab report``: execute a notebook and write one page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from routinglab.cli.output import note, print_json, print_table, progress, progress_done, say


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.command("report")(report)


def report(
    name: Annotated[
        str | None,
        typer.Argument(help="A shipped notebook's name (main, evals, replay) or an .ipynb path."),
    ] = None,
    parameter: Annotated[
        list[str] | None,
        typer.Option("-p", "--parameter", help="key=value for the notebook; may be repeated."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--out", help="The page; NAME.html here unless given.")
    ] = None,
    cwd: Annotated[
        Path | None, typer.Option("--cwd", help="The folder the notebook runs in; this one.")
    ] = None,
    code: Annotated[
        str | None, typer.Option("--code", help="collapsed, shown or hidden code cells.")
    ] = None,
    timeout: Annotated[
        float | None, typer.Option("--timeout", help="Seconds one cell may take; no limit.")
    ] = None,
    allow_scripts: Annotated[
        bool, typer.Option("--allow-scripts", help="Keep scripts that outputs bring along.")
    ] = False,
    list_: Annotated[
        bool, typer.Option("--list", help="List notebooks, or a notebook's parameters.")
    ] = False,
    quiet: Annotated[bool, typer.Option("-q", "--quiet", help="No progress.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")] = False,
) -> None:
    """Execute a notebook and write it as one self-contained HTML page.

    The page needs no network and no other file; the same inputs give the same bytes. A manifest of
    the inputs goes beside it.
    """
    from routinglab.errors import InvalidInput
    from routinglab.report.build import build_report, manifest_path
    from routinglab.report.parameters import parse_assignments

    if list_:
        _list(name, json)
        return
    if name is None:
        from routinglab.report.notebook import shipped_names

        raise InvalidInput(f"name a notebook: {', '.join(shipped_names())}, or a path")
    page = out or Path(f"{Path(name).stem}.html")
    manifest = build_report(
        name,
        page,
        parse_assignments(parameter or ()),
        cwd=cwd,
        code=code,  # type: ignore[arg-type]  # checked there, with the choices
        allow_scripts=allow_scripts,
        timeout=timeout,
        on_cell=None if quiet else progress,
    )
    if not quiet:
        progress_done()
        note(f"wrote {page} and {manifest_path(page).name}")
    if json:
        print_json(manifest)


def _list(name: str | None, json: bool) -> None:
    from routinglab.report.notebook import read_notebook, shipped_names
    from routinglab.report.parameters import parameters_of

    if name is None:
        names = shipped_names()
        if json:
            print_json(names)
        else:
            for each in names:
                say(each)
        return
    found = parameters_of(read_notebook(name).node)
    if json:
        print_json([{"name": p.name, "default": p.source, "help": p.help} for p in found])
    else:
        print_table(("parameter", "default", "help"), [(p.name, p.source, p.help) for p in found])
