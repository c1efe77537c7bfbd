"""Evals as a short page for a notebook; every text from the file is escaped."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from routinglab.evals.evals import Evals

_SHOWN_WARNINGS = 20


def evals_html(evals: Evals) -> str:
    """A caption, a row a section and edition, and the warnings folded away."""
    caption = f"{len(evals.rows):,} values of {len(evals.identities):,} models"
    if evals.path:
        caption += f" from {evals.path}"
    sections: dict[tuple[str, str], list[int | set[str]]] = {}
    for row in evals.rows:
        version = f"v{row.edition.version}" if row.edition.version else ""
        stated = " ".join(filter(None, (version, str(row.edition.date or ""))))
        count = sections.setdefault((row.source, stated), [0, set(), set()])
        assert isinstance(count[0], int)
        assert isinstance(count[1], set)
        assert isinstance(count[2], set)
        count[0] += 1
        count[1].add(row.model)
        count[2].add(row.benchmark)
    body = "".join(
        f"<tr><td style='text-align:left'>{escape(source)}</td><td>{escape(stated)}</td>"
        f"<td>{models}</td><td>{benchmarks}</td><td>{values}</td></tr>"
        for (source, stated), (values, models, benchmarks) in (
            (key, (found[0], _size(found[1]), _size(found[2]))) for key, found in sections.items()
        )
    )
    head = "<tr><th style='text-align:left'>Section</th><th>Edition</th><th>Models</th><th>Benchmarks</th><th>Values</th></tr>"
    return (
        f"<div class='routinglab-evals'><p><b>Evals</b>: {escape(caption)}</p>"
        f"<table><thead>{head}</thead><tbody>{body}</tbody></table>{_warnings(evals)}</div>"
    )


def _size(found: int | set[str]) -> int:
    return len(found) if isinstance(found, set) else found


def _warnings(evals: Evals) -> str:
    if not evals.warnings:
        return ""
    items = "".join(
        f"<li>{escape(str(warned))}</li>" for warned in evals.warnings[:_SHOWN_WARNINGS]
    )
    more = len(evals.warnings) - _SHOWN_WARNINGS
    items += f"<li>and {more:,} more</li>" if more > 0 else ""
    return f"<details><summary>{len(evals.warnings):,} warnings</summary><ul>{items}</ul></details>"
