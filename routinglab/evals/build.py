"""Write an evals file from one's own outcomes (SPEC 13.8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from routinglab.evals.columns import means_something

if TYPE_CHECKING:
    import pandas as pd

    from routinglab.evals.own import OwnFigure

_SPECIAL = re.compile(r"([\\`*|<\[\]&~!])")

_INTRO = """Measured by the owner of this file. One column a kind of work: the mean score over tasks with the
half width of its 95 % interval (Wilson's for scores of 0 and 1, else Student's t), `n` the tasks
behind it, then the mean cost in USD, time and output tokens of a task where they are known. Several
outcomes of one task count once, by their mean."""


def build_evals(
    outcomes: pd.DataFrame | Iterable[Mapping[str, Any]],
    *,
    work: str | None = None,
    as_of: date | None = None,
) -> str:
    """Text of an evals file whose "Own outcomes" section holds what the outcomes add up to.

    ``outcomes`` has a row a task and model: ``task``, ``model`` (id), ``score``, and where known
    ``effort``, ``work`` (or ``kind``), ``cost`` (USD), ``seconds``, ``tokens``; the lab's outcome
    tables do too. ``work`` names one kind of work for all; ``as_of`` dates the section. Reading the
    text back gives the figures of :func:`routinglab.evals.own.own_figures`, under ``own:coding``,
    ``own:coding/n``, ``own:coding/usd``, ``own:coding/seconds`` and ``own:coding/tokens``. Raises
    OutcomesError for tables that lack a column or hold no score.
    """
    from routinglab.evals.own import own_figures

    figures = own_figures(outcomes, work=work)
    heading = "## Own outcomes" + (f" ({as_of.isoformat()})" if as_of else "")
    return "\n".join(["# Evals", "", heading, "", _INTRO, "", *_table(figures), ""])


def _table(figures: tuple[OwnFigure, ...]) -> list[str]:
    works = list(dict.fromkeys(figure.work for figure in figures))
    by_row: dict[tuple[str, str | None], dict[str, OwnFigure]] = {}
    for figure in figures:
        by_row.setdefault((figure.model, figure.effort), {})[figure.work] = figure
    columns = [
        (work, name)
        for work in works
        for name in _NAMES
        if any(figure.work == work and _cell(figure, name) for figure in figures)
    ]
    header = [
        "Model",
        "Effort",
        *(_heading(work, name) for work, name in columns),
    ]
    lines = [_line(header), _line(["---"] * len(header))]
    for (model, effort), row in by_row.items():
        cells = [_cell(row[work], name) if work in row else "" for work, name in columns]
        lines.append(_line([_SPECIAL.sub(r"\\\1", model), effort or "", *cells]))
    return lines


def _heading(work: str, name: str) -> str:
    """The heading of a column; a kind of work called like another column says that it is a score."""
    if name != "score":
        return f"{work} {_NAMES[name]}"
    return f"{work} score" if means_something(work) else work


_NAMES = {"score": "", "n": "n", "usd": "$/task", "seconds": "s/task", "tokens": "tokens/task"}


def _cell(figure: OwnFigure, name: str) -> str:
    from routinglab.evals.own import significant

    if name == "score":
        sign = "%" if figure.unit == "%" else ""
        half = "" if figure.ci is None else f" ±{figure.ci:.2f}"
        return f"{figure.score:.2f}{sign}{half}"
    if name == "n":
        return str(figure.n)
    value = getattr(figure, name)
    if value is None:
        return ""
    return ("$" if name == "usd" else "") + significant(value)


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"
