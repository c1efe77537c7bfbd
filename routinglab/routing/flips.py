"""The smallest change of one input that gives the first place to another model (SPEC 8).

Four inputs are tried: the price of one model at one provider (both its prices times a factor), the
standing of one model wherever it is served, the release date of one model at one provider, and the
demand, which moves in its levels. Another route of the same model coming first is no flip.

Sizes are comparable: every input is measured on the 0..1 scale its term has, so a price counts by its
logarithm over the spread of the ranked prices, and a date by days over a year.

Between two breaks (where a price leaves the range of the others, where a date becomes the newest or a
year old) the lead over each rival only grows or only shrinks. So the first crossing lies in the first
stretch at whose end another model leads, and bisection over the ranking itself finds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date
from math import ceil, exp, floor, inf, log, log10
from typing import Literal

from routinglab.routing.contest import Contest, Entry
from routinglab.routing.scoring import OLDEST_DAYS

FlipKind = Literal["price", "standing", "demand", "date"]

#: Prices are tried up to this many times, and down to this fraction of, what they are.
MOST_FACTOR = 1000.0

#: Scores and changes closer than this are level.
LEVEL = 1e-9

#: The number of who is first when the input has this value.
First = Callable[[float], int]

#: Values just beyond a crossing, the shortest to write first.
Rounding = Callable[[float], Iterable[float]]

_LEVELS = 4
_SPARE = 1e-6
_BISECTIONS = 80
_DIGITS = range(2, 13)


@dataclass(frozen=True, slots=True)
class Flip:
    """One change that puts ``winner`` first, and half of it, which does not.

    ``price``: ``before``, ``half`` and ``after`` are factors on both prices of ``model``, before 1.
    ``standing``: the standing of ``model`` that its quality rests on, for all its routes. ``date``:
    the release date of ``model``; half a change is rounded down to whole days. ``demand``: 0..1 in
    levels of 0.25, half rounded down to whole levels; ``model`` is None. ``size`` is comparable over
    the kinds.
    """

    kind: FlipKind
    model: str | None
    before: float | date
    half: float | date
    after: float | date
    winner: str
    size: float


@dataclass(frozen=True, slots=True)
class Flips:
    """The smallest flip of each kind that has one, the smallest of all first.

    Two cases have no smallest change. ``level``: this model has the first one's score, so that any
    price or standing in its favour puts it first. ``any_price``: this model's price sits where the
    slightest change moves the whole price scale (all ranked at one price), and flips it.
    """

    changes: tuple[Flip, ...] = ()
    level: str | None = None
    any_price: str | None = None


def smallest_flips(contest: Contest) -> Flips:
    """What would have put another model first.

    A zero or unknown price and an unknown standing or date have no size to change; they stay.
    """
    search = _Search(contest)
    level = search.level()
    found = [search.by_demand(), search.by_date()]
    if level is None:
        found += [search.by_price(), search.by_standing()]
    changes = sorted((flip for flip in found if flip), key=lambda flip: flip.size)
    return Flips(tuple(changes), level, search.any_price)


class _Search:
    def __init__(self, contest: Contest) -> None:
        self.contest = contest
        self.holder = contest.entries[contest.first].identity
        self.numbers = range(len(contest.entries))
        self.any_price: str | None = None

    def level(self) -> str | None:
        """Another model whose score is the first one's."""
        top = self.contest.score(self.contest.first)
        rivals = (i for i in self.numbers if self.contest.entries[i].identity != self.holder)
        ranked_with = self.contest.entries[self.contest.first].source is not None
        for i in rivals:
            entry = self.contest.entries[i]
            if (entry.source is not None) is ranked_with and top - self.contest.score(i) < LEVEL:
                return entry.model
        return None

    def by_price(self) -> Flip | None:
        scale = self.contest.scale
        spread = (scale.high - scale.low if scale else 0.0) or 1.0
        best, least = None, log(MOST_FACTOR)
        for i in self.numbers:
            entry = self.contest.entries[i]
            if not (price := entry.price()):
                continue

            def first(factor: float, i: int = i) -> int:
                return self.contest.first_at_price(i, factor)

            for sign in (-1, 1):
                factors = self._factors(i, log(price), sign, least)
                found = self._smallest(first, 1.0, factors, _rounded_factors)
                if found == 1.0:
                    self.any_price = entry.model
                    return None
                if found is not None and (size := abs(log(found))) < least:
                    least = size
                    best = self._flip(
                        "price", entry, 1.0, (1 + found) / 2, found, first(found), size / spread
                    )
        return best

    def _factors(self, i: int, at: float, sign: int, most: float) -> Iterable[float]:
        """Factors to look at, up to ``most`` in logarithms: both sides of each break."""
        others = self.contest.scale_without(i)
        bounds = {others.low, others.high} if others else set()
        breaks = sorted(abs(bound - at) for bound in bounds if (bound - at) * sign > 0)
        steps = [b + shift for b in breaks for shift in (-_SPARE, 0, _SPARE) if b + shift > 0]
        return [exp(sign * step) for step in [*(s for s in steps if s < most), most]]

    def by_standing(self) -> Flip | None:
        best, least = None, inf
        seen: set[tuple[object, ...]] = set()
        for i in self.numbers:
            entry = self.contest.entries[i]
            before, same = entry.standing, (entry.identity, entry.standing, entry.source)
            if before is None or same in seen:
                continue
            seen.add(same)

            def first(standing: float, i: int = i) -> int:
                return self.contest.first_at_standing(i, standing)

            worse = entry.identity == self.holder
            end = max(0.0, before - least) if worse else min(1.0, before + least)
            found = self._smallest(first, before, [end], _rounded_standings(before))
            if found is not None and abs(found - before) < least:
                least = abs(found - before)
                half = (before + found) / 2
                best = self._flip("standing", entry, before, half, found, first(found), least)
        return best

    def by_demand(self) -> Flip | None:
        now = round(self.contest.demand * _LEVELS)
        for steps in range(1, _LEVELS + 1):
            for sign in (1, -1):
                level, half = now + sign * steps, now + sign * (steps // 2)
                if not 0 <= level <= _LEVELS:
                    continue
                first = self.contest.first_at_demand(level / _LEVELS)
                if self._lost(first):
                    demands = now / _LEVELS, half / _LEVELS, level / _LEVELS
                    return self._flip("demand", None, *demands, first, steps / _LEVELS)
        return None

    def by_date(self) -> Flip | None:
        best, least = None, inf
        for i in self.numbers:
            entry = self.contest.entries[i]
            day = entry.day
            if day is None:
                continue

            def first(days: float, i: int = i, day: int = day) -> int:
                return self.contest.first_at_day(i, day + int(days))

            for sign in (-1, 1):
                found = self._fewest_days(first, sign, self._date_points(i, day, sign), least)
                if found is not None and found < least:
                    least = found
                    half, after = (date.fromordinal(day + sign * n) for n in (found // 2, found))
                    best = self._flip(
                        "date", entry, date.fromordinal(day), half, after,
                        first(sign * found), found / OLDEST_DAYS,
                    )  # fmt: skip
        return best

    def _date_points(self, i: int, day: int, sign: int) -> list[int]:
        """Whole days to look at: both sides of each break, and where nothing changes any more."""
        newest = self.contest.newest_without(i)
        if newest is None:
            return []
        breaks = [(newest - day) * sign, (newest - OLDEST_DAYS - day) * sign]
        near = sorted(b + shift for b in breaks for shift in (-1, 0, 1) if b + shift > 0)
        latest = date.max.toordinal() - day if sign > 0 else day - 1
        return [min(point, latest) for point in [*near, max(map(abs, breaks)) + OLDEST_DAYS]]

    def _fewest_days(
        self, first: First, sign: int, points: Iterable[int], least: float
    ) -> int | None:
        kept = 0
        for point in points:
            lost = int(min(point, least))
            if self._lost(first(sign * lost)):
                while lost - kept > 1:
                    middle = (kept + lost) // 2
                    kept, lost = (
                        (kept, middle) if self._lost(first(sign * middle)) else (middle, lost)
                    )
                return lost
            kept = lost
        return None

    def _lost(self, first: int) -> bool:
        return self.contest.entries[first].identity != self.holder

    def _smallest(
        self, first: First, start: float, points: Iterable[float], rounding: Rounding
    ) -> float | None:
        """The value nearest to ``start`` that flips, rounded away from it to few digits.

        None where none does, and ``start`` where the slightest change does. ``points`` are values
        ever further from ``start``, between which there is one crossing at most.
        """
        kept = start
        for point in points:
            if self._lost(first(point)):
                return self._shortest(first, start, self._crossing(first, kept, point), rounding)
            kept = point
        return None

    def _crossing(self, first: First, kept: float, lost: float) -> float:
        for _ in range(_BISECTIONS):
            middle = (kept + lost) / 2
            if middle in (kept, lost):
                break
            kept, lost = (kept, middle) if self._lost(first(middle)) else (middle, lost)
        return lost

    def _shortest(
        self, first: First, start: float, crossing: float, rounding: Rounding
    ) -> float | None:
        """A value at or just beyond the crossing that flips, and is short, and whose half does not."""
        if abs(crossing - start) < LEVEL:
            return start
        for value in [*rounding(start + (crossing - start) * (1 + _SPARE)), crossing]:
            if self._lost(first(value)):
                half = (start + value) / 2
                if not self._lost(first(half)):
                    return value
                # it had flipped before, and back: the nearer crossing is the one that counts
                return self._shortest(first, start, self._crossing(first, start, half), rounding)
        return None

    def _flip(
        self,
        kind: FlipKind,
        entry: Entry | None,
        before: float | date,
        half: float | date,
        after: float | date,
        first: int,
        size: float,
    ) -> Flip:
        winner = self.contest.entries[first].model
        return Flip(kind, entry.model if entry else None, before, half, after, winner, size)


def _rounded_factors(factor: float) -> Iterable[float]:
    """Factors further from 1 by a hundredth at most, as a percentage of ever more digits."""
    size = abs(factor - 1)
    sign = 1 if factor > 1 else -1
    for digits in _DIGITS:
        shift = digits - floor(log10(size))
        rounded = round(1 + sign * ceil(size * 10.0**shift) / 10.0**shift, max(0, shift))
        if rounded > 0 and abs(log(rounded)) <= 1.01 * abs(log(factor)):
            yield rounded


def _rounded_standings(start: float) -> Rounding:
    """Standings a little further from ``start``, of ever more decimals, by a hundredth at most."""

    def values(standing: float) -> Iterable[float]:
        towards = ceil if standing > start else floor
        for decimals in _DIGITS:
            rounded = towards(standing * 10.0**decimals) / 10.0**decimals
            if 0 <= rounded <= 1 and abs(rounded - standing) <= 0.01 * abs(standing - start):
                yield rounded

    return values
