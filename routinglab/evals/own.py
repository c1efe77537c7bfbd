"""One's own outcomes summed up: what :func:`~routinglab.evals.build.build_evals` writes.

Definitions. Repeated outcomes of one task, model, effort and kind of work are averaged first, so
``n`` counts tasks and not runs. ``score`` is the mean over tasks, in percent where every score of
the table is within 0..1, else in points as given. ``ci`` is the half width of a 95 % interval:
Wilson's where all scores are 0 or 1, else Student's t over the tasks (none for a single task).
``usd``, ``seconds`` and ``tokens`` are means over the tasks that state them; a cost whose provenance
is ``unknown`` counts as not stated.

Rounding, shared by the figures and the text: scores and intervals to 2 decimals, the rest to 6
significant digits and 12 decimals.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from routinglab.core.efforts import EFFORTS
from routinglab.errors import OutcomesError

if TYPE_CHECKING:
    from pandas import Series

MEASURES = ("usd", "seconds", "tokens")


@dataclass(frozen=True, slots=True)
class OwnFigure:
    """What one model at one effort achieved in one kind of work; None is not measured."""

    model: str
    effort: str | None
    work: str
    score: float
    unit: str
    ci: float | None
    n: int
    usd: float | None = None
    seconds: float | None = None
    tokens: float | None = None


def own_figures(outcomes: Any, *, work: str | None = None) -> tuple[OwnFigure, ...]:
    """Figures by model, effort and kind of work, in order of appearance.

    ``outcomes`` is a DataFrame, an iterable of mappings, or a table with ``long()``. Columns:
    ``task``, ``model`` (id), ``score``, and where known ``effort``, ``work`` (or ``kind``, or
    ``group``; ``work=`` names one kind for all), ``cost`` (USD), ``seconds``, ``tokens`` (or
    ``output_tokens``), ``provenance``. Raises OutcomesError when a needed column is absent or a
    value is not a number.
    """
    frame = _frame(outcomes, work)
    scores = frame["score"].to_numpy(dtype=float)
    if not len(frame):
        raise OutcomesError("no outcome has a score; there is nothing to write")
    percent = bool(((scores >= 0) & (scores <= 1)).all())
    names = ["model", "effort", "work"]
    by_task = frame.groupby([*names, "task"], sort=False, dropna=False)[["score", *MEASURES]].mean()
    figures = []
    for (model, effort, kind), group in by_task.groupby(level=names, sort=False, dropna=False):
        values = group["score"].to_numpy(dtype=float)
        factor = 100.0 if percent else 1.0
        half = half_width(values)
        figures.append(
            OwnFigure(
                model=str(model),
                effort=effort if isinstance(effort, str) else None,
                work=str(kind),
                score=round(factor * float(values.mean()), 2),
                unit="%" if percent else "points",
                ci=None if half is None else round(factor * half, 2),
                n=len(values),
                **{name: _mean(group[name]) for name in MEASURES},
            )
        )
    return tuple(figures)


def half_width(values: np.ndarray[Any, np.dtype[np.float64]]) -> float | None:
    """Half width of the 95 % interval of a mean of task scores; None where it has none."""
    from scipy import stats

    n = len(values)
    if ((values == 0) | (values == 1)).all():
        low, high = stats.binomtest(int(values.sum()), n).proportion_ci(0.95, method="wilson")
        return float(high - low) / 2
    if n < 2:
        return None
    return float(stats.t.ppf(0.975, n - 1) * values.std(ddof=1) / np.sqrt(n))


def significant(value: float) -> str:
    """A number in plain notation with 6 significant digits and at most 12 decimals."""
    return np.format_float_positional(round(float(f"{value:.6g}"), 12), trim="-")


def _mean(values: Series[float]) -> float | None:
    mean = float(values.mean())
    return None if np.isnan(mean) else float(significant(mean))


def _frame(outcomes: Any, work: str | None) -> pd.DataFrame:
    """The columns needed, under one name each; rows without a score left out."""
    given = _as_frame(outcomes)
    for needed in ("task", "model", "score"):
        if needed not in given:
            shown = ", ".join(map(str, given.columns)) or "none"
            raise OutcomesError(f"the outcomes have no column {needed!r}; they have: {shown}")
    kind: Any = work or next(
        (given[name] for name in ("work", "kind", "group") if name in given), None
    )
    if kind is None:
        raise OutcomesError(
            "the outcomes have no column 'work'; add one, or name the kind of work with work="
        )
    frame = pd.DataFrame({"task": given["task"].astype(str), "model": given["model"].astype(str)})
    frame["effort"] = given.get("effort")
    frame["work"] = pd.Series(kind, index=frame.index).map(_kind)
    frame["score"] = _numbers(given, "score")
    frame["usd"] = _numbers(given, "cost", "usd")
    frame["seconds"] = _numbers(given, "seconds")
    frame["tokens"] = _numbers(given, "tokens", "output_tokens")
    if "provenance" in given:
        frame.loc[given["provenance"].astype(str) == "unknown", ["usd", "tokens"]] = np.nan
    unknown = set(frame["effort"].dropna().astype(str)) - set(EFFORTS)
    if unknown:
        raise OutcomesError(f"{sorted(unknown)[0]!r} is no effort; they are: {', '.join(EFFORTS)}")
    return frame[frame["score"].notna() & (frame["work"] != "")]


def _as_frame(outcomes: Any) -> pd.DataFrame:
    if hasattr(outcomes, "long"):
        outcomes = outcomes.long()
    if isinstance(outcomes, pd.DataFrame):
        return outcomes.reset_index(drop=True)
    if isinstance(outcomes, Mapping) or not isinstance(outcomes, Iterable):
        raise OutcomesError("outcomes are a DataFrame or rows, each a mapping of column to value")
    rows = list(outcomes)
    bad = next((row for row in rows if not isinstance(row, Mapping)), None)
    if bad is not None:
        raise OutcomesError(f"an outcome is a mapping of column to value, not {type(bad).__name__}")
    return pd.DataFrame(rows)


def _kind(name: object) -> str:
    if name is None or (isinstance(name, float) and np.isnan(name)):
        return ""
    return "_".join(re.findall(r"\w+", str(name).lower()))


def _numbers(given: pd.DataFrame, *names: str) -> Series[float]:
    name = next((name for name in names if name in given), None)
    if name is None:
        return pd.Series(np.nan, index=given.index, dtype="float64")
    try:
        values = pd.to_numeric(given[name]).astype("float64")
    except (ValueError, TypeError) as error:
        raise OutcomesError(f"column {name!r} holds something that is no number: {error}") from None
    if np.isinf(values).any():
        raise OutcomesError(f"column {name!r} holds an infinite value")
    return values
