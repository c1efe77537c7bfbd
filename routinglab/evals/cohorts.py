"""Which rows describe a model, and where it stands among what was measured with it.

Everything is looked up: rows are indexed by every form a candidate may take, and what was found
once for a candidate is kept (SPEC 3.3, 3.4, 6.2).
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cmp_to_key

from routinglab.core.standing import Standing
from routinglab.evals.benchmarks import direction
from routinglab.evals.dates import version_key
from routinglab.evals.identity import EFFORT_WORDS, strippable
from routinglab.evals.row import Edition, Row

#: SPEC 6.2: a standing is stated only for cohorts of at least this many models.
SMALLEST_COHORT = 4

Tokens = tuple[str, ...]


@dataclass(slots=True)
class Cohort:
    """One key in one edition: every row, each model's best value, and these in order.

    Values are signed so that higher is better.
    """

    edition: Edition
    sign: float
    rows: list[Row] = field(default_factory=list)
    best: dict[str, float] = field(default_factory=dict)
    count: dict[str, int] = field(default_factory=dict)
    ordered: list[float] = field(default_factory=list)

    def add(self, row: Row) -> None:
        """Take in a row of this key and edition."""
        value = row.value * self.sign
        self.rows.append(row)
        self.count[row.model] = self.count.get(row.model, 0) + 1
        if row.model not in self.best or value > self.best[row.model]:
            self.best[row.model] = value

    def close(self) -> None:
        """Order the models once all rows are in."""
        self.ordered = sorted(self.best.values())

    def top(self, own: Sequence[Row]) -> Row:
        """The best of some rows; of equals the first."""
        return max(own, key=lambda row: row.value * self.sign)

    def share(self, own: Sequence[Row]) -> tuple[float, int] | None:
        """Share of the other models with a worse value than the best of ``own``, and models in all.

        ``own`` are all rows of one candidate. What remains of a model when they are taken out is
        still another model.
        """
        value = max(row.value * self.sign for row in own)
        lower = bisect_left(self.ordered, value)
        others = len(self.ordered)
        taken: dict[str, list[Row]] = {}
        for row in own:
            taken.setdefault(row.model, []).append(row)
        for model, rows in taken.items():
            others -= 1
            lower -= self.best[model] < value
            if len(rows) < self.count[model]:
                marks = {id(row) for row in rows}
                rest = max(
                    row.value * self.sign
                    for row in self.rows
                    if row.model == model and id(row) not in marks
                )
                others += 1
                lower += rest < value
        models = others + 1
        return (lower / others, models) if models >= SMALLEST_COHORT else None


@dataclass(slots=True)
class Found:
    """The rows of one candidate by key, newest edition that measures it; standings as computed."""

    rows: tuple[Row, ...] = ()
    newest: dict[str, tuple[Cohort, list[Row]]] = field(default_factory=dict)
    standings: dict[str, Standing | None] = field(default_factory=dict)
    complete: bool = False


class Cohorts:
    """The index over all rows of a file. Agent rows (``agent:``) enter no cohort."""

    def __init__(self, rows: Sequence[Row]) -> None:
        forms: dict[Tokens, dict[int, list[Row]]] = {}
        cohorts: dict[tuple[str, int], Cohort] = {}
        editions: dict[int, Edition] = {}
        for row in rows:
            if row.edition.namespace == "agent":
                continue
            order = row.edition.order
            editions.setdefault(order, row.edition)
            cohort = cohorts.get((row.benchmark, order))
            if cohort is None:
                sign = -1.0 if direction(row.benchmark) == "lower" else 1.0
                cohort = cohorts[row.benchmark, order] = Cohort(row.edition, sign)
            cohort.add(row)
            for end in range(row.core, len(row.tokens) + 1):
                forms.setdefault(row.tokens[:end], {}).setdefault(order, []).append(row)
        for cohort in cohorts.values():
            cohort.close()
        self._forms = forms
        self._names = {
            row.tokens[: row.core]
            for row in rows
            if row.tokens[row.core - 1 : row.core] and row.tokens[row.core - 1] in EFFORT_WORDS
        }
        self._cohorts = cohorts
        newest_first = sorted(editions.values(), key=cmp_to_key(_newer_first))
        self._rank = {edition.order: rank for rank, edition in enumerate(newest_first)}
        self._found: dict[Tokens, Found] = {}
        self._nothing = Found(complete=True)

    @property
    def cohorts(self) -> dict[tuple[str, int], Cohort]:
        """Every cohort by key and edition."""
        return self._cohorts

    def newest(self, key: str) -> Cohort | None:
        """The cohort of a key in its newest edition."""
        several = [cohort for (name, _), cohort in self._cohorts.items() if name == key]
        return min(several, key=lambda c: self._rank[c.edition.order]) if several else None

    def rank(self, edition: Edition) -> int:
        """Place of an edition among all, newest first."""
        return self._rank[edition.order]

    def find(self, tokens: Tokens) -> Found:
        """The rows that describe a candidate, each section resolved on its own."""
        known = self._found.get(tokens)
        if known is None:
            known = self._found[tokens] = self._resolve(tokens)
        return known

    def _resolve(self, tokens: Tokens) -> Found:
        sections: dict[int, list[Row]] = {}
        form = tokens
        while form:
            hit = self._forms.get(form)
            if hit:
                for order, rows in hit.items():
                    if order not in sections and (own := _same_snapshot(rows, form, tokens)):
                        sections[order] = own
            if not self._may_shorten(form):
                break
            form = form[:-1]
        if not sections:
            return self._nothing
        found = Found()
        in_order = sorted(sections, key=self._rank.__getitem__)
        for order in in_order:
            by_key: dict[str, list[Row]] = {}
            for row in sections[order]:
                by_key.setdefault(row.benchmark, []).append(row)
            for key, own in by_key.items():
                if key not in found.newest:
                    found.newest[key] = (self._cohorts[key, order], own)
        found.rows = tuple(row for order in in_order for row in sections[order])
        return found

    def _may_shorten(self, form: Tokens) -> bool:
        """Whether the last token may go: never an effort word that a row shows as part of this name."""
        if not strippable(form):
            return False
        return form not in self._names

    def standing(self, found: Found, key: str) -> Standing | None:
        """The standing of a candidate for one cohort key, computed once."""
        if key in found.standings:
            return found.standings[key]
        result = None
        place = found.newest.get(key)
        if place is not None:
            cohort, own = place
            shared = cohort.share(own)
            if shared is not None:
                result = _standing(key, cohort.top(own), *shared)
        found.standings[key] = result
        return result


def _same_snapshot(rows: list[Row], form: Tokens, tokens: Tokens) -> list[Row]:
    """Rows of a shortened form, without those of another snapshot than the candidate's own."""
    own = [token for token in tokens[len(form) :] if token.isdigit()]
    if not own:
        return rows
    return [
        row
        for row in rows
        if all(not token.isdigit() or token in own for token in row.tokens[len(form) :])
    ]


def _standing(key: str, row: Row, share: float, models: int) -> Standing:
    return Standing.model_construct(
        key=key,
        share=share,
        models=models,
        value=row.value,
        unit=row.unit,
        label=row.label,
        edition=row.edition.source,
        effort=row.effort,
        harness=row.harness,
        reporter=row.reporter,
        setting=row.setting,
    )


def _newer_first(one: Edition, two: Edition) -> int:
    """Order of editions: by date where both have one, else by version, else dated first, else by place."""
    if one.date and two.date and one.date != two.date:
        return -1 if one.date > two.date else 1
    if one.version and two.version and one.version != two.version:
        return -1 if version_key(one.version) > version_key(two.version) else 1
    if bool(one.date) != bool(two.date):
        return -1 if one.date else 1
    return -1 if one.order < two.order else int(one.order > two.order)
