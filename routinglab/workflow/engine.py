"""Runs a workflow, from its beginning or from a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Unpack

from routinglab.core.text import text_digest
from routinglab.errors import CheckpointError, InvalidInput
from routinglab.tasks.files import Busy, FileLock
from routinglab.workflow.calls import Route, RunOptions, RunStage
from routinglab.workflow.checkpoint import Checkpoint, check_fits, read_checkpoint
from routinglab.workflow.definition import Workflow
from routinglab.workflow.progress import Progress
from routinglab.workflow.result import WorkflowResult


async def run_workflow(
    workflow: Workflow,
    *,
    route: Route,
    run: RunStage,
    checkpoint: Path | str | None = None,
    **options: Unpack[RunOptions],
) -> WorkflowResult:
    """Run every stage once its time has come, each on what was decided for it alone.

    ``route`` decides for a stage and its filled prompt, ``run`` carries it out. The checkpoint is
    replaced after every decision and every stage. When the file exists it is gone on from: stages
    that are done keep their answers, and what was decided stands, so ``route`` is not called again
    for it; failed and skipped stages get another try. ``resume=False`` refuses an existing file.

    ``limit`` is how many stages run side by side at most, ``inputs`` the texts of ``{{input.…}}``.
    When a stage fails, those already running finish and are kept, and no other starts, unless the
    stage says ``continue``. Cancelling stops the running stages and leaves a valid checkpoint.

    Raises CheckpointError for a file of another workflow, version, definition or inputs, one that
    is in use, and one that cannot be written; InvalidInput for a missing input or a model that
    cannot be resolved, before anything runs.
    """
    inputs = dict(options.get("inputs") or {})
    _check_inputs(workflow, inputs)
    limit = options.get("limit")
    if limit is not None and limit < 1:
        raise InvalidInput(f"limit is at least 1 (got {limit})", where="Workflow.run")
    blank = Checkpoint(
        workflow=workflow.name,
        version=workflow.version,
        digest=workflow.digest,
        inputs_digest=text_digest(json.dumps(inputs, sort_keys=True)),
    )
    if checkpoint is None:
        return await Progress(workflow, route, run, blank, inputs, None, options).finish()
    path, lock = _locked(checkpoint)
    try:
        start = _start(path, blank, options.get("resume", True))
        return await Progress(workflow, route, run, start, inputs, path, options).finish()
    finally:
        lock.release()


def _locked(checkpoint: Path | str) -> tuple[Path, FileLock]:
    path = Path(checkpoint).expanduser()
    lock = FileLock(path)
    try:
        lock.acquire()
    except Busy as busy:
        raise CheckpointError(f"{path} is in use: {busy}") from None
    except OSError as error:
        raise CheckpointError(f"{path} cannot be written: {error.strerror or error}") from None
    return path, lock


def _start(path: Path, blank: Checkpoint, resume: bool) -> Checkpoint:
    if not path.exists():
        return blank
    if not resume:
        raise CheckpointError(f"{path} exists; resume it, or use another file")
    start = read_checkpoint(path)
    check_fits(start, blank, str(path))
    return start


def _check_inputs(workflow: Workflow, inputs: Mapping[str, str]) -> None:
    for name, text in inputs.items():
        if not isinstance(text, str):
            raise InvalidInput(
                f"input {name!r} is a {type(text).__name__}, not text",
                where=f"workflow {workflow.name!r}",
                field=f"inputs.{name}",
            )
    for stage in workflow.stages:
        for reference in stage.references:
            if reference.is_input and reference.field not in inputs:
                raise InvalidInput(
                    f"stage {stage.id!r} quotes {reference}, but inputs has no {reference.field!r}",
                    where=f"workflow {workflow.name!r}",
                    field=f"inputs.{reference.field}",
                    choices=sorted(inputs),
                )
