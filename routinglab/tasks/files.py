"""Files that one process writes at a time."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from types import TracebackType
from typing import IO, Self

try:
    import fcntl
except (
    ImportError
):  # pragma: no cover - a system without POSIX locks keeps the check inside one process
    fcntl = None  # type: ignore[assignment]


class Busy(Exception):
    """Somebody else holds the lock; the text says who, as far as is known."""


class FileLock:
    """The right to write the file ``path``, held through a ``.lock`` file beside it.

    The system gives it back when the process ends, however it ends. A second holder inside the
    same process is refused too. Raises Busy, or OSError where the lock file cannot be made.
    """

    _held: set[Path] = set()  # noqa: RUF012 - one table for the process, on purpose
    _guard = threading.RLock()  # a collected lock may be released in the middle of another call

    def __init__(self, path: Path) -> None:
        self.path = path.with_name(path.name + ".lock").absolute()
        self._file: IO[str] | None = None

    def acquire(self) -> None:
        """Take the lock now or raise."""
        with self._guard:
            # opening and closing it again would drop a POSIX lock that this process holds
            if self.path in self._held:
                raise Busy("it is open in this process already")
            self.path.parent.mkdir(parents=True, exist_ok=True)
            file = self.path.open("a+", encoding="utf-8")
            try:
                if fcntl is not None:
                    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                file.seek(0)
                holder = file.read(20).strip()
                file.close()
                raise Busy(f"process {holder or 'unknown'} has it open") from None
            file.seek(0)
            file.truncate()
            file.write(str(os.getpid()))
            file.flush()
            self._file = file
            self._held.add(self.path)

    def release(self) -> None:
        """Give the lock back; without effect when it is not held."""
        with self._guard:
            if self._file is not None:
                self._held.discard(self.path)
                self._file.close()
                self._file = None

    def __del__(self) -> None:
        self.release()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.release()
