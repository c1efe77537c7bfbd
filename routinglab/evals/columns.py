"""What each column of a table holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from routinglab.evals.benchmarks import Benchmark, benchmark, find_label
from routinglab.evals.names import HARNESSES, effort_named
from routinglab.evals.sections import Place
from routinglab.evals.values import is_missing, read_figure
from routinglab.evals.words import (
    KEY_MEANING,
    KEY_NAME,
    MODEL_FALLBACK,
    REPORTERS,
    ROLES,
    ROW_ID,
    plain,
    reporter_in,
)

_AT_REPORTER = re.compile(r"^(.+?)\s*@\s*([A-Za-z][\w .&-]*)$")
_PLUS_MINUS = ("±", "+/-", "+-")
_LOOSE_MODEL = re.compile(
    r"models?\b(?!\s+(?:size|family|provider|maker|type|count|card|licen[cs]e))", re.I
)
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


@dataclass(slots=True)
class Columns:
    """The columns of a table by role; ``roles`` maps a role to its column."""

    roles: dict[str, int] = field(default_factory=dict)
    values: list[ValueColumn] = field(default_factory=list)
    ignored: list[tuple[int, str]] = field(default_factory=list)
    model: int | None = None
    guessed: bool = False


def is_key_table(header: Sequence[str]) -> bool:
    """Whether a table explains column names: ``| Key | Meaning |``."""
    forms = [plain(text) for text in header]
    return (
        len(forms) >= 2 and forms[0] in KEY_NAME and any(form in KEY_MEANING for form in forms[1:])
    )


def read_columns(
    header: Sequence[str], cells: Sequence[Sequence[str]], place: Place, keys: dict[str, str]
) -> Columns:
    """Assign every column a role. ``cells`` are the plain cells of the rows (a sample will do)."""
    found = Columns()
    forms = [(plain(text), plain(text, bracketed=False)) for text in header]
    raw = [ROLES.get(full) or ROLES.get(short) for full, short in forms]
    _find_model(found, raw, header, forms, cells, place)
    long_form = "benchmark" in raw and "value" in raw
    efforts = [effort_named(text) for text in header]
    by_effort = sum(effort is not None for effort in efforts) >= 2
    by_harness = sum(text.lower() in HARNESSES for text in header) >= 2
    topic = _topic(place)
    for at, text in enumerate(header):
        role = "ci" if text.strip() in _PLUS_MINUS else raw[at]
        if at in (found.model, found.roles.get("slug"), found.roles.get("agent_model")):
            continue
        column = [row[at] for row in cells if at < len(row)]
        if (forms[at][0] in ROW_ID or text.strip() in ("#", "№")) and at == 0:
            continue
        if role in ("benchmark", "value") and not long_form:
            role = None
        if role in ("effort", "about") and _mostly_figures(column):
            role = None
        if role == "ci" and not long_form:
            _attach_ci(found, at)
        elif role == "about":
            found.ignored.append((at, text))
        elif role:
            found.roles.setdefault(role, at)
        elif text.strip() and not long_form:
            if by_effort and efforts[at]:
                found.values.append(_topic_column(at, text, place, topic, effort=efforts[at]))
            elif by_harness and text.lower() in HARNESSES:
                found.values.append(_topic_column(at, text, place, topic, harness=text))
            else:
                found.values.append(value_column(at, text, place, keys, topic))
    return found


def _find_model(
    found: Columns,
    raw: list[str | None],
    header: Sequence[str],
    forms: list[tuple[str, str]],
    cells: Sequence[Sequence[str]],
    place: Place,
) -> None:
    """The column that names models, the slug beside it, or agent and model in one."""
    for role in ("slug", "agent_model"):
        if role in raw:
            found.roles[role] = raw.index(role)
    if "model" in raw:
        found.model = raw.index("model")
        return
    if found.roles:
        return
    loose = next((at for at, text in enumerate(header) if _LOOSE_MODEL.match(text)), None)
    if loose is not None and not _mostly_figures([row[loose] for row in cells if loose < len(row)]):
        found.model = loose
        return
    for name in MODEL_FALLBACK:
        at = next((at for at, pair in enumerate(forms) if name in pair), None)
        if at is not None and not _mostly_figures([row[at] for row in cells if at < len(row)]):
            found.model = at
            return
    namespace = place.edition.namespace
    known = sum(find_label(namespace, text) is not None for text in header[1:] if text.strip())
    first = [row[0] for row in cells if row]
    usable = not forms[0][0] or raw[0] is None
    if (
        known
        and usable
        and first
        and not _mostly_figures(first)
        and not find_label(namespace, header[0])
    ):
        found.model = 0
        found.guessed = bool(header[0].strip())


def _mostly_figures(column: Sequence[str]) -> bool:
    present = [text for text in column if not is_missing(text)]
    return bool(present) and 2 * sum(read_figure(text) is not None for text in present) >= len(
        present
    )


def _attach_ci(found: Columns, at: int) -> None:
    if found.values:
        found.values[-1] = replace(found.values[-1], ci_at=at)


def _topic(place: Place) -> Benchmark | None:
    """The benchmark that a heading under the source's names: ``### Terminal-Bench 4.0``."""
    for text in reversed(place.below):
        named = find_label(place.edition.namespace, text)
        if named:
            return named
    return None


def _topic_column(
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
    namespace = place.edition.namespace
    if namespace == "own":
        return _own_column(at, text)
    label, effort, harness = _conditions(namespace, text)
    reporter: str | None = None
    if namespace == "pub":
        if label.casefold() in REPORTERS:
            return _topic_column(at, text, place, topic, reporter=REPORTERS[label.casefold()])
        label, reporter = _split_reporter(label)
    name = place.keys.get(label) or keys.get(label)
    known = benchmark(f"{namespace}:{label}")
    known = known or (find_label(namespace, name) if name else None) or find_label(namespace, label)
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


def _conditions(namespace: str, text: str) -> tuple[str, str | None, str | None]:
    """A label without the effort and harness its brackets state: ``Main (cc)``, ``TB4 [high]``."""
    effort = harness = None
    for inside in _BRACKET.findall(text):
        word = inside.strip()
        if effort_named(word):
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


def _own_column(at: int, text: str) -> ValueColumn:
    """A kind of work (``code review``) or one of its measures (``coding $/task``)."""
    words = text.split()
    for size in range(len(words)):
        measure = find_label("*", " ".join(words[size:]))
        if measure:
            work = "_".join(re.findall(r"\w+", " ".join(words[:size]).lower()))
            key = f"own:{work}/{measure.key}" if work else f"own:{measure.key}"
            return ValueColumn(at, key, text, measure.unit, _header_unit(text)[1])
    short = _BRACKET.sub("", text) or text
    return ValueColumn(at, "own:" + "_".join(re.findall(r"\w+", short.lower())), text)


def _header_unit(text: str) -> tuple[str, float]:
    for form, unit, scale in _PER_HEADER:
        if form.search(text):
            return unit, scale
    return "", 1.0


def compact(label: str) -> str:
    """A label as the last part of a key: no brackets, no spaces."""
    short = _BRACKET.sub("", label).strip() or label
    return re.sub(r"\s+", "-", re.sub(r"[@:]", " ", short).strip()) or "value"
