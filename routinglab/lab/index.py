"""The compact index of a recording's lines that reading makes and replay walks."""

from __future__ import annotations

import json
from array import array
from collections.abc import Callable, Hashable, Iterator
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.lab.records import (
    RECORDING_VERSION,
    TASK_KEYS,
    AgentRecord,
    InputsRecord,
    Problem,
    unpack,
)
from routinglab.routing.decision import AnsweredBy, Decision, Digests

T = TypeVar("T")
NOTHING = -1

#: Columns grow by this many tasks at a time.
_ROOM = 4096


class Shared(Generic[T]):
    """Distinct values by number, so that a task holds a small integer."""

    def __init__(self) -> None:
        self.values: list[T] = []
        self._number: dict[Hashable, int] = {}

    def number(self, key: Hashable, make: Callable[[], T]) -> int:
        """The number of the value with this key, made when it is first seen."""
        found = self._number.get(key)
        if found is None:
            value = make()
            found = self._number[key] = len(self.values)
            self.values.append(value)
        return found


@dataclass(frozen=True, slots=True)
class Rest:
    """The part of a recorded decision that is not shared: its parts' digest, text and primary."""

    parts: str
    text: str
    needs: TaskNeeds
    primary: str
    effort: Effort | None
    agent: str | None
    degraded: str | None
    chosen_by: str
    answered_by: tuple[tuple[str, AnsweredBy], ...]


def _array() -> array[int]:
    return array("i")


def _long_array() -> array[int]:
    return array("q")


@dataclass(slots=True)
class Index:
    """Columns by task number; -1 stands for nothing recorded."""

    data: bytes
    name: str
    schema_version: int = RECORDING_VERSION
    problems: list[Problem] = field(default_factory=list)
    ids: list[str] = field(default_factory=list)
    number: dict[str, int] = field(default_factory=dict)
    task_at: array[int] = field(default_factory=_long_array)
    needs: array[int] = field(default_factory=_array)
    constraints: array[int] = field(default_factory=_array)
    agent: array[int] = field(default_factory=_array)
    answers: array[int] = field(default_factory=_array)
    choice: array[int] = field(default_factory=_array)
    rest: array[int] = field(default_factory=_array)
    choice_at: array[int] = field(default_factory=_long_array)
    decision_at: array[int] = field(default_factory=_long_array)
    expected_input: array[int] = field(default_factory=_long_array)
    expected_output: array[int] = field(default_factory=_long_array)
    attempt_task: array[int] = field(default_factory=_array)
    attempt_at: array[int] = field(default_factory=_long_array)
    outcome_task: array[int] = field(default_factory=_array)
    outcome_at: array[int] = field(default_factory=_long_array)
    all_needs: Shared[TaskNeeds] = field(default_factory=Shared)
    all_constraints: Shared[ModelConstraints] = field(default_factory=Shared)
    all_agents: Shared[AgentRecord] = field(default_factory=Shared)
    all_choices: Shared[str] = field(default_factory=Shared)
    all_rests: Shared[Rest] = field(default_factory=Shared)
    parts_at: dict[str, int | dict[str, Any]] = field(default_factory=dict)
    digests: dict[str, Digests] = field(default_factory=dict)
    inputs: list[InputsRecord] = field(default_factory=list)

    def _columns(self) -> tuple[array[int], ...]:
        return (
            self.task_at, self.choice_at, self.decision_at, self.expected_input, self.expected_output, self.needs,
            self.constraints, self.agent, self.answers, self.choice, self.rest,
        )  # fmt: skip

    def grow(self) -> None:
        """Make room for more tasks, with nothing recorded for them."""
        for column in self._columns():
            column.extend(array(column.typecode, [NOTHING]) * _ROOM)

    def trim(self) -> None:
        """Take back the room that no task filled."""
        for column in self._columns():
            del column[len(self.ids) :]

    def row(self, at: int) -> dict[str, Any] | None:
        """The line that starts at this byte, read again; None for -1."""
        if at < 0:
            return None
        end = self.data.find(b"\n", at)
        row: dict[str, Any] = json.loads(self.data[at : end if end >= 0 else None])
        return row

    def parts(self, digest: str) -> dict[str, Any] | None:
        """What decisions that name this digest share; read again, for all of it is a lot to keep."""
        at = self.parts_at.get(digest)
        if isinstance(at, int):
            row = self.row(at)
            return unpack(row) if row is not None else None
        return at

    def line_of(self, at: int) -> int:
        """The number, from 1, of the line that starts at this byte."""
        return self.data.count(b"\n", 0, at) + 1

    def attempt_rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(task number, line) of every attempt in file order."""
        for number, at in zip(self.attempt_task, self.attempt_at, strict=True):
            yield number, self.row(at) or {}

    def outcome_rows(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """(task number, line) of every outcome in file order."""
        for number, at in zip(self.outcome_task, self.outcome_at, strict=True):
            yield number, self.row(at) or {}

    def decision_rows(self) -> Iterator[dict[str, Any]]:
        """Every decision line with its shared parts put back."""
        for number, at in enumerate(self.decision_at):
            row = self.row(at)
            if row is not None:
                parts = self.parts(self.all_rests.values[self.rest[number]].parts) or {}
                whole = {**parts, **row["decision"]}
                yield {**row, "task": self.ids[number], "decision": whole}

    def decision(self, number: int) -> Decision | None:
        """The decision recorded for the task of this number."""
        row = self.row(self.decision_at[number])
        if row is None:
            return None
        parts = self.parts(self.all_rests.values[self.rest[number]].parts) or {}
        own = {key: row[key] for key in TASK_KEYS if key in row}
        return Decision.model_validate({**own, **parts, **row["decision"]})
