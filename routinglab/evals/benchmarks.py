"""Which benchmark a column is: canonical keys, their units and directions (``benchmarks.toml``)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Literal

from routinglab.evals.words import plain, table

Direction = Literal["higher", "lower"]


@dataclass(frozen=True, slots=True)
class Benchmark:
    """One benchmark of one source; ``source`` is ``*`` for the measures every source may have."""

    source: str
    key: str
    name: str
    unit: str = "%"
    direction: Direction = "higher"
    labels: tuple[str, ...] = ()
    about: str = ""


@dataclass(frozen=True, slots=True)
class SourceName:
    """A source and the headings that name it; below a ``sticky`` one all belongs to it."""

    id: str
    name: str
    headings: tuple[re.Pattern[str], ...]
    sticky: bool = False


_DATA = table("benchmarks.toml")

SOURCES: tuple[SourceName, ...] = tuple(
    SourceName(
        entry["id"],
        entry["name"],
        tuple(re.compile(form, re.I) for form in entry["headings"]),
        entry.get("sticky", False),
    )
    for entry in _DATA["source"]
)

BENCHMARKS: tuple[Benchmark, ...] = tuple(
    Benchmark(**{**entry, "labels": tuple(entry.get("labels", ()))})
    for entry in [*_DATA["benchmark"], *({"source": "*", **m} for m in _DATA["measure"])]
)

_BY_KEY = {(entry.source, entry.key): entry for entry in BENCHMARKS}
_BY_LABEL: dict[tuple[str, str], Benchmark] = {}
for _entry in BENCHMARKS:
    for _label in (_entry.key, _entry.name, *_entry.labels):
        _BY_LABEL.setdefault((_entry.source, plain(_label)), _entry)

_MARKS = re.compile(r"[↑↓▲▼]|\b(?:higher|lower) is better\b", re.I)
_TRAILING_UNIT = re.compile(r"\s*(?:[,/]\s*)?%\s*$")


@cache
def find_label(source: str, label: str) -> Benchmark | None:
    """The benchmark that ``label`` names in a source, or the cost or speed measure it names."""
    text = _TRAILING_UNIT.sub("", _MARKS.sub(" ", label)) or label
    for form in (plain(text), plain(text, bracketed=False)):
        for owner in (source, "*"):
            found = _BY_LABEL.get((owner, form))
            if found:
                return found
    return None


def source_named(heading: str) -> SourceName | None:
    """The source a heading names; of several, the first of ``benchmarks.toml``."""
    for source in SOURCES:
        if any(form.search(heading) for form in source.headings):
            return source
    return None


@cache
def benchmark(key: str) -> Benchmark | None:
    """The benchmark of a canonical key such as ``aa:TB4``, ``pub:OSW2@OpenAI`` or ``own:coding/usd``."""
    source, _, rest = key.partition(":")
    found = _BY_KEY.get((source, rest))
    rest = rest.partition("@")[0]
    found = found or _BY_KEY.get((source, rest)) or _BY_KEY.get(("*", rest))
    if found is None and "/" in rest:
        found = _BY_KEY.get(("*", rest.rpartition("/")[2]))
    return found


def direction(key: str) -> Direction:
    """Whether higher or lower is better; unknown benchmarks count as higher."""
    found = benchmark(key)
    return found.direction if found else "higher"
