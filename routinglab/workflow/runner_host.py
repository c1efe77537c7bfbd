"""Stages carried out by a Runner, with its router, settings and skills."""

from __future__ import annotations

from collections.abc import Callable

from routinglab.core.ids import Candidate
from routinglab.routing.decision import Decision
from routinglab.running.attempt import RunResult
from routinglab.running.events import RunEvent
from routinglab.running.launch import Call, LaunchPlan, prepare, routing_limits
from routinglab.running.runner import Runner
from routinglab.skills.skill import Skill
from routinglab.workflow.definition import Stage


class RunnerHost:
    """What ``Workflow.run`` asks of a host, answered by a Runner.

        host = RunnerHost(runner)
        await workflow.run(route=host.route, run=host.run, resolve=host.resolve,
                           redact=host.redact, checkpoint="run.json")

    A stage that names an agent or skill runs as that one, any other as a child without
    instructions of its own. ``on_event`` hears the steps of every stage.
    """

    def __init__(
        self, runner: Runner, on_event: Callable[[Stage, RunEvent], None] | None = None
    ) -> None:
        self.runner = runner
        self.redact = runner.router.redact
        self._on_event = on_event

    def resolve(self, stage: Stage) -> Candidate | None:
        """The concrete candidate of a stage, or None where routing decides."""
        primary = self._plan(stage).primary
        return None if primary is None else primary.candidate

    async def route(self, stage: Stage, prompt: str) -> Decision:
        """Decide for one stage, from its filled prompt, needs and constraints."""
        plan = self._plan(stage)
        return await self.runner.router.route(
            prompt,
            agent=plan.agent.brief(),
            needs=stage.needs,
            constraints=routing_limits(plan),
        )

    async def run(self, stage: Stage, prompt: str, choice: Decision | Candidate) -> RunResult:
        """Run one stage on what was chosen for it."""
        concrete = choice if isinstance(choice, Candidate) else None
        heard = self._on_event
        return await self.runner.run(
            self._agent(stage),
            prompt,
            decision=None if isinstance(choice, Candidate) else choice,
            model=stage.model if concrete is None else concrete.model,
            effort=stage.effort if concrete is None else concrete.effort,
            needs=stage.needs,
            constraints=stage.constraints,
            fallback_models=stage.fallback_models or None,
            on_event=None if heard is None else lambda event: heard(stage, event),
        )

    def _plan(self, stage: Stage) -> LaunchPlan:
        call = Call(
            model=stage.model,
            effort=stage.effort,
            needs=stage.needs,
            constraints=stage.constraints,
            fallback_models=stage.fallback_models or None,
        )
        return prepare(self._agent(stage), call, self.runner.router, self.runner.profile)

    def _agent(self, stage: Stage) -> Skill:
        name = stage.agent or stage.skill
        if name is not None:
            return self.runner.skills.get(name)
        return Skill(name=stage.id, description=stage.title, run_as="subagent")
