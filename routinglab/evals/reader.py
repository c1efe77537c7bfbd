"""An evals file's text into rows (SPEC 3.2): never raises, and reports what it cannot read."""

from __future__ import annotations

import gc
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date

from routinglab.evals.benchmarks import find_label
from routinglab.evals.cells import plain_cells, plain_text
from routinglab.evals.columns import Columns, is_key_table, read_columns
from routinglab.evals.conflicts import conflicts, mixed_units
from routinglab.evals.dates import find_date
from routinglab.evals.figures import FigureReader
from routinglab.evals.identities import Identities
from routinglab.evals.lines import Scanner
from routinglab.evals.markdown import Heading, Prose, TableBlock, blocks
from routinglab.evals.row import Row, Warned
from routinglab.evals.sections import Outline, Place, Spot
from routinglab.evals.subjects import Record, SubjectReader
from routinglab.evals.transposed import turned
from routinglab.evals.words import plain

_SAMPLE = 200


@dataclass(frozen=True, slots=True)
class TableSummary:
    """What one table gave: ``unknown`` are labels no benchmark of the package is known by."""

    line: int
    source: str
    namespace: str
    edition: str
    records: int
    values: int
    keys: tuple[str, ...]
    unknown: tuple[str, ...]


@dataclass(slots=True)
class Document:
    """What a file holds: rows in file order, warnings by line, and a summary a table."""

    rows: tuple[Row, ...] = ()
    warnings: list[Warned] = field(default_factory=list)
    tables: list[TableSummary] = field(default_factory=list)
    released: dict[str, date] = field(default_factory=dict)
    headings: list[Heading] = field(default_factory=list)


def read_document(text: str) -> Document:
    """Read a whole file."""
    with _collector_paused():
        return _read(text)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """No search for cycles meanwhile: rows have none, and looking through a million of them again
    and again takes as long as reading them."""
    was = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was:
            gc.enable()


def _read(text: str) -> Document:
    scanner = Scanner(text)
    outline = Outline()
    document = Document()
    spots: list[tuple[TableBlock, Spot]] = []
    for block in blocks(scanner):
        if isinstance(block, Heading):
            outline.heading(block.level, block.text, block.line)
            document.headings.append(block)
        elif isinstance(block, Prose):
            outline.prose(block.text, block.item)
            if "<table" in block.text.lower():
                told = "an HTML table was passed over; write it with pipes"
                document.warnings.append(Warned(block.line, told))
        else:
            block.header = [plain_text(cell) for cell in block.header]
            if is_key_table(block.header):
                for _, cells in block.rows:
                    if len(cells) > 1:
                        outline.name_column(cells[0], cells[1])
            else:
                spots.append((block, outline.here()))
    outline.dated = _front_date(scanner.front)
    tables = [_read_table(*at, outline, document.warnings) for at in spots]
    _into_rows([table for table in tables if table is not None], document)
    document.warnings.extend(scanner.warnings)
    document.warnings.sort(key=lambda warned: warned.line)
    return document


def _front_date(front: Iterable[str]) -> date | None:
    for line in front:
        key, _, value = line.partition(":" if ":" in line else "=")
        if plain(key) in ("date", "updated", "asof", "lastupdated", "retrieved"):
            return find_date(value)
    return None


@dataclass(frozen=True, slots=True)
class _Table:
    """A table whose records are known, and what will read their figures."""

    line: int
    place: Place
    columns: Columns
    records: list[Record]
    figures: FigureReader


def _read_table(
    table: TableBlock, spot: Spot, outline: Outline, warnings: list[Warned]
) -> _Table | None:
    """The records of a table; None, with a warning, where it has none."""
    header, line = table.header, table.line
    if not table.rows:
        warnings.append(Warned(line, "a table without rows"))
        return None
    rows = [(at, plain_cells(cells)) for at, cells in table.rows]
    place = outline.place(spot)
    if not place.named:
        place = outline.place(spot, _suggested(header))
    sample = [cells for _, cells in rows[:_SAMPLE]]
    columns = read_columns(header, sample, place, outline.keys)
    lines: tuple[int, ...] | None = None
    if columns.model is None and not columns.roles.keys() & {"slug", "agent_model"}:
        other = turned(header, rows, line, place, outline.keys)
        if other is None:
            shown = ", ".join(text or "(blank)" for text in header[:4])
            told = f"a table without a model column was passed over (columns: {shown})"
            warnings.append(Warned(line, told))
            return None
        header, rows, lines, columns = other.header, other.rows, other.lines, other.columns
    loose = not place.named or place.edition.namespace == "aa"
    if "agent_model" in columns.roles or ("agent" in columns.roles and loose):
        place = outline.moved(place, "agent")
        columns = read_columns(header, sample, place, outline.keys)
    return _Table(
        line,
        place,
        columns,
        SubjectReader(header, line, columns, place, warnings).read(rows),
        FigureReader(line, columns, place, outline.keys, warnings, lines),
    )


def _into_rows(tables: list[_Table], document: Document) -> None:
    """Settle identities and read all figures, with a summary a table."""
    identities = Identities(record.subject for table in tables for record in table.records)
    document.released = identities.released
    by_record: list[list[Row]] = []
    for table in tables:
        several = list(table.figures.read(table.records, identities))
        by_record += several
        edition = table.place.edition
        document.tables.append(
            TableSummary(
                table.line,
                edition.source,
                edition.namespace,
                edition.stated,
                len(table.records),
                sum(map(len, several)),
                tuple(dict.fromkeys(row.benchmark for rows in several for row in rows)),
                tuple(column.label for column in table.columns.values if not column.known),
            )
        )
    document.rows = tuple(row for rows in by_record for row in rows)
    document.warnings += conflicts(by_record)
    document.warnings += mixed_units(document.rows)


def _suggested(header: list[str]) -> str | None:
    """The source that a table's labels suggest where no heading names one."""
    for source in ("aa", "pub"):
        known = [found for text in header if (found := find_label(source, text))]
        if sum(entry.source == source for entry in known) >= 2:
            return source
    return None
