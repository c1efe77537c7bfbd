"""Reading a recording (SPEC 13.1): one pass over the file, compact, nothing lost but bad lines.

A recording of 100,000 tasks is read in about the time its JSON takes to parse. What many tasks
share (needs, constraints, agents, decisions' parts) is held once; texts, attempts and outcomes stay
in the file's bytes until somebody asks for them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from routinglab.core.text import did_you_mean
from routinglab.errors import InvalidInput, RecordingError
from routinglab.lab import columns
from routinglab.lab.index import Index
from routinglab.lab.reader import read_index
from routinglab.lab.records import Outcome, Problem, TaskRecord
from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt

if TYPE_CHECKING:
    import pandas as pd

#: Larger files are refused; a recording of a million tasks is below it.
MAX_BYTES = 8 * 1024**3


class Recording:
    """Recorded tasks with what was decided, tried and achieved.

    ``problems`` names every line that could not be used. The frames ``tasks``, ``decisions``,
    ``attempts`` and ``outcomes`` have the columns of :mod:`routinglab.lab.columns`.
    """

    def __init__(self, index: Index, path: Path | None = None) -> None:
        self.index = index
        self.path = path

    @property
    def ids(self) -> list[str]:
        """Task ids in file order."""
        return self.index.ids

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Lines that were not used, and why."""
        return tuple(self.index.problems)

    @property
    def schema_version(self) -> int:
        """The version the file states."""
        return self.index.schema_version

    def __len__(self) -> int:
        return len(self.index.ids)

    def __iter__(self) -> Iterator[TaskRecord]:
        return (self.task(task) for task in self.index.ids)

    def __repr__(self) -> str:
        name = f"{self.path.name!r}, " if self.path else ""
        bad = f", {len(self.problems)} unusable lines" if self.problems else ""
        return f"Recording({name}{len(self)} tasks{bad})"

    def task(self, task: str) -> TaskRecord:
        """One task with what its caller stated; RecordingError where the id is unknown."""
        number = self._number(task)
        row = self.index.row(self.index.task_at[number])
        if row is None:
            return TaskRecord(id=self.index.ids[number])
        return TaskRecord.model_validate(
            {**{key: item for key, item in row.items() if key != "kind"}, "id": task}
        )

    def decision(self, task: str) -> Decision | None:
        """The decision recorded for a task, or None."""
        return self.index.decision(self._number(task))

    def attempts_of(self, task: str) -> tuple[Attempt, ...]:
        """What was tried for a task, in order."""
        rows = (self.index.row(at) or {} for at in self._attempts_at.get(self._number(task), ()))
        return tuple(Attempt.model_validate(row["attempt"]) for row in rows)

    def outcomes_of(self, task: str) -> tuple[Outcome, ...]:
        """What is known of models' results on a task."""
        rows = (self.index.row(at) or {} for at in self._outcomes_at.get(self._number(task), ()))
        return tuple(Outcome.model_validate(row["outcome"]) for row in rows)

    @cached_property
    def tasks(self) -> pd.DataFrame:
        """One row a task."""
        ids, index = self.index.ids, self.index
        rows = (
            {**(index.row(at) or {}), "id": ids[number]} for number, at in enumerate(index.task_at)
        )
        return columns.frame(rows, columns.TASKS)

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """One row a recorded decision."""
        return columns.frame(self.index.decision_rows(), columns.DECISIONS)

    @cached_property
    def attempts(self) -> pd.DataFrame:
        """One row a try of a candidate."""
        ids = self.index.ids
        rows = ({**row, "task": ids[number]} for number, row in self.index.attempt_rows())
        return columns.frame(rows, columns.ATTEMPTS)

    @cached_property
    def outcomes(self) -> pd.DataFrame:
        """One row a model's outcome on a task."""
        ids = self.index.ids
        rows = ({**row, "task": ids[number]} for number, row in self.index.outcome_rows())
        return columns.frame(rows, columns.OUTCOMES)

    @cached_property
    def _attempts_at(self) -> dict[int, list[int]]:
        return _by_task(self.index.attempt_task, self.index.attempt_at)

    @cached_property
    def _outcomes_at(self) -> dict[int, list[int]]:
        return _by_task(self.index.outcome_task, self.index.outcome_at)

    def _number(self, task: str) -> int:
        try:
            return self.index.number[task]
        except (KeyError, TypeError):
            hint = did_you_mean(str(task), self.index.ids[:5000])
            raise RecordingError(f"no task {task!r} in this recording.{hint}") from None


def _by_task(tasks: Iterable[int], places: Iterable[int]) -> dict[int, list[int]]:
    """Where in the file each task's lines start."""
    found: dict[int, list[int]] = {}
    for task, at in zip(tasks, places, strict=True):
        found.setdefault(task, []).append(at)
    return found


def load_recording(path: str | os.PathLike[str]) -> Recording:
    """Read a recording file; RecordingError where it is missing, newer, or no recording at all."""
    if not isinstance(path, str | os.PathLike):
        raise InvalidInput(f"a recording is named by its path, not by {type(path).__name__}")
    where = Path(path)
    try:
        size = where.stat().st_size
        if size > MAX_BYTES:
            raise RecordingError(f"{where}: {size:,} bytes is more than the limit of {MAX_BYTES:,}")
        data = where.read_bytes()
    except OSError as error:
        raise RecordingError(f"{where}: cannot be read ({error.strerror})") from None
    return read_recording(data, path=where)


def read_recording(data: bytes, *, path: Path | None = None) -> Recording:
    """Read a recording from the bytes of its file."""
    return Recording(read_index(data, str(path or "recording")), path)
