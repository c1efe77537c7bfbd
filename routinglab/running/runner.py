"""Running an agent: route where it asks for it, then try candidates until one answers (SPEC 9)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any, Self

from routinglab.core.blocking import run_blocking
from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.core.secrets import find_secret
from routinglab.errors import SecretFound, SkillError, TranscriptError
from routinglab.routing.decision import Decision
from routinglab.routing.router import Router
from routinglab.running.attempt import RunResult
from routinglab.running.chain import Chain, ChainRun
from routinglab.running.child_loop import MAX_STEPS
from routinglab.running.conversation import Conversation
from routinglab.running.events import OnEvent, RunEvent
from routinglab.running.launch import Call, LaunchPlan, chain_for, prepare, routing_limits
from routinglab.running.summary import final_answer, summarise
from routinglab.running.toolbox import Toolbox, choose_tools
from routinglab.running.transcripts import TranscriptStore
from routinglab.settings.home import FOLDER, user_home
from routinglab.skills.profile import ProfileResolver
from routinglab.skills.run import RunOptions
from routinglab.skills.skill import Skill
from routinglab.skills.store import SkillStore
from routinglab.skills.subagent_tool import SubagentCall, subagent_tool
from routinglab.skills.tools import HostTool, run_skill_tool

if TYPE_CHECKING:
    from routinglab.skills.agent import AgentDefinition

#: How deep children may launch children: the first child is at depth 1.
MAX_DEPTH = 2

_log = logging.getLogger("routinglab.running")

#: The run in whose tools a nested run is started.
_parent: ContextVar[_Live | None] = ContextVar("routinglab_parent", default=None)


class Runner:
    """Runs skills and agents as isolated children.

    ``router`` gives settings, catalog, keys and connections. ``workspace`` is the folder children
    may read. ``skills`` is where names are looked up. ``transcripts`` is a folder (default: in the
    user's routinglab home), or None to keep none. ``tools`` are further tools of the host that a
    definition may name. ``max_depth`` bounds how deep children may launch children.
    """

    def __init__(
        self,
        router: Router | None = None,
        *,
        skills: SkillStore | None = None,
        workspace: Path | str | None = None,
        tools: Iterable[HostTool] = (),
        transcripts: Path | str | bool | None = True,
        profile: ProfileResolver | None = None,
        max_depth: int = MAX_DEPTH,
        allow_private_fetch: bool = False,
        chain: Mapping[str, Any] | None = None,
    ) -> None:
        self.router = Router() if router is None else router
        self.workspace = Path.cwd() if workspace is None else Path(workspace)
        self._skills = skills
        self.tools = tuple(tools)
        self.profile = profile
        self.max_depth = max_depth
        self._allow_private_fetch = allow_private_fetch
        self.chain_options = dict(chain or {})
        self.transcripts = self._transcript_store(transcripts)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections opened on the running loop."""
        await self.router.aclose()

    @property
    def skills(self) -> SkillStore:
        """Where names of skills and agents are looked up; scanned when first used."""
        if self._skills is None:
            self._skills = SkillStore(project=self.workspace, settings=self.router.settings)
        return self._skills

    async def run(
        self,
        agent: Skill | AgentDefinition | str,
        task: str = "",
        *,
        decision: Decision | None = None,
        model: str | None = None,
        effort: Effort | None = None,
        needs: TaskNeeds | Mapping[str, Any] | None = None,
        constraints: ModelConstraints | Mapping[str, Any] | None = None,
        fallback_models: Iterable[str] | None = None,
        options: RunOptions | None = None,
        on_event: OnEvent | None = None,
    ) -> RunResult:
        """Run ``task`` with ``agent`` (a skill, a definition, or the name of one).

        The child sees the agent's body as its system prompt and the task, nothing else. ``decision``
        is a recorded one: its order and efforts are used and nothing is routed. Everything else
        that a call may say beats the agent's own; constraints add up.

        Input errors and failed routing raise. A run that was started gives a ``RunResult``
        whatever came of it; when it is cancelled, ``asyncio.CancelledError`` passes through after
        ``on_event`` has got a result of status ``cancelled`` with the partial text.
        """
        found = self.skills.get(agent) if isinstance(agent, str) else agent
        call = Call(
            model=model,
            effort=effort,
            needs=needs if isinstance(needs, TaskNeeds) else TaskNeeds.model_validate(needs or {}),
            constraints=_limits(constraints),
            fallback_models=None if fallback_models is None else tuple(fallback_models),
        )
        live = _Live(self, prepare(found, call, self.router, self.profile), on_event)
        return await live.run(task, decision, options or RunOptions())

    def run_sync(
        self, agent: Skill | AgentDefinition | str, task: str = "", **say: Any
    ) -> RunResult:
        """:meth:`run` for plain code; works inside a notebook too."""

        async def once() -> RunResult:
            try:
                return await self.run(agent, task, **say)
            finally:
                await self.aclose()

        return run_blocking(once)

    async def __call__(self, skill: Skill, task: str, options: RunOptions) -> str:
        """The ``SubagentRunner`` protocol: the child's final answer, or an error that says why."""
        result = await self.run(skill, task, options=options)
        return final_answer(result)

    async def launch(self, call: SubagentCall) -> str:
        """One call of the ``subagent`` tool, with a decision of its own."""
        result = await self.run(
            call.agent,
            call.task,
            model=call.model,
            needs=call.task_needs,
            constraints=call.model_constraints,
            fallback_models=call.fallback_models or None,
        )
        return final_answer(result)

    def toolbox(self, agent: LaunchPlan, depth: int) -> Toolbox:
        """The tools of a child at ``depth``; launching tools end at ``max_depth``."""
        from routinglab.running.fetch_tool import fetch_tool
        from routinglab.running.read_tools import read_tools
        from routinglab.running.shell_tool import shell_tool
        from routinglab.running.workspace import Workspace
        from routinglab.running.write_tools import write_tools

        wanted = agent.agent.tools
        if wanted == ():
            return Toolbox(())
        workspace = Workspace(self.workspace)
        offered = [*read_tools(workspace), *self.tools]
        if wanted is not None:
            offered += write_tools(workspace)
            offered.append(
                shell_tool(workspace, env=self.router.env, hidden=self.router.key_variables)
            )
            offered.append(fetch_tool(allow_private=self._allow_private_fetch))
            if depth < self.max_depth:
                offered.append(run_skill_tool(self.skills, self))
                offered.append(subagent_tool(self.skills, self.launch))
        return choose_tools(wanted, offered, self.router.settings.tools)

    def _transcript_store(self, given: Path | str | bool | None) -> TranscriptStore | None:
        if given is None or given is False:
            return None
        folder = (
            user_home(env=self.router.env) / FOLDER / "transcripts"
            if given is True
            else Path(given)
        )
        return TranscriptStore(folder, self.router.redact)


class _Live:
    """One run while it goes on."""

    def __init__(self, runner: Runner, plan: LaunchPlan, on_event: OnEvent | None) -> None:
        self.runner = runner
        self.plan = plan
        self.parent = _parent.get()
        self.depth: int = 1 if self.parent is None else self.parent.depth + 1
        self.children: list[RunResult] = []
        self._on_event = on_event

    async def run(self, task: str, decision: Decision | None, options: RunOptions) -> RunResult:
        """Route, try the chain, and say what came of it."""
        plan, router = self.plan, self.runner.router
        prompt = task.strip() or self._self_contained(options)
        conversation = self._conversation(options)
        self._screen(prompt)
        task_id = router.record_task(
            prompt, plan.agent.brief(), plan.call.needs, plan.call.constraints
        )
        if decision is None and plan.automatic:
            self.emit(RunEvent("routing"))
            decision = await router.route(
                task.strip() or None,
                agent=plan.agent.brief(),
                needs=plan.call.needs,
                constraints=routing_limits(plan),
                task_id=task_id,
            )
        if decision is not None:
            self.emit(RunEvent("decided", decision=decision))
        chain = chain_for(plan, decision, router)
        toolbox = self.runner.toolbox(plan, self.depth)
        conversation.ask(prompt)
        run, started = ChainRun(), monotonic()
        outer = _parent.set(self)
        try:
            await self._chain().run(
                chain,
                conversation,
                toolbox,
                run,
                automatic=decision is not None,
                max_steps=plan.agent.skill.max_steps or MAX_STEPS,
            )
        except asyncio.CancelledError:
            self._close(run, decision, conversation, toolbox, started, task_id, cancelled=True)
            raise
        finally:
            _parent.reset(outer)
        return self._close(run, decision, conversation, toolbox, started, task_id)

    def emit(self, event: RunEvent) -> None:
        """Tell whoever watches; a watcher that fails never ends a run."""
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception:
            _log.exception("a watcher of a run failed on %s", event.kind)

    def _self_contained(self, options: RunOptions) -> str:
        if self.plan.agent.prompt.strip() and not options:
            return "Do what your instructions say."
        raise SkillError(
            f"agent {self.plan.agent.name!r} needs a task: it sees nothing else, so describe the "
            "whole task"
        )

    def _conversation(self, options: RunOptions) -> Conversation:
        store, agent = self.runner.transcripts, self.plan.agent
        reference = options.continue_from or options.fork_from
        if reference is None:
            return Conversation.start(agent.name, agent.prompt, store)
        if store is None:
            raise TranscriptError(
                "this runner keeps no transcripts, so there is none to go on from"
            )
        if options.fork_from:
            return Conversation(store.fork(reference), store)
        return Conversation(store.load(reference), store)

    def _screen(self, prompt: str) -> None:
        found = find_secret(f"{self.plan.agent.prompt}\n{prompt}", self.runner.router.secrets)
        if found is not None:
            raise SecretFound(
                f"the task or the agent's prompt holds {found}; remove secrets from it. Nothing "
                "was sent"
            )

    def _chain(self) -> Chain:
        router = self.runner.router
        return Chain(
            client=router.clients.get().client,
            is_configured=router.is_configured,
            emit=self.emit,
            redact=router.redact,
            retry=router.settings.retry,
            **self.runner.chain_options,
        )

    def _close(
        self,
        run: ChainRun,
        decision: Decision | None,
        conversation: Conversation,
        toolbox: Toolbox,
        started: float,
        task_id: str | None,
        *,
        cancelled: bool = False,
    ) -> RunResult:
        result = summarise(
            run,
            decision,
            self.children,
            agent=self.plan.agent.name,
            transcript=conversation.reference if conversation.saved else None,
            notes=toolbox.notes,
            seconds=monotonic() - started,
            cancelled=cancelled,
        )
        if self.parent is not None:
            self.parent.children.append(result)
        router = self.runner.router
        if router.record is not None and task_id is not None:
            router.record.result(task_id, result)
        self.emit(RunEvent("finished", result=result))
        return result


def _limits(
    given: ModelConstraints | Mapping[str, Any] | None,
) -> ModelConstraints | None:
    if given is None or isinstance(given, ModelConstraints):
        return given
    return ModelConstraints.model_validate(given)
