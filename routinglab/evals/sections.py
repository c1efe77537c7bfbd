"""Where a table stands: its source, edition, reporter, and the names the file gives its columns."""

from __future__ import annotations

import re
from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date

from routinglab.evals.benchmarks import SourceName, find_label, source_named
from routinglab.evals.cells import plain_text
from routinglab.evals.dates import find_date, heading_version, stated_date
from routinglab.evals.row import Edition
from routinglab.evals.words import REPORTERS, may_be_reporter, reporter_in

_KEY_ITEM = re.compile(
    r"(?:`([^`]{1,40})`|\*\*([^*]{1,40})\*\*)\s*(?:\([^()]*\)\s*)?(?::|=|—|–|-)\s+?(.+)$"
)
_KEY_BOLD_COLON = re.compile(r"\*\*([^*:]{1,40}):\*\*\s+(.+)$")
_BY = r"\b(?:reported|published|measured|stated)\s+by\s+"
_REPORTED = re.compile(
    rf"(?i:{_BY})((?i:{'|'.join(map(re.escape, sorted(REPORTERS, key=len, reverse=True)))})(?!\w)|"
    r"[A-Z][\w.&-]*(?:\s+[A-Z][\w.&-]*){0,2})"
)
_BOLD_LINE = re.compile(r"(\*\*|__)(?P<text>(?:(?!\1).)+)\1\s*:?\s*(?:\([^()]*\))?\s*:?$")
_AFTER = re.compile(r"[.;:(]|\s[-—–]\s|,\s")
_TRIM = re.compile(r"\(.*?\)|\[.*?\]|\b20\d\d(?:-\d\d){0,2}\b")


@dataclass(slots=True)
class Section:
    """An open heading with what has been said under it so far."""

    level: int
    text: str
    line: int
    source: SourceName | None = None
    prose: list[str] = field(default_factory=list)
    reporters: list[str | None] = field(default_factory=list)
    keys: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Spot:
    """The open sections where a table stands, and how much prose of the innermost came before it."""

    sections: tuple[Section, ...]
    said: int


@dataclass(frozen=True, slots=True)
class Place:
    """What the headings and prose around a table say of it.

    ``below`` are the headings under the one that names the source, outermost first; ``keys`` the
    file's own names for columns, nearest first.
    """

    edition: Edition
    as_of: date | None
    reporter: str | None
    below: tuple[str, ...]
    keys: Mapping[str, str]
    named: bool


class Outline:
    """Follows headings and prose down a file."""

    def __init__(self) -> None:
        self._open: list[Section] = [Section(0, "", 0)]
        self._editions: dict[tuple[str, ...], Edition] = {}
        self._places: dict[tuple[int, str | None], tuple[tuple[Section, ...], Place]] = {}
        self.keys: dict[str, str] = {}
        self.dated: date | None = None

    def heading(self, level: int, text: str, line: int) -> None:
        """Enter a section."""
        while self._open[-1].level >= level:
            self._open.pop()
        self._open.append(Section(level, text, line, source_named(text)))

    def prose(self, text: str, item: str | None) -> None:
        """Take in a line of prose, and a line of a key list."""
        here = self._open[-1]
        if len(here.prose) < 200:
            text = text[:1000]
            here.prose.append(plain_text(text))
            here.reporters.append(_reporter_of_line(text, here.prose[-1]))
        found = _KEY_ITEM.match(item) if item else None
        bold = _KEY_BOLD_COLON.match(item) if item and not found else None
        if found:
            self.name_column(found.group(1) or found.group(2), found.group(3))
        elif bold:
            self.name_column(bold.group(1), bold.group(2))

    def name_column(self, key: str, meaning: str) -> None:
        """Remember what the file says a column's short name means."""
        name = _label_of(plain_text(meaning))
        if name:
            key = plain_text(key)
            self._open[-1].keys.setdefault(key, name)
            self.keys.setdefault(key, name)

    def here(self) -> Spot:
        """Remember this spot; :meth:`place` reads it once the whole file is known."""
        return Spot(tuple(self._open), len(self._open[-1].prose))

    def place(self, spot: Spot, fallback: str | None = None) -> Place:
        """What headings and prose say of a spot; ``fallback`` is the source its columns suggest."""
        innermost = spot.sections[-1]
        mark = (id(innermost), fallback)
        known = self._places.get(mark)
        if known is None:
            known = self._places[mark] = self._place(spot.sections, fallback)
        inner, place = known
        if place.edition.namespace != "pub":
            return place
        return replace(place, reporter=_reporter(inner, spot.said))

    def _place(
        self, sections: tuple[Section, ...], fallback: str | None
    ) -> tuple[tuple[Section, ...], Place]:
        """The sections of one source around all tables of a section, and where these stand."""
        at = _naming(sections)
        inner = sections[at:] if at is not None else sections[-1:]
        outer = sections[: at if at is not None else -1]
        naming = inner[0]
        source = naming.source
        namespace = source.id if source else fallback or _slug(naming.text) or "table"
        version = next((v for s in reversed(inner[1:]) if (v := _own_version(s.text))), "")
        version = version or heading_version(naming.text)
        version = version or next(
            (v for s in inner for p in s.prose if (v := _prose_version(p, source))), ""
        )
        day = _day(inner)
        keys = ChainMap(*(section.keys for section in reversed(sections)))
        edition = self._edition(namespace, naming.text, version, day)
        below = tuple(section.text for section in inner[1:])
        as_of = day or _day(outer) or self.dated
        return inner, Place(edition, as_of, None, below, keys, source is not None)

    def moved(self, place: Place, namespace: str) -> Place:
        """The same place under another namespace of the same heading."""
        was = place.edition
        return replace(place, edition=self._edition(namespace, was.source, was.version, was.date))

    def _edition(self, namespace: str, heading: str, version: str, day: date | None) -> Edition:
        stated = (version, day.isoformat() if day else "") if version or day else ("", "", heading)
        key = (namespace, heading if namespace == "table" else "", *stated)
        known = self._editions.get(key)
        if known is None:
            order = len(self._editions)
            known = self._editions[key] = Edition(namespace, heading, version, day, order)
        if known.source == heading:
            return known
        twin = self._editions.get((*key, heading))
        if twin is None:
            twin = Edition(namespace, heading, version, day, known.order)
            self._editions[(*key, heading)] = twin
        return twin


def _naming(sections: tuple[Section, ...]) -> int | None:
    """The nearest heading that names the source; a sticky one above it wins."""
    for at, section in enumerate(sections):
        if section.source and section.source.sticky:
            return at
    for at in range(len(sections) - 1, -1, -1):
        if sections[at].source:
            return at
    return None


def _day(sections: tuple[Section, ...]) -> date | None:
    """The date of the nearest heading that states one, else of the nearest prose."""
    for section in reversed(sections):
        if day := find_date(section.text):
            return day
    for section in reversed(sections):
        if day := stated_date(" ".join(section.prose)):
            return day
    return None


def _own_version(text: str) -> str:
    """The version of a lower heading that is a version: ``v4.3.1 (August)``."""
    found = re.match(r"(?:version|edition|v)\.?\s*(\d+(?:\.\d+)*)\b", text, re.I)
    return found.group(1) if found else ""


def _prose_version(text: str, source: SourceName | None) -> str:
    """A version that prose states right after the source's name, or after the word version."""
    found = re.search(r"\bversion\s+(\d+(?:\.\d+)*)", text, re.I)
    if found:
        return found.group(1)
    if source is None:
        return ""
    for form in source.headings:
        named = form.search(text)
        if named:
            after = re.match(
                r"[\w ]{0,30}?\bv?(\d+(?:\.\d+)+|(?<=v)\d+)\b", text[named.end() :], re.I
            )
            if after:
                return after.group(1)
    return ""


def _label_of(meaning: str) -> str:
    """The name at the start of an explanation: up to its first stop, bracket or dash."""
    text = meaning.strip()
    for stop in re.finditer(r"\.(?=\s|$)|[;(:]|\s[-—–]\s|,\s", text):
        if stop.start() > 0:
            text = text[: stop.start()]
            break
    return text.strip().rstrip(".")


def _reporter(inner: tuple[Section, ...], said: int) -> str | None:
    """Who reports the figures of a published table: the nearest sentence or heading that says so.

    ``said`` is how many lines of prose stood before the table in the innermost section.
    """
    for section in reversed(inner):
        before = section.reporters[:said] if section is inner[-1] else section.reporters
        for name in (*reversed(before), _reporter_stated(section.text)):
            if name:
                return name
        if section is inner[0] or not section.text:
            continue
        name = reporter_in(section.text)
        if name:
            return name
        name = _TRIM.sub("", _AFTER.split(section.text, maxsplit=1)[0]).strip()
        if may_be_reporter(name) and not source_named(name) and find_label("pub", name) is None:
            return name
    return None


def reporter_alone(text: str) -> str | None:
    """The reporter a text names and nothing else: ``OpenAI``, ``Reported by OpenAI (May 2026)``."""
    bare = _TRIM.sub("", text).strip(" :–—-")
    return REPORTERS.get(bare.casefold()) or _reporter_stated(text)


def reporter_written(text: str) -> str | None:
    """The reporter that a cell names, under the name it is known by: ``OpenAI system card``.

    Where it names none or several of those known, the cell as written.
    """
    if not text:
        return None
    bare = _TRIM.sub("", text).strip()
    name = REPORTERS.get(bare.casefold()) or reporter_in(bare)
    if name and reporter_in(re.sub(rf"(?i)(?<!\w){re.escape(name)}(?!\w)", " ", bare)):
        return text
    return name or text


def _reporter_stated(text: str) -> str | None:
    """The one a sentence says figures are reported by."""
    found = _REPORTED.search(text)
    return (reporter_in(found.group(1)) or found.group(1).rstrip(".")) if found else None


def _reporter_of_line(line: str, plain: str) -> str | None:
    """The reporter a line of prose states, or is, where the whole line is bold."""
    bold = _BOLD_LINE.fullmatch(line.strip())
    if bold:
        return reporter_alone(bold["text"])
    if plain.endswith(":") and len(plain) < 60:
        begins = re.split(
            r"['’]s?\s|\s+(?:figures|numbers|results|reports?)\b|:", plain, maxsplit=1
        )[0]
        if name := reporter_alone(begins):
            return name
    return _reporter_stated(plain)


def _slug(text: str) -> str:
    """A short namespace from a heading that names no known source."""
    trimmed = re.sub(r"^\d+[.)]\s|\(.*?\)|\bv?\d+(?:\.\d+)+\b|\b20\d\d\S*", " ", text.lower())
    return "-".join(re.findall(r"[^\W_]+", trimmed)[:4])
