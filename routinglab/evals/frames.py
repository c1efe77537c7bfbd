"""Rows as pandas frames: results, models, a pivot and the Pareto frontier (SPEC 3.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import pandas as pd

from routinglab.core.text import did_you_mean
from routinglab.errors import InvalidInput
from routinglab.evals.benchmarks import direction
from routinglab.evals.cohorts import Cohorts
from routinglab.evals.row import Edition, Row

if TYPE_CHECKING:
    from routinglab.evals.evals import Evals

RESULT_COLUMNS = (
    "source", "benchmark", "label", "slug", "model", "effort", "value", "unit", "ci", "setting",
    "reporter", "harness", "released", "as_of", "line",
)  # fmt: skip
MODEL_COLUMNS = ("model", "name", "released", "efforts", "sources", "benchmarks", "values")
_NUMBERS = {"value": "float64", "ci": "float64", "line": "int64"}
_DATES = ("released", "as_of")


def results_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """One row a value. Dates are ``datetime64``, missing texts None, missing intervals NaN."""
    columns = {name: [getattr(row, name) for row in rows] for name in RESULT_COLUMNS}
    data = {
        name: pd.Series(
            pd.to_datetime(values) if name in _DATES else values,
            dtype="datetime64[s]" if name in _DATES else _NUMBERS.get(name, object),
        )
        for name, values in columns.items()
    }
    return pd.DataFrame(data, columns=list(RESULT_COLUMNS))


def models_frame(rows: Sequence[Row]) -> pd.DataFrame:
    """One row a model identity, in order of appearance; lists are tuples."""
    by_model: dict[str, list[Row]] = {}
    for row in rows:
        by_model.setdefault(row.model, []).append(row)
    records = [
        (
            model,
            _shown(own),
            next((row.released for row in own if row.released), None),
            tuple(dict.fromkeys(row.effort for row in own if row.effort)),
            tuple(dict.fromkeys(row.source for row in own)),
            len({row.benchmark for row in own}),
            len(own),
        )
        for model, own in by_model.items()
    ]
    frame = pd.DataFrame(records, columns=list(MODEL_COLUMNS))
    frame["released"] = pd.Series(pd.to_datetime(frame["released"].tolist()), dtype="datetime64[s]")
    return frame


def _shown(own: Sequence[Row]) -> str:
    """The shortest name a model is shown by, without what stands in brackets."""
    names = [row.name.split(" (")[0].split(" [")[0].strip() for row in own if row.name]
    return min(names, key=len) if names else own[0].slug


def pivot_frame(rows: Sequence[Row], cohorts: Cohorts) -> pd.DataFrame:
    """Models x benchmark keys, both in order of appearance."""
    counted = [row for row in rows if row.edition.namespace != "agent"]
    models = list(dict.fromkeys(row.model for row in counted))
    keys = list(dict.fromkeys(row.benchmark for row in counted))
    newest: dict[tuple[str, str], tuple[int, float]] = {}
    signs = {key: _sign(key) for key in keys}
    for row in counted:
        at = (row.model, row.benchmark)
        rank = cohorts.rank(row.edition)
        known = newest.get(at)
        if (
            known is None
            or rank < known[0]
            or (rank == known[0] and (row.value - known[1]) * signs[row.benchmark] > 0)
        ):
            newest[at] = (rank, row.value)
    cells = {
        key: [newest[model, key][1] if (model, key) in newest else float("nan") for model in models]
        for key in keys
    }
    return pd.DataFrame(
        cells,
        index=pd.Index(models, name="model"),
        columns=pd.Index(keys, name="benchmark"),
        dtype="float64",
    )


def pareto_frame(
    evals: Evals, x: str, y: str, *, source: str | None, effort: str | None, harness: str | None
) -> pd.DataFrame:
    """See :meth:`Evals.pareto`."""
    if x == y:
        raise InvalidInput(f"a frontier needs two benchmarks; {x!r} was given twice")
    for key in (x, y):
        if key not in evals.keys:
            hint = did_you_mean(key, evals.keys)
            raise InvalidInput(f"no benchmark {key!r} in these evals.{hint}", choices=evals.keys)
    records: dict[int, dict[str, Row]] = {}
    for row in evals.rows:
        if (
            row.benchmark in (x, y)
            and (source is None or row.source == source)
            and (effort is None or row.effort == effort)
            and (harness is None or row.harness == harness)
        ):
            records.setdefault(row.record, {}).setdefault(row.benchmark, row)
    points = [(pair[x], pair[y]) for pair in records.values() if x in pair and y in pair]
    points = [(a, b) for a, b in points if (a.effort, a.harness) == (b.effort, b.harness)]
    if points and source is None:
        newest = min((a.edition for a, _ in points), key=lambda e: _age(evals, e))
        points = [pair for pair in points if pair[0].edition.order == newest.order]
    signs = (_sign(x), _sign(y))
    columns = ["model", "slug", "effort", "harness", "setting", x, y, "source", "line"]
    kept = [
        (a.model, a.slug, a.effort, a.harness, a.setting, a.value, b.value, a.source, a.line)
        for a, b in _frontier(points, signs)
    ]
    frame = pd.DataFrame(kept, columns=columns, dtype=object)
    return frame.astype({x: "float64", y: "float64", "line": "int64"})


def _sign(key: str) -> float:
    return -1.0 if direction(key) == "lower" else 1.0


def _age(evals: Evals, edition: Edition) -> int:
    return edition.order if edition.namespace == "agent" else evals.cohorts.rank(edition)


def _frontier(
    points: Sequence[tuple[Row, Row]], signs: tuple[float, float]
) -> list[tuple[Row, Row]]:
    """Points that no other beats in one figure without losing in the other; equals stay together."""
    ordered = sorted(points, key=lambda p: (-p[0].value * signs[0], -p[1].value * signs[1]))
    kept: list[tuple[Row, Row]] = []
    best = float("-inf")
    last: tuple[float, float] | None = None
    for a, b in ordered:
        value = b.value * signs[1]
        if value > best or (a.value, b.value) == last:
            kept.append((a, b))
            best, last = max(best, value), (a.value, b.value)
    return kept
