"""Decisions and explanations as HTML for a notebook, every text escaped (SPEC 14.3)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from routinglab.routing.decision import Decision, Option

if TYPE_CHECKING:
    from routinglab.routing.explain import Explanation


def decision_html(decision: Decision) -> str:
    """What was chosen, what follows if it fails, why, and the shortlist."""
    needs = ", ".join(
        f"{name.replace('_', ' ')}: {value}" for name, value in decision.needs.stated().items()
    )
    facts = [
        ("model", str(decision.primary)),
        ("then", ", ".join(map(str, decision.fallbacks)) or "nothing"),
        ("chosen by", _chosen_by(decision)),
        ("needs", needs or "none stated"),
        ("candidates", str(len(decision.candidates))),
    ]
    if decision.degraded:
        facts.append(("degraded", decision.degraded))
    parts = [_table([], facts)]
    if decision.shortlist:
        head = ["model", "effort", "score", "standing", "overall", "released", "price"]
        parts.append(_table(head, [_option_cells(option) for option in decision.shortlist]))
    return f'<div class="routinglab-decision">{"".join(parts)}</div>'


def explanation_html(explanation: Explanation) -> str:
    """The sentences and the table of an explanation."""
    said = "".join(f"<p>{escape(line)}</p>" for line in explanation.text.splitlines())
    rows = [
        (row.model, str(row.place), row.term, f"{row.value:.3f}", f"{row.weight:.4g}",
         f"{row.points:.3f}")
        for row in explanation.table
    ]  # fmt: skip
    head = ["model", "place", "term", "value", "weight", "points"]
    table = _table(head, rows) if rows else ""
    return f'<div class="routinglab-explanation">{said}{table}</div>'


def _chosen_by(decision: Decision) -> str:
    router = decision.router.responded or decision.router.requested
    return f"{decision.chosen_by} ({router})" if router else decision.chosen_by


def _option_cells(option: Option) -> list[str]:
    described = option.description
    return [
        option.model,
        option.effort or "none",
        f"{option.score:.3f}",
        _share(option.work_standing),
        _share(option.overall_standing),
        str(described.get("released", "")),
        str(described.get("price", "")),
    ]


def _share(standing: float | None) -> str:
    return "not measured" if standing is None else f"{standing:.2f}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    return f"<table>{f'<thead><tr>{top}</tr></thead>' if head else ''}<tbody>{body}</tbody></table>"
