"""A workflow's progress as a small table."""

from __future__ import annotations

import html
from dataclasses import dataclass
from pathlib import Path

from routinglab.tasks.notices import duration_text
from routinglab.tasks.previews import clean, cut
from routinglab.workflow.checkpoint import Checkpoint, StageRecord, check_fits, read_checkpoint
from routinglab.workflow.definition import Stage, Workflow

PREVIEW_BYTES = 200


@dataclass(frozen=True, slots=True)
class StageRow:
    """One stage as it stands: ``pending`` until it is reached, then its record's state."""

    id: str
    title: str
    state: str
    model: str
    chosen_by: str
    duration: str
    cost: float | None
    preview: str
    error: str


@dataclass(frozen=True, slots=True)
class WorkflowView:
    """Rows in the order of the definition; shows itself as a table in a notebook."""

    name: str
    version: str
    rows: tuple[StageRow, ...]

    def __str__(self) -> str:
        lines = [f"{self.name} {self.version}"]
        for row in self.rows:
            parts = (row.id, row.state, row.model, row.duration, row.error or row.preview)
            lines.append("  " + " · ".join(" ".join(part.split()) for part in parts if part))
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        heads = ("stage", "state", "model", "chosen by", "time", "USD", "answer or error")
        body = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in _cells(row)) + "</tr>"
            for row in self.rows
        )
        head = "".join(f"<th>{name}</th>" for name in heads)
        title = html.escape(f"{self.name} {self.version}")
        return (
            f"<table><caption>{title}</caption><thead><tr>{head}</tr></thead>"
            f"<tbody>{body}</tbody></table>"
        )


def view_of(workflow: Workflow, checkpoint: Checkpoint | Path | str | None) -> WorkflowView:
    """The view of a checkpoint, or of a workflow that has not begun (None).

    CheckpointError when it belongs to another workflow, version or definition.
    """
    if checkpoint is not None and not isinstance(checkpoint, Checkpoint):
        checkpoint = read_checkpoint(checkpoint)
    if checkpoint is not None:
        expected = checkpoint.model_copy(
            update={
                "workflow": workflow.name,
                "version": workflow.version,
                "digest": workflow.digest,
            }
        )
        check_fits(checkpoint, expected, "the checkpoint")
    rows = tuple(
        _row(stage, checkpoint.record(stage.id) if checkpoint else None)
        for stage in workflow.stages
    )
    return WorkflowView(workflow.name, workflow.version, rows)


def _row(stage: Stage, record: StageRecord | None) -> StageRow:
    if record is None:
        return StageRow(stage.id, stage.title, "pending", stage.model or "", "", "", None, "", "")
    result = record.result
    used = (result.used if result else None) or record.candidate
    seconds = None
    if record.started and record.ended:
        seconds = max(0.0, (record.ended - record.started).total_seconds())
    chosen_by = record.decision.chosen_by if record.decision else "definition"
    return StageRow(
        id=stage.id,
        title=stage.title,
        state=record.state,
        model=str(used or ""),
        chosen_by=chosen_by if record.candidate else "",
        duration=duration_text(seconds),
        cost=result.cost if result else None,
        preview=cut(clean(result.text), PREVIEW_BYTES)[0] if result else "",
        error=record.error or "",
    )


def _cells(row: StageRow) -> tuple[str, ...]:
    cost = "" if row.cost is None else f"{row.cost:.4f}"
    name = f"{row.id} ({row.title})" if row.title else row.id
    answer = row.error or row.preview
    return (name, row.state, row.model, row.chosen_by, row.duration, cost, answer)
