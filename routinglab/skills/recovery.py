"""Reading one key of front matter that YAML as a whole could not make sense of."""

from __future__ import annotations

import re
from dataclasses import dataclass

import yaml
from yaml.nodes import MappingNode, Node, ScalarNode

from routinglab.skills.safe_yaml import compose

_KEY = re.compile(r"""(?P<q>["']?)(?P<key>[A-Za-z_][\w .-]*?)(?P=q)[ \t]*:(?:[ \t]+|$)""")
_BLOCK_SCALAR = re.compile(r"[|>][-+0-9]*[ \t]*(?:#.*)?")
_PLAIN = re.compile(r"[^\s|>\[{&!*\"'#]")
_TEXT_TAG = "tag:yaml.org,2002:str"


@dataclass(frozen=True, slots=True)
class Part:
    """The lines of one top-level key: from its own to the one before the next key's."""

    key: str
    line: int
    lines: tuple[str, ...]

    @property
    def value(self) -> str:
        """What follows the colon, on all its lines."""
        first = self.lines[0]
        found = _KEY.match(first)
        return "\n".join((first[found.end() if found else 0 :], *self.lines[1:]))


def entries(head: str) -> list[Part]:
    """The top-level keys of a block, by the look of its lines."""
    found: list[tuple[str, int, list[str]]] = []
    plain = False
    for number, line in enumerate(head.split("\n")):
        # below a plain value nothing can be nested, so a tab there is a slip
        match = _KEY.match(line.lstrip("\t") if plain else line)
        if match:
            found.append((match["key"], number, [match.string]))
            plain = bool(_PLAIN.match(match.string, match.end()))
        elif found:
            found[-1][2].append(line)
    return [Part(key, number, tuple(lines)) for key, number, lines in found]


def recover(part: Part) -> tuple[Node | None, str, bool]:
    """The node of a key's value, a note where it was not read as written, and whether it is literal.

    First as YAML of its own, then with tabs as spaces, then as the plain text that stands there.
    The node is None where the lines have a structure that cannot be read.
    """
    text = "\n".join(part.lines)
    attempts = [(text, ""), (text.replace("\t", "  "), "a tab was read as spaces")]
    for attempt, note in attempts if "\t" in text else attempts[:1]:
        node = _value(attempt)
        if node is not None:
            return node, note, False
    value = part.value.strip()
    several = "\n" in value and re.search(r"(?m)^[ \t]*- |^[ \t]*[{\[]", value)
    if several and part.value.split("\n")[0].strip():
        node = _value(part.lines[0])
        if node is not None:
            return node, "the lines after its own cannot be read and are passed over", False
    if _BLOCK_SCALAR.match(value) or several:
        return None, "cannot be read as YAML, and has no value", False
    folded = " ".join(value.split())
    note = "is not valid YAML and was read as plain text; put quotes around it"
    return ScalarNode(_TEXT_TAG, _unquoted(folded), *_marks()), note, True


def _value(text: str) -> Node | None:
    try:
        root = compose(text)
    except yaml.YAMLError:
        return None
    if not isinstance(root, MappingNode) or len(root.value) != 1:
        return None
    value: Node = root.value[0][1]
    return value


def _unquoted(text: str) -> str:
    """Text without quotes around the whole of it, or without one that was never closed."""
    quote = text[:1]
    if quote not in ('"', "'"):
        return text
    if len(text) > 1 and text.endswith(quote):
        return text[1:-1]
    return text if text.count(quote) > 1 else text[1:]


def _marks() -> tuple[yaml.Mark, yaml.Mark]:
    mark = yaml.Mark("", 0, 0, 0, "", 0)
    return mark, mark
