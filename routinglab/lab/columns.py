"""The columns of the lab's frames, declared as data: add one here and every frame has it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from routinglab.core.needs import NEED_FIELDS
from routinglab.core.value import Value

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, where its value is in a record, and its pandas type."""

    name: str
    path: str
    dtype: str = "object"


def _needs(path: str) -> tuple[Column, ...]:
    return tuple(Column(name, f"{path}.{_camel(name)}") for name in NEED_FIELDS)


def _camel(name: str) -> str:
    head, *rest = name.split("_")
    return head + "".join(part.title() for part in rest)


TASKS: tuple[Column, ...] = (
    Column("task", "id"),
    Column("text", "text"),
    Column("text_digest", "textDigest"),
    Column("text_length", "textLength", "Int64"),
    Column("group", "group"),
    Column("agent", "agent.name"),
    *_needs("needs"),
    Column("constraints", "constraints"),
    Column("expected_input_tokens", "expectedInputTokens", "Int64"),
    Column("expected_output_tokens", "expectedOutputTokens", "Int64"),
)

DECISIONS: tuple[Column, ...] = (
    Column("task", "task"),
    Column("model", "decision.primary.model"),
    Column("effort", "decision.primary.effort"),
    Column("fallbacks", "decision.fallbacks"),
    Column("agent", "decision.agent"),
    *_needs("decision.needs"),
    Column("chosen_by", "decision.chosenBy"),
    Column("policy", "decision.policy"),
    Column("degraded", "decision.degraded"),
    Column("reader", "decision.reader"),
    Column("router", "decision.router.requested"),
    Column("candidates", "decision.candidates"),
    Column("shortlist", "decision.shortlist"),
    Column("created", "created"),
    Column("evals_digest", "decision.digests.evals"),
    Column("catalog_digest", "decision.digests.catalog"),
)

ATTEMPTS: tuple[Column, ...] = (
    Column("task", "task"),
    Column("model", "attempt.candidate.model"),
    Column("effort", "attempt.candidate.effort"),
    Column("resolved_model", "attempt.model"),
    Column("resolved_effort", "attempt.effort"),
    Column("kind", "attempt.kind"),
    Column("failure", "attempt.failure"),
    Column("status", "attempt.status", "Int64"),
    Column("message", "attempt.message"),
    Column("input_tokens", "attempt.inputTokens", "Int64"),
    Column("output_tokens", "attempt.outputTokens", "Int64"),
    Column("cost", "attempt.cost", "float64"),
    Column("started", "attempt.started"),
    Column("seconds", "attempt.seconds", "float64"),
    Column("steps", "attempt.steps", "Int64"),
)

OUTCOMES: tuple[Column, ...] = (
    Column("task", "task"),
    Column("model", "outcome.model"),
    Column("effort", "outcome.effort"),
    Column("score", "outcome.score", "float64"),
    Column("cost", "outcome.cost", "float64"),
    Column("seconds", "outcome.seconds", "float64"),
    Column("input_tokens", "outcome.inputTokens", "Int64"),
    Column("output_tokens", "outcome.outputTokens", "Int64"),
    Column("provenance", "outcome.provenance"),
    Column("source", "outcome.source"),
)


def frame(records: Iterable[Mapping[str, Any]], columns: Sequence[Column]) -> pd.DataFrame:
    """A DataFrame of ``records`` (JSON objects), one row each, with exactly ``columns``."""
    import pandas as pd

    cells: list[list[Any]] = [[] for _ in columns]
    paths = [column.path.split(".") for column in columns]
    for record in records:
        for cell, path in zip(cells, paths, strict=True):
            cell.append(_at(record, path))
    return pd.DataFrame(
        {
            column.name: pd.Series(cell, dtype=column.dtype)
            for column, cell in zip(columns, cells, strict=True)
        }
    )


def _at(record: Any, path: Sequence[str]) -> Any:
    for part in path:
        if not isinstance(record, Mapping):
            return None
        record = record.get(part)
    return _shown(record)


def _shown(value: Any) -> Any:
    """A cell's value: candidates read as ``provider/id:effort``, lists of them are joined."""
    if isinstance(value, list):
        return ", ".join(str(_shown(item)) for item in value)
    if isinstance(value, Value):
        return str(value)
    if isinstance(value, Mapping):
        if "model" in value:
            effort = value.get("effort")
            return value["model"] if effort is None else f"{value['model']}:{effort}"
        return "; ".join(f"{key}: {_shown(item)}" for key, item in value.items())
    return value
