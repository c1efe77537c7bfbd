"""Views of an evals file: what it holds, who stands where, and quality against cost."""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from routinglab.errors import InvalidInput
from routinglab.report.blocks import Blocks, Column, Facts, Figure, Note, Table
from routinglab.report.plots import Point, scatter
from routinglab.report.views.keys import axes_of, shown_keys

if TYPE_CHECKING:
    import pandas as pd

    from routinglab.evals.evals import Evals


def overview(evals: Evals) -> Facts:
    """How much the file holds, and from when."""
    results = evals.results
    dates = results["as_of"].dropna()
    newest = dates.max().date().isoformat() if len(dates) else "undated"
    return Facts(
        {
            "Results": len(results),
            "Models": results["model"].nunique(),
            "Benchmarks": len(evals.keys),
            "Sources": results["source"].nunique(),
            "Newest": newest,
            "Not read": (len(evals.warnings), "lines the reader could not use"),
        },
        caption=f"Counted in {_name(evals)}; SHA-256 {evals.digest[:12]}…",
    )


def sources_table(evals: Evals) -> Table:
    """One row a section of the file: what it measured, on how many models, when."""
    grouped = evals.results.groupby("source", sort=False)
    rows = tuple(
        (
            source,
            part["as_of"].max(),
            part["model"].nunique(),
            len(part),
            ", ".join(dict.fromkeys(part["benchmark"])),
        )
        for source, part in grouped
    )
    columns = (
        Column("Source"),
        Column("Read on"),
        Column("Models"),
        Column("Results"),
        Column("Benchmarks", wide=True),
    )
    return Table(
        columns, rows, f"Sections of {_name(evals)}; values of two sections are never compared."
    )


def models_table(evals: Evals, keys: tuple[str, ...] | None = None) -> Table:
    """One row a model: release, efforts measured, and its best value in each of ``keys``.

    Without ``keys``, in a few that the file has.
    """
    labels = _labels(evals)
    chosen = [key for key in (shown_keys(evals) if keys is None else keys) if key in labels]
    best = evals.pivot()
    frame = evals.models.set_index("model")
    rows = [
        (
            model["name"],
            model["released"],
            model["efforts"],
            *(best.at[name, key] if name in best.index else None for key in chosen),
            model["values"],
        )
        for name, model in frame.iterrows()
    ]
    if chosen:  # best first, unknown last; the rest keep the order of the file
        rows.sort(key=lambda row: -row[3] if row[3] is not None and row[3] == row[3] else inf)
    columns = (
        Column("Model"),
        Column("Released"),
        Column("Efforts measured"),
        *(Column(labels[key], hint=key) for key in chosen),
        Column("Results"),
    )
    return Table(
        columns,
        tuple(rows),
        f"Best value over efforts in the newest edition that measured the model, from "
        f"{_name(evals)}. A dash is unknown, not zero.",
    )


def standings_table(evals: Evals, work: str) -> Table | Note:
    """Where each model stands in the cohorts that count for a kind of work, best mean first."""
    from routinglab.evals.cohorts import SMALLEST_COHORT
    from routinglab.routing.cohorts import cohorts

    table = cohorts()
    if work not in table.work:
        raise InvalidInput(
            f"work {work!r} is not one of {', '.join(table.work)}", choices=tuple(table.work)
        )
    keys = [full for key in table.of(work) for full in evals.cohort_keys(key)]
    overall = [key for key in (table.overall,) if key in evals.keys and key not in keys]
    labels = _labels(evals)
    rows = []
    for name, model in evals.models.set_index("model").iterrows():
        shares = {key: evals.standing(str(name), key) for key in [*keys, *overall]}
        known = [standing.share for key in keys if (standing := shares[key]) is not None]
        if any(shares.values()):
            mean = sum(known) / len(known) if known else None
            rows.append((model["name"], mean, *(s.share if s else None for s in shares.values())))
    rows.sort(key=lambda row: (row[1] is None, -(row[1] or 0), row[0]))
    if not rows:
        return Note(
            f"{_name(evals)} has no benchmark on which at least {SMALLEST_COHORT} models stand and "
            f"that counts for {work.replace('_', ' ')}, so routing knows no model's quality at it."
        )
    columns = (
        Column("Model"),
        Column("Mean", ".0%"),
        *(Column(labels.get(key, key), ".0%", hint=key) for key in [*keys, *overall]),
    )
    return Table(
        columns,
        tuple(rows),
        f"Share of the other models of a cohort that score lower, for {work.replace('_', ' ')}; "
        f"the mean is the quality that routing weighs. From {_name(evals)}.",
    )


def measured_together(evals: Evals, x: str, y: str) -> pd.DataFrame:
    """Rows of the frontier's source that measured both keys: ``label``, ``x``, ``y``, ``frontier``."""
    frontier = evals.pareto(x, y)
    results = evals.results
    source = frontier["source"].iloc[0] if len(frontier) else None
    part = results[(results["source"] == source) & results["benchmark"].isin([x, y])]
    table = part.pivot_table(index="line", columns="benchmark", values="value").dropna()
    first = part.drop_duplicates("line").set_index("line").loc[table.index]
    return table.assign(
        label=[_label(row) for _, row in first.iterrows()],
        effort=first["effort"],
        harness=first["harness"],
        frontier=table.index.isin(frontier["line"]),
        source=source,
    ).reset_index()


def pareto_figure(evals: Evals, x: str | None = None, y: str | None = None) -> Figure | Note:
    """Quality against cost among rows measured together, with their Pareto frontier.

    Keys that are not given are chosen from the file; a note where no row measured both.
    """
    axes = axes_of(evals, x, y)
    if axes is None:
        return Note(_nothing_together(evals))
    x, y = axes
    frame = measured_together(evals, x, y)
    labels, units = _labels(evals), _units(evals)
    points = [Point(r["label"], r[x], r[y]) for _, r in frame.iterrows()]
    best = [p for p, on in zip(points, frame["frontier"], strict=True) if on]
    source = frame["source"].iloc[0] if len(frame) else "no source"
    return scatter(
        points,
        x=_axis(labels[x], units[x]),
        y=_axis(labels[y], units[y]),
        alt=f"{labels[y]} against {labels[x]} of {len(points)} measured rows",
        caption=f"{source}, as read into {_name(evals)}. One point is one model at one effort; the "
        "line joins the rows that no other row of the same source beats on both.",
        frontier=best,
        log_x=bool(points) and min(p.x for p in points) > 0,
    )


def pareto_table(evals: Evals, x: str | None = None, y: str | None = None) -> Table | Note:
    """The rows on the frontier, from the better end of ``x``."""
    axes = axes_of(evals, x, y)
    if axes is None:
        return Note(_nothing_together(evals))
    x, y = axes
    frame = evals.pareto(x, y)
    labels, units = _labels(evals), _units(evals)
    columns: dict[str, str | Column] = {"slug": "Measured row", "effort": "Effort"}
    if frame["harness"].notna().any():
        columns["harness"] = "Harness"
    return Table.of(
        frame,
        {
            **columns,
            x: Column(_axis(labels[x], units[x]), "g"),
            y: Column(_axis(labels[y], units[y]), "g"),
            "line": Column("Line", "d", hint=f"line of {_name(evals)}"),
        },
        caption=f"The Pareto frontier, from {_name(evals)}; the line is where each row stands in it.",
    )


def results_table(evals: Evals, prefix: str = "") -> Table:
    """Every measured value whose key starts with ``prefix``, as the file states it."""
    frame = evals.results
    frame = frame[frame["benchmark"].str.startswith(prefix)]
    return Table.of(
        frame,
        {
            "slug": "As written",
            "effort": "Effort",
            "benchmark": "Key",
            "value": "Value",
            "unit": "Unit",
            "ci": "±",
            "harness": "Harness",
            "as_of": "Read on",
            "line": Column("Line", "d"),
        },
        caption=f"Rows of {_name(evals)}, each with the line it stands on.",
    )


def warnings_table(evals: Evals) -> Table:
    """What could not be read, and where."""
    rows = tuple((warned.line, warned.message) for warned in evals.warnings)
    return Table(
        (Column("Line", "d"), Column("What", wide=True)), rows, f"Not read from {_name(evals)}."
    )


def warnings_notes(evals: Evals, limit: int = 5) -> Blocks:
    """What could not be read, as notes to point out; nothing where all was read."""
    told = [Note(str(warned), warning=True) for warned in evals.warnings[:limit]]
    rest = len(evals.warnings) - limit
    if rest > 0:
        told.append(Note(f"and {rest:,} more; routinglab evals check lists them", warning=True))
    return Blocks(told)


def _nothing_together(evals: Evals) -> str:
    return f"No row of {_name(evals)} measured a quality together with its cost in USD."


def _name(evals: Evals) -> str:
    return evals.path.name if evals.path else "the evals"


def _labels(evals: Evals) -> dict[str, str]:
    """A name for each key; the key itself where the file's own says too little alone (``Main``)."""
    first = evals.results.drop_duplicates("benchmark")
    pairs = zip(first["benchmark"], first["label"], strict=True)
    return {key: label if len(label) > 8 else key for key, label in pairs}


def _units(evals: Evals) -> dict[str, str]:
    first = evals.results.drop_duplicates("benchmark")
    return dict(zip(first["benchmark"], first["unit"], strict=True))


def _axis(label: str, unit: str) -> str:
    word = {"usd": "USD", "%": "%", "tps": "tokens/s"}.get(unit, unit)
    return label if not word or word.lower() in label.lower() else f"{label} ({word})"


def _label(row: pd.Series) -> str:
    effort = row["effort"]
    written = str(row["slug"])
    if isinstance(effort, str) and effort not in written.lower():
        return f"{written} ({effort})"
    return written.replace("[", "(").replace("]", ")")
