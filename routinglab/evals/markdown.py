"""The blocks of a Markdown file that matter here: headings, tables, list items and prose.

Front matter, fenced and indented code, and comments (HTML and MDX) are passed over. Nothing here
knows what a table means. Every line is looked at a bounded number of times.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from routinglab.evals.cells import plain_text, split_row
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

_FENCE = re.compile(r"\s*(?:[-*+]\s+|\d+[.)]\s+)?(`{3,}|~{3,})(.*)$")
_ATX = re.compile(r" {0,3}(#{1,6})(?:\s+(.*?))?(?:\s+#+)?\s*$")
_SETEXT = re.compile(r" {0,3}(=+|-{2,})\s*$")
_ITEM = re.compile(r"\s*(?:[-*+•]|\d{1,4}[.)])\s+(.*)$")
_QUOTE = re.compile(r"\s{0,3}(?:>\s?)+")
_RULE_CHARS = frozenset("|:-+= \t–—")
_COMMENTS = {"<!--": "-->", "{/*": "*/}"}
_OPENS = re.compile(r"<!--|\{/\*")


class Scanner:
    """Lines of a file with code and comments blanked out; ``warnings`` says what never closed."""

    def __init__(self, text: str) -> None:
        self.warnings: list[Warned] = []
        self.front: list[str] = []
        self._lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def lines(self) -> Iterator[tuple[int, str | None]]:
        """Numbered lines; None where a line was code or wholly a comment."""
        number = self._skip_front_matter()
        fence = comment = ""
        opened = 0
        lines = self._lines
        listed = False
        blank_before = True
        while number < len(lines):
            line = lines[number]
            number += 1
            if fence:
                if _closes(line, fence):
                    fence = ""
                yield number, None
                continue
            had_comment = bool(comment)
            if comment or "<!--" in line or "{/*" in line:
                was = comment
                line, comment = _uncommented(line, comment)
                if comment and not was:
                    opened = number
                had_comment = True
            if had_comment and not line.strip():
                yield number, None
                continue
            if "`" in line or "~" in line:
                started = _FENCE.match(_QUOTE.sub("", line))
                if started and not (started.group(1)[0] == "`" and "`" in started.group(2)):
                    fence, opened = started.group(1), number
                    yield number, None
                    continue
            if line[:4] == "    " or line[:1] == "\t":
                if blank_before and not listed:
                    yield number, None
                    continue
            elif line.strip():
                listed = bool(_ITEM.match(line)) or line[:1] == "<"
            blank_before = not line.strip()
            yield number, _QUOTE.sub("", line) if line.lstrip()[:1] == ">" else line
        if fence:
            self.warnings.append(
                Warned(
                    opened,
                    "a code fence is opened here and never closed; what follows was passed over",
                )
            )
        if comment:
            self.warnings.append(
                Warned(
                    opened,
                    "a comment is opened here and never closed; what follows was passed over",
                )
            )

    def _skip_front_matter(self) -> int:
        lines = self._lines
        mark = lines[0].rstrip() if lines else ""
        if mark not in ("---", "+++"):
            return 0
        for number in range(1, min(len(lines), 2000)):
            if lines[number].rstrip() in (mark, "..."):
                self.front = lines[1:number]
                return number + 1
        return 0


def _closes(line: str, fence: str) -> bool:
    stripped = line.strip().lstrip("> ")
    return len(stripped) >= len(fence) and not stripped.strip(fence[0])


def _uncommented(line: str, comment: str) -> tuple[str, str]:
    """The line without its comments, and the mark that would end one still open."""
    kept: list[str] = []
    at = 0
    while True:
        if comment:
            end = line.find(comment, at)
            if end < 0:
                return "".join(kept), comment
            at = end + len(comment)
            comment = ""
        opens = _OPENS.search(line, at)
        if not opens:
            kept.append(line[at:])
            return "".join(kept), ""
        if line.count("`", at, opens.start()) % 2:
            after = line.find("`", opens.end())
            if after >= 0:
                kept.append(line[at : after + 1])
                at = after + 1
                continue
        kept.append(line[at : opens.start()])
        comment = _COMMENTS[opens.group()]
        at = opens.end()


def is_rule(line: str) -> bool:
    """Whether a line is the separator under a table's header: ``|---|:--:|``, whatever its width."""
    return "|" in line and not (set(line) - _RULE_CHARS) and any(c in line for c in "-=–—")


def blocks(scanner: Scanner) -> Iterator[Block]:
    """Headings, prose and tables in file order."""
    pending: list[tuple[int, str]] = []
    table: TableBlock | None = None
    previous: Prose | None = None
    for number, line in scanner.lines():
        if line is not None and "|" in line and not _ATX.match(line):
            pending.append((number, line))
            continue
        if pending:
            found = _table(pending, table, scanner)
            if isinstance(found, TableBlock):
                if table is not None and found is not table:
                    yield table
                table = found
            elif found:
                if table is not None:
                    yield table
                    table = None
                yield from found
            pending = []
            previous = None
        if line is None or not line.strip():
            if previous is not None:
                yield previous
                previous = None
            continue
        if table is not None:
            yield table
            table = None
        yield from _text_line(number, line, previous)
        setext = previous is not None and _SETEXT.match(line)
        heading = bool(setext) or bool(_ATX.match(line))
        previous = None if heading else Prose(line.strip(), number, _item(line))
    if pending:
        found = _table(pending, table, scanner)
        if isinstance(found, TableBlock):
            if table is not None and found is not table:
                yield table
            table = found
        elif found:
            yield from found
    if table is not None:
        yield table
    if previous is not None:
        yield previous


def _text_line(number: int, line: str, previous: Prose | None) -> Iterator[Block]:
    """The block a line completes: a heading, or the prose line before it."""
    atx = _ATX.match(line)
    if atx:
        if previous is not None:
            yield previous
        yield Heading(len(atx.group(1)), plain_text(atx.group(2) or ""), number)
    elif previous is not None:
        setext = _SETEXT.match(line)
        if setext and previous.item is None:
            level = 1 if setext.group(1)[0] == "=" else 2
            yield Heading(level, plain_text(previous.text), previous.line)
        else:
            yield previous


def _item(line: str) -> str | None:
    found = _ITEM.match(line)
    return found.group(1) if found else None


def _table(
    lines: list[tuple[int, str]], before: TableBlock | None, scanner: Scanner
) -> TableBlock | list[Prose]:
    """Consecutive lines with pipes as a table, as more rows of the one before, or as prose."""
    rule = next((at for at in range(1, len(lines)) if is_rule(lines[at][1])), None)
    outer = all(line.lstrip().startswith("|") for _, line in lines)
    if rule is None:
        if before is not None and outer and len(split_row(lines[0][1])) == len(before.header):
            _add_rows(before, lines)
            return before
        if not outer or len(lines) < 2:
            return [Prose(line.strip(), number, _item(line)) for number, line in lines]
        scanner.warnings.append(
            Warned(
                lines[0][0],
                "a table without a line of dashes under its header; its first line was taken as the header",
            )
        )
        rule = 0
        table = TableBlock(split_row(lines[0][1]), lines[0][0])
        _add_rows(table, lines[1:])
        return table
    for number, line in lines[: rule - 1]:
        if not is_rule(line):
            scanner.warnings.append(
                Warned(number, "a line above the header of a table was passed over")
            )
    number, line = lines[rule - 1]
    table = TableBlock(split_row(line), number, line.lstrip().startswith("|"))
    _add_rows(table, lines[rule + 1 :])
    return table


def _add_rows(table: TableBlock, lines: list[tuple[int, str]]) -> None:
    width = len(table.header)
    for number, line in lines:
        if not is_rule(line):
            table.rows.append((number, split_row(line, width, leading=table.leading)))
