"""One run of one agent while it goes on: decide, try the chain, say what came of it."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from functools import lru_cache, partial
from time import monotonic
from typing import TYPE_CHECKING

from routinglab.core.secrets import find_secret, redact
from routinglab.errors import RoutingLabError, SecretFound, SkillError
from routinglab.providers.retry import RetryPolicy
from routinglab.routing.decision import Decision
from routinglab.running.attempt import RunResult
from routinglab.running.chain import Chain, ChainRun
from routinglab.running.child_loop import MAX_STEPS
from routinglab.running.conversation import Conversation
from routinglab.running.events import Events, OnEvent, RunEvent
from routinglab.running.launch import LaunchPlan, chain_for, routing_limits
from routinglab.running.summary import summarise
from routinglab.running.toolbox import Toolbox
from routinglab.skills.run import RunOptions

if TYPE_CHECKING:
    from routinglab.lab.writer import RecordingWriter
    from routinglab.running.runner import Runner

#: The run in whose tools a nested run is started.
_parent: ContextVar[LiveRun | None] = ContextVar("routinglab_parent", default=None)


@lru_cache(maxsize=64)
def _in_prompt(prompt: str, known: tuple[str, ...]) -> str | None:
    """What an agent's prompt holds: it is the same for each of its runs, and may be long."""
    return find_secret(prompt, known)


class LiveRun:
    """The state of one run; ``children`` are the results of runs its tools started."""

    def __init__(
        self,
        runner: Runner,
        plan: LaunchPlan,
        on_event: OnEvent | None,
        record: RecordingWriter | None,
    ) -> None:
        self.runner = runner
        self.plan = plan
        self.parent = _parent.get()
        self.depth: int = 1 if self.parent is None else self.parent.depth + 1
        self.children: list[RunResult] = []
        self.run = ChainRun()
        self.decision: Decision | None = None
        self._record = record
        self._task_id: str | None = None
        self._secrets = runner.router.secrets
        self._redact = partial(redact, known=self._secrets)
        self._events = Events(on_event, self._redact)
        self._started = monotonic()

    async def go(self, task: str, decision: Decision | None, options: RunOptions) -> RunResult:
        """Route, try the chain, and give the result."""
        if self.depth > self.runner.max_depth:
            raise SkillError(
                f"agent {self.plan.agent.name!r} would run at depth {self.depth}, and children may "
                f"launch children down to {self.runner.max_depth} only"
            )
        prompt = task.strip() or self._self_contained(options)
        self._screen(prompt)
        toolbox = self.runner.toolbox(self.plan, self.depth)
        conversation = self._conversation(options)
        try:
            self._write_task(prompt)
            await self._decide(task, decision)
            chain = chain_for(self.plan, self.decision, self.runner.router)
            conversation.ask(prompt)
            outer = _parent.set(self)
            try:
                await self._chain().run(
                    chain,
                    conversation,
                    toolbox,
                    self.run,
                    max_steps=self.plan.agent.skill.max_steps or MAX_STEPS,
                )
            finally:
                _parent.reset(outer)
        except asyncio.CancelledError:
            self._close(conversation, toolbox, cancelled=True)
            raise
        except Exception as error:
            if self.run.attempts or not isinstance(error, RoutingLabError):
                self._close(conversation, toolbox, error=f"{type(error).__name__} in this program")
            raise
        finally:
            conversation.close()
        return self._close(conversation, toolbox)

    async def _decide(self, task: str, given: Decision | None) -> None:
        """A decision where one is needed; a recorded one is only checked."""
        plan, router = self.plan, self.runner.router
        if given is not None:
            router.allows(given, agent=plan.agent.brief(), constraints=routing_limits(plan))
            self.decision = given
        elif plan.automatic:
            self._events.tell(RunEvent("routing"))
            self.decision = await router.route(
                task.strip() or None,
                agent=plan.agent.brief(),
                needs=plan.call.needs,
                constraints=routing_limits(plan),
                record=self._record,
                task_id=self._task_id,
            )
        if self.decision is not None:
            self._events.tell(RunEvent("decided", decision=self.decision))

    def _self_contained(self, options: RunOptions) -> str:
        """The first turn of a self-contained agent; a skill always needs a task."""
        agent = self.plan.agent
        if agent.skill.kind == "agent" and agent.prompt.strip() and not options:
            return "Do what your instructions say."
        raise SkillError(
            f"{agent.skill.kind} {agent.name!r} needs a task: it sees nothing else, so describe the "
            "whole task"
        )

    def _conversation(self, options: RunOptions) -> Conversation:
        store, agent = self.runner.transcripts, self.plan.agent
        reference = options.continue_from or options.fork_from
        if reference is None:
            return Conversation.start(agent.name, agent.prompt, store)
        fork = options.continue_from is None
        return Conversation.go_on(agent.name, store, reference=reference, fork=fork)

    def _screen(self, prompt: str) -> None:
        found = _in_prompt(self.plan.agent.prompt, self._secrets)
        found = found or find_secret(prompt, self._secrets)
        if found is not None:
            raise SecretFound(
                f"the task or the agent's prompt holds {found}; remove secrets from it. Nothing "
                "was sent"
            )

    def _write_task(self, prompt: str) -> None:
        if self._record is None:
            return
        plan = self.plan
        self._task_id = self._record.task(
            self._redact(prompt),
            agent=plan.agent.brief(),
            needs=plan.call.needs,
            constraints=routing_limits(plan) if plan.automatic else plan.call.constraints,
        )

    def _chain(self) -> Chain:
        router = self.runner.router
        return Chain(
            client=router.clients.get().client,
            why_not_configured=router.why_not_configured,
            events=self._events,
            redact=self._redact,
            policy=RetryPolicy.of(router.settings),
            debug=router.debug,
            **self.runner.chain_options,
        )

    def _close(
        self,
        conversation: Conversation,
        toolbox: Toolbox,
        *,
        cancelled: bool = False,
        error: str | None = None,
    ) -> RunResult:
        conversation.close()
        notes = [*toolbox.notes, *([conversation.trouble] if conversation.trouble else [])]
        result = summarise(
            self.run,
            self.decision,
            self.children,
            redact=self._redact,
            agent=self.plan.agent.name,
            transcript=conversation.reference if conversation.messages else None,
            notes=notes,
            seconds=monotonic() - self._started,
            cancelled=cancelled,
            error=error,
        )
        if self.parent is not None:
            self.parent.children.append(result)
        if self._record is not None and self._task_id is not None:
            self._record.result(self._task_id, result)
        self._events.tell(RunEvent("finished", result=result))
        return result
