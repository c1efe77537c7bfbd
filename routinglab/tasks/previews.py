"""Short, safe pieces of text: what a task's row, record or notice may hold."""

from __future__ import annotations

import re
import unicodedata
from collections import deque
from collections.abc import Callable
from datetime import datetime

from routinglab.tasks.model import Activity, Report

Redact = Callable[[str], str]

#: SPEC 12.1: what is kept of one task's activity.
MAX_REPORTS = 64
MAX_ENCODED_BYTES = 8 * 1024

#: Bytes of UTF-8 kept of one report, of a result and of an error.
REPORT_BYTES = 1000
RESULT_BYTES = 2000
ERROR_BYTES = 1000

_KIND_BYTES = 40
#: Room kept free for the label that says what was omitted.
_OMISSION_BYTES = 80

_TERMINAL_CODES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")


def clean(text: str) -> str:
    """``text`` without terminal codes and control characters; line breaks and tabs stay."""
    text = _TERMINAL_CODES.sub("", text.replace("\r\n", "\n"))
    if text.isascii() and text.isprintable():
        return text
    kept = (c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cs"))
    return "".join(kept)


def cut(text: str, limit: int) -> tuple[str, bool]:
    """The start of ``text`` in at most ``limit`` bytes of UTF-8, and whether anything is missing."""
    data = text.encode("utf-8", "replace")
    if len(data) <= limit:
        return text, False
    end = "…"
    kept = data[: limit - len(end.encode())].decode("utf-8", "ignore")
    return kept.rstrip() + end, True


class ActivityLog:
    """The newest reports of one task, however many there were.

    Holds at most 64 reports whose encoded lines, with the label for what is missing, take at most
    8 KiB; adding one costs the same whatever was reported before.
    """

    __slots__ = ("_bytes", "_reports", "_sizes", "_view", "total")

    def __init__(self) -> None:
        self._reports: deque[Report] = deque()
        self._sizes: deque[int] = deque()
        self._bytes = 0
        self._view: Activity | None = None
        self.total = 0

    def add(self, text: str, kind: str, at: datetime) -> None:
        """Keep one more report, whose text has been redacted already."""
        self.total += 1
        short, was_cut = cut(clean(text), REPORT_BYTES)
        report = Report(
            number=self.total, at=at, kind=cut(clean(kind), _KIND_BYTES)[0], text=short, cut=was_cut
        )
        size = len(encode(report)) + 1
        self._reports.append(report)
        self._sizes.append(size)
        self._bytes += size
        while len(self._reports) > MAX_REPORTS or self._bytes > MAX_ENCODED_BYTES - _OMISSION_BYTES:
            self._reports.popleft()
            self._bytes -= self._sizes.popleft()
        self._view = None

    def view(self) -> Activity:
        """What is kept, as a value."""
        if self._view is None:
            self._view = Activity(reports=tuple(self._reports), total=self.total)
        return self._view


def encode(report: Report) -> bytes:
    """One report as a line of JSON, without the line break."""
    return report.model_dump_json(by_alias=True).encode()


def encoded(activity: Activity) -> bytes:
    """The preview records of a task as JSON Lines, the label for omitted ones first."""
    lines = [encode(report) for report in activity.reports]
    if activity.omission:
        lines.insert(0, b'{"omitted":"' + activity.omission.encode() + b'"}')
    return b"\n".join(lines)
