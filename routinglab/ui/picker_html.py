"""A picker's results as HTML: what is left, what each limit took, and the evidence of each model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routinglab.routing.describe import Describer
from routinglab.routing.plan import Plan
from routinglab.routing.ranked import RankedModel
from routinglab.ui.html import plural, table, tag, text
from routinglab.ui.picker_model import Fallen, Outlook, Removal
from routinglab.ui.scale import tokens, usd

#: Rows of the long lists that are shown until all are asked for.
SHOWN = 12

_SAID = (("results", "this work"), ("overall", "overall"), ("released", "released"),
         ("price", "price"), ("speed", "speed"), ("latency", "latency"), ("images", "images"),
         ("window", "window"), ("score", "score"))  # fmt: skip


def outlook_html(outlook: Outlook, *, everything: bool = False) -> str:
    """All results; without ``everything`` long lists end early and say so."""
    parts = [_headline(outlook)]
    if outlook.plan is not None:
        parts.append(_candidates(outlook.plan, everything))
    parts.append(_removals(outlook.removals))
    parts.append(_fallen(outlook.fallen, everything))
    return "".join(parts)


def _headline(outlook: Outlook) -> str:
    if outlook.problem:
        return tag("div", text(outlook.problem), css="rl-problem")
    assert outlook.plan is not None
    plan = outlook.plan
    counts = (
        f"<b>{plural(len(plan.candidates), 'candidate model')}</b> of {outlook.models}, "
        f"<b>{len(plan.shortlist)}</b> on the shortlist"
    )
    open_ = len(plan.needs.missing)
    if open_:
        counts += tag("span", f" · {plural(open_, 'need')} unstated, counted as moderate here and "
                      "read from the task at launch", css="rl-note")  # fmt: skip
    note = tag("div", text(outlook.note), css="rl-warning") if outlook.note else ""
    return tag("div", counts) + note


def _candidates(plan: Plan, everything: bool) -> str:
    if not plan.ranked:
        return ""
    describer = Describer(plan.needs, plan.ranked)
    offered = set(plan.offered)
    first = [model for model in plan.ranked if model.model in offered]
    rest = [model for model in plan.ranked if model.model not in offered]
    shown = [*first, *(rest if everything else rest[: max(0, SHOWN - len(first))])]
    heads = ("model", "effort", "score", "standing", "in / out", "window")
    head = tag("div", *(tag("span", one) for one in heads), css="rl-model rl-head")
    caption = tag(
        "div",
        "Best first; open a model for its evidence. Prices are USD per million tokens; a + is dearer for long requests, a dash not measured.",
        css="rl-note",
    )
    rows = [_row(plan, describer, model, model.model in offered) for model in shown]
    more = len(plan.ranked) - len(shown)
    end = tag("div", f"and {plural(more, 'more candidate')}", css="rl-note") if more > 0 else ""
    return tag("h4", "Shortlist and candidates") + caption + tag("div", head, *rows) + end


def _row(plan: Plan, describer: Describer, model: RankedModel, listed: bool) -> str:
    entry, standing = model.entry, model.facts.quality.standing
    described = describer.option(model).description
    tiers = tag("sup", "+", css="rl-soft", title="dearer for long requests") if entry.tiers else ""
    cells = (
        text(model.model)
        + (" " + tag("span", "shortlist", css="rl-tag rl-good") if listed else ""),
        text(plan.candidate(model.model).effort or "none"),
        f"{model.score:.3f}",
        tag("span", "–", css="rl-soft", title="not measured")
        if standing is None
        else f"{standing:.0%}",
        f"{_price(entry.input_price)} / {_price(entry.output_price)}{tiers}",
        "unknown" if entry.context_window is None else tokens(entry.context_window),
    )
    summary = tag("summary", *(tag("span", cell) for cell in cells), css="rl-model")
    more = {"score": f"{model.score:.3f}", "window": cells[-1]}
    return tag("details", summary, _evidence({**described, **more}))


def _evidence(described: Mapping[str, Any]) -> str:
    found = []
    for key, word in _SAID:
        value = described.get(key)
        for line in value if isinstance(value, list) else [value]:
            if line:
                found.append(f"<dt>{word}</dt><dd>{text(line)}</dd>")
    return tag("dl", *found, css="rl-evidence")


def _removals(removals: tuple[Removal, ...]) -> str:
    if not removals:
        return ""
    rows = [
        (text(one.label), text(one.says), f"{one.candidates:,}") for one in removals
    ]  # fmt: skip
    head = ("limit", "says", "candidates ruled out")
    caption = "A candidate is a model at one effort; several limits can rule out the same one."
    return tag("h4", "What each limit removes") + table(head, rows, caption=caption, numbers=(2,))


def _fallen(fallen: tuple[Fallen, ...], everything: bool) -> str:
    if not fallen:
        return ""
    shown = fallen if everything else fallen[:SHOWN]
    rows = [(text(one.model.full_id), text("; ".join(one.reasons))) for one in shown]
    html = table(("model", "why it is out"), rows)
    if len(fallen) > len(shown):
        html += tag("p", f"and {len(fallen) - len(shown):,} more", css="rl-note")
    head = tag("summary", f"<b>{plural(len(fallen), 'model')} out</b>, and why")
    opened = "<details open>" if len(fallen) <= SHOWN or everything else "<details>"
    return f"<div style='margin-top:10px'>{opened}{head}{html}</details></div>"


def _price(price: float | None) -> str:
    return "unknown" if price is None else usd(price)
