"""Keeping what a tool says within bounds, and saying so when something was left out."""

from __future__ import annotations

#: Characters of one tool result that reach the model.
OUTPUT_LIMIT = 30_000


def bounded(text: str, limit: int = OUTPUT_LIMIT) -> str:
    """``text`` whole, or its head and tail around a line that says how much is missing."""
    if len(text) <= limit:
        return text
    head, tail = limit * 2 // 3, limit // 3
    left_out = len(text) - head - tail
    return f"{text[:head]}\n[... {left_out:,} characters left out ...]\n{text[-tail:]}"
