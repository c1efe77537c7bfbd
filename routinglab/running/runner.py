"""Running an agent: route where it asks for it, then try candidates until one answers (SPEC 9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from routinglab.catalog.names import as_effort, parse_fallbacks
from routinglab.core.blocking import run_blocking
from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.core.text import shown
from routinglab.errors import InvalidInput
from routinglab.routing.decision import Decision
from routinglab.routing.launch import as_limits, refuse_path
from routinglab.routing.router import Router
from routinglab.running.attempt import RunResult
from routinglab.running.events import OnEvent
from routinglab.running.launch import Call, LaunchPlan, prepare
from routinglab.running.live import LiveRun
from routinglab.running.read_tools import read_tools
from routinglab.running.summary import final_answer
from routinglab.running.toolbox import Toolbox, choose_tools
from routinglab.running.transcripts import TranscriptStore
from routinglab.running.workspace import Workspace
from routinglab.running.write_tools import write_tools
from routinglab.settings.home import FOLDER, user_home
from routinglab.skills.builtin import BUILTIN_SUBAGENTS, builtin_subagent_tools
from routinglab.skills.profile import ProfileResolver
from routinglab.skills.run import RunOptions
from routinglab.skills.skill import Skill
from routinglab.skills.store import SkillStore
from routinglab.skills.subagent_tool import SubagentCall, subagent_tool
from routinglab.skills.tools import HostTool, read_skill_tool, run_skill_tool

if TYPE_CHECKING:
    from routinglab.lab.writer import RecordingWriter
    from routinglab.skills.agent import AgentDefinition

#: How deep children may launch children: the first child is at depth 1.
MAX_DEPTH = 2


class Runner:
    """Runs skills and agents as isolated children.

    ``router`` gives settings, catalog, keys and connections. ``workspace`` is the folder children
    may read. ``skills`` is where names are looked up. ``transcripts`` is a folder (default: in the
    user's routinglab home), or None to keep none. ``tools`` are further tools of the host that a
    definition may name. ``record`` gets every task, decision and attempt (default: the router's).
    ``max_depth`` bounds how deep children may launch children: the first child is at depth 1.
    ``chain`` replaces the ``sleep``, ``clock`` or ``now`` of chains.
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
        record: RecordingWriter | None = None,
        max_depth: int = MAX_DEPTH,
        allow_private_fetch: bool = False,
        chain: Mapping[str, Any] | None = None,
    ) -> None:
        self.router = Router() if router is None else router
        self.workspace = Path.cwd() if workspace is None else Path(workspace)
        self._skills = skills
        self.tools = tuple(tools)
        for tool in self.tools:
            if not isinstance(tool, HostTool):
                raise InvalidInput(
                    f"tools holds {shown(tool)}, which is no HostTool; wrap a function: "
                    "python_tool(function), from routinglab.running.toolbox",
                    field="tools",
                )
        self.profile = profile
        refuse_path(record)
        self.record = record
        if max_depth < 1:
            raise InvalidInput(f"max_depth must be at least 1, not {max_depth}", field="max_depth")
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
        fallback_models: Iterable[str] | str | None = None,
        options: RunOptions | None = None,
        on_event: OnEvent | None = None,
    ) -> RunResult:
        """Run ``task`` with ``agent`` (a skill, a definition, or the name of one).

        The child sees the agent's body as its system prompt and the task, nothing else. ``decision``
        is a recorded one: its order and efforts are used and nothing is routed, but what it names
        must still be eligible (``StaleCatalog``). Everything else that a call may say beats the
        agent's own; constraints add up. ``fallback_models`` is a list or a comma text.

        Input errors and failed routing raise. A run that was started gives a ``RunResult``
        whatever came of it; when it is cancelled, ``asyncio.CancelledError`` passes through after
        ``on_event`` has got a result of status ``cancelled`` with the partial text.
        """
        found = self.skills.get(agent) if isinstance(agent, str) else agent
        call = Call(
            model=model,
            effort=as_effort(effort),
            needs=needs if isinstance(needs, TaskNeeds) else TaskNeeds.model_validate(needs or {}),
            constraints=as_limits(constraints),
            fallback_models=None if fallback_models is None else parse_fallbacks(fallback_models),
        )
        plan = prepare(found, call, self.router, self.profile)
        live = LiveRun(self, plan, on_event, self.record or self.router.record)
        return await live.go(task, decision, options or RunOptions())

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

    def host_tools(self) -> tuple[HostTool, ...]:
        """The tools a host may offer its own model: ``run_skill``, ``read_skill``, ``subagent``, and
        one for each builtin subagent."""
        return (read_skill_tool(self.skills), *self._launching_tools())

    def _launching_tools(self) -> tuple[HostTool, ...]:
        return (
            run_skill_tool(self.skills, self),
            subagent_tool(self.skills, self.launch),
            *builtin_subagent_tools(self.skills, self, self.profile),
        )

    def toolbox(self, plan: LaunchPlan, depth: int) -> Toolbox:
        """The tools of a child at ``depth``; launching tools end at ``max_depth``."""
        wanted = plan.agent.tools
        if wanted == ():
            return Toolbox(())
        offered = [*self._file_tools]
        withheld = {}
        if wanted is not None:
            from routinglab.running.fetch_tool import fetch_tool
            from routinglab.running.shell_tool import shell_tool

            hidden = self.router.key_variables
            offered.append(shell_tool(self._workspace, env=self.router.env, hidden=hidden))
            offered.append(fetch_tool(allow_private=self._allow_private_fetch))
            if depth < self.max_depth:
                offered += self._launching_tools()
            else:
                reason = f"is not given at depth {depth}: children may launch none deeper"
                names = ("subagent", "run_skill", *BUILTIN_SUBAGENTS)
                withheld = dict.fromkeys(names, reason)
        permissions = self.router.settings.tools
        return choose_tools(wanted, offered, permissions, own=self.tools, withheld=withheld)

    @cached_property
    def _workspace(self) -> Workspace:
        return Workspace(self.workspace)

    @cached_property
    def _file_tools(self) -> tuple[HostTool, ...]:
        return (*read_tools(self._workspace), *write_tools(self._workspace))

    def _transcript_store(self, given: Path | str | bool | None) -> TranscriptStore | None:
        if given is None or given is False:
            return None
        folder = (
            user_home(env=self.router.env) / FOLDER / "transcripts"
            if given is True
            else Path(given)
        )
        return TranscriptStore(folder, self.router.redact)
