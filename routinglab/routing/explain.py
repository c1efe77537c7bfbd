"""Why a decision chose what it chose, in words and as a table (SPEC 8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS
from routinglab.routing.contest import Contest
from routinglab.routing.decision import Decision, ScoreTerms
from routinglab.routing.flips import MOST_FACTOR, Flip, Flips, smallest_flips

#: How many models a table shows where there is no shortlist.
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class TermRow:
    """One term of one model's score: ``points`` is ``value`` times ``weight``."""

    model: str
    place: int
    term: str
    value: float
    weight: float
    points: float


@dataclass(frozen=True)
class Explanation:
    """Why this model: ``text`` in sentences, ``table`` a row a term and model.

    ``flips`` are the smallest changes of one input that put another model first, the smallest of all
    first. They are about the ranking: where a router chose among the shortlist, they say when the
    ranking's own first would have been another.
    """

    text: str
    table: list[TermRow]
    flips: tuple[Flip, ...] = ()
    level: str | None = None
    any_price: str | None = None

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        from routinglab.routing.show import explanation_html

        return explanation_html(self)


def explain(decision: Decision) -> Explanation:
    """The explanation of a decision, from its record alone."""
    contest = Contest.of(decision)
    if contest is None:
        return Explanation("\n".join(_opening(decision, None)), [])
    lines = list(_opening(decision, contest))
    flips = Flips()
    if decision.degraded is None:
        lines += _terms(decision, contest)
        if decision.policy == "evidence":
            flips = smallest_flips(contest)
            lines += _flip_lines(contest, flips)
        else:
            lines.append(
                f"The order is that of policy {decision.policy}; the scores above are the standard "
                "policy's, so what would change the order is not worked out."
            )
    table = list(_table(decision, contest))
    return Explanation("\n".join(lines), table, flips.changes, flips.level, flips.any_price)


def _opening(decision: Decision, contest: Contest | None) -> Iterator[str]:
    primary = decision.primary
    if decision.degraded is not None:
        yield f"{primary} stands in as the current model: {decision.degraded}."
        return
    if contest is None:
        yield f"{primary} was chosen; the record holds no ranking."
        return
    place = _place(decision)
    count = len(decision.candidates)
    who = {
        "router": "by the router",
        "single": "as the only option",
        "recorded": "as recorded",
    }.get(decision.chosen_by, "by the ranking")
    among = f"ranked {place} of {count}" if count > 1 else "the only candidate"
    yield f"{primary} was chosen {who}; it is {among}."
    if place > 1:
        yield (
            f"The ranking itself puts {decision.candidates[0]} first; the choice from the shortlist "
            "was another."
        )
    reason = next((o.reason for o in decision.shortlist if o.model == primary.model), "")
    if reason:
        yield f"Policy {decision.policy} says of it: {reason}."


def _place(decision: Decision) -> int:
    """The place of the primary in the ranking, from 1."""
    return decision.candidates.index(decision.primary.model) + 1


def _terms(decision: Decision, contest: Contest) -> Iterator[str]:
    chosen = decision.candidates.index(decision.primary.model)
    yield _score_line(decision, contest, chosen)
    rival = _rival(contest, chosen)
    if rival is None:
        yield "No other model was eligible."
        return
    what = "runner-up" if chosen == 0 else "first of the ranking"
    yield f"The {what}: {_score_line(decision, contest, rival)}"
    yield _difference(contest, chosen, rival)


def _rival(contest: Contest, chosen: int) -> int | None:
    """The ranking's best entry that is another model than the chosen."""
    mine = contest.entries[chosen].identity
    return next((i for i, e in enumerate(contest.entries) if e.identity != mine), None)


def _score_line(decision: Decision, contest: Contest, i: int) -> str:
    terms, entry = contest.terms(i), contest.entries[i]
    basis = {
        "own": f"standing {entry.standing:.2f} in your own outcomes" if entry.source else "",
        "work": f"standing {entry.standing:.2f} at {decision.needs.work}" if entry.source else "",
        "overall": f"0.8 x standing {entry.standing:.2f} overall" if entry.source else "",
        None: "not measured",
    }[entry.source]
    parts = "; ".join(
        f"{name} {value:.2f} x {weight:.4g} = {value * weight:.3f}"
        + (f" ({basis})" if name == "quality" else "")
        for name, value, weight in _parts(terms)
    )
    return f"{entry.model} scores {contest.score(i):.3f}: {parts}."


def _parts(terms: ScoreTerms) -> list[tuple[str, float, float]]:
    """Name, value and weight of each term."""
    parts = [
        ("quality", terms.quality, terms.quality_weight),
        ("cheapness", terms.cheapness, terms.price_weight),
        ("recency", terms.recency, terms.recency_weight),
    ]
    if terms.faster_route and terms.route_bonus:
        parts.append(("faster route", 1.0, terms.route_bonus))
    return parts


def _difference(contest: Contest, chosen: int, rival: int) -> str:
    first, second = min(chosen, rival), max(chosen, rival)
    behind = contest.entries[second].model
    points = [{n: v * w for n, v, w in _parts(contest.terms(i))} for i in (first, second)]
    gaps = {
        name: points[0].get(name, 0.0) - points[1].get(name, 0.0)
        for name in dict.fromkeys([*points[0], *points[1]])
    }
    lacks = [f"{gap:.3f} in {name}" for name, gap in gaps.items() if round(gap, 3) > 0]
    leads = [f"{-gap:.3f} in {name}" for name, gap in gaps.items() if round(gap, 3) < 0]
    said = f"{behind} lacks {' and '.join(lacks)}" if lacks else f"{behind} lacks nothing"
    if leads:
        said += f", and is ahead by {' and '.join(leads)}"
    groups = [contest.entries[i].source is not None for i in (first, second)]
    if groups[0] and not groups[1]:
        said += "; it has no published standing, and measured models come first"
    return said + "."


def _flip_lines(contest: Contest, flips: Flips) -> Iterator[str]:
    top = contest.entries[contest.first].model
    others = len({entry.identity for entry in contest.entries}) > 1
    if not others:
        return
    if flips.level is not None:
        yield (
            f"{flips.level} is level with {top}; the fixed order among equals decides, and any "
            f"price or standing in favour of {flips.level} would put it first."
        )
    if flips.any_price is not None:
        yield (
            f"The slightest change of the price of {flips.any_price} moves the whole price scale "
            "and puts another model first."
        )
    if flips.changes:
        one, *more = flips.changes
        smallest = "The smallest change" if not (flips.level or flips.any_price) else "A change"
        yield f"{smallest} of one input that puts another model before {top}: {flip_words(one)}."
        if more:
            yield f"Others that do: {'; '.join(map(flip_words, more))}."
    elif flips.level is None and flips.any_price is None:
        yield (
            f"No single change of a price (up to {MOST_FACTOR:.0f} times, or down to as small a part), "
            f"a standing, a release date or the demand puts another model before {top}."
        )


def flip_words(flip: Flip) -> str:
    """One flip as a clause."""
    then = f"then {flip.winner} comes first"
    if flip.kind == "price" and isinstance(flip.after, float):
        less = f"{abs(flip.after - 1):.10%}".rstrip("%").rstrip("0").rstrip(".")
        return f"{flip.model} {less}% {'cheaper' if flip.after < 1 else 'dearer'}, {then}"
    if flip.kind == "standing":
        return (
            f"the standing of {flip.model} {flip.after:.12g} instead of {flip.before:.4g}, {then}"
        )
    if flip.kind == "date" and isinstance(flip.after, date) and isinstance(flip.before, date):
        days = abs((flip.after - flip.before).days)
        later = "later" if flip.after > flip.before else "earlier"
        return f"{flip.model} released {days} day{'s' * (days != 1)} {later} ({flip.after}), {then}"
    return f"{_demand_words(flip)}, {then}"


def _demand_words(flip: Flip) -> str:
    assert isinstance(flip.after, float)
    assert isinstance(flip.before, float)
    level = round(flip.after * (len(DIFFICULTIES) - 1))
    difficulty, mistake = DIFFICULTIES[level], MISTAKE_COSTS[level]
    how = (
        f"difficulty {difficulty} or mistake cost {mistake}"
        if flip.after > flip.before
        else f"difficulty {difficulty} and mistake cost {mistake}, neither higher"
    )
    return f"a demand of {flip.after:g} instead of {flip.before:g} ({how})"


def _table(decision: Decision, contest: Contest) -> Iterator[TermRow]:
    shown = [option.model for option in decision.shortlist] or list(decision.candidates[:_SHOWN])
    for model in shown:
        i = decision.candidates.index(model)
        for name, value, weight in _parts(contest.terms(i)):
            yield TermRow(model, i + 1, name, value, weight, value * weight)
        yield TermRow(model, i + 1, "score", contest.score(i), 1.0, contest.score(i))
