"""What was odd about an outcome table, said once and carried along (SPEC 13.9)."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = str(Path(__file__).resolve().parents[1])


class OutcomesWarning(UserWarning):
    """An outcome table holds something that has misled people before; the message says what."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of oddity: how many rows have it, and a few of them.

    ``kind`` is one of ``alias``, ``source_model``, ``constant_tokens``, ``missing_tokens``,
    ``unchecked_cost``, ``cost_mismatch``, ``bad_cost``, ``token_total``, ``score_range``,
    ``duplicate``, ``same_text``, ``look_alike``, ``missing_outcomes``, ``log_mismatch``.
    """

    kind: str
    message: str
    count: int
    examples: tuple[str, ...] = ()

    def __str__(self) -> str:
        shown = f" (such as {', '.join(self.examples)})" if self.examples else ""
        return f"{self.message}{shown}"


def finding(kind: str, message: str, rows: Sequence[object], count: int | None = None) -> Finding:
    """A finding with up to three examples of ``rows``."""
    examples = tuple(_short(str(row)) for row in list(rows)[:3])
    return Finding(kind, message, len(rows) if count is None else count, examples)


def say(name: str, findings: Iterable[Finding]) -> None:
    """Warn of ``findings`` once, at the first caller outside this package."""
    lines = [f"  {found}" for found in findings]
    if lines:
        text = "\n".join([f"{name}: {len(lines)} things to know about this table", *lines])
        warnings.warn(text, OutcomesWarning, stacklevel=outside_level())


def outside_level() -> int:
    """The ``stacklevel`` at which its caller's warning points at code outside the package."""
    level = 1
    frame = sys._getframe(1)
    while frame is not None:
        if not frame.f_code.co_filename.startswith(_PACKAGE):
            return level
        level += 1
        if frame.f_back is None:
            return level
        frame = frame.f_back
    return level


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 60 else text[:57] + "..."
