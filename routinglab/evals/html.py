"""Evals as a short page for a notebook; every text from the file is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from routinglab.evals.evals import Evals
    from routinglab.evals.row import Row

_SHOWN_WARNINGS = 20


def evals_html(evals: Evals) -> str:
    """A caption, a row a section and edition, and the warnings folded away."""
    caption = f"{len(evals.rows):,} values of {len(evals.identities):,} models"
    if evals.path:
        caption += f" from {evals.path}"
    sections: dict[tuple[str, str], list[Row]] = {}
    for row in evals.rows:
        sections.setdefault((row.source, row.edition.stated), []).append(row)
    body = "".join(_section(*at, rows) for at, rows in sections.items())
    head = "<tr><th style='text-align:left'>Section</th><th>Edition</th><th>Models</th><th>Benchmarks</th><th>Values</th></tr>"
    return (
        f"<div class='routinglab-evals'><p><b>Evals</b>: {escape(caption)}</p>"
        f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{_warnings(evals)}</div>"
    )


def _section(source: str, stated: str, rows: list[Row]) -> str:
    models = len({row.model for row in rows})
    benchmarks = len({row.benchmark for row in rows})
    return (
        f"<tr><td style='text-align:left'>{escape(source)}</td><td>{escape(stated)}</td>"
        f"<td>{models}</td><td>{benchmarks}</td><td>{len(rows)}</td></tr>"
    )


def _warnings(evals: Evals) -> str:
    if not evals.warnings:
        return ""
    items = "".join(
        f"<li>{escape(str(warned))}</li>" for warned in evals.warnings[:_SHOWN_WARNINGS]
    )
    more = len(evals.warnings) - _SHOWN_WARNINGS
    items += f"<li>and {more:,} more</li>" if more > 0 else ""
    return f"<details><summary>{len(evals.warnings):,} warnings</summary><ul>{items}</ul></details>"
