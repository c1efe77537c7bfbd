"""A replay as a notebook shows it: figures, then the rows that changed; all text is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from math import isnan
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from routinglab.lab.replay import Replay

#: Rows shown; the frame has them all.
SHOWN = 20


def replay_html(replay: Replay) -> str:
    """Self-contained HTML without scripts."""
    summary = replay.summary
    figures = [
        ("tasks", f"{summary.tasks:,}"),
        ("distinct decisions", f"{summary.distinct:,}"),
        ("flipped", f"{summary.flipped:,} of {summary.compared:,} ({_share(summary.flip_rate)})"),
        ("drifted", f"{summary.drifted:,}"),
        ("identical to the byte", f"{summary.identical:,}"),
        ("without a decision", f"{summary.failed:,}"),
        ("models before, after", f"{summary.models_before}, {summary.models_after}"),
        (
            "mean cost before, after",
            f"{_usd(summary.cost_before)}, {_usd(summary.cost_after)} "
            f"({_share(summary.cost_coverage)} of tasks)",
        ),
        (
            "mean quality before, after",
            f"{_number(summary.quality_before)}, {_number(summary.quality_after)} "
            f"({_share(summary.quality_coverage)} of tasks)",
        ),
    ]
    rows = replay.decisions
    changed = rows[rows["flipped"].fillna(False) | rows["after"].isna()]
    shown = changed.head(SHOWN)
    parts = [
        '<div class="routinglab-replay">',
        f"<p><strong>Replay</strong> under policy {escape(replay.policy)}</p>",
        _table(("figure", "value"), figures),
    ]
    if len(shown):
        columns = ("task", "before", "after", "why")
        parts.append(
            f"<p>{len(changed):,} changed"
            + (f", the first {SHOWN}" if len(changed) > SHOWN else "")
            + "</p>"
        )
        parts.append(_table(columns, shown[list(columns)].itertuples(index=False)))
    for problem in replay.recording.problems[:5]:
        parts.append(f"<p>{escape(str(problem))}</p>")
    parts.append("</div>")
    return "".join(parts)


def _table(headings: Sequence[str], rows: Iterable[Iterable[Any]]) -> str:
    head = "".join(f"<th>{escape(heading)}</th>" for heading in headings)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(_cell(value))}</td>" for value in row) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: Any) -> str:
    return "–" if value is None or value != value else str(value)


def _share(value: float) -> str:
    return "–" if isnan(value) else f"{value:.1%}"


def _usd(value: float) -> str:
    return "–" if isnan(value) else f"${value:.4g}"


def _number(value: float) -> str:
    return "–" if isnan(value) else f"{value:.3f}"
