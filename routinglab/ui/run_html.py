"""A run as HTML: who was asked and what came of it, the text, tokens and cost; all of it escaped."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from routinglab.tasks.notices import duration_text
from routinglab.ui.html import plural, tag, text
from routinglab.ui.run_state import RunState, Try

_TAGS = {
    "waiting": ("waiting", "rl-soft"),
    "routing": ("routing", "rl-live"),
    "running": ("running", "rl-live"),
    "cancelling": ("cancelling", "rl-warn"),
    "done": ("answered", "rl-good"),
    "failed": ("failed", "rl-bad"),
    "cancelled": ("cancelled", "rl-warn"),
    "lost": ("lost", "rl-bad"),
}
_TRIES = {
    "trying": ("…", "rl-live", "asking"),
    "answered": ("✓", "rl-good", "answered"),
    "failed": ("✗", "rl-bad", "failed"),
    "skipped": ("↷", "rl-soft", "skipped"),
    "cancelled": ("■", "rl-warn", "cancelled"),
}


def state_tag(state: str) -> str:
    """A task's state as a coloured word."""
    word, css = _TAGS.get(state, (state, "rl-soft"))
    return tag("span", text(word), css=f"rl-tag rl-state {css}")


def head_html(state: RunState, now: datetime | None) -> str:
    """Name, state, time and figures, then one line for each candidate; no times without ``now``."""
    seconds = state.record.seconds(now) if state.record and now else None
    facts = [duration_text(seconds), *_figures(state)]
    head = (
        f"<b>{text(state.label)}</b>{state_tag(state.state)}"
        f"{tag('span', text(' · '.join(fact for fact in facts if fact)), css='rl-figures')}"
    )
    parts = [tag("div", head, css="rl-card-head")]
    if state.state == "routing":
        parts.append(tag("div", "reading the task and choosing a model …", css="rl-note"))
    if state.decision is not None:
        parts.append(tag("div", _chosen(state), css="rl-note"))
    lines = [_try(one, timed=now is not None) for one in state.tries]
    if state.next_up and state.live:
        lines.append(f"<li class='rl-soft'>→ next: {text(state.next_up)}</li>")
    if lines:
        parts.append(f"<ul class='rl-steps'>{''.join(lines)}</ul>")
    if state.tools:
        calls = "".join(f"<li>{text(state.redact(call))}</li>" for call in state.tools)
        parts.append(f"<ul class='rl-steps rl-soft rl-tools'>{calls}</ul>")
    if state.waiting:
        parts.append(tag("div", text(state.redact(state.waiting)), css="rl-warning"))
    parts.append(_ending(state))
    return "".join(parts)


def said_html(state: RunState) -> str:
    """The text as it streams; of a long one the end."""
    if not state.text:
        return ""
    cut = f"… {plural(state.omitted, 'earlier character')} not shown …\n" if state.omitted else ""
    return tag("div", tag("div", text(cut + state.redact(state.text))), css="rl-said")


def why_html(state: RunState, explain: Callable[[RunState], str]) -> str:
    """Why this model, folded away."""
    if state.decision is None:
        return ""
    return (
        f"<details><summary>Why {text(state.decision.primary)}</summary>{explain(state)}</details>"
    )


def explanation(state: RunState) -> str:
    """The decision's own explanation."""
    assert state.decision is not None
    return state.decision.explain()._repr_html_()


def _figures(state: RunState) -> list[str]:
    read = [one.input_tokens for one in state.tries if one.input_tokens is not None]
    written = [one.output_tokens for one in state.tries if one.output_tokens is not None]
    costs = [one.cost for one in state.tries if one.cost is not None]
    facts = []
    if read or written:
        facts.append(f"{sum(read):,} tokens in, {sum(written):,} out")
    if costs:
        facts.append(f"${sum(costs):.4g}")
    if state.live and state.words:
        facts.append(f"{plural(state.words, 'word')} so far")
    return facts


def _chosen(state: RunState) -> str:
    decision = state.decision
    assert decision is not None
    then = f", then {', '.join(map(str, decision.fallbacks))}" if decision.fallbacks else ""
    cost = [request.cost for request in decision.requests if request.cost is not None]
    asked = f" · {plural(len(decision.requests), 'routing request')}" if decision.requests else ""
    asked += f", ${sum(cost):.4g}" if cost else ""
    line = f"chosen by {decision.chosen_by}: {decision.primary}{then}{asked}"
    if decision.degraded:
        line += f" · {decision.degraded}"
    return text(line)


def _try(one: Try, *, timed: bool) -> str:
    mark, css, word = _TRIES[one.state]
    took = f" · {duration_text(one.seconds)}" if timed and one.seconds is not None else ""
    why = f": {one.why}" if one.why and one.state != "cancelled" else ""
    return (
        f"<li><span class='{css}'>{mark}</span> {text(one.candidate)} "
        f"<span class='{css}'>{word}</span>{text(why + took)}</li>"
    )


def _ending(state: RunState) -> str:
    if state.state == "lost":
        return tag("div", "Lost: " + text(state.error) + ". What it had not written down is gone; "
                   "launch it again if it is still wanted.", css="rl-problem")  # fmt: skip
    if state.state == "failed" and state.error:
        return tag("div", text(state.error), css="rl-problem")
    if state.state == "cancelled" and state.text and not state.restored:
        return tag("div", "Cancelled. This is what had arrived:", css="rl-note")
    if state.restored and not state.live:
        return _from_before(state)
    return ""


def _from_before(state: RunState) -> str:
    if state.text:
        what = "From before the kernel restarted; the start of what it said:"
        return tag("div", what, css="rl-note")
    lines = "<br>".join(text(line) for line in state.activity)
    what = "From before the kernel restarted." + (" Its last reports:" if lines else "")
    return tag("div", what, css="rl-note") + tag("p", lines, css="rl-activity")
