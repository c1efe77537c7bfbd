"""Bytes of a Markdown file to text, whatever editor wrote them (SPEC 11.2)."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from pathlib import Path

from routinglab.core.files import BYTE_ORDER_MARKS

#: A skill file above this many bytes is listed but not run: its text would fill a model's window.
MAX_BYTES = 1_048_576


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that is not as it should be; ``line`` counts from 1.

    A blocking one concerns something the author pinned, and stops a run.
    """

    line: int
    message: str
    blocking: bool = False

    def at(self, where: str) -> str:
        return f"{where}:{self.line}: {self.message}"


@dataclass(frozen=True, slots=True)
class Decoded:
    """Text with its line ends as written, and how to turn it back into the same bytes.

    ``whole`` is False where that would lose something: a cut file, or broken UTF-16.
    """

    text: str
    encoding: str = "utf-8"
    mark: bytes = b""
    problems: tuple[Problem, ...] = ()
    whole: bool = True

    def encode(self, text: str) -> bytes:
        return self.mark + text.encode(self.encoding, "surrogateescape")


def read_bytes(path: Path) -> tuple[bytes, int]:
    """The first ``MAX_BYTES`` of a plain file, and its size; OSError where it cannot be read."""
    # opened without waiting, so that a pipe of that name cannot hold up a scan
    handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode):
            raise OSError("not a plain file")
        return file.read(MAX_BYTES), found.st_size


def decode(raw: bytes, size: int | None = None) -> Decoded:
    """Decode by byte-order mark, or by where the zero bytes are, or as UTF-8.

    What is no valid text becomes U+FFFD (or, in UTF-8, a surrogate that ``encode`` turns back) and
    is a problem with its line. A file larger than ``MAX_BYTES`` is a blocking one.
    """
    mark, encoding = next((m for m in BYTE_ORDER_MARKS if raw.startswith(m[0])), (b"", ""))
    problems = []
    body = raw[len(mark) :]
    encoding = encoding or _guess(body)
    whole = True
    if (size if size is not None else len(raw)) > MAX_BYTES:
        problems.append(
            Problem(1, f"the file is larger than {MAX_BYTES:,} bytes; shorten it", blocking=True)
        )
        body, whole = body[:MAX_BYTES], False
    try:
        text = body.decode(encoding)
    except UnicodeDecodeError as error:
        before = body[: error.start].decode(encoding, "replace")
        text = body.decode(encoding, "surrogateescape" if encoding == "utf-8" else "replace")
        whole = whole and encoding == "utf-8"
        if not problems:
            shown = encoding.removesuffix("-le").removesuffix("-be").upper()
            message = f"holds a byte that is not {shown} text; save the file as UTF-8"
            problems.append(Problem(_line(before), message))
    return Decoded(text, encoding, mark, tuple(problems), whole)


def readable(text: str) -> str:
    """Text for a person or a model: plain line ends, U+FFFD for what was no text."""
    plain = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return plain.replace("\r\n", "\n").replace("\r", "\n")


def clean(text: str) -> str:
    """Text without lone surrogates, which no file, JSON or terminal can hold; pairs are joined."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _guess(body: bytes) -> str:
    start = body[:64]
    if len(start) >= 4 and b"\0" in start:
        even, odd = start[0::2].count(0), start[1::2].count(0)
        if even == 0 and odd > len(start) // 4:
            return "utf-16-le"
        if odd == 0 and even > len(start) // 4:
            return "utf-16-be"
    return "utf-8"


def _line(text: str) -> int:
    return readable(text.encode("utf-8", "replace").decode()).count("\n") + 1
