"""Which model a text names, whoever serves it and however it is spelled (SPEC 3.4).

Word lists are in ``identity.toml``.
"""

from __future__ import annotations

import re
from functools import lru_cache

from routinglab.core.efforts import EFFORTS
from routinglab.evals.words import IDENTITY

_PREFIX = re.compile(r"(?:{})(?:\.|--)".format("|".join(map(re.escape, IDENTITY["prefixes"]))))
_TILDES = re.compile(r"(^|[-._\s])~+")
_BARE_VERSION = re.compile(r"[vr]?\d")
_NUMBERED = re.compile(r"-\d+:\d+$")
_REVISION = re.compile(r"((?:^|[-._])[^-._]*\d[^-._]*)-v\d+:\d+$")
_SPLIT = re.compile(r"[-._\s]+")
_DAY = re.compile(r"20\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])")
_YEAR = re.compile(r"20\d\d")
_MONTH = re.compile(r"0[1-9]|1[0-2]")
_DAY_OF_MONTH = re.compile(r"0[1-9]|[12]\d|3[01]")
_VERSION = re.compile(r"v?\d{1,3}")
_REVISION_TOKEN = re.compile(r"v\d+")
_SNAPSHOT = re.compile(r"\d{4}")

EFFORT_WORDS = frozenset(EFFORTS)
VARIANTS = frozenset(IDENTITY["variants"]) | EFFORT_WORDS
DEPLOYMENTS = frozenset(IDENTITY["deployments"])
_SYNONYMS: dict[str, str] = IDENTITY["synonyms"]
_JOINED = frozenset(IDENTITY["joined"]["names"])
_REORDERED = {first: frozenset(words) for first, words in IDENTITY["reordered"].items()}
_NAME_PAIRS = tuple((first, word) for first, word in IDENTITY["effort_words"]["pairs"])
_NAME_WORDS = frozenset(word for _, word in _NAME_PAIRS)


@lru_cache(maxsize=65536)
def model_tokens(model_id: str) -> tuple[str, ...]:
    """Identity tokens of a model id: ``("claude", "opus", "4", "6")`` for ``anthropic/claude-opus-4.6``.

    The same for every provider and spelling of one model, and for its own tokens joined by ``-``.
    """
    text = model_id.rpartition("/")[2].strip().lower()
    if "~" in text:
        text = _TILDES.sub(r"\1", text)
    while (prefix := _PREFIX.match(text)) and prefix.end() < len(text):
        if _BARE_VERSION.match(text, prefix.end()):
            break
        text = text[prefix.end() :]
    if "@" in text:
        text = text.partition("@")[0] or text
    if ":" in text:
        text = _REVISION.sub(r"\1", text)
        text = _NUMBERED.sub("", text)
        text = text.partition(":")[0] or text.replace(":", "-")
    tokens = [token for token in _SPLIT.split(text) if token]
    return normal(tokens)


def normal(tokens: list[str]) -> tuple[str, ...]:
    """Tokens with synonyms replaced, dates and revisions dropped and the family word first."""
    tokens = [_SYNONYMS.get(token, token) for token in tokens]
    if len(tokens) > 1:
        first = tokens[0]
        if first in _REORDERED:
            _family_first(tokens, _REORDERED[first])
    while _drop_dates(tokens):
        pass
    return tuple(tokens)


def joined(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Tokens as rows and candidates are matched by: ``qwen 3 7 plus`` is ``qwen3 7 plus``."""
    if len(tokens) > 1 and tokens[0] in _JOINED and tokens[1].isdigit():
        return (tokens[0] + tokens[1], *tokens[2:])
    return tokens


def _drop_dates(tokens: list[str]) -> bool:
    """Take revisions and dates off the end, also where variant tokens follow; whether any went."""
    end = before = len(tokens)
    while end > 1:
        last = tokens[end - 1]
        size = 0
        if last[0].isdigit():
            if _DAY.fullmatch(last):
                size = 1
            elif len(last) == 2 and end > 3 and _is_date(tokens[end - 3 : end]):
                size = 3
        elif _REVISION_TOKEN.fullmatch(last) and _follows_version(tokens, end - 1):
            size = 1
        if size:
            del tokens[end - size : end]
            end -= size
        elif last in VARIANTS or _SNAPSHOT.fullmatch(last):
            end -= 1
        else:
            break
    return len(tokens) < before


def _is_date(tokens: list[str]) -> bool:
    year, month, day = tokens
    return bool(_YEAR.fullmatch(year) and _MONTH.fullmatch(month) and _DAY_OF_MONTH.fullmatch(day))


def _follows_version(tokens: list[str], at: int) -> bool:
    before = tokens[at - 1]
    return bool(_VERSION.fullmatch(before) or _DAY.fullmatch(before))


def _family_first(tokens: list[str], families: frozenset[str]) -> None:
    """``claude 4 6 opus`` becomes ``claude opus 4 6``; an unknown word after the numbers counts too."""
    at = 1
    while at < len(tokens) and tokens[at].isdigit() and len(tokens[at]) < 3:
        at += 1
    if at == 1 or at == len(tokens):
        return
    word = tokens[at]
    if word in families or (
        word.isalpha() and word not in VARIANTS and word not in DEPLOYMENTS and len(word) > 2
    ):
        tokens.insert(1, tokens.pop(at))


def is_variant(token: str) -> bool:
    """Whether a token after a model's name says how it was run: an effort, a snapshot, ..."""
    return token in VARIANTS or (len(token) == 4 and token.isdigit())


def is_name_word(tokens: tuple[str, ...], at: int) -> bool:
    """Whether the effort word at ``at`` is known to be part of the model's name (``qwen3 8 max``)."""
    word = tokens[at]
    return word in _NAME_WORDS and any(
        second == word and any(token.startswith(first) for token in tokens[:at])
        for first, second in _NAME_PAIRS
    )


@lru_cache(maxsize=65536)
def core_length(tokens: tuple[str, ...], at_least: int = 1) -> int:
    """How many of a row's tokens are its name; the rest are variant tokens."""
    end = len(tokens)
    while end > at_least and is_variant(tokens[end - 1]) and not is_name_word(tokens, end - 1):
        end -= 1
    return end


def strippable(tokens: tuple[str, ...]) -> bool:
    """Whether the last token of a candidate may be taken off to find a more general row."""
    last = tokens[-1]
    return len(tokens) > 1 and (
        last in DEPLOYMENTS
        or (
            is_variant(last)
            and not (last in EFFORT_WORDS and is_name_word(tokens, len(tokens) - 1))
        )
    )
