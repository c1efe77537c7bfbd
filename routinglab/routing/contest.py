"""A decision's ranking scored again from its record, as it was and with one input changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from typing import TYPE_CHECKING

import numpy as np

from routinglab.catalog.model import blended
from routinglab.core.needs import TaskNeeds
from routinglab.routing.decision import Decision, ScoreTerms, Scoring, score_terms
from routinglab.routing.evidence import QualitySource, quality_from
from routinglab.routing.scoring import OLDEST_DAYS, PriceScale, weights

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Entry:
    """One candidate's inputs to its score; ``day`` is the release date's ordinal.

    ``identity`` is the number of the first entry that is the same model, wherever it is served.
    """

    model: str
    input_price: float | None
    output_price: float | None
    day: int | None
    standing: float | None
    source: QualitySource | None
    faster: bool
    identity: int

    def price(self, factor: float = 1.0) -> float | None:
        """Blended price with both prices times ``factor``, USD per million tokens."""
        if self.input_price is None or self.output_price is None:
            return None
        return blended(self.input_price * factor, self.output_price * factor)


class Contest:
    """Who comes first among entries, and who would with one entry or the demand changed.

    Entries are numbered as given. Arithmetic and order of operations are those of ``scoring.py``,
    column by column, so that the figures are the ranking's own to the last bit.
    """

    def __init__(self, entries: Sequence[Entry], needs: TaskNeeds) -> None:
        self.entries = tuple(entries)
        self.demand = needs.demand
        self._weights = weights(self.demand, bool(needs.latency_sensitive))
        self._fast = bool(needs.latency_sensitive)
        # columns stand in the order among equals, so that the first of the highest comes first
        self._order = sorted(
            range(len(entries)), key=lambda i: (entries[i].faster, entries[i].model)
        )
        self._row = {i: row for row, i in enumerate(self._order)}
        rows = [entries[i] for i in self._order]
        prices = [entry.price() for entry in rows]
        self.logs: Column = np.array([log(p) if p else np.nan for p in prices], float)
        self._free = np.array([p == 0 for p in prices], bool)
        self.days: Column = np.array([np.nan if e.day is None else e.day for e in rows], float)
        self._quality: Column = np.array([quality_from(e.source, e.standing) for e in rows], float)
        self._faster = np.array([entry.faster for entry in rows], bool)
        self._measured = np.array([entry.source is not None for entry in rows], bool)
        self.scale = _scale(self.logs)
        self.newest = _highest(self.days)
        self._cheap = self._cheapness(self.logs)
        self._recent = self._recency(self.days)
        self._base = self._scores(self._quality, self._cheap, self._recent)
        self.first = self._first()

    @classmethod
    def of(cls, decision: Decision) -> Contest | None:
        """The contest a decision records; None where it records no ranking."""
        columns = decision.scoring
        return None if columns is None else cls(_entries(decision, columns), decision.needs)

    def terms(self, i: int) -> ScoreTerms:
        """The parts of the score of entry ``i``."""
        row = self._row[i]
        values = (float(column[row]) for column in (self._quality, self._cheap, self._recent))
        return score_terms(self._weights, *values, faster=self.entries[i].faster)

    def score(self, i: int) -> float:
        """The score of entry ``i``."""
        return float(self._base[self._row[i]])

    def scale_without(self, i: int) -> PriceScale | None:
        """The price scale of all other entries."""
        return _scale(np.delete(self.logs, self._row[i]))

    def newest_without(self, i: int) -> int | None:
        """The newest release day of all other entries."""
        return _highest(np.delete(self.days, self._row[i]))

    def first_at_price(self, i: int, factor: float) -> int:
        """Who comes first with both prices of entry ``i`` times ``factor``."""
        price = self.entries[i].price(factor)
        logs = self.logs.copy()
        logs[self._row[i]] = log(price) if price else np.nan
        return self._first(cheap=self._cheapness(logs))

    def first_at_day(self, i: int, day: int) -> int:
        """Who comes first with entry ``i`` released on ``day``."""
        days = self.days.copy()
        days[self._row[i]] = day
        return self._first(recent=self._recency(days))

    def first_at_standing(self, i: int, standing: float) -> int:
        """Who comes first when the model of entry ``i``, wherever it is served, has this standing."""
        rated = self.entries[i]
        quality = self._quality.copy()
        for j, entry in enumerate(self.entries):
            if (entry.identity, entry.standing, entry.source) == (
                rated.identity, rated.standing, rated.source,
            ):  # fmt: skip
                quality[self._row[j]] = quality_from(entry.source, standing)
        return self._first(quality=quality)

    def first_at_demand(self, demand: float) -> int:
        """Who comes first at another demand of 0..1."""
        kept = self._weights
        self._weights = weights(demand, self._fast)
        try:
            return self._first()
        finally:
            self._weights = kept

    def _first(
        self,
        quality: Column | None = None,
        cheap: Column | None = None,
        recent: Column | None = None,
    ) -> int:
        scores = self._scores(
            self._quality if quality is None else quality,
            self._cheap if cheap is None else cheap,
            self._recent if recent is None else recent,
        )
        if self._measured.any():
            scores[~self._measured] = -np.inf
        return self._order[int(scores.argmax())]

    def _scores(self, quality: Column, cheap: Column, recent: Column) -> Column:
        by = self._weights
        scores: Column = by.quality * quality + by.price * cheap + by.recency * recent
        scores[self._faster] += by.route_bonus
        return scores

    def _cheapness(self, logs: Column) -> Column:
        scale = _scale(logs)
        if scale is None or scale.low == scale.high:
            cheap = np.ones_like(logs)
        else:
            cheap = 1.0 - (logs - scale.low) / (scale.high - scale.low)
        cheap[np.isnan(logs)] = 0.0
        cheap[self._free] = 1.0
        return cheap

    def _recency(self, days: Column) -> Column:
        newest = _highest(days)
        if newest is None:
            return np.zeros_like(days)
        recent: Column = np.maximum(0.0, 1.0 - (newest - days) / OLDEST_DAYS)
        recent[np.isnan(days)] = 0.0
        return recent


def _scale(logs: Column) -> PriceScale | None:
    known = logs[~np.isnan(logs)]
    return PriceScale(float(known.min()), float(known.max())) if known.size else None


def _highest(days: Column) -> int | None:
    known = days[~np.isnan(days)]
    return int(known.max()) if known.size else None


def _entries(decision: Decision, columns: Scoring) -> list[Entry]:
    faster = set(columns.faster)
    return [
        Entry(
            model=model,
            input_price=columns.input_prices[i],
            output_price=columns.output_prices[i],
            day=day.toordinal() if (day := columns.released[i]) is not None else None,
            standing=columns.standings[i],
            source=columns.sources[i],
            faster=i in faster,
            identity=columns.identities[i],
        )
        for i, model in enumerate(decision.candidates)
    ]
