"""Changing one key of a file's front matter and leaving every other byte as it is (SPEC 11.6)."""

from __future__ import annotations

import re

from yaml.nodes import ScalarNode, SequenceNode

from routinglab.skills.decode import readable
from routinglab.skills.fields import plain_key
from routinglab.skills.front_matter import Entry, FrontMatter, read_front_matter
from routinglab.skills.safe_yaml import dump, plain

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r)|[^\r\n]+\Z")


def set_key(text: str, key: str, value: object, others: tuple[str, ...] = ()) -> str:
    """``text`` with front matter key ``key`` set; None takes it out.

    A key that is there keeps its place, its spelling and a comment behind it, also when it is
    spelled as one of ``others``; a new one comes last. A file without front matter gets one.
    """
    lines = _lines(text)
    head = read_front_matter(readable(text))
    end_of_line = _end_of_line(text)
    if not head.present:
        return text if value is None else _with_head(text, key, value, end_of_line)
    names = {plain_key(name) for name in (key, *others)}
    spans = _spans(head, lines)
    mine = [(entry, span) for entry, span in spans if plain_key(entry.key) in names]
    new = [] if value is None else _written(key, value, mine, lines, end_of_line)
    if not mine:
        at = _after_last(head, lines)
        if at and not lines[at - 1].endswith(("\n", "\r")):
            lines[at - 1] += end_of_line
        return "".join((*lines[:at], *new, *lines[at:]))
    last = mine[-1][1]
    for _, span in reversed(mine):
        lines[span.start : span.stop] = new if span == last else []
    return "".join(lines)


def set_body(text: str, body: str) -> str:
    """``text`` with another body below its front matter, blank lines around it kept."""
    lines = _lines(text)
    head = read_front_matter(readable(text))
    closed = head.present and head.end < len(lines) and bool(lines[head.end].strip())
    first = head.end + 1 if closed else head.end
    above, below = "".join(lines[:first]), "".join(lines[first:])
    end_of_line = _end_of_line(text)
    new = readable(body).strip().replace("\n", end_of_line)
    if not below.strip():
        gap = end_of_line if above.endswith(("\n", "\r")) or not above else end_of_line * 2
        return f"{above}{gap if above else ''}{new}{end_of_line}"
    before = below[: len(below) - len(below.lstrip())]
    after = below[len(below.rstrip()) :]
    return f"{above}{before}{new}{after}"


def other_keys(text: str, keys: set[str]) -> list[tuple[str, object]]:
    """What the front matter holds besides ``keys`` (compared by :func:`plain_key`), in order."""
    head = read_front_matter(readable(text))
    names = {plain_key(key) for key in keys}
    return [
        (entry.key, plain(entry.node) if entry.node is not None else None)
        for entry in head.entries
        if plain_key(entry.key) not in names
    ]


def _lines(text: str) -> list[str]:
    return _LINE.findall(text)


def _end_of_line(text: str) -> str:
    found = re.search(r"\r\n|\n|\r", text)
    return found[0] if found else "\n"


def _with_head(text: str, key: str, value: object, end_of_line: str) -> str:
    head = f"---\n{dump(key, value)}---\n\n".replace("\n", end_of_line)
    return head + text


def _spans(head: FrontMatter, lines: list[str]) -> list[tuple[Entry, range]]:
    """Each entry with its lines; blank lines and comments before the next key are not its own."""
    ordered = sorted(head.entries, key=lambda entry: entry.line)
    spans = []
    for number, entry in enumerate(ordered):
        start = entry.line - 1
        stop = ordered[number + 1].line - 1 if number + 1 < len(ordered) else head.end
        while stop > start + 1 and re.match(r"\s*$|#", lines[stop - 1]):
            stop -= 1
        spans.append((entry, range(start, stop)))
    return spans


def _after_last(head: FrontMatter, lines: list[str]) -> int:
    at = min(head.end, len(lines))
    while at > head.start and not lines[at - 1].strip():
        at -= 1
    return at


def _written(
    key: str,
    value: object,
    mine: list[tuple[Entry, range]],
    lines: list[str],
    end_of_line: str,
) -> list[str]:
    if not mine:
        return _lines(dump(key, value).replace("\n", end_of_line))
    entry, span = mine[-1]
    first = lines[span.start]
    indent = first[: len(first) - len(first.lstrip(" "))]
    if isinstance(value, list) and isinstance(entry.node, ScalarNode) and _joinable(value):
        value = ", ".join(value)
    new = _lines(dump(entry.key, value).replace("\n", end_of_line))
    if len(new) == 1 and (comment := _comment(entry, first, len(span))):
        new = [new[0].rstrip("\r\n") + comment + end_of_line]
    if not lines[span.stop - 1].endswith(("\n", "\r")):
        new[-1] = new[-1].rstrip("\r\n")
    return [indent + line for line in new]


def _joinable(value: list[object]) -> bool:
    return bool(value) and all(isinstance(item, str) and "," not in item for item in value)


def _comment(entry: Entry, line: str, count: int) -> str:
    """A comment behind a value that stands on one line, with the space before it."""
    node = entry.node
    if count != 1 or entry.recovered or not isinstance(node, (ScalarNode, SequenceNode)):
        return ""
    found = re.match(r"\s+#.*", line[node.end_mark.column :].rstrip("\r\n"))
    return found[0] if found else ""
