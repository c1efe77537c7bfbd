"""Server-sent events, as bytes arrive (WHATWG HTML, section 9.2).

Own code and not a library, because the line ends of the standard (CR, LF and CRLF, never the other
separators ``str.splitlines`` knows), a limit on what one event may hold, and pieces that end in the
middle of a character or of a CRLF all matter here.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE_END = re.compile(rb"\r\n|\n|\r")


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event: its name (``message`` when none was given) and its data lines joined."""

    event: str
    data: str


class SseTooLarge(ValueError):
    """One event is larger than the parser's limit."""


class SseParser:
    """Feed it bytes in any portions; it yields the events that are complete.

    An event may hold ``limit`` bytes. What is left at the end of a stream without its blank line is
    dropped, as the standard says.
    """

    def __init__(self, limit: int = 8 * 2**20) -> None:
        self._limit = limit
        self._rest = bytearray()
        self._data: list[bytearray] = []
        self._size = 0
        self._event = ""
        self._started = False

    def feed(self, data: bytes) -> Iterator[SseEvent]:
        """The events that ``data`` completes."""
        searched = max(0, len(self._rest) - 1)
        self._rest += data
        if not self._started:
            if len(self._rest) < 3 and b"\xef\xbb\xbf".startswith(bytes(self._rest)):
                return
            self._started = True
            if self._rest.startswith(b"\xef\xbb\xbf"):
                del self._rest[:3]
            searched = 0
        if b"\n" in data and b"\r" not in self._rest:
            # what servers send in fact: splitting at once takes half the time
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if (event := self._line(line)) is not None:
                    yield event
            self._check_size()
            return
        begin = 0
        while (end := _LINE_END.search(self._rest, max(begin, searched))) is not None:
            if end.group() == b"\r" and end.end() == len(self._rest):
                break  # the LF of this CRLF may still come
            line = self._rest[begin : end.start()]
            begin = end.end()
            if (event := self._line(line)) is not None:
                yield event
        del self._rest[:begin]
        self._check_size()

    def _check_size(self) -> None:
        if len(self._rest) + self._size > self._limit:
            raise SseTooLarge(f"one event is larger than {self._limit} bytes")

    def _line(self, line: bytearray) -> SseEvent | None:
        if not line:
            event = None
            if self._data:
                data = b"\n".join(self._data).decode("utf-8", "replace")
                event = SseEvent(self._event or "message", data)
            self._data, self._size, self._event = [], 0, ""
            return event
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            self._data.append(value)
            self._size += len(value)
        elif name == b"event":
            self._event = value.decode("utf-8", "replace")
        return None
