"""Front matter and body of a Markdown file, each key with its line (SPEC 11.2).

A whole block that is no YAML is read again key by key, so that one bad line costs one value and
not the file. Nothing here raises for what a file holds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml
from frontmatter.default_handlers import YAMLHandler
from yaml.nodes import MappingNode, Node

from routinglab.skills.decode import Problem
from routinglab.skills.recovery import entries, recover
from routinglab.skills.safe_yaml import Sizes, TooLarge, compose, line_of, pairs, raw

#: Front matter above this many characters is not parsed.
MAX_FRONT_MATTER = 65_536

# what YAML takes for a line end, besides the usual two, would shift every line number
_ODD_BREAKS = str.maketrans({"\x85": " ", "\u2028": " ", "\u2029": " "})
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class FenceHandler(YAMLHandler):
    """python-frontmatter's YAML handler whose fence is one whole line and nothing more."""

    FM_BOUNDARY = re.compile(r"^(?:-{3,}|\.{3})[ \t]*$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Entry:
    """One top-level key as written, the node of its value and its line, counted from 1.

    ``node`` is None where the value cannot be read; ``recovered`` says that it is the line's plain
    text, because YAML could not make sense of it. Marks inside ``node`` count from file line
    ``offset``, 0-based.
    """

    key: str
    node: Node | None
    line: int
    recovered: bool = False
    offset: int = 0

    def line_inside(self, node: Node) -> int:
        """The line, from 1, of a node inside the value."""
        return self.line if self.recovered else self.offset + line_of(node) + 1


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """What the head of a file says. ``start`` and ``end`` are its lines, 0-based, fences left out."""

    entries: tuple[Entry, ...] = ()
    body: str = ""
    problems: tuple[Problem, ...] = ()
    start: int = 0
    end: int = 0
    present: bool = False


def read_front_matter(text: str) -> FrontMatter:
    """Split and parse ``text`` (line ends ``\\n``, no byte-order mark)."""
    lines = text.split("\n")
    first = next((n for n, line in enumerate(lines) if line.strip()), 0)
    if not re.fullmatch(r"-{3,}[ \t]*", lines[first]):
        return FrontMatter(body=text.strip())
    handler = FenceHandler()
    try:
        head, body = handler.split("\n".join(lines[first:]))
    except ValueError:
        return _unclosed(lines, first + 1)
    found = _parse(head.removeprefix("\n"), first + 1)
    if found is None:
        return _unclosed(lines, first + 1)
    start, end = first + 1, first + head.count("\n")
    return FrontMatter(found[0], body.strip(), found[1], start, end, present=True)


def _parse(
    head: str, offset: int, *, closed: bool = True
) -> tuple[tuple[Entry, ...], tuple[Problem, ...]] | None:
    """Entries and problems of a block that begins at 0-based line ``offset`` of the file.

    None where a closed block looks like text: its fence is then a rule further down.
    """
    problems: list[Problem] = []
    if len(head) > MAX_FRONT_MATTER:
        limit = f"front matter is longer than {MAX_FRONT_MATTER:,} characters and is not read"
        return (), (Problem(offset, limit, blocking=True),)
    head = _clean(head, offset, problems)
    try:
        root = compose(head)
    except yaml.YAMLError as error:
        root, reason = None, error
        if "\t" in head:
            root = _without_tabs(head, offset, problems)
        if root is None:
            if closed and _runs_into_text(head):
                return None
            return _key_by_key(head, offset, problems, reason)
    if root is None:
        return (), tuple(problems)
    if not isinstance(root, MappingNode):
        if closed and (_runs_into_text(head) or not entries(head)):
            return None
        return _key_by_key(head, offset, problems, None)
    return _from_mapping(root, offset, problems)


def _from_mapping(
    root: MappingNode, offset: int, problems: list[Problem]
) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    found, sizes = [], Sizes()
    for key, value in pairs(root):
        line = offset + line_of(key) + 1
        name = raw(key)
        if name is None or not name.strip():
            problems.append(Problem(line, "a key that is not text is passed over"))
            continue
        entry = Entry(name.strip(), value, line, offset=offset)
        found.append(_measured(entry, sizes, problems))
    return tuple(found), tuple(problems)


def _measured(entry: Entry, sizes: Sizes, problems: list[Problem]) -> Entry:
    if entry.node is not None:
        try:
            sizes.add(entry.node)
        except TooLarge as error:
            problems.append(Problem(entry.line, f"{entry.key}: {error}, and is not read"))
            return Entry(entry.key, None, entry.line)
    return entry


def _key_by_key(
    head: str, offset: int, problems: list[Problem], reason: yaml.YAMLError | None
) -> tuple[tuple[Entry, ...], tuple[Problem, ...]]:
    found, sizes = [], Sizes()
    for part in entries(head):
        line = offset + part.line + 1
        node, note, literal = recover(part)
        if note:
            problems.append(Problem(line, f"{part.key}: {note}"))
        entry = Entry(part.key, node, line, literal, offset + part.line)
        found.append(_measured(entry, sizes, problems))
    if not problems and reason is not None:
        mark = getattr(reason, "problem_mark", None)
        line = offset + (mark.line if mark else 0) + 1
        problems.append(Problem(line, f"the front matter is not valid YAML ({_short(reason)})"))
    return tuple(found), tuple(problems)


def _without_tabs(head: str, offset: int, problems: list[Problem]) -> Node | None:
    try:
        root = compose(re.sub(r"\t", "  ", head))
    except yaml.YAMLError:
        return None
    line = next(n for n, text in enumerate(head.split("\n")) if "\t" in text)
    problems.append(Problem(offset + line + 1, "a tab was read as spaces; YAML allows only spaces"))
    return root


def _clean(head: str, offset: int, problems: list[Problem]) -> str:
    head = head.translate(_ODD_BREAKS)
    bad = _UNPRINTABLE.search(head)
    if bad:
        line = offset + head[: bad.start()].count("\n") + 1
        problems.append(Problem(line, f"a control character (U+{ord(bad[0]):04X}) was taken out"))
        head = _UNPRINTABLE.sub("", head)
    return head


def _runs_into_text(head: str) -> bool:
    """Whether the block holds plain paragraphs after a blank line: its closing fence is missing."""
    lines = head.rstrip("\n").split("\n")
    end = _head_end(lines)
    return end < len(lines) and not lines[end].strip()


def _unclosed(lines: list[str], start: int) -> FrontMatter:
    """Read the lines that look like front matter up to the first blank one; the rest is the body."""
    size = _head_end(lines[start:])
    head = "\n".join(lines[start : start + size])
    whole = "\n".join(lines).strip()
    if not entries(head):
        note = Problem(start, "a line of dashes opens the file, but no front matter follows")
        return FrontMatter(body=whole, problems=(note,))
    parsed, problems = _parse(head, start, closed=False) or ((), ())
    note = Problem(
        start, f"the front matter has no closing --- line; it was read up to line {start + size}"
    )
    body = "\n".join(lines[start + size :]).strip()
    return FrontMatter(parsed, body, (note, *problems), start, start + size, present=True)


def _head_end(lines: list[str]) -> int:
    """How many lines from the first belong to front matter, judged by their looks."""
    following = ""
    upcoming = []
    for line in reversed(lines):
        upcoming.append(following)
        following = line if line.strip() else following
    for number, (line, after) in enumerate(zip(lines, reversed(upcoming), strict=True)):
        if not line.strip():
            if not re.match(r"[ \t]+\S|[A-Za-z][\w-]*:(?:\s|$)", after):
                return number
        elif not re.match(r"[ \t]+\S|#|- |-$|[^\s:#\[{][^:\n]*:(?:\s|$)", line):
            return number
    return len(lines)


def _short(error: yaml.YAMLError) -> str:
    text = getattr(error, "problem", None) or str(error)
    return " ".join(str(text).split())[:120]
