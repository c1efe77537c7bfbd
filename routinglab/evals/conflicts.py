"""Figures of one file that contradict each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from routinglab.evals.row import Row, Warned


def conflicts(records: Sequence[Sequence[Row]]) -> Iterator[Warned]:
    """A warning for every value that differs from an earlier one of the same edition, benchmark,
    model as written and conditions.

    Only records are compared that share all of these, so a file without repetitions costs little.
    """
    marks = [{_mark(row) for row in (rows if _mixed(rows) else rows[:1])} for rows in records]
    counted = Counter(mark for several in marks for mark in several)
    first: dict[tuple[object, ...], Row] = {}
    for rows, several in zip(records, marks, strict=True):
        repeated = any(counted[mark] > 1 for mark in several)
        if not repeated and len({row.benchmark for row in rows}) == len(rows):
            continue
        for row in rows:
            earlier = first.setdefault((row.benchmark, *_mark(row)), row)
            if earlier.value != row.value:
                yield Warned(
                    row.line,
                    f"{row.slug} has {row.label} {row.value:g} here and {earlier.value:g} on line {earlier.line}",
                )


def mixed_units(rows: Iterable[Row]) -> Iterator[Warned]:
    """A warning for every benchmark of an edition where shares of one stand beside percent."""
    plain: dict[tuple[int, str], Row] = {}
    for row in (several := tuple(rows)):
        if row.unit == "" and 0 < row.value <= 1:
            plain.setdefault((row.edition.order, row.benchmark), row)
    if not plain:
        return
    for row in several:
        if row.unit == "%" and row.value > 1:
            share = plain.pop((row.edition.order, row.benchmark), None)
            if share is not None:
                told = f"{share.label} is {share.value:g} here and in percent on line {row.line}"
                yield Warned(share.line, told)


def _mixed(rows: Sequence[Row]) -> bool:
    """Whether some figures of a record state conditions of their own."""
    return len({(row.effort, row.harness, row.setting) for row in rows}) > 1


def _mark(row: Row) -> tuple[object, ...]:
    return (row.edition.order, row.tokens, row.effort, row.harness, row.setting, row.slug)
