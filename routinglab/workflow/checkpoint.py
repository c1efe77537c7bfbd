"""Checkpoints: what a workflow has decided and finished so far, in one file."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Literal, Self

from pydantic import model_validator

from routinglab.core.files import write_whole
from routinglab.core.ids import Candidate
from routinglab.core.value import Value
from routinglab.errors import CheckpointError, InvalidInput
from routinglab.routing.decision import Decision
from routinglab.workflow.result import StageResult, WorkflowResult

SCHEMA_VERSION = 1

StageState = Literal["decided", "done", "failed", "skipped"]


class StageRecord(Value):
    """One stage that was reached.

    ``decision`` is what routing chose (None for a concrete model) and ``candidate`` the first one
    to run. ``decided`` means that it was chosen and has not finished: a resumed run keeps the
    choice. A failed stage keeps its choice too, with ``error`` and what was tried in ``result``.
    """

    id: str
    state: StageState
    prompt_digest: str = ""
    decision: Decision | None = None
    candidate: Candidate | None = None
    result: StageResult | None = None
    error: str | None = None
    started: datetime | None = None
    ended: datetime | None = None

    @model_validator(mode="after")
    def _answered(self) -> Self:
        if self.state == "done" and self.result is None:
            raise ValueError(f"stage {self.id!r} is done and has no result")
        return self


class Checkpoint(Value):
    """The state of one run of one workflow; ``digest`` and ``inputs_digest`` are SHA-256."""

    schema_version: int = SCHEMA_VERSION
    workflow: str
    version: str
    digest: str
    inputs_digest: str
    updated: datetime | None = None
    stages: tuple[StageRecord, ...] = ()

    def record(self, stage_id: str) -> StageRecord | None:
        """A stage's record; None when it was not reached."""
        return next((record for record in self.stages if record.id == stage_id), None)


def read_checkpoint(path: Path | str) -> Checkpoint:
    """Read a checkpoint. CheckpointError when it is missing, unreadable or of another schema."""
    file = Path(path)
    try:
        data = json.loads(file.read_bytes())
    except FileNotFoundError:
        raise CheckpointError(f"there is no checkpoint at {file}") from None
    except OSError as error:
        raise CheckpointError(f"{file} cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError):
        raise CheckpointError(f"{file} is not a checkpoint: it is not JSON") from None
    schema = data.get("schemaVersion") if isinstance(data, dict) else None
    if schema != SCHEMA_VERSION or isinstance(schema, bool):
        raise CheckpointError(
            f"{file} is not a checkpoint of schema {SCHEMA_VERSION} (its schemaVersion is {schema!r}); "
            "start the workflow anew with another file"
        )
    try:
        return Checkpoint.model_validate_json(json.dumps(data))
    except InvalidInput as error:
        raise CheckpointError(f"{file} is not a valid checkpoint: {error}") from None


def write_checkpoint(path: Path, checkpoint: Checkpoint) -> None:
    """Replace the file whole. CheckpointError when it cannot be written; the old one stays."""
    try:
        write_whole(path, checkpoint.model_dump_json(by_alias=True, indent=1).encode() + b"\n")
    except OSError as error:
        raise CheckpointError(
            f"the checkpoint {path} cannot be written: {error.strerror or error}"
        ) from None


def check_fits(checkpoint: Checkpoint, expected: Checkpoint, where: str) -> None:
    """CheckpointError unless a checkpoint is of the expected workflow, version, stages and inputs."""
    if (checkpoint.workflow, checkpoint.version) != (expected.workflow, expected.version):
        raise CheckpointError(
            f"{where} belongs to workflow {checkpoint.workflow!r} version {checkpoint.version!r}, "
            f"not to {expected.workflow!r} version {expected.version!r}"
        )
    if checkpoint.digest != expected.digest:
        raise CheckpointError(
            f"{where} was written by other stages of {expected.workflow!r} version "
            f"{expected.version!r}; give the changed workflow a new version and a new file"
        )
    if checkpoint.inputs_digest != expected.inputs_digest:
        raise CheckpointError(
            f"{where} was written for other inputs; resume with those, or use a new file"
        )


WorkflowResult.model_rebuild(_types_namespace={"StageRecord": StageRecord})
