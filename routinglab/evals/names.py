"""A model as a table displays it: ``Claude Fable 5.1 (max with fallback)`` (SPEC 3.4)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from routinglab.evals.identity import EFFORT_WORDS, core_length, joined, model_tokens, normal
from routinglab.evals.words import IDENTITY

_BRACKETS = re.compile(r"\(([^()]*)\)|\[([^\[\]]*)\]|\{([^{}]*)\}")
_TRAILING = re.compile(r"\s*(?:[@,|·;]|\s[-–—+/]\s|:)\s*([\w -]+)$")
_RANK = re.compile(r"^\s*(?:#\d{1,3}|\d{1,3}[.)])\s+(?=\S)")
_HYPHENS = str.maketrans("\u2010\u2011", "--")
_WORD = re.compile(r"[^\W_]+(?:[.+'][^\W_]+)*", re.U)
_MAKER = re.compile(
    r"(?:{})\s*:?\s+(?=\S)".format("|".join(map(re.escape, IDENTITY["makers"]["names"]))), re.I
)
_COLON_MAKER = re.compile(r"[\w. ]{2,20}:\s+(?=\S)")
_EFFORT_NAMES: dict[str, str] = IDENTITY["effort_names"]
_NEVER_NAME = frozenset(IDENTITY["effort_words"]["never"])
HARNESSES = frozenset(IDENTITY["harnesses"]["names"])
_FAMILIES = {
    word: first
    for first, words in IDENTITY["reordered"].items()
    for word in words
    if word != "instant"
}
_CLAUSE = re.compile(r"\s*[,;·|/]\s*")
_LIMITED = re.compile(r"\d|(?:turns?|tokens?|steps?|calls?|context|output|attempts?)\b", re.I)
_MARKS = re.compile(
    r"(?<=\w)\*+\s*$|[†‡§¶\u00b9\u00b2\u00b3\u2070-\u2079\u2600-\u27bf\ufe0f\U0001f300-\U0001faff]+"
)
_NOISE = re.compile(
    r"\b(?:reasoning\s+)?effort\b\s*[:=]?\s*|\b(?:reasoning|thinking)\s*[:=]\s*", re.I
)
_WITH = re.compile(
    r"\s+((?:with|without|w/o?)\s+\S.*|\+\s+(?:tools?|python|search|browsing|web|code execution)\b.*)$",
    re.I,
)


@dataclass(frozen=True, slots=True)
class DisplayedName:
    """What a model cell says: the name's tokens, how many are the name, effort, harness, setting.

    ``named`` tells whether the cell showed a name (with capitals), as opposed to a slug; then an
    effort word outside brackets, written like the rest, is part of the name.
    """

    tokens: tuple[str, ...]
    core: int
    effort: str | None = None
    harness: str | None = None
    setting: str | None = None
    named: bool = False


def effort_named(text: str) -> str | None:
    """The effort a whole text names (``Max Effort``, ``x-high``), or None."""
    cleaned = _NOISE.sub("", text).strip().lower()
    return _EFFORT_NAMES.get(cleaned)


@lru_cache(maxsize=16384)
def displayed_name(text: str, stated: str | None = None) -> DisplayedName:
    """Read a model cell; ``stated`` is the effort that another cell of the row states, if any."""
    text = _RANK.sub("", _MARKS.sub("", text.translate(_HYPHENS)), count=1)
    inside = [next(part for part in found if part is not None) for found in _groups(text)]
    outside = _BRACKETS.sub(" · ", text).strip(" ·")
    effort = harness = None
    kept: list[str] = []
    for part in inside:
        for clause in _CLAUSE.split(part):
            found, rest = _effort_in(clause)
            if found and effort is None:
                effort, clause = found, rest
            elif harness is None and clause.strip().lower() in HARNESSES:
                harness, clause = clause.strip(), ""
            if clause.strip(" ,"):
                kept.append(clause.strip(" ,"))
    if added := _WITH.search(outside):
        outside = outside[: added.start()]
        kept.append(added.group(1).removeprefix("+ "))
    while trailing := _TRAILING.search(outside):
        word = trailing.group(1).strip()
        if not trailing.start():
            break
        if found := effort_named(word):
            effort = effort or found
        elif harness is None and word.lower() in HARNESSES:
            harness = word
        else:
            break
        outside = outside[: trailing.start()].rstrip(" ·")
    named = outside != outside.lower()
    tokens = joined(_tokens(outside, named))
    core = _core(tokens, outside if named else None, effort or stated)
    if effort is None and stated is None:
        words = [token for token in tokens[core:] if token in EFFORT_WORDS]
        effort = words[-1] if words else None
    setting = ", ".join(kept) or None
    return DisplayedName(tokens, core, effort or stated, harness, setting, named)


def effort_clause(text: str) -> tuple[str | None, str]:
    """The effort a cell of an effort column names, and what its brackets add: ``Medium (default)``."""
    found = effort_named(text) if text else None
    if found or not text:
        return found, ""
    inside = ", ".join(next(part for part in f if part is not None) for f in _groups(text))
    return effort_named(_BRACKETS.sub(" ", text)), inside


def _groups(text: str) -> list[tuple[str | None, ...]]:
    return [found.groups() for found in _BRACKETS.finditer(text)]


def _effort_in(clause: str) -> tuple[str | None, str]:
    """The effort a clause begins with or is, and what else it says."""
    whole = effort_named(clause)
    if whole:
        return whole, ""
    words = clause.split()
    for size in (2, 1):
        found = effort_named(" ".join(words[:size]))
        if found and len(words) > size and not _LIMITED.match(words[size]):
            rest = words[size:]
            if rest[0].lower() in ("effort", "reasoning", "thinking"):
                rest = rest[1:]
            return found, " ".join(rest)
    return None, clause


def _tokens(outside: str, named: bool) -> tuple[str, ...]:
    if not named or " " not in outside:
        return tuple(token for token in model_tokens(outside) if any(map(str.isalnum, token)))
    text = _MAKER.sub("", outside, count=1) if _MAKER.match(outside) else outside
    colon = _COLON_MAKER.match(text)
    if colon:
        text = text[colon.end() :]
    slug = "-".join(_WORD.findall(text))
    tokens = model_tokens(slug) if slug else ()
    if tokens and tokens[0] in _FAMILIES and len(tokens) > 1 and tokens[1].isdigit():
        return normal([_FAMILIES[tokens[0]], *tokens])
    return tokens


def _core(tokens: tuple[str, ...], shown: str | None, stated: str | None) -> int:
    """Length of the name: an effort word belongs to it where the displayed name ``shown`` has it in
    capitals, or where the effort is ``stated`` apart and is another one."""
    end = core_length(tokens)
    for at in range(len(tokens) - 1, end - 1, -1):
        word = tokens[at]
        if word not in EFFORT_WORDS or word in _NEVER_NAME:
            continue
        if shown is not None and word.capitalize() in shown:
            return at + 1
        if shown is None and stated is not None and word != stated:
            return at + 1
    return end
