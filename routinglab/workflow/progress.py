"""One run of a workflow: which stages are due, what each came to, and the file that says so."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

from routinglab.core.secrets import redact
from routinglab.core.text import text_digest
from routinglab.errors import CheckpointError, InvalidInput, RoutingLabError, RunFailed
from routinglab.running.attempt import Attempt, RunResult
from routinglab.workflow.calls import Route, RunOptions, RunStage, concrete_model
from routinglab.workflow.checkpoint import Checkpoint, StageRecord, write_checkpoint
from routinglab.workflow.definition import Stage, Workflow
from routinglab.workflow.result import StageResult, WorkflowResult, WorkflowState
from routinglab.workflow.template import Reference, fill

log = logging.getLogger(__name__)


class Progress:
    """One run; ``records`` mirrors the checkpoint file."""

    def __init__(
        self,
        workflow: Workflow,
        route: Route,
        run: RunStage,
        start: Checkpoint,
        inputs: Mapping[str, str],
        path: Path | None,
        options: RunOptions,
    ) -> None:
        self.workflow = workflow
        self.route, self.run = route, run
        self.checkpoint = start
        self.records = {record.id: record for record in start.stages}
        self.inputs, self.path = inputs, path
        self.clock = options.get("clock", _now)
        self.limit = options.get("limit") or len(workflow.stages)
        self.redact = options.get("redact", redact)
        self.on_change = options.get("on_change")
        self.ended = {r.id for r in start.stages if r.state == "done"}
        self.stopped: WorkflowState | None = None
        resolve = options.get("resolve", concrete_model)
        self.named = {s.id: resolve(s) for s in workflow.stages if s.id not in self.ended}

    async def finish(self) -> WorkflowResult:
        jobs: dict[asyncio.Task[None], Stage] = {}
        waiting = [stage for stage in self.workflow.stages if stage.id not in self.ended]
        try:
            while True:
                for stage in self._ready(waiting, self.limit - len(jobs)):
                    waiting.remove(stage)
                    jobs[asyncio.create_task(self._stage(stage), name=stage.id)] = stage
                if not jobs:
                    break
                done, _ = await asyncio.wait(jobs, return_when=asyncio.FIRST_COMPLETED)
                for job in done:
                    self._ended(jobs.pop(job), job)
        finally:
            for job in jobs:
                job.cancel()
            await asyncio.gather(*jobs, return_exceptions=True)
        return WorkflowResult(state=self._state(), stages=self._ordered(), checkpoint=self.path)

    def _ready(self, waiting: list[Stage], room: int) -> list[Stage]:
        """Stages whose time has come; those that cannot run for want of an answer are skipped."""
        ready: list[Stage] = []
        waits = self.workflow.waits_for
        for stage in tuple(waiting):
            if self.stopped or not self.ended.issuperset(waits[stage.id]):
                continue
            lacking = [i for i in sorted(stage.quotes) if self.records[i].state != "done"]
            if lacking:
                waiting.remove(stage)
                error = f"it quotes {', '.join(lacking)}, which gave no answer"
                self._save(StageRecord(id=stage.id, state="skipped", error=error))
                self.ended.add(stage.id)
            elif len(ready) < room:
                ready.append(stage)
        return ready

    async def _stage(self, stage: Stage) -> None:
        started = self.clock()
        prompt = fill(stage.prompt, self._look_up)
        digest = text_digest(prompt)
        record = StageRecord(id=stage.id, state="decided", prompt_digest=digest, started=started)
        try:
            record = await self._decided(stage, prompt, record)
            choice = record.decision or record.candidate
            assert choice is not None
            outcome = await self.run(stage, prompt, choice)
            record = self._with_outcome(record, outcome)
        except Exception as error:
            record = self._with_failure(record, error)
        self._save(record)  # a checkpoint that cannot be written ends the run, not the stage

    async def _decided(self, stage: Stage, prompt: str, record: StageRecord) -> StageRecord:
        known = self.records.get(stage.id)
        if known is not None and known.candidate is not None:
            if known.prompt_digest != record.prompt_digest:
                raise CheckpointError(f"stage {stage.id!r} was decided for another prompt")
            chosen = {"decision": known.decision, "candidate": known.candidate}
        elif (named := self.named[stage.id]) is not None:
            chosen = {"decision": None, "candidate": named}
        else:
            decision = await self.route(stage, prompt)
            chosen = {"decision": decision, "candidate": decision.primary}
        record = record.model_copy(update=chosen)
        self._save(record)
        return record

    def _with_outcome(
        self, record: StageRecord, outcome: StageResult | RunResult | str
    ) -> StageRecord:
        error: str | None = None
        state = "done"
        if isinstance(outcome, RunResult):
            if outcome.status == "cancelled":
                state = "decided"
            elif not outcome.ok:
                state = "failed"
                error = outcome.error or outcome.failure or outcome.status.replace("_", " ")
            outcome = StageResult.of(outcome)
        elif isinstance(outcome, str):
            outcome = StageResult(text=outcome)
        elif not isinstance(outcome, StageResult):
            raise InvalidInput(
                f"run gave a {type(outcome).__name__}; it must give a StageResult, a RunResult or text"
            )
        return record.model_copy(
            update={
                "state": state,
                "result": None if state == "decided" else outcome.redacted(self.redact),
                "error": self.redact(error) if error else None,
                "ended": None if state == "decided" else self.clock(),
            }
        )

    def _with_failure(self, record: StageRecord, error: Exception) -> StageRecord:
        text = str(error)
        if not isinstance(error, RoutingLabError):
            text = f"{type(error).__name__}: {text}" if text else type(error).__name__
        tried = None
        if isinstance(error, RunFailed):
            attempts = tuple(a for a in error.attempts if isinstance(a, Attempt))
            tried = StageResult(attempts=attempts)
        return record.model_copy(
            update={
                "state": "failed",
                "error": self.redact(text),
                "result": tried.redacted(self.redact) if tried else None,
                "ended": self.clock(),
            }
        )

    def _ended(self, stage: Stage, job: asyncio.Task[None]) -> None:
        if job.cancelled():
            self.stopped = self.stopped or "cancelled"
            return
        error = job.exception()
        if error is not None:
            raise error
        state = self.records[stage.id].state
        if state == "decided":
            self.stopped = self.stopped or "cancelled"
        elif state == "failed" and stage.on_failure == "stop":
            self.stopped = "failed"
        else:
            self.ended.add(stage.id)

    def _look_up(self, reference: Reference) -> str:
        if reference.is_input:
            return self.inputs[reference.field]
        result = self.records[reference.name].result
        assert result is not None
        return str(result.used or "") if reference.field == "model" else result.text

    def _save(self, record: StageRecord) -> None:
        self.records[record.id] = record
        self.checkpoint = self.checkpoint.model_copy(
            update={"stages": self._ordered(), "updated": self.clock()}
        )
        if self.path is not None:
            write_checkpoint(self.path, self.checkpoint)
        if self.on_change is not None:
            try:
                self.on_change(self.checkpoint)
            except Exception:
                log.exception("a view of workflow %r failed", self.workflow.name)

    def _ordered(self) -> tuple[StageRecord, ...]:
        return tuple(self.records[s.id] for s in self.workflow.stages if s.id in self.records)

    def _state(self) -> WorkflowState:
        if self.stopped:
            return self.stopped
        return "done" if all(r.state == "done" for r in self.records.values()) else "incomplete"


def _now() -> datetime:
    return datetime.now(UTC)
