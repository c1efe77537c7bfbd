"""Small pieces of wording shared by error messages."""

from __future__ import annotations

import difflib
import hashlib
from collections.abc import Iterable

#: Characters of a word that are compared.
_LONGEST = 200


def nearest(word: str, known: Iterable[str], count: int = 3) -> list[str]:
    """Up to ``count`` of ``known`` that look like ``word``, most alike first."""
    word = word[:_LONGEST]  # looking for likenesses takes the square of the length
    pool = sorted(set(known))
    close = difflib.get_close_matches(word, pool, n=count, cutoff=0.5)
    if not close:
        by_lower = {name.lower(): name for name in reversed(pool)}
        close = [by_lower[m] for m in difflib.get_close_matches(word.lower(), by_lower, count, 0.5)]
    return close


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """``" Did you mean 'x'?"`` for the closest of ``known``, else an empty text."""
    close = nearest(word, known, 1)
    return f" Did you mean {close[0]!r}?" if close else ""


def shown(word: object, limit: int = 60) -> str:
    """A value as an error quotes it, cut to ``limit`` characters."""
    text = repr(word)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def text_digest(text: str) -> str:
    """SHA-256 of a text, also of one with lone surrogates, which are no UTF-8."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
