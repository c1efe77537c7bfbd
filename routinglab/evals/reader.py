"""An evals file's text into rows (SPEC 3.2): never raises, and reports what it cannot read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import date

from routinglab.evals.benchmarks import find_label
from routinglab.evals.cells import plain_text
from routinglab.evals.columns import is_key_table, read_columns
from routinglab.evals.dates import find_date
from routinglab.evals.draft import Draft, finish
from routinglab.evals.markdown import Heading, Prose, Scanner, TableBlock, blocks
from routinglab.evals.records import TableReader
from routinglab.evals.row import Row, Warned
from routinglab.evals.sections import Outline, Spot
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
    scanner = Scanner(text)
    outline = Outline()
    document = Document()
    spots: list[tuple[TableBlock, Spot]] = []
    html_table = 0
    for block in blocks(scanner):
        if isinstance(block, Heading):
            outline.heading(block.level, block.text, block.line)
            document.headings.append(block)
        elif isinstance(block, Prose):
            outline.prose(block.text, block.item)
            if "<table" in block.text.lower():
                html_table = block.line
                document.warnings.append(
                    Warned(html_table, "an HTML table was passed over; write it with pipes")
                )
        else:
            block.header = [plain_text(cell) for cell in block.header]
            if is_key_table(block.header):
                for _, cells in block.rows:
                    if len(cells) > 1:
                        outline.name_column(cells[0], cells[1])
            else:
                spots.append((block, outline.here()))
    outline.dated = _front_date(scanner.front)
    drafts: list[Draft] = []
    for table, spot in spots:
        drafts.extend(_read_table(table, spot, outline, document))
    document.rows, document.released = finish(drafts, document.warnings)
    document.warnings.extend(scanner.warnings)
    document.warnings.sort(key=lambda warned: warned.line)
    return document


def _front_date(front: Iterable[str]) -> date | None:
    for line in front:
        key, colon, value = line.partition(":")
        if colon and plain(key) in ("date", "updated", "asof", "lastupdated", "retrieved"):
            return find_date(value)
    return None


def _read_table(table: TableBlock, spot: Spot, outline: Outline, document: Document) -> list[Draft]:
    """Drafts of a table's rows, with its summary and warnings noted in ``document``."""
    if not table.rows:
        document.warnings.append(Warned(table.line, "a table without rows"))
        return []
    rows = [(line, [plain_text(cell) for cell in cells]) for line, cells in table.rows]
    place = outline.place(spot)
    if not place.named:
        place = outline.place(spot, _suggested(table.header))
    sample = [cells for _, cells in rows[:_SAMPLE]]
    columns = read_columns(table.header, sample, place, outline.keys)
    if columns.model is None and not columns.roles.keys() & {"slug", "agent_model"}:
        other = turned(table.header, rows, table.line, place, outline.keys)
        if other is None:
            shown = ", ".join(text or "(blank)" for text in table.header[:4])
            document.warnings.append(
                Warned(
                    table.line, f"a table without a model column was passed over (columns: {shown})"
                )
            )
            return []
        header, rows, place_columns = other
        columns = place_columns
        table.header = header
    together = columns.roles.keys() & {"agent_model", "agent"}
    if together and (not place.named or place.edition.namespace == "aa"):
        place = outline.moved(place, "agent")
        columns = read_columns(table.header, sample, place, outline.keys)
    reader = TableReader(table.header, table.line, columns, place, outline.keys, document.warnings)
    drafts = reader.read(rows)
    keys = tuple(dict.fromkeys(draft.benchmark for draft in drafts if draft.benchmark))
    document.tables.append(
        TableSummary(
            table.line,
            place.edition.source,
            place.edition.namespace,
            place.edition.stated,
            reader.records,
            sum(draft.benchmark != "" for draft in drafts),
            keys,
            tuple(column.label for column in columns.values if not column.known),
        )
    )
    return drafts


def _suggested(header: list[str]) -> str | None:
    """The source that a table's labels suggest where no heading names one."""
    for source in ("aa", "pub"):
        known = [found for text in header if (found := find_label(source, text))]
        if sum(entry.source == source for entry in known) >= 2:
            return source
    return None
