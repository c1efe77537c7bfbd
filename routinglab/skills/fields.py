"""Front matter to the fields of a skill: the right value where it is clear, else a warning.

Keys are compared without case, dashes and underscores, so ``runAs``, ``run-as`` and ``run_as`` are
one key. What an author pinned (model, effort, needs, limits) and wrote unreadably is a blocking problem: the
skill loads, is listed, and refuses to run with that sentence instead of running as something else.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable
from typing import Any, Literal, TypeVar, cast

from yaml.nodes import MappingNode, ScalarNode, SequenceNode

from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import EFFORTS, Effort
from routinglab.core.needs import TaskNeeds
from routinglab.core.value import Value
from routinglab.errors import InvalidInput
from routinglab.skills.decode import Problem
from routinglab.skills.front_matter import Entry, FrontMatter
from routinglab.skills.lists import split_names, split_tools
from routinglab.skills.safe_yaml import is_null, is_text, pairs, plain, raw

V = TypeVar("V", bound=Value)

#: Keys with a meaning here, as they are normally written.
KNOWN_KEYS = (
    "name", "description", "runAs", "model", "effort", "allowed-tools", "tools", "invocation",
    "max-steps", "taskNeeds", "modelConstraints", "fallbackModels", "thinking",
    "fallbackThinkingLevels",
)  # fmt: skip

#: Keys of other tools that look like one of ours but are theirs.
_THEIRS = frozenset(("mode",))
_FLAGS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}
_FLAG_FIELDS = ("needsimages", "longcontext", "latencysensitive")


def plain_key(key: str) -> str:
    """A key without case, dashes and underscores."""
    return re.sub(r"[-_\s]", "", key).lower()


class FieldReader:
    """Reads the fields of one file's front matter and gathers what is wrong with it."""

    def __init__(self, found: FrontMatter) -> None:
        self.problems: list[Problem] = list(found.problems)
        self._entries: dict[str, Entry] = {}
        for entry in found.entries:
            self._add(entry)

    def _add(self, entry: Entry) -> None:
        key = plain_key(entry.key)
        earlier = self._entries.get(key)
        if earlier is not None:
            strict = key in ("modelconstraints", "taskneeds", "tools", "allowedtools")
            self.problems.append(
                Problem(
                    entry.line,
                    f"{entry.key}: is written twice (first on line {earlier.line}); the last counts",
                    blocking=strict and _differ(earlier, entry),
                )
            )
        self._entries[key] = entry

    def has(self, key: str) -> bool:
        return plain_key(key) in self._entries

    def entry(self, key: str) -> Entry | None:
        return self._entries.get(plain_key(key))

    def _warn(self, entry: Entry, message: str, *, blocking: bool = False) -> None:
        self.problems.append(Problem(entry.line, f"{entry.key}: {message}", blocking))

    def text(self, key: str) -> str:
        """A text on one line; a number or a word YAML would convert stays as it was written."""
        entry = self.entry(key)
        if entry is None:
            return ""
        if entry.node is None:
            return ""  # the parser has said why
        if not isinstance(entry.node, ScalarNode):
            folded = _as_written(entry.node)
            self._warn(entry, f"must be text; it was read as {folded[:60]!r}; put quotes around it")
            return folded
        return " ".join((raw(entry.node) or "").split())

    def model(self) -> str | None:
        """A model name as written, None where nothing is stated."""
        entry = self.entry("model")
        if entry is None:
            return None
        if entry.node is None or not isinstance(entry.node, ScalarNode):
            self._warn(entry, "must be one model name", blocking=True)
            return None
        name = (raw(entry.node) or "").strip()
        if name and not is_text(entry.node):
            self._warn(entry, f"is not text and was read as {name!r}; put quotes around it")
        return name or None

    def effort(self, key: str = "effort") -> Effort | None:
        """One of the seven efforts; ``off`` is a word here, whatever YAML 1.1 made of it."""
        entry = self.entry(key)
        if entry is None or (entry.node is not None and is_null(entry.node)):
            return None
        word = ((raw(entry.node) if entry.node is not None else None) or "").strip().lower()
        if word in EFFORTS:
            return word
        if isinstance(entry.node, ScalarNode) and not word:
            return None
        shown = word or "what is written there"
        self._warn(
            entry, f"{shown!r} is not an effort; use one of {', '.join(EFFORTS)}", blocking=True
        )
        return None

    def thinking(self) -> Effort | Literal[False] | None:
        """The legacy effort; a blank or ``false`` clears an inherited one."""
        entry = self.entry("thinking")
        if entry is None or entry.node is None:
            return self.effort("thinking")
        word = (raw(entry.node) or "").strip().lower()
        if isinstance(entry.node, ScalarNode) and (
            word == "false" or (entry.node.style and not word)
        ):
            return False
        return self.effort("thinking")

    def choice(self, key: str, choices: tuple[str, ...]) -> str | None:
        """One of ``choices``, written with any case and dashes; None where absent or bad."""
        entry = self.entry(key)
        if entry is None:
            return None
        word = (raw(entry.node) if entry.node is not None else None) or ""
        if plain_key(word) in choices:
            return plain_key(word)
        stands = f"{choices[0]} is assumed"
        self._warn(entry, f"{word!r} is not one of {', '.join(choices)}; {stands}")
        return None

    def flag(self, key: str) -> bool:
        entry = self.entry(key)
        word = (raw(entry.node) if entry is not None and entry.node is not None else None) or ""
        return _FLAGS.get(word.strip().lower(), False)

    def steps(self) -> int | None:
        """A whole number above zero."""
        entry = self.entry("max-steps")
        if entry is None or (entry.node is not None and is_null(entry.node)):
            return None
        text = ((raw(entry.node) if entry.node is not None else None) or "").strip()
        if re.fullmatch(r"\+?[0-9][0-9_]{0,8}", text) and int(text) > 0:
            return int(text)
        self._warn(entry, "must be a whole number above zero; no limit is set")
        return None

    def tools(self) -> tuple[str, ...] | None:
        """Tool names; None where none are stated, ``()`` where the list cannot be read.

        Of two lists under both spellings the names in both count.
        """
        lists = [self._tools(e) for e in map(self.entry, ("allowed-tools", "tools")) if e]
        if len(lists) == 2 and set(lists[0]) != set(lists[1]):
            entry = cast(Entry, self.entry("tools"))
            self._warn(entry, "differs from allowed-tools; only names in both count")
            return tuple(name for name in lists[0] if name in lists[1])
        return lists[0] if lists else None

    def _tools(self, entry: Entry) -> tuple[str, ...]:
        names = None
        if entry.node is not None and not entry.recovered:
            names = split_tools(entry.node)
        if names is None:
            what = (
                "is empty" if entry.node is not None and is_null(entry.node) else "cannot be read"
            )
            self._warn(entry, f"{what}, so no tools are allowed; write names with commas, or []")
            return ()
        return names

    def models(self, key: str = "fallbackModels") -> tuple[str, ...]:
        """Model names as a list or a comma string."""
        entry = self.entry(key)
        if entry is None or (entry.node is not None and is_null(entry.node)):
            return ()
        names = None
        if entry.node is not None and not entry.recovered:
            names = split_names(entry.node)
        if names is None:
            self._warn(entry, "must be a list of model names, or names with commas", blocking=True)
            return ()
        return names

    def levels(self) -> tuple[Effort | None, ...]:
        """``fallbackThinkingLevels``: efforts by position, None where one says nothing."""
        entry = self.entry("fallbackThinkingLevels")
        if entry is None or (entry.node is not None and is_null(entry.node)):
            return ()
        words: list[str] = []
        if isinstance(entry.node, SequenceNode):
            words = [(raw(item) or "").strip().lower() for item in entry.node.value]
        elif isinstance(entry.node, ScalarNode) and not entry.recovered:
            words = [word.strip().lower() for word in str(entry.node.value).split(",")]
        empty = ("", "null", "~")
        if entry.node is None or not words or any(w not in (*EFFORTS, *empty) for w in words):
            self._warn(entry, f"must list efforts of {', '.join(EFFORTS)}", blocking=True)
            return ()
        return tuple(None if w in empty else cast(Effort, w) for w in words)

    def needs(self) -> TaskNeeds:
        return self._value("taskNeeds", TaskNeeds) or TaskNeeds()

    def constraints(self) -> ModelConstraints | None:
        return self._value("modelConstraints", ModelConstraints)

    def _value(self, key: str, cls: type[V]) -> V | None:
        entry = self.entry(key)
        if entry is None or (entry.node is not None and is_null(entry.node)):
            return None
        if not isinstance(entry.node, MappingNode):
            self._warn(entry, "must be keys with values, indented below it", blocking=True)
            return None
        twice = _twice(entry.node)
        if twice:
            self._warn(entry, f"{twice} is written twice", blocking=True)
            return None
        data = cast(dict[str, Any], plain(entry.node))
        for name, value in data.items():
            if plain_key(name) in _FLAG_FIELDS and isinstance(value, str):
                data[name] = _FLAGS.get(value.lower(), value)
        try:
            return cls.model_validate(data)
        except InvalidInput as error:
            line = self._line_inside(entry, error.field)
            said = str(error).removeprefix(f"{cls.__name__}: ")
            self.problems.append(Problem(line, f"{entry.key}: {said}", blocking=True))
            return None

    def _line_inside(self, entry: Entry, path: str | None) -> int:
        """The line of the inner key an error names, else the entry's own."""
        first = plain_key((path or "").split(".")[0])
        if isinstance(entry.node, MappingNode):
            for key, _ in pairs(entry.node):
                if plain_key(raw(key) or "") == first:
                    return entry.line_inside(key)
        return entry.line

    def extra(self) -> dict[str, object]:
        """Keys without a meaning here, as plain data under the names they were written with."""
        known = {plain_key(key) for key in KNOWN_KEYS}
        kept: dict[str, object] = {}
        for key, entry in self._entries.items():
            if key in known:
                continue
            self._hint(entry, key)
            if entry.node is not None:
                kept[entry.key] = plain(entry.node)
        return kept

    def _hint(self, entry: Entry, key: str) -> None:
        if key in _THEIRS:
            return
        spelled = {plain_key(k): k for k in KNOWN_KEYS}
        close = difflib.get_close_matches(key, spelled, n=1, cutoff=0.88)
        if close:
            self._warn(entry, f"is not a key known here; did you mean {spelled[close[0]]}?")


def _differ(first: Entry, second: Entry) -> bool:
    if first.node is None or second.node is None:
        return True
    read: Callable[[Any], object] = plain
    return read(first.node) != read(second.node)


def _twice(node: MappingNode) -> str | None:
    seen: set[str] = set()
    for key, _ in pairs(node):
        name = raw(key) or ""
        if plain_key(name) in seen:
            return name
        seen.add(plain_key(name))
    return None


def _as_written(node: Any) -> str:
    """The text of a node that YAML took for a structure, on one line."""
    buffer = getattr(node.start_mark, "buffer", None)
    if not buffer:
        value = plain(node)
        return str(value)
    return " ".join(buffer[node.start_mark.pointer : node.end_mark.pointer].rstrip("\0").split())
