"""Which benchmark or measure the heading of a column names, and the conditions it states."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from routinglab.evals.benchmarks import Benchmark, benchmark, find_label
from routinglab.evals.names import HARNESSES, effort_named
from routinglab.evals.sections import Place
from routinglab.evals.words import REPORTERS, ROLES, plain, reporter_in

_FIRST_PART = re.compile(r"\s[—–-]\s|[:(,;]")
_AT_REPORTER = re.compile(r"^(.+?)\s*@\s*([A-Za-z][\w .&-]*)$")
_BRACKET = re.compile(r"\s*[(\[]([^()\[\]]+)[)\]]")
_THOUSANDS = re.compile(r"\bk[- ]?tok|\(k\)|\bthousand", re.I)
_MILLIONS = re.compile(r"\bM[- ]?tok|\(M\)|\bmillion")
_PER_HEADER = (
    (re.compile(r"\(\s*%\s*\)|%"), "%", 1.0),
    (re.compile(r"\$|\bUSD\b", re.I), "usd", 1.0),
    (re.compile(r"\(\s*ms\s*\)|\bms\b"), "seconds", 0.001),
    (re.compile(r"\(\s*min(?:utes?)?\s*\)|\bminutes?\b|\bmin/", re.I), "seconds", 60.0),
    (re.compile(r"\(\s*h(?:ours?|rs?)?\s*\)|\bhours?\b", re.I), "seconds", 3600.0),
    (re.compile(r"\(\s*s(?:ec(?:onds?)?)?\s*\)|\bseconds?\b", re.I), "seconds", 1.0),
)


@dataclass(frozen=True, slots=True)
class ValueColumn:
    """A column of figures: its key without reporter, label, and how to read its plain numbers."""

    at: int
    key: str
    label: str
    unit: str = ""
    scale: float = 1.0
    reporter: str | None = None
    effort: str | None = None
    known: bool = True
    ci_at: int | None = None
    harness: str | None = None
    heading: str = ""


def topic_of(place: Place) -> Benchmark | None:
    """The benchmark that a heading under the source's names: ``### Terminal-Bench 4.0``."""
    for text in reversed(place.below):
        for part in (text, _FIRST_PART.split(text, maxsplit=1)[0]):
            named = find_label(place.edition.namespace, part)
            if named:
                return named
    return None


def topic_column(
    at: int,
    text: str,
    place: Place,
    topic: Benchmark | None,
    *,
    effort: str | None = None,
    harness: str | None = None,
    reporter: str | None = None,
) -> ValueColumn:
    """A column headed by a condition, of the benchmark that a heading names or the source has."""
    namespace = place.edition.namespace
    if topic is None and not reporter:
        topic = find_label(namespace, "score") or find_label(namespace, "index")
    column = ValueColumn(at, "", "", reporter=reporter, effort=effort, harness=harness)
    if topic:
        return replace(column, key=f"{namespace}:{topic.key}", label=topic.name, unit=topic.unit)
    label = place.below[-1] if place.below else place.edition.source or text
    return replace(column, key=f"{namespace}:{compact(label)}", label=label, known=False)


def value_column(
    at: int, text: str, place: Place, keys: dict[str, str], topic: Benchmark | None = None
) -> ValueColumn:
    """A benchmark or measure by its label, in the source the table stands under."""
    return replace(_value_column(at, text, place, keys, topic), heading=text)


def _value_column(
    at: int, text: str, place: Place, keys: dict[str, str], topic: Benchmark | None
) -> ValueColumn:
    namespace = place.edition.namespace
    if namespace == "own":
        return _own_column(at, text, place)
    label, effort, harness = _conditions(text)
    reporter: str | None = None
    if namespace == "pub":
        if label.casefold() in REPORTERS:
            return topic_column(at, text, place, topic, reporter=REPORTERS[label.casefold()])
        label, reporter = _split_reporter(label)
    name = place.keys.get(label) or keys.get(label)
    known = benchmark(f"{namespace}:{label}")
    known = known or (find_label(namespace, name) if name else None) or find_label(namespace, label)
    known = known or _elsewhere(name or label)
    if (
        topic
        and (known is None or known.key in ("Pass@1", "Main"))
        and ROLES.get(plain(label)) == "value"
    ):
        known = topic
    unit, scale = _header_unit(text)
    if known:
        unit = known.unit
        if known.unit == "tokens":
            scale = 1e3 if _THOUSANDS.search(text) else 1e6 if _MILLIONS.search(text) else 1.0
        elif known.unit != "seconds":
            scale = 1.0
    key = f"{namespace}:{known.key if known else compact(label)}"
    return ValueColumn(
        at, key, name or label, unit, scale, reporter, effort, known is not None, harness=harness
    )


def _conditions(text: str) -> tuple[str, str | None, str | None]:
    """A label without the effort and harness its brackets state: ``Main (cc)``, ``TB4 [high]``."""
    effort = harness = None
    for inside in _BRACKET.findall(text):
        word = inside.strip()
        if effort_named(word) and word.lower() != "min":
            effort = effort_named(word)
        elif word.lower() in HARNESSES:
            harness = word
        else:
            continue
        text = re.sub(rf"\s*[(\[]{re.escape(inside)}[)\]]", "", text, count=1)
    return text.strip(), effort, harness


def _split_reporter(text: str) -> tuple[str, str | None]:
    """``OSW2 (OpenAI)``, ``OSW2@OpenAI`` and ``OpenAI OSW2`` into label and reporter."""
    at = _AT_REPORTER.match(text)
    if at and find_label("pub", text) is None:
        return at.group(1), REPORTERS.get(at.group(2).casefold(), at.group(2).strip())
    name = reporter_in(text)
    if name:
        rest = re.sub(re.escape(name), " ", text, flags=re.I)
        rest = re.sub(r"\(\s*\)|\[\s*\]", " ", rest).strip(" ·:/,|-–—")
        if rest and find_label("pub", rest):
            return re.sub(r"\s+", " ", rest), name
    return text, None


def _elsewhere(label: str) -> Benchmark | None:
    """A benchmark of Artificial Analysis that another source reports under the same name."""
    found = find_label("aa", label)
    return found if found and found.source == "aa" and found.key != "idx" else None


def _own_column(at: int, text: str, place: Place) -> ValueColumn:
    """A kind of work (``code review``) or one of its measures (``coding $/task``).

    A score or measure alone is of the kind of work that a heading below "Own outcomes" names.
    """
    below = _compact_own(place.below[-1]) if place.below else ""
    words = text.split()
    for size in range(len(words)):
        measure = find_label("*", " ".join(words[size:]))
        if measure:
            work = _compact_own(" ".join(words[:size])) or below
            key = f"own:{work}/{measure.key}" if work else f"own:{measure.key}"
            return ValueColumn(at, key, text, measure.unit, _header_unit(text)[1])
    score = ROLES.get(plain(words[-1])) == "value" if words else False
    work = (
        _compact_own(" ".join(words[:-1])) if score and len(words) > 1 else below if score else ""
    )
    return ValueColumn(at, f"own:{work or _compact_own(text)}", text)


def _compact_own(text: str) -> str:
    """A kind of work as part of a key: ``code_review``."""
    return "_".join(re.findall(r"\w+", (_BRACKET.sub("", text) or text).lower()))


def _header_unit(text: str) -> tuple[str, float]:
    for form, unit, scale in _PER_HEADER:
        if form.search(text):
            return unit, scale
    return "", 1.0


def compact(label: str) -> str:
    """A label as the last part of a key: no brackets, no spaces."""
    short = _BRACKET.sub("", label).strip() or label
    return re.sub(r"\s+", "-", re.sub(r"[@:]", " ", short).strip()) or "value"
