"""An owner's tasks on disk, so that a restarted kernel still knows them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from routinglab.core.files import write_whole
from routinglab.errors import InvalidInput, TaskError
from routinglab.tasks.files import Busy, FileLock
from routinglab.tasks.model import Activity, TaskRecord

SCHEMA_VERSION = 1


@dataclass(slots=True)
class Kept:
    """What a journal held: the owner's last generation and each task's last record."""

    generation: int = 0
    forgotten: int = 0
    tasks: dict[str, tuple[TaskRecord, Activity]] = field(default_factory=dict)


def journal_path(folder: Path, owner: str) -> Path:
    """The file of an owner: a readable part of its id, and a digest that tells owners apart."""
    readable = re.sub(r"[^A-Za-z0-9_-]+", "-", owner).strip("-")[:40] or "owner"
    digest = hashlib.sha256(owner.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return folder / f"{readable}-{digest}.jsonl"


class Journal:
    """JSON Lines: a header, then one line for each change of a task's state; the last one counts.

    A line is added as soon as the state changes, so an ended process loses at most a torn last
    line. Compacting writes the file anew, whole, with one line a task. A file that cannot be
    written is a warning and stops no task.
    """

    def __init__(self, folder: Path, owner: str) -> None:
        self.path = journal_path(folder, owner)
        self.owner = owner
        self.lines = 0
        self.warnings: list[str] = []
        self._lock = FileLock(self.path)
        self._file: IO[bytes] | None = None

    def open(self) -> Kept:
        """Lock the file and read it. TaskError when somebody else has it, or it is of a newer version."""
        try:
            self._lock.acquire()
        except Busy as busy:
            raise TaskError(
                f"owner {self.owner!r} cannot be opened: {busy}; use the supervisor that has it, "
                "or close that one first"
            ) from None
        except OSError as error:
            self._warn("made", error)
            return Kept()
        try:
            return self._read()
        except BaseException:
            self._lock.release()
            raise

    def append(self, record: TaskRecord, activity: Activity) -> None:
        """Add the state a task is in now."""
        try:
            if self._file is None:
                self._file = self.path.open("ab", buffering=0)
            self._file.write(_task_line(record, activity))
            self.lines += 1
        except OSError as error:
            self._warn("written", error)

    def rewrite(
        self,
        generation: int,
        forgotten: int,
        tasks: Iterable[tuple[TaskRecord, Activity]],
    ) -> None:
        """Replace the file by a header and one line for each task."""
        header = {
            "schema": SCHEMA_VERSION,
            "owner": self.owner,
            "generation": generation,
            "forgotten": forgotten,
        }
        lines = [_line(header), *(_task_line(record, activity) for record, activity in tasks)]
        try:
            write_whole(self.path, b"".join(lines))
        except OSError as error:
            self._warn("written", error)
            return
        self._close_file()  # it still points at the file that was replaced
        self.lines = len(lines)

    def close(self) -> None:
        """Stop writing and let another process open this owner."""
        self._close_file()
        self._lock.release()

    def _close_file(self) -> None:
        if self._file is not None:
            self._file.close()
            self._file = None

    def _read(self) -> Kept:
        kept = Kept()
        try:
            data = self.path.read_bytes()
        except FileNotFoundError:
            return kept
        except OSError as error:
            self._warn("read", error)
            return kept
        for number, raw in enumerate(data.splitlines(), start=1):
            if raw.strip():
                self._take(kept, number, raw)
        return kept

    def _take(self, kept: Kept, number: int, raw: bytes) -> None:
        try:
            entry = json.loads(raw)
            if "schema" in entry:
                self._check_header(entry)
                kept.generation = max(kept.generation, int(entry["generation"]))
                kept.forgotten = int(entry["forgotten"])
                return
            record = TaskRecord.model_validate(entry["task"])
            activity = Activity.model_validate(entry["activity"])
        except (ValueError, TypeError, KeyError, OverflowError, RecursionError) as error:
            shown = error if isinstance(error, InvalidInput) else "not a task record"
            self.warnings.append(f"{self.path}: line {number} was left out: {shown}")
            return
        kept.tasks[record.id] = (record, activity)
        kept.generation = max(kept.generation, record.generation)

    def _check_header(self, entry: dict[str, Any]) -> None:
        if entry["schema"] != SCHEMA_VERSION:
            raise TaskError(
                f"{self.path} has schema {entry['schema']}, this version reads {SCHEMA_VERSION}; "
                "use a newer routinglab or move the file away"
            )
        if entry["owner"] != self.owner:
            raise TaskError(f"{self.path} belongs to another owner; move the file away")

    def _warn(self, what: str, error: OSError) -> None:
        text = f"{self.path} could not be {what}: {error.strerror or error}"
        if text not in self.warnings:
            self.warnings.append(text)


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


def _task_line(record: TaskRecord, activity: Activity) -> bytes:
    task = record.model_dump_json(by_alias=True)
    reports = activity.model_dump_json(by_alias=True)
    return f'{{"task":{task},"activity":{reports}}}\n'.encode()
