"""Writing a recording: append-only JSON Lines that several writers may share (SPEC 13.1)."""

from __future__ import annotations

import json
import os
import threading
import uuid
from collections import OrderedDict
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.core.secrets import redact
from routinglab.core.text import text_digest
from routinglab.errors import RecordingError
from routinglab.lab.records import (
    HEADER,
    RECORDING_VERSION,
    TASK_KEYS,
    AgentRecord,
    Outcome,
    bare,
    encode,
    pack,
    parts_digest,
    parts_of,
    rest_of,
)
from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt, RunResult

if TYPE_CHECKING:
    from routinglab.catalog.model import Catalog
    from routinglab.settings.model import Settings

try:
    import fcntl
except (
    ImportError
):  # Windows: appends of one process stay whole, several processes are on their own
    fcntl = None  # type: ignore[assignment]


#: Keys whose texts are not a person's, and would break if a pattern happened to fit them.
_NEVER_REDACTED = ("kind", "id", "task", "digest", "packed")


#: Texts not kept that later lines are compared with, bytes of the first line that are looked at, and
#: characters that make a quotation.
_REMEMBERED, _HEADER_BYTES, _QUOTE = 1000, 65536, 20


def _new_id() -> str:
    return f"task-{uuid.uuid4().hex[:12]}"


class RecordingWriter:
    """Appends records to a file; safe to share between threads, and between processes.

    Each record is one line and one write. A line that another program left torn is closed first,
    so it costs only itself. Text longer than ``keep_text`` characters is kept by digest and length
    only (None keeps all, 0 keeps none); so is what a model had said when it broke off, and a
    message that quotes a text that was not kept. ``redact`` is called with every text that is
    written but ids, so it should change only what it looks for; by default it hides what looks like
    a key. RecordingError where the file cannot be written, is no recording or is of a newer version.

    >>> with RecordingWriter("runs.jsonl") as record:
    ...     task = record.task("Rename the flag in the CLI and its docs")
    ...     record.outcome(task, Outcome(model="openai/gpt-5.4", score=1, provenance="observed"))
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        keep_text: int | None = None,
        redact: Callable[[str], str] | None = redact,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        self.path = Path(path)
        self._keep_text = keep_text
        self._redact = redact
        self._new_id = new_id
        self._lock = threading.Lock()
        self._parts: set[str] = set()
        self._inputs: set[str] = set()
        self._withheld: OrderedDict[str, str] = OrderedDict()
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
            self._file = os.open(self.path, flags, 0o600)
        except OSError as error:
            raise RecordingError(f"{self.path}: cannot be written ({error.strerror})") from None
        self._refuse_others()
        header = {"kind": HEADER, "schemaVersion": RECORDING_VERSION}
        self._append({**header, "created": clock().isoformat()}, only_if_empty=True)

    def task(
        self,
        text: str,
        *,
        id: str | None = None,
        agent: AgentBrief | None = None,
        needs: TaskNeeds | None = None,
        constraints: ModelConstraints | None = None,
        expected_input_tokens: int | None = None,
        expected_output_tokens: int | None = None,
        group: str | None = None,
    ) -> str:
        """Record a task with what its caller stated; the id under which the rest is recorded."""
        task_id = id or self._new_id()
        kept = self._keeps(text)
        if not kept:
            with self._lock:
                self._withheld[task_id] = text
                if len(self._withheld) > _REMEMBERED:
                    self._withheld.popitem(last=False)
        self._append(
            {
                "kind": "task",
                "id": task_id,
                "text": text if kept else None,
                "textDigest": text_digest(text),
                "textLength": len(text),
                "group": group,
                "agent": bare(AgentRecord.of(agent).to_dict()) if agent else None,
                "needs": bare(needs.to_dict()) if needs else None,
                "constraints": bare(constraints.to_dict()) if constraints else None,
                "expectedInputTokens": expected_input_tokens,
                "expectedOutputTokens": expected_output_tokens,
            }
        )
        return task_id

    def answers(self, task: str, needs: TaskNeeds, *, reader: str | None = None) -> None:
        """Record what the reader answered; ``needs`` holds only its answers."""
        self._append(
            {"kind": "answers", "task": task, "reader": reader, "needs": bare(needs.to_dict())}
        )

    def choice(
        self,
        task: str,
        model: str,
        *,
        router: str | None = None,
        kind: str = "chat",
        probabilities: dict[str, float] | None = None,
    ) -> None:
        """Record the router's choice: a full model id, and its probabilities where it gave some."""
        self._append(
            {
                "kind": "choice",
                "task": task,
                "model": model,
                "router": router,
                "routerKind": kind,
                "probabilities": probabilities,
            }
        )

    def inputs(self, catalog: Catalog, evals_digest: str | None, settings: Settings) -> None:
        """Record what decisions are made over; written once for each distinct set of inputs."""
        routing = settings.model_routing
        record = {
            "kind": "inputs",
            "catalog": catalog.digest,
            "evals": evals_digest,
            "settings": settings.digest,
            "models": sorted(model.full_id for model in catalog),
            "modelRouting": bare(routing.to_dict()) if routing is not None else None,
        }
        key = encode(record)
        with self._lock:
            known = key in self._inputs
            self._inputs.add(key)
        if not known:
            self._append(record)

    def decision(self, task: str, decision: Decision) -> None:
        """Record a decision; what it shares with earlier ones is written once."""
        digest, rest = parts_digest(decision), rest_of(decision)
        with self._lock:
            known = digest in self._parts
            self._parts.add(digest)
        if not known:
            self._append({"kind": "parts", "digest": digest, **pack(parts_of(decision))})
        own = {key: rest.pop(key) for key in TASK_KEYS if key in rest}
        # last, and without what is the task's own, so that a reader knows it again by its bytes
        self._append({"kind": "decision", "task": task, **own, "parts": digest, "decision": rest})

    def attempt(self, task: str, attempt: Attempt) -> None:
        """Record one try of one candidate."""
        row = bare(attempt.to_dict())
        if not self._keeps(attempt.partial):
            del row["partial"]
        text = self._withheld.get(task)
        if text is not None and _quotes(attempt.message, text):
            row["message"] = "[quotes the task, whose text is not kept]"
        self._append({"kind": "attempt", "task": task, "attempt": row})

    def result(self, task: str, result: RunResult) -> None:
        """Record a run's attempts; its decision is recorded where it was made."""
        for attempt in result.attempts:
            self.attempt(task, attempt)

    def outcome(self, task: str, outcome: Outcome) -> None:
        """Record what one model achieved on the task."""
        self._append({"kind": "outcome", "task": task, "outcome": bare(outcome.to_dict())})

    def outcomes(self, task: str, outcomes: Iterable[Outcome]) -> None:
        """Record several models' outcomes."""
        for outcome in outcomes:
            self.outcome(task, outcome)

    def close(self) -> None:
        """Close the file; writing afterwards is an error."""
        with self._lock:
            if self._file >= 0:
                os.close(self._file)
                self._file = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _keeps(self, text: str) -> bool:
        return self._keep_text is None or len(text) <= self._keep_text

    def _refuse_others(self) -> None:
        """Refuse to append to a file that is no recording, or one of a newer version."""
        try:
            with self.path.open("rb") as file:
                first = file.readline(_HEADER_BYTES).removeprefix(b"\xef\xbb\xbf").strip()
        except OSError as error:
            self.close()
            raise RecordingError(f"{self.path}: cannot be read ({error.strerror})") from None
        problem = _other(first)
        if problem:
            self.close()
            raise RecordingError(f"{self.path}: {problem}; nothing was written")

    def _append(self, record: dict[str, Any], *, only_if_empty: bool = False) -> None:
        cleaned = {key: item for key, item in record.items() if item is not None}
        if self._redact is not None:
            cleaned = {
                key: item if key in _NEVER_REDACTED else _each_text(item, self._redact)
                for key, item in cleaned.items()
            }
        line = _json_line(cleaned)
        with self._lock:
            if self._file < 0:
                raise RecordingError(f"{self.path}: the recording was closed")
            try:
                if fcntl is not None:
                    fcntl.flock(self._file, fcntl.LOCK_EX)
                try:
                    size = os.fstat(self._file).st_size
                    if only_if_empty and size:
                        return
                    if size and _last_byte(self._file, size) != b"\n":
                        line = b"\n" + line
                    _write_whole(self._file, line)
                finally:
                    if fcntl is not None:
                        fcntl.flock(self._file, fcntl.LOCK_UN)
            except OSError as error:
                raise RecordingError(f"{self.path}: cannot be written ({error.strerror})") from None


def _other(first: bytes) -> str | None:
    """Why a file that begins with this line must not be appended to; a torn line is no reason."""
    if first and not first.startswith(b"{"):
        return "not a recording, so nothing can be appended to it"
    try:
        version = json.loads(first)["schemaVersion"]
    except (ValueError, KeyError, TypeError):
        return None
    if isinstance(version, int) and version > RECORDING_VERSION:
        return f"of schema version {version}; this routinglab writes {RECORDING_VERSION}"
    return None


def _quotes(message: str, text: str) -> bool:
    """Whether a message holds a text, or some 30 characters of it in a row."""
    if len(text) < _QUOTE:
        return bool(text) and text in message
    starts = range(0, len(text) - _QUOTE + 1, _QUOTE // 2)
    return any(text[start : start + _QUOTE] in message for start in starts)


def _json_line(record: dict[str, Any]) -> bytes:
    text = json.dumps(record, ensure_ascii=False, separators=(",", ":"))
    try:
        return text.encode() + b"\n"
    except UnicodeEncodeError:  # half a surrogate pair is no UTF-8; JSON can escape it
        return json.dumps(record, separators=(",", ":")).encode() + b"\n"


def _last_byte(file: int, size: int) -> bytes:
    return os.pread(file, 1, size - 1) if hasattr(os, "pread") else b"\n"


def _write_whole(file: int, line: bytes) -> None:
    written = os.write(file, line)
    while written < len(line):
        line = line[written:]
        written = os.write(file, line)


def _each_text(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, list | tuple):
        return [_each_text(item, redact) for item in value]
    if isinstance(value, dict):
        return {key: _each_text(item, redact) for key, item in value.items()}
    return value
