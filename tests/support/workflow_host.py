"""A host for workflows in tests: it decides, runs, and writes down what it was asked."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from routinglab.core.ids import Candidate
from routinglab.routing.decision import Decision
from routinglab.running.attempt import RunResult
from routinglab.workflow.definition import Stage, Workflow
from routinglab.workflow.result import StageResult, WorkflowResult

Answer = str | BaseException | StageResult | RunResult


class Host:
    """Routes every stage to ``openai/for-<stage>`` at high effort and answers from a table."""

    def __init__(self, answers: dict[str, Answer] | None = None) -> None:
        self.answers = answers or {}
        self.routed: list[tuple[str, str]] = []
        self.ran: list[tuple[str, str]] = []
        self.choices: dict[str, Decision | Candidate] = {}
        self.gates: dict[str, asyncio.Event] = {}
        self.live: set[str] = set()
        self.most_at_once = 0

    def decision(self, stage_id: str) -> Decision:
        return Decision(
            primary=Candidate.of(f"openai/for-{stage_id}", "high"),
            fallbacks=(Candidate.of("xai/second", "low"), Candidate.of("mistral/third")),
            candidates=(f"openai/for-{stage_id}", "xai/second", "mistral/third"),
            chosen_by="router",
        )

    async def route(self, stage: Stage, prompt: str) -> Decision:
        self.routed.append((stage.id, prompt))
        await asyncio.sleep(0)
        answer = self.answers.get(f"route {stage.id}")
        if isinstance(answer, BaseException):
            raise answer
        return self.decision(stage.id)

    async def run(self, stage: Stage, prompt: str, choice: Decision | Candidate) -> Any:
        self.ran.append((stage.id, prompt))
        self.choices[stage.id] = choice
        self.live.add(stage.id)
        self.most_at_once = max(self.most_at_once, len(self.live))
        try:
            if stage.id in self.gates:
                await self.gates[stage.id].wait()
            await asyncio.sleep(0)
        finally:
            self.live.discard(stage.id)
        answer = self.answers.get(stage.id, f"answer of {stage.id}")
        if isinstance(answer, BaseException):
            raise answer
        return answer

    async def start(self, workflow: Workflow, path: Path | None, **options: Any) -> WorkflowResult:
        return await workflow.run(route=self.route, run=self.run, checkpoint=path, **options)

    def go(self, workflow: Workflow, path: Path | None = None, **options: Any) -> WorkflowResult:
        return asyncio.run(self.start(workflow, path, **options))


def chain(*stages: dict[str, Any], name: str = "fix", version: str = "1") -> Workflow:
    return Workflow(name=name, version=version, stages=stages)
