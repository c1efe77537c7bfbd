"""Write several files so that either all are there, whole, or none has changed."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping
from pathlib import Path

from routinglab.errors import InvalidInput, ReportError


def check_writable(path: Path) -> None:
    """Raise now where ``path`` could not be written later; makes its folder.

    InvalidInput where it names a folder, ReportError where the system says no.
    """
    if path.is_dir():
        raise InvalidInput(f"{path}: is a folder; name a file, as in {path / 'report.html'}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ReportError(f"{path.parent}: cannot be made: {error.strerror}") from error
    if not os.access(path.parent, os.W_OK):
        raise ReportError(f"{path.parent}: may not be written to")


def write_all(contents: Mapping[Path, bytes]) -> None:
    """Write each file beside its place first, and move all into place when all are whole."""
    ready: list[tuple[Path, Path]] = []
    try:
        for path, content in contents.items():
            target = path.resolve()  # a link keeps pointing at the file it points at
            waiting = target.with_name(f".{target.name}.{os.getpid()}.tmp")
            ready.append((waiting, target))
            with waiting.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        for waiting, target in ready:
            waiting.replace(target)
    except OSError as error:
        raise ReportError(f"{error.filename}: cannot be written: {error.strerror}") from error
    finally:
        for waiting, _ in ready:
            with contextlib.suppress(OSError):
                waiting.unlink(missing_ok=True)
