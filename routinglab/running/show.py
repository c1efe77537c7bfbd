"""A run's result as HTML for a notebook, every text escaped (SPEC 14.3)."""

from __future__ import annotations

from html import escape

from routinglab.running.attempt import Attempt, RunResult

#: Characters of an answer that are shown; the result holds it whole.
SHOWN = 4_000


def result_html(result: RunResult) -> str:
    """What came of the run, each attempt, and the answer."""
    used = f" by {result.used}" if result.used else ""
    facts = [f"<b>{escape(result.status.replace('_', ' '))}</b>{escape(used)}"]
    facts += [escape(text) for text in _figures(result)]
    parts = [f"<p>{' · '.join(facts)}</p>"]
    if result.error:
        parts.append(f"<p>{escape(result.error)}</p>")
    if result.attempts:
        heads = ("candidate", "outcome", "why", "tokens in", "out", "USD", "seconds")
        head = "".join(f"<th>{name}</th>" for name in heads)
        body = "".join(map(_row, result.attempts))
        parts.append(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>")
    if result.text:
        more = len(result.text) - SHOWN
        cut = f"\n… {more:,} more characters" if more > 0 else ""
        text = escape(result.text[:SHOWN] + cut)
        parts.append(f'<pre style="white-space: pre-wrap">{text}</pre>')
    parts += [f"<p>{escape(note)}</p>" for note in result.notes]
    return f'<div class="routinglab-result">{"".join(parts)}</div>'


def _figures(result: RunResult) -> list[str]:
    shown = []
    if result.input_tokens is not None or result.output_tokens is not None:
        shown.append(f"{_count(result.input_tokens)} tokens in, {_count(result.output_tokens)} out")
    if result.cost is not None:
        shown.append(f"${result.cost:.4g}")
    if result.seconds is not None:
        shown.append(f"{result.seconds:.1f} s")
    if result.truncated:
        shown.append("the answer met the output limit")
    return shown


def _row(attempt: Attempt) -> str:
    why = " ".join(
        part
        for part in (
            attempt.failure.replace("_", " ") if attempt.failure else "",
            f"(HTTP {attempt.status})" if attempt.status is not None else "",
            attempt.message,
        )
        if part
    )
    cells = (
        str(attempt.candidate),
        attempt.kind,
        why,
        _count(attempt.input_tokens),
        _count(attempt.output_tokens),
        "–" if attempt.cost is None else f"{attempt.cost:.4g}",
        "–" if attempt.seconds is None else f"{attempt.seconds:.1f}",
    )
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _count(value: int | None) -> str:
    return "–" if value is None else f"{value:,}"
