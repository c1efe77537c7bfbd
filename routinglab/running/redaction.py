"""Hiding credential material in text that arrives in pieces (SPEC 7.9)."""

from __future__ import annotations

from collections.abc import Callable

#: Words after which the next few may be a secret.
_CUES = ("bearer", "authorization", "api-key")
_WORDS_AFTER_CUE = 4
_CUE_REACH = 400
_PEM = "-----BEGIN"


class StreamRedactor:
    """Gives text on as it arrives, holding back what may be the beginning of a secret.

    Keys are runs of ASCII letters, digits and signs, so text up to the last white space or other
    letter can go; behind an ``Authorization`` or ``Bearer`` a few more words wait, and a private key
    waits for its end.
    """

    def __init__(self, redact: Callable[[str], str]) -> None:
        self._redact = redact
        self._held: list[str] = []

    def feed(self, piece: str) -> str:
        """What can be shown once ``piece`` has come."""
        end = len(piece)
        while end and "!" <= piece[end - 1] <= "~":
            end -= 1
        if not end:
            self._held.append(piece)
            return ""
        ready = "".join([*self._held, piece[:end]])
        safe = _safe_length(ready)
        self._held = [part for part in (ready[safe:], piece[end:]) if part]
        return self._redact(ready[:safe]) if safe else ""

    def rest(self) -> str:
        """What was still held back, at the end."""
        held, self._held = "".join(self._held), []
        return self._redact(held) if held else ""


def _safe_length(text: str) -> int:
    """How much of ``text``, which ends between words, cannot be part of a longer secret."""
    start = text.find(_PEM)
    while start >= 0:
        title = text.find("-----", start + len(_PEM))
        if title < 0:
            return start
        if "PRIVATE KEY" in text[start:title]:
            end = text.find("-----END", title)
            title = text.find("-----", end + 8) if end >= 0 else -1
            if title < 0:
                return start
        start = text.find(_PEM, title + 5)
    begin = max(0, len(text) - _CUE_REACH)
    tail = text[begin:].lower()
    for cue in _CUES:
        place = tail.rfind(cue)
        if place >= 0 and len(tail[place:].split()) <= _WORDS_AFTER_CUE:
            return begin + place
    return len(text)
