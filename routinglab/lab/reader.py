"""Reading a recording's lines into its index: one pass, a method a kind, nothing lost but bad lines."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput, RecordingError, RoutingLabError
from routinglab.lab.index import NOTHING, Index, Rest
from routinglab.lab.records import (
    HEADER,
    KINDS,
    RECORDING_VERSION,
    AgentRecord,
    InputsRecord,
    Outcome,
    Problem,
    packed_text,
    parts_digest,
    parts_of,
    rest_of,
    rest_text,
)
from routinglab.routing.decision import Decision, Digests
from routinglab.running.attempt import Attempt

_DECISION = b'"decision":'

#: Keys of a task line that hold text, and the largest count that a column holds.
_TEXTS, _MOST = ("text", "textDigest", "group"), 2**63 - 1


def read_index(data: bytes, name: str) -> Index:
    """Index every line of ``data``; RecordingError where nothing in it is a recording."""
    index = Index(data, name)
    reader = _Reader(index)
    if data.startswith(b"\xef\xbb\xbf"):
        reader.skip = 3
    reader.read()
    if not reader.seen_header and not index.ids:
        first = f" {index.problems[0]}." if index.problems else " It is empty."
        raise RecordingError(
            f"{name}: not a recording; each line must be a JSON object with a kind.{first}"
        )
    if not reader.seen_header:
        index.problems.insert(0, Problem(1, f"no {HEADER!r} header; read as version 1"))
    reader.settle_parts()
    return index


class _Reader:
    """One pass over the lines; each kind has a method."""

    def __init__(self, index: Index) -> None:
        self.index = index
        self.skip = 0
        self.seen_header = False
        self._raw = b""
        self._known: dict[tuple[str, bytes], int] = {}
        self._last: tuple[str, int] = ("", NOTHING)
        self._wanted_parts: dict[str, list[int]] = {}
        self._newest: dict[str, int] = {}
        self._handlers: dict[str, Callable[[dict[str, Any], int], None]] = {
            HEADER: self._header,
            **{kind: getattr(self, f"_{kind}") for kind in KINDS},
        }

    def read(self) -> None:
        index, data = self.index, self.index.data
        decode, handlers = json.JSONDecoder().raw_decode, self._handlers
        at, line, size = self.skip, 0, len(data)
        while at < size:
            line += 1
            end = data.find(b"\n", at)
            last = end < 0
            end = size if last else end
            raw = data[at:end]
            try:
                text = raw.decode().strip()
                row, stop = decode(text)
                if stop != len(text):
                    row = json.loads(text)
                self._raw = raw
                handlers[row["kind"]](row, at)
            except RecordingError:
                raise
            except RoutingLabError as error:
                index.problems.append(Problem(line, str(error)))
            except Exception as error:
                self._unusable(raw, line, last, error)
            at = end + 1
        index.trim()

    def _unusable(self, raw: bytes, line: int, last: bool, error: Exception) -> None:
        """Say what is wrong with a line; the order of the cases is from broken to merely odd."""
        text = raw.strip()
        if not text:
            return
        if isinstance(error, ValueError):
            torn = "torn: the file ends in the middle of it" if last else "not JSON"
            message = f"{torn} ({_reason(error)})"
        elif isinstance(error, RecursionError):
            message = "nested too deeply"
        elif isinstance(error, KeyError) and text.startswith(b"{"):
            kind = _kind_of(text)
            if kind is None:
                message = "has no 'kind'"
            elif kind in self._handlers:
                message = f"{kind}: {error.args[0]!r} is missing"
            else:
                message = f"unknown kind {kind!r}; known: {', '.join(KINDS)}"
        elif not text.startswith(b"{"):
            message = "not a record: it is no JSON object"
        else:
            message = f"not a record ({type(error).__name__}: {error})"
        self.index.problems.append(Problem(line, message))

    def settle_parts(self) -> None:
        """Say which decisions lost their shared parts, once each missing digest."""
        for digest, tasks in self._wanted_parts.items():
            if digest not in self.index.parts_at:
                self.index.problems.append(
                    Problem(
                        self.index.line_of(self.index.decision_at[tasks[0]]),
                        f"{len(tasks)} decisions name parts {digest!r}, which no line holds; "
                        "their candidates and shortlist are unknown",
                    )
                )

    def _header(self, row: dict[str, Any], at: int) -> None:
        version = row["schemaVersion"]
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise InvalidInput(f"schemaVersion: {version!r} is not a version number")
        if version > RECORDING_VERSION:
            raise RecordingError(
                f"{self.index.name}: written by a newer routinglab (schema version {version}; "
                f"this one reads up to {RECORDING_VERSION}). Upgrade routinglab to read it."
            )
        self.index.schema_version = version
        self.seen_header = True

    def _task(self, row: dict[str, Any], at: int) -> None:
        index = self.index
        task = row["id"]
        if not _is_id(task):
            raise InvalidInput(f"id: {task!r} is not a task id")
        for key in _TEXTS:
            if type(row.get(key, "")) is not str and row[key] is not None:
                raise InvalidInput(f"{key}: {row[key]!r} is not text")
        needs = row.get("needs")
        if needs is not None and type(needs) is not dict:
            raise InvalidInput(f"needs: {needs!r} is not an object")
        constraints = row.get("constraints")
        agent = row.get("agent")
        needs_number = self._needs_number(needs) if needs else NOTHING
        constraints_number = (
            NOTHING
            if constraints is None
            else index.all_constraints.number(
                repr(constraints), lambda: ModelConstraints.model_validate(constraints)
            )
        )
        agent_number = (
            NOTHING
            if agent is None
            else index.all_agents.number(repr(agent), lambda: AgentRecord.model_validate(agent))
        )
        tokens = _tokens(row.get("expectedInputTokens")), _tokens(row.get("expectedOutputTokens"))
        number = self._open(task, fresh=True)
        index.task_at[number] = at
        index.needs[number] = needs_number
        index.constraints[number] = constraints_number
        index.agent[number] = agent_number
        index.expected_input[number], index.expected_output[number] = tokens

    def _answers(self, row: dict[str, Any], at: int) -> None:
        task, needs = row["task"], self._needs_number(row["needs"])
        self.index.answers[self._open(task)] = needs

    def _choice(self, row: dict[str, Any], at: int) -> None:
        task, model, odds = row["task"], row["model"], row.get("probabilities")
        if type(model) is not str or not model:
            raise InvalidInput(f"model: {model!r} is not a model id")
        if odds is not None and not _are_odds(odds):
            raise InvalidInput(f"probabilities: {odds!r} are not a number from 0 to 1 a model")
        number = self._open(task)
        self.index.choice[number] = self.index.all_choices.number(model, lambda: model)
        self.index.choice_at[number] = at

    def _inputs(self, row: dict[str, Any], at: int) -> None:
        self.index.inputs.append(
            InputsRecord.model_validate({k: v for k, v in row.items() if k != "kind"})
        )

    def _parts(self, row: dict[str, Any], at: int) -> None:
        digest, parts = row["digest"], row["parts"]
        if digest not in self.index.parts_at:
            if b'"candidates"' not in packed_text(row)[:20]:
                raise InvalidInput("packed: not the shared part of a decision")
            self.index.digests[digest] = Digests.model_validate(parts["digests"])
            self.index.parts_at[digest] = at

    def _decision(self, row: dict[str, Any], at: int) -> None:
        task, decision, parts = row["task"], row["decision"], row.get("parts")
        if parts is None:
            parts, decision = self._whole(decision)
        number = self._rest_number(parts, decision)
        task_number = self._open(task)
        if parts not in self.index.parts_at:
            self._wanted_parts.setdefault(parts, []).append(task_number)
        self.index.rest[task_number] = number
        self.index.decision_at[task_number] = at

    def _rest_number(self, parts: str, decision: dict[str, Any]) -> int:
        """The number of a decision's rest, known again by its bytes where they tell it apart.

        A quote inside a JSON text is escaped, so a key's bytes that occur once are that key.
        """
        raw = self._raw
        key = (parts, raw[raw.rfind(_DECISION) :]) if raw.count(_DECISION) == 1 else None
        number = self._known.get(key) if key else None
        if number is None:
            text = rest_text(decision)
            number = self.index.all_rests.number((parts, text), lambda: self._rest(parts, text))
            if key:
                self._known[key] = number
        return number

    def _whole(self, decision: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """A decision written in one piece, split as the writer splits it."""
        whole = Decision.model_validate(decision)
        digest = parts_digest(whole)
        self.index.parts_at.setdefault(digest, parts_of(whole))
        self.index.digests.setdefault(digest, whole.digests)
        return digest, rest_of(whole)

    def _rest(self, parts: str, text: str) -> Rest:
        whole = Decision.model_validate(json.loads(text))
        return Rest(
            parts,
            text,
            whole.needs,
            whole.primary.model,
            whole.primary.effort,
            whole.agent,
            whole.degraded,
            whole.chosen_by,
            tuple(sorted(whole.answered_by.items())),
        )

    def _attempt(self, row: dict[str, Any], at: int) -> None:
        task, attempt = row["task"], row["attempt"]
        Attempt.model_validate(attempt)
        self.index.attempt_task.append(self._open(task))
        self.index.attempt_at.append(at)

    def _outcome(self, row: dict[str, Any], at: int) -> None:
        task, outcome = row["task"], row["outcome"]
        Outcome.model_validate(outcome)
        self.index.outcome_task.append(self._open(task))
        self.index.outcome_at.append(at)

    def _needs_number(self, needs: dict[str, Any]) -> int:
        return self.index.all_needs.number(
            tuple(needs.items()), lambda: TaskNeeds.model_validate(needs)
        )

    def _open(self, task: str, *, fresh: bool = False) -> int:
        """The task's number; a line about a task that no task line names makes an empty one.

        An id used again is another task, named ``id#2``; what follows about the id is about it.
        """
        if task == self._last[0] and not fresh:
            return self._last[1]
        number = self._number(task, fresh)
        self._last = (task, number)
        return number

    def _number(self, task: str, fresh: bool) -> int:
        index = self.index
        number = self._newest.get(task) if self._newest else None
        if number is None:
            number = index.number.get(task)
        if number is None:
            if not _is_id(task):
                raise InvalidInput(f"task: {task!r} is not a task id")
            return self._add(task)
        if fresh and index.task_at[number] != NOTHING:
            count = 2
            while f"{task}#{count}" in index.number:
                count += 1
            self._newest[task] = number = self._add(f"{task}#{count}")
        return number

    def _add(self, name: str) -> int:
        index = self.index
        number = index.number[name] = len(index.ids)
        index.ids.append(name)
        if number >= len(index.task_at):
            index.grow()
        return number


def _is_id(task: Any) -> bool:
    """Whether it is a text that UTF-8 can hold; JSON may spell half of a surrogate pair."""
    return (
        type(task) is str and task != "" and (task.isascii() or task.isprintable() or _utf8(task))
    )


def _utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _tokens(value: Any) -> int:
    if value is None:
        return NOTHING
    if type(value) is not int or not 0 <= value <= _MOST:
        raise InvalidInput(f"expected tokens: {value!r} is not a number of tokens")
    return value


def _are_odds(odds: Any) -> bool:
    return isinstance(odds, dict) and all(
        isinstance(chance, int | float) and 0 <= chance <= 1 for chance in odds.values()
    )


def _reason(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at column {error.colno}"
    return type(error).__name__


def _kind_of(text: bytes) -> str | None:
    kind = json.loads(text).get("kind")
    return kind if kind is None or isinstance(kind, str) else repr(kind)
