"""The blocks of a Markdown file that matter here: headings, tables, list items and prose.

Front matter, fenced and indented code, and comments (HTML and MDX) are passed over. Nothing here
knows what a table means. Every line is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from routinglab.evals.cells import plain_text, split_row
from routinglab.evals.lines import LIST_ITEM, Scanner
from routinglab.evals.row import Warned


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading with its level (1..6), as plain text."""

    level: int
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Prose:
    """A line of a paragraph or list item; ``item`` is the text after a list marker, else None."""

    text: str
    line: int
    item: str | None = None


@dataclass(slots=True)
class TableBlock:
    """A pipe table: raw cells of its header, and of its rows with their line numbers.

    ``leading``: its header begins with a pipe.
    """

    header: list[str]
    line: int
    leading: bool = True
    rows: list[tuple[int, list[str]]] = field(default_factory=list)


Block = Heading | Prose | TableBlock
Lines = list[tuple[int, str]]

_ATX = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
_ATTRIBUTES = re.compile(r"\s*\{(?:[#.][^{}]*|[\w-]+=[^{}]*)\}$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})\s*$")
_RULE_CHARS = frozenset("|:-+= \t–—")


def is_rule(line: str) -> bool:
    """Whether a line is the separator under a table's header: ``|---|:--:|``, whatever its width.

    The borders of a grid table (``+---+---+``) count too.
    """
    if set(line) - _RULE_CHARS or not any(mark in line for mark in "-=–—"):
        return False
    return "|" in line or line.lstrip()[:1] == "+"


def blocks(scanner: Scanner) -> Iterator[Block]:
    """Headings, prose and tables in file order."""
    return _Blocks(scanner).read()


class _Blocks:
    """Puts lines together to blocks.

    A line without pipes that stands directly between lines of a table is a row of one cell; after
    the last of them it is prose. ``_open`` is the table that more rows may follow, ``_previous`` the
    prose that an underline would make a heading.
    """

    def __init__(self, scanner: Scanner) -> None:
        self._scanner = scanner
        self._run: Lines = []
        self._after: Lines = []
        self._open: TableBlock | None = None
        self._previous: Prose | None = None

    def read(self) -> Iterator[Block]:
        for number, line in self._scanner.lines():
            blank = line is None or not line.strip()
            if line is None or blank:
                yield from self._end_run()
                yield from self._end_prose()
            elif ("|" in line or line[:2] in ("+-", "+=")) and not _ATX.match(line):
                self._run += self._after
                self._after = []
                self._run.append((number, line))
            elif self._run and not _ATX.match(line) and not LIST_ITEM.match(line):
                self._after.append((number, line))
            else:
                yield from self._end_run()
                yield from self._text(number, line)
        yield from self._end_run()
        yield from self._end_prose()
        yield from self._end_table()

    def _end_run(self) -> Iterator[Block]:
        """The blocks of lines with pipes that stood together, then the text after them."""
        run, after = self._run, self._after
        self._run, self._after = [], []
        for block in _tables(run, self._open, self._scanner.warnings) if run else ():
            yield from self._end_prose()
            if block is self._open:
                continue
            yield from self._end_table()
            if isinstance(block, TableBlock):
                self._open = block
            elif isinstance(block, Prose):
                self._previous = block
        for number, line in after:
            yield from self._text(number, line)

    def _text(self, number: int, line: str) -> Iterator[Block]:
        """Take in a line of text; it may make the one before it a heading."""
        yield from self._end_table()
        atx, previous = _ATX.match(line), self._previous
        setext = _SETEXT.match(line) if previous is not None and previous.item is None else None
        if setext and previous is not None and not atx:
            self._previous = None
            level = 1 if setext.group(1)[0] == "=" else 2
            yield Heading(level, plain_text(previous.text), previous.line)
            return
        yield from self._end_prose()
        if atx:
            title = _ATTRIBUTES.sub("", atx.group(2) or "")
            yield Heading(len(atx.group(1)), plain_text(title), number)
        else:
            self._previous = _prose(number, line)

    def _end_prose(self) -> Iterator[Block]:
        if self._previous is not None:
            yield self._previous
            self._previous = None

    def _end_table(self) -> Iterator[Block]:
        if self._open is not None:
            yield self._open
            self._open = None


def _prose(number: int, line: str) -> Prose:
    found = LIST_ITEM.match(line)
    return Prose(line.strip(), number, found.group(1) if found else None)


def _tables(run: Lines, before: TableBlock | None, warnings: list[Warned]) -> list[Block]:
    """Lines that stand together as tables, as more rows of the one before, or as prose."""
    rules = [at for at in range(1, len(run)) if _separates(run, at)]
    if not rules:
        return _without_rule(run, before, warnings)
    found: list[Block] = []
    first = rules[0] - 1
    for number, line in run[:first]:
        if not line.lstrip().startswith("|"):
            found.append(_prose(number, line))
        elif not is_rule(line):
            warnings.append(Warned(number, "a line above the header of a table was passed over"))
    starts = [first]
    name = split_row(_unlisted(run[first][1]))[:1]
    starts += [
        at - 1 for at in rules[1:] if at - 1 > starts[-1] + 1 and _named(run[at - 1][1], name)
    ]
    for start, end in zip(starts, [*starts[1:], len(run)], strict=True):
        number, line = run[start]
        line = _unlisted(line)
        table = TableBlock(split_row(line), number, line.lstrip().startswith("|"))
        _add_rows(table, run[start + 2 : end])
        found.append(table)
    return found


def _without_rule(run: Lines, before: TableBlock | None, warnings: list[Warned]) -> list[Block]:
    """Lines with pipes and no separator among them."""
    piped = [line for _, line in run if "|" in line]
    outer = all(line.lstrip().startswith("|") for line in piped)
    if (
        before is not None
        and (outer or not before.leading)
        and len(split_row(run[0][1])) == len(before.header)
    ):
        _add_rows(before, run)
        return [before]
    if not outer:
        return [_prose(number, line) for number, line in run]
    if len(piped) < 2:
        warnings.append(Warned(run[0][0], "a single line of a table was passed over"))
        return []
    warnings.append(
        Warned(
            run[0][0],
            "a table without a line of dashes under its header; its first line was taken as the header",
        )
    )
    table = TableBlock(split_row(run[0][1]), run[0][0])
    _add_rows(table, run[1:])
    return [table]


def _separates(run: Lines, at: int) -> bool:
    """Whether a line is a separator; dashes alone are one between two lines with pipes."""
    line = run[at][1]
    if is_rule(line):
        return True
    return (
        "|" not in line
        and bool(_SETEXT.match(line))
        and "|" in run[at - 1][1]
        and at + 1 < len(run)
        and "|" in run[at + 1][1]
    )


def _named(line: str, name: list[str]) -> bool:
    """Whether a line begins with the same cell as a header: it is the header of another table."""
    return bool(name and name[0]) and [c.casefold() for c in split_row(line)[:1]] == [
        name[0].casefold()
    ]


def _unlisted(line: str) -> str:
    """A header without the list marker before it."""
    found = LIST_ITEM.match(line) if line.lstrip()[:1] != "|" else None
    return found.group(1) if found and found.group(1).startswith("|") else line


def _add_rows(table: TableBlock, lines: Lines) -> None:
    width = len(table.header)
    for number, line in lines:
        if not is_rule(line):
            table.rows.append((number, split_row(line, width, leading=table.leading)))
