"""What a recording's lines hold (SPEC 13.1): kinds, keys and the values read back from them."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import Field

from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.core.value import Value
from routinglab.errors import InvalidInput
from routinglab.routing.decision import Decision

#: Version of the line format; a reader refuses files that say a higher one.
RECORDING_VERSION = 1

#: The first line's kind, and then the kinds a line can have.
HEADER = "recording"
KINDS = ("task", "answers", "choice", "inputs", "parts", "decision", "attempt", "outcome")

Provenance = Literal["observed", "imputed", "unknown"]

#: Keys of a decision that tasks with the same needs, constraints and inputs share. They are written
#: once, as a ``parts`` line, and named by digest after that.
PART_KEYS = (
    "schemaVersion", "policy", "candidates", "shortlist", "scoring", "removed", "digests",
)  # fmt: skip

_PART_FIELDS = {
    name for name, info in Decision.model_fields.items() if (info.alias or name) in PART_KEYS
}

#: Shared keys that hold an entry for every candidate; they are written compressed.
PACKED_KEYS = ("candidates", "scoring")

#: Keys of a decision that are the task's own and say nothing of what was decided.
TASK_KEYS = ("created", "taskDigest", "requests")

#: Bytes that packed columns may have; more than any catalog needs.
MOST_UNPACKED = 64 * 1024**2

_ENCODE = json.JSONEncoder(sort_keys=True, ensure_ascii=False, separators=(",", ":")).encode


def encode(value: Any) -> str:
    """Compact JSON with sorted keys."""
    return _ENCODE(value)


class Outcome(Value):
    """What one model achieved on one task.

    ``score`` is higher-is-better, usually 0..1; ``cost`` USD. ``provenance`` is about cost and
    tokens: ``observed`` as measured, ``imputed`` filled in from something else, ``unknown``.
    """

    model: str = Field(min_length=1)
    effort: Effort | None = None
    score: float | None = None
    cost: float | None = Field(default=None, ge=0)
    seconds: float | None = Field(default=None, ge=0)
    input_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    provenance: Provenance = "unknown"
    source: str | None = None


class AgentRecord(Value):
    """An agent as recorded: what routing looked at, without its system prompt."""

    name: str
    description: str = ""
    needs: TaskNeeds = Field(default_factory=TaskNeeds)
    constraints: tuple[ModelConstraints, ...] = ()
    builtin: bool = False

    def brief(self) -> AgentBrief:
        """The agent as the planner takes it."""
        return AgentBrief(
            self.name, self.description, "", self.needs, self.constraints, self.builtin
        )

    @classmethod
    def of(cls, agent: AgentBrief) -> AgentRecord:
        """What is kept of ``agent``."""
        return cls(
            name=agent.name,
            description=agent.description,
            needs=agent.needs,
            constraints=agent.constraints,
            builtin=agent.builtin,
        )


class TaskRecord(Value):
    """One recorded task; ``text`` is None where only its digest was kept."""

    id: str = Field(min_length=1)
    text: str | None = None
    text_digest: str = ""
    text_length: int | None = None
    group: str | None = None
    agent: AgentRecord | None = None
    needs: TaskNeeds = Field(default_factory=TaskNeeds)
    constraints: ModelConstraints | None = None
    expected_input_tokens: int | None = Field(default=None, ge=0)
    expected_output_tokens: int | None = Field(default=None, ge=0)


class InputsRecord(Value):
    """What decisions were made over: the ids that were available and the routing settings."""

    catalog: str | None = None
    evals: str | None = None
    settings: str | None = None
    models: tuple[str, ...] = ()
    model_routing: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Problem:
    """A line that could not be used: its number in the file (from 1) and why."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}"


def bare(value: Any) -> Any:
    """JSON data without nulls, which read back as defaults; empty lists stay, they have a meaning."""
    if isinstance(value, Mapping):
        return {key: bare(item) for key, item in value.items() if item is not None}
    if isinstance(value, list):
        return [bare(item) for item in value]
    return value


def parts_digest(decision: Decision) -> str:
    """The name under which decisions refer to what they share.

    Taken from pydantic's own JSON, several times quicker than sorting keys; where two names differ
    the parts themselves are compared.
    """
    text = decision.model_dump_json(by_alias=True, include=_PART_FIELDS)
    return hashlib.sha256(text.encode()).hexdigest()[:32]


def parts_of(decision: Decision) -> dict[str, Any]:
    """What a decision shares with others of the same needs, constraints and inputs, JSON-ready."""
    return decision.model_dump(mode="json", by_alias=True, include=_PART_FIELDS)


def rest_of(decision: Decision) -> dict[str, Any]:
    """What is left of a decision beside its shared parts, JSON-ready and without nulls."""
    rest: dict[str, Any] = bare(
        decision.model_dump(mode="json", by_alias=True, exclude=_PART_FIELDS)
    )
    return rest


def pack(parts: Mapping[str, Any]) -> dict[str, Any]:
    """Shared parts as a line holds them: readable, but the columns over all candidates deflated."""
    columns = encode({key: parts[key] for key in PACKED_KEYS}).encode()
    packed = base64.b64encode(zlib.compress(columns, 9)).decode("ascii")
    return {
        "parts": {key: item for key, item in parts.items() if key not in PACKED_KEYS},
        "packed": packed,
    }


def packed_text(row: Mapping[str, Any]) -> bytes:
    """The inflated columns of a ``parts`` line; InvalidInput where they are damaged."""
    try:
        inflate = zlib.decompressobj()
        text = inflate.decompress(base64.b64decode(row["packed"], validate=True), MOST_UNPACKED)
    except (zlib.error, ValueError, TypeError) as error:
        raise InvalidInput(f"packed: cannot be read ({error})") from None
    if not inflate.eof:
        raise InvalidInput("packed: too long, or cut off")
    return text


def unpack(row: Mapping[str, Any]) -> dict[str, Any]:
    """The shared parts that a ``parts`` line holds."""
    return {**row["parts"], **json.loads(packed_text(row))}


def rest_text(rest: Mapping[str, Any]) -> str:
    """The text by which two recorded decisions are compared, beside their parts' digest."""
    return encode({key: item for key, item in rest.items() if key not in TASK_KEYS})
