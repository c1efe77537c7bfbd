"""An evals file's bytes as text."""

from __future__ import annotations

import re
from pathlib import Path

from routinglab.core.files import BYTE_ORDER_MARKS
from routinglab.errors import EvalsError
from routinglab.evals.row import Warned

#: Larger files are refused; the largest known evals file is under 1 MB.
LARGEST_FILE = 64 * 1024 * 1024

_SIGNS = re.compile("[±–—×•°’“”…€§²³]")


def read_bytes(path: Path) -> bytes:
    """The file's bytes; EvalsError when it is missing, unreadable, empty or over the limit."""
    try:
        if path.is_dir():
            raise EvalsError(f"{path} is a folder; name the evals file in it")
        size = path.stat().st_size
        if size > LARGEST_FILE:
            raise EvalsError(_too_large(path, size))
        with path.open("rb") as file:
            data = file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise EvalsError(f"{path} does not exist; give the path of an evals.md file") from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise EvalsError(f"{path} cannot be read: {reason}") from None
    if len(data) > LARGEST_FILE:
        raise EvalsError(_too_large(path, len(data)))
    return data


def _too_large(path: Path, size: int) -> str:
    return f"{path} has {size:,} bytes; an evals file may have at most {LARGEST_FILE:,}"


def decode(data: bytes) -> tuple[str, list[Warned]]:
    """Text in whatever encoding it is: UTF-8, UTF-16 or UTF-32, marked or not.

    Bytes that fit none become the replacement character, with a warning.
    """
    for mark, encoding in BYTE_ORDER_MARKS:
        if data.startswith(mark):
            return _as(data[len(mark) :], encoding)
    head = data[:4096]
    if b"\0" in head:
        odd, even = head[1::2].count(0), head[::2].count(0)
        if odd > len(head) // 5 and even < odd // 4:
            return _as(data, "utf-16-le")
        if even > len(head) // 5 and odd < even // 4:
            return _as(data, "utf-16-be")
    return _as(data, "utf-8")


def _only_single(text: str) -> bool:
    """Whether all that is not ASCII was unreadable, so that the file is in an encoding of old."""
    return all(letter == "\ufffd" for letter in re.findall(r"[^\x00-\x7f]", text))


def _windows(data: bytes) -> str | None:
    """The text in Windows-1252, where its signs are those of tables: ``±``, dashes, quotes."""
    try:
        text = data.decode("cp1252")
    except UnicodeDecodeError:
        return None
    return text if _SIGNS.search(text) else None


def _as(data: bytes, encoding: str) -> tuple[str, list[Warned]]:
    warnings: list[Warned] = []
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        text = data.decode(encoding, errors="replace")
        told = f"bytes that are not {encoding.upper()} text were replaced"
        if encoding == "utf-8" and _only_single(text) and (windows := _windows(data)):
            text, told = windows, "the file is not UTF-8; it was read as Windows-1252"
        warnings.append(Warned(line, told))
    if "\0" in text:
        line = text.count("\n", 0, text.index("\0")) + 1
        warnings.append(Warned(line, "a NUL character was replaced"))
        text = text.replace("\0", "\ufffd")
    return text, warnings
