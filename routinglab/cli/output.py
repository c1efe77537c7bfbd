"""What every verb prints with: results on stdout, everything else on stderr."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import typer


def say(text: str = "") -> None:
    """Print a result line."""
    typer.echo(text)


def note(text: str) -> None:
    """Print something about the work (progress, a warning) on stderr."""
    typer.echo(text, err=True)


def print_json(value: Any) -> None:
    """Print a result as JSON with sorted keys: values with ``to_dict``, dataclasses, dates."""
    say(json.dumps(value, default=_plain, sort_keys=True, ensure_ascii=False, indent=2))


def _plain(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if hasattr(value, "isoformat"):
        return value.isoformat()
    if hasattr(value, "item"):
        return value.item()
    return list(value) if isinstance(value, (set, frozenset, tuple)) else str(value)


def print_table(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print aligned columns; numbers to the right, None as a dash."""
    values = [list(row) for row in rows]
    right = [
        all(row[i] is None or isinstance(row[i], (int, float)) for row in values)
        for i in range(len(columns))
    ]
    lines = [list(columns), *([_cell(value) for value in row] for row in values)]
    widths = [max(len(line[i]) for line in lines) for i in range(len(columns))]
    for line in lines:
        padded = (
            text.rjust(width) if number else text.ljust(width)
            for text, width, number in zip(line, widths, right, strict=True)
        )
        say("  ".join(padded).rstrip())


def _cell(value: Any) -> str:
    if value is None:
        return "—"
    return f"{value:g}" if isinstance(value, float) else safe(str(value))


def progress(done: int, total: int, what: str) -> None:
    """Rewrite one line of progress where a person watches; one line a step elsewhere."""
    line = f"[{done + 1}/{total}] {what}"
    if sys.stderr.isatty():
        typer.echo(f"\r\x1b[K{line}", err=True, nl=False)
    else:
        note(line)


def progress_done() -> None:
    """Clear the progress line."""
    if sys.stderr.isatty():
        typer.echo("\r\x1b[K", err=True, nl=False)


def safe(text: str) -> str:
    """``text`` on one line, without control characters that would drive a terminal."""
    return "".join(
        " " if ch in "\r\n\t" else ch if unicodedata.category(ch) != "Cc" else "�" for ch in text
    )
