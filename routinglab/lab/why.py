"""Saying why a replayed decision is what it is, next to the recorded one."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass

from routinglab.lab.records import encode
from routinglab.routing.decision import Option

_WEIGHTS = {
    "quality": "quality_weight", "cheapness": "price_weight", "recency": "recency_weight",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Compared:
    """A recorded decision and its replay, as far as the reason for a difference needs them."""

    before: str | None
    after: str
    before_model: str | None
    after_model: str
    recorded_choice: str | None
    stands: bool
    mode: str
    degraded: str | None
    options_before: Mapping[str, Option]
    options_after: Mapping[str, Option]
    removed_by: str | None
    changed: tuple[str, ...]


def why(this: Compared) -> str:
    """One sentence a person can act on."""
    if this.degraded is not None:
        return f"the current model stands in: {this.degraded}"
    if this.before is None:
        return "no decision was recorded" + (
            "; the recorded choice is taken" if this.stands else "; the ranking decides"
        )
    if this.before == this.after:
        if not this.changed:
            return "identical"
        stands = "the recorded choice stands" if this.stands else "the same first place"
        return f"{stands}; {', '.join(this.changed)} differ"
    if this.before_model == this.after_model:
        return f"the same model at another effort ({this.before} to {this.after})"
    if this.removed_by is not None:
        return f"{this.before_model} cannot be chosen any more: {this.removed_by}"
    if this.recorded_choice is not None and this.recorded_choice == this.before_model:
        if this.mode == "rank":
            return f"the ranking's first instead of the router's choice{_scores(this)}"
        return f"the router's choice {this.before_model} is no longer offered{_scores(this)}"
    return f"the ranking puts {this.after_model} first{_scores(this)}"


def _scores(this: Compared) -> str:
    """The scores of both models then and now, and the term that moved them most."""
    shown = []
    for model in (this.before_model, this.after_model):
        if model is None:
            continue
        then, now = this.options_before.get(model), this.options_after.get(model)
        if then is None and now is None:
            continue
        shown.append(f"{model} {_score(then)} then, {_score(now)} now{_moved(then, now)}")
    return f": {'; '.join(shown)}" if shown else ""


def _score(option: Option | None) -> str:
    return "not offered" if option is None else f"{option.score:.3f}"


def _moved(then: Option | None, now: Option | None) -> str:
    if then is None or now is None or then.terms is None or now.terms is None:
        return ""
    old, new = then.terms, now.terms
    moves = {term: getattr(new, term) - getattr(old, term) for term in _WEIGHTS}
    weighed = {term: abs(moves[term] * getattr(new, weight)) for term, weight in _WEIGHTS.items()}
    term = max(weighed, key=lambda name: weighed[name])
    return f" ({term} {moves[term]:+.3f})" if weighed[term] else ""


def differing(before: str, after: str) -> tuple[str, ...]:
    """Names of the top-level keys whose content differs in two JSON objects."""
    if before == after:
        return ()
    left, right = json.loads(before), json.loads(after)
    return tuple(
        key for key in sorted({*left, *right}) if encode(left.get(key)) != encode(right.get(key))
    )
