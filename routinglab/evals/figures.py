"""The cells of one table into rows, once the identities of the whole file are known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from routinglab.evals.columns import Columns
from routinglab.evals.identities import Identities, Identity
from routinglab.evals.labels import ValueColumn, value_column
from routinglab.evals.names import HARNESSES, effort_named
from routinglab.evals.row import Row, Warned
from routinglab.evals.sections import Place
from routinglab.evals.subjects import Record, Subject
from routinglab.evals.values import MISSING_CELL, Figure, half_width, is_missing, read_cell
from routinglab.evals.words import REPORTERS

_CLAUSE = re.compile(r"\s*[,;·|]\s*")


class FigureReader:
    """Reads the figures of one table; ``lines`` are those of its columns where it was turned."""

    def __init__(
        self,
        line: int,
        columns: Columns,
        place: Place,
        keys: dict[str, str],
        warnings: list[Warned],
        lines: Sequence[int] | None = None,
    ) -> None:
        self._line, self._columns, self._place = line, columns, place
        self._keys, self._warnings, self._lines = keys, warnings, lines
        self._labels: dict[str, tuple[ValueColumn, ...]] = {}

    def read(self, records: Sequence[Record], identities: Identities) -> Iterator[list[Row]]:
        """The rows of each record."""
        roles = self._columns.roles
        long_form = self._columns.long
        columns = [] if long_form else self._figured(records)
        for number, record in enumerate(records, 1):
            identity = identities[record.subject]
            unit = self._get(record, "unit") if "unit" in roles else ""
            mark = self._line * 1_000_000 + number
            rows: list[Row] = []
            for column in self._named(record) if long_form else columns:
                cells, at = record.cells, column.at
                if at >= len(cells):
                    continue
                figure = read_cell(cells[at])
                if figure is MISSING_CELL:
                    continue
                line = self._lines[at] if self._lines else record.line
                if figure is None:
                    self._unread(line, cells[at], column)
                else:
                    rows.append(self._row(line, mark, record, identity, column, figure, unit))
            yield rows

    def _figured(self, records: Sequence[Record]) -> list[ValueColumn]:
        """The value columns without those of an unknown label that hold text and no figure at all:
        one warning each."""
        for at in self._columns.nameless:
            told = f"column {at + 1} has no heading and was passed over"
            self._warnings.append(Warned(self._line, told))
        kept: list[ValueColumn] = []
        for column in self._columns.values:
            at = column.at
            cells = (read_cell(r.cells[at]) for r in records if at < len(r.cells))
            first = next((cell for cell in cells if cell is not MISSING_CELL), MISSING_CELL)
            if column.known or first is not None or any(isinstance(c, Figure) for c in cells):
                kept.append(column)
            else:
                line = self._lines[at] if self._lines else self._line
                told = f"column {column.label!r} holds no figures and was passed over"
                self._warnings.append(Warned(line, told))
        return kept

    def _named(self, record: Record) -> tuple[ValueColumn, ...]:
        """The columns of a row of a long table: its value, of the benchmark its cell names, and what was
        measured with it (``pub:OSW2/usd``)."""
        label = self._get(record, "benchmark")
        if not label:
            self._warnings.append(
                Warned(record.line, "a row without a benchmark name was passed over")
            )
            return ()
        if label not in self._labels:
            at = self._columns.roles["value"]
            named = value_column(at, label, self._place, self._keys)
            measured = (
                replace(column, key=f"{named.key}/{column.key.partition(':')[2]}")
                for column in self._columns.values
            )
            self._labels[label] = (
                replace(named, ci_at=self._columns.roles.get("ci")),
                *measured,
            )
        return self._labels[label]

    def _get(self, record: Record, role: str) -> str:
        at = self._columns.roles.get(role)
        text = record.cells[at] if at is not None and at < len(record.cells) else ""
        return "" if is_missing(text) else text

    def _unread(self, line: int, text: str, column: ValueColumn) -> None:
        shown = text if len(text) <= 40 else text[:37] + "..."
        self._warnings.append(Warned(line, f"cannot read {shown!r} as {column.label}"))

    def _interval(self, record: Record, column: ValueColumn) -> float | None:
        """The half width that a column of its own states: ``3``, ``±3``, ``+3/-2``, ``71–77``."""
        at = column.ci_at
        text = record.cells[at] if at is not None and at < len(record.cells) else ""
        if is_missing(text):
            return None
        half = half_width(text)
        if half is None:
            told = f"cannot read {text!r} as the interval of {column.label}"
            self._warnings.append(Warned(record.line, told))
        return half

    def _row(
        self,
        line: int,
        mark: int,
        record: Record,
        identity: Identity,
        column: ValueColumn,
        figure: Figure,
        unit: str,
    ) -> Row:
        subject = record.subject
        ci = figure.ci
        if ci is None and column.ci_at is not None:
            ci = self._interval(record, column)
        scale = column.scale
        value = figure.value
        if scale != 1.0 and figure.unit is None and not figure.scaled:
            value *= scale
            ci = ci * scale if ci is not None else None
        effort, harness = column.effort, column.harness
        reporter = column.reporter or subject.reporter
        setting = identity.setting
        if figure.note:
            effort, harness, reporter, setting = self._noted(
                figure.note, subject, effort, harness, column.reporter, setting
            )
        key = column.key
        if figure.delta and column.known:
            key += "-delta"
        if reporter and key.startswith("pub:"):
            key = f"{key}@{reporter}"
        return Row(
            self._place.edition,
            key,
            column.label,
            identity.slug,
            subject.name,
            identity.model,
            identity.tokens,
            identity.core,
            effort or identity.effort,
            value,
            figure.unit or unit or column.unit,
            ci,
            setting,
            reporter,
            harness or identity.harness,
            identity.released,
            subject.as_of,
            line,
            mark,
        )

    def _noted(
        self,
        note: str,
        subject: Subject,
        effort: str | None,
        harness: str | None,
        reporter: str | None,
        setting: str | None,
    ) -> tuple[str | None, str | None, str | None, str | None]:
        """Effort, harness, reporter and setting with what stands in brackets behind a figure."""
        kept = [setting] if setting else []
        published = self._place.edition.namespace == "pub"
        for clause in _CLAUSE.split(note):
            if effort is None and (found := effort_named(clause)):
                effort = found
            elif harness is None and clause.lower() in HARNESSES:
                harness = clause
            elif published and reporter is None and clause.casefold() in REPORTERS:
                reporter = REPORTERS[clause.casefold()]
            elif clause not in kept:
                kept.append(clause)
        return effort, harness, reporter or subject.reporter, ", ".join(kept) or None
