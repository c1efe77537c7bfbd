"""The router: from a task to a decision, with at most two short requests (SPEC 7)."""

from __future__ import annotations

import asyncio
import logging
import os
import sys
from collections.abc import Awaitable, Callable, Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from routinglab.catalog.available import available, why_not_configured
from routinglab.catalog.files import load_catalog
from routinglab.catalog.model import Catalog
from routinglab.catalog.providers import presets
from routinglab.core.blocking import run_blocking
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.core.secrets import MIN_KNOWN, find_secret, redact
from routinglab.core.text import text_digest
from routinglab.errors import EvalsError, InvalidInput, SecretFound, StaleCatalog
from routinglab.evals.evals import Evals, load_evals
from routinglab.providers.registry import Providers, known_secrets
from routinglab.resources import shipped
from routinglab.routing.clients import LoopProviders
from routinglab.routing.decision import Decision
from routinglab.routing.inference import InferenceFailed, Inferences, Trace
from routinglab.routing.launch import Launch, RouteRequest, brief_of, refuse_path
from routinglab.routing.plan import DecisionParts, Planner
from routinglab.routing.policies import PolicyLike
from routinglab.routing.router_model import Roles, roles_for
from routinglab.settings import Settings, load_settings

if TYPE_CHECKING:
    from routinglab.lab.writer import RecordingWriter

_log = logging.getLogger("routinglab.routing")

DEBUG_VARIABLE = "ATOMIC_MODEL_ROUTING_DEBUG"

__all__ = ["Launch", "RouteRequest", "Router", "brief_of"]


class Router:
    """Decides which model does a task.

    ``settings``, ``catalog`` and ``evals`` default to the user's and the shipped ones. ``catalog``
    may be replaced at any time (``router.catalog = other``): a decision under way notices.
    ``providers`` are shared clients; without them the router opens its own, one set an event loop
    (``async with Router(...)`` or :meth:`aclose` closes them). ``env`` holds the keys. With
    ``what_if`` every catalog model counts as available. ``record`` gets every task, answer, choice
    and decision. Neither routing nor a fallback ever changes the settings or the current model.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        catalog: Catalog | None = None,
        evals: Evals | str | Path | None = None,
        *,
        env: Mapping[str, str] | None = None,
        providers: Providers | None = None,
        policy: PolicyLike = "evidence",
        record: RecordingWriter | None = None,
        what_if: bool = False,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = monotonic,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        log: Callable[[str], None] | None = None,
    ) -> None:
        self.env = os.environ if env is None else env
        self.settings = load_settings(env=self.env) if settings is None else settings
        self.catalog = load_catalog(*self.settings.catalog) if catalog is None else catalog
        self.evals = _evals(evals, self.settings)
        self.policy = policy
        refuse_path(record)
        self.record = record
        self.what_if = what_if
        self.clients = LoopProviders(lambda: Providers(self.settings, self.env), providers)
        self._sleep, self._clock, self._now = sleep, clock, now
        self._log = log or _stderr
        self._planned: tuple[Catalog, frozenset[str], Planner] | None = None

    async def __aenter__(self) -> Router:
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections this router opened on the running loop."""
        await self.clients.close()

    def planner(self) -> Planner:
        """The planner over the models that are available now."""
        catalog = self.catalog
        configured = frozenset(
            name for name in catalog.providers if self.what_if or self.is_configured(name)
        )
        if self._planned is None or self._planned[:2] != (catalog, configured):
            usable = catalog if self.what_if else available(catalog, self.settings, self.env)
            planner = Planner(usable, self.evals, self.settings, policy=self.policy)
            self._planned = (catalog, configured, planner)
        return self._planned[2]

    def is_configured(self, provider: str) -> bool:
        """Whether a provider could be called: it has an address, and a key where it needs one."""
        return self.why_not_configured(provider) is None

    def why_not_configured(self, provider: str) -> str | None:
        """What a provider lacks to be called, in words; None where it could be."""
        return why_not_configured(provider, self.settings, self.env)

    @property
    def secrets(self) -> tuple[str, ...]:
        """Values of the configured keys, to be kept out of everything sent and written."""
        return known_secrets(self.settings, self.env)

    @property
    def key_variables(self) -> frozenset[str]:
        """Names of the environment variables that hold provider keys, and of others with their values."""
        named = {info.key_env for info in presets().values() if info.key_env}
        named |= {one.api_key_env for one in self.settings.providers.values() if one.api_key_env}
        held = [value for value in self.secrets if len(value) >= MIN_KNOWN]
        return frozenset(named) | {
            name for name, value in self.env.items() if any(key in value for key in held)
        }

    def redact(self, text: str) -> str:
        """``text`` without credential material."""
        return redact(text, self.secrets)

    def route_sync(
        self,
        task: str | None = None,
        *,
        agent: Any = None,
        needs: TaskNeeds | Mapping[str, Any] | None = None,
        constraints: ModelConstraints | Mapping[str, Any] | None = None,
    ) -> Decision:
        """:meth:`route` for plain code; works inside a notebook too."""

        async def once() -> Decision:
            try:
                return await self.route(task, agent=agent, needs=needs, constraints=constraints)
            finally:
                await self.aclose()

        return run_blocking(once)

    async def route_many(
        self, requests: Iterable[RouteRequest | str], *, limit: int = 8
    ) -> list[Decision | BaseException]:
        """A decision for each request, in order, at most ``limit`` at once.

        One that fails gives its error in its place and touches no other; cancelling the call
        cancels all of them.
        """
        if limit < 1:
            raise InvalidInput(f"limit must be at least 1, not {limit}", field="limit")
        gate = asyncio.Semaphore(limit)

        async def one(request: RouteRequest | str) -> Decision:
            item = RouteRequest(request) if isinstance(request, str) else request
            async with gate:
                return await self.route(
                    item.task, agent=item.agent, needs=item.needs, constraints=item.constraints
                )

        return await asyncio.gather(*(one(item) for item in requests), return_exceptions=True)

    async def route(
        self,
        task: str | None = None,
        *,
        agent: Any = None,
        needs: TaskNeeds | Mapping[str, Any] | None = None,
        constraints: ModelConstraints | Mapping[str, Any] | None = None,
        record: RecordingWriter | None = None,
        task_id: str | None = None,
    ) -> Decision:
        """Decide which model does ``task`` for ``agent`` (a brief, a skill or an agent definition).

        ``needs`` and ``constraints`` are what the caller states, as values or as mappings with the
        keys of ``taskNeeds`` and ``modelConstraints``. ``record`` stands in for the router's own;
        ``task_id`` names a task that is already in it.

        Raises ``InvalidInput``, ``ConstraintConflict`` and ``NoEligibleModel`` before any request,
        ``SecretFound`` instead of one, ``StaleCatalog`` when a chosen model went away meanwhile and
        ``RoutingFailed`` when no decision could be made and the current model may not stand in.
        """
        launch = self._launch(task, agent, needs, constraints)
        launch.require_text()
        planner = self.planner()
        planner.admission(call=launch.limits, agent=launch.agent)
        roles = roles_for(self.settings, self.catalog, self.env)
        self._screen(launch)
        record = record or self.record
        if task_id is None and record is not None:
            task_id = record.task(
                self.redact(launch.text),
                agent=launch.agent,
                needs=launch.call_needs,
                constraints=launch.limits,
            )
        trace = Trace(router=roles.info())
        inference = Inferences(
            self.clients.get, self.settings, self.secrets, trace, self._sleep, self._clock
        )
        decision = await self._decide(launch, planner, roles, inference, trace)
        self._still_eligible(decision, launch)
        for line in trace.switches:
            self.debug(line)
        if record is not None and task_id is not None:
            self._write(record, task_id, planner, decision, trace)
        return decision

    def decide(
        self,
        *,
        agent: Any = None,
        needs: TaskNeeds | Mapping[str, Any] | None = None,
        constraints: ModelConstraints | Mapping[str, Any] | None = None,
    ) -> Decision:
        """The ranking's decision for stated needs, without any request; open ones count as moderate."""
        launch = self._launch(None, agent, needs, constraints)
        plan = self.planner().plan(launch.stated, call=launch.limits, agent=launch.agent)
        return plan.decide(agent=launch.name, answered_by=launch.answered_by, created=self._now())

    def allows(
        self,
        decision: Decision,
        *,
        agent: Any = None,
        constraints: ModelConstraints | Mapping[str, Any] | None = None,
    ) -> None:
        """Check before a launch that every candidate is still eligible, or raise ``StaleCatalog``."""
        launch = self._launch(None, agent, None, constraints)
        self._still_eligible(decision, launch)

    async def _decide(
        self,
        launch: Launch,
        planner: Planner,
        roles: Roles,
        inference: Inferences,
        trace: Trace,
    ) -> Decision:
        needs, answered = launch.stated, dict(launch.answered_by)
        failed, choice = None, None
        if self.evals is not None and launch.missing:
            eligible = planner.admission(call=launch.limits, agent=launch.agent).models
            try:
                answers = await inference.read(
                    launch.text, launch.agent, needs, launch.missing, roles, eligible
                )
                needs, answered = launch.settled(answers)
            except InferenceFailed as error:
                failed = str(error)
        plan = planner.plan(needs, call=launch.limits, agent=launch.agent)
        if failed is None and plan.degraded is None and len(plan.shortlist) > 1:
            try:
                choice = await inference.choose(launch.agent, needs, plan.shortlist, roles)
            except InferenceFailed as error:
                failed = str(error)
        reason = failed or plan.degraded
        if reason is not None:
            trace.switch(f"{reason}; the current model stands in")
        parts: DecisionParts = {
            "agent": launch.name,
            "answered_by": answered,
            "router": trace.router,
            "reader": trace.reader,
            "requests": trace.requests,
            "switches": trace.switches,
            "created": self._now(),
            "degraded": reason,
        }
        return plan.decide(choice, task_digest=text_digest(launch.text), **parts)

    def _launch(
        self,
        task: str | None,
        agent: Any,
        needs: TaskNeeds | Mapping[str, Any] | None,
        constraints: ModelConstraints | Mapping[str, Any] | None,
    ) -> Launch:
        return Launch.asked(task, agent, needs, constraints, self.settings)

    def _screen(self, launch: Launch) -> None:
        sent = [launch.text if launch.missing else ""]
        if launch.agent is not None:
            sent += [launch.agent.name, launch.agent.description]
        found = find_secret("\n".join(sent), self.secrets)
        if found is not None:
            raise SecretFound(
                f"the task or the agent's description holds {found}; remove secrets from it. "
                "Nothing was sent"
            )

    def _still_eligible(self, decision: Decision, launch: Launch) -> None:
        planner = self.planner()
        admission = planner.admission(call=launch.limits, agent=launch.agent)
        for candidate in decision.chain:
            if candidate.effort not in admission.efforts.get(candidate.model, ()):
                raise StaleCatalog(
                    f"{candidate} is no longer eligible: what is available changed while the "
                    "decision was made; route again"
                )

    def debug(self, line: str) -> None:
        """Print a silent switch where ``ATOMIC_MODEL_ROUTING_DEBUG`` asks for it (SPEC 7.7)."""
        if self.env.get(DEBUG_VARIABLE) == "1":
            self._log(f"routinglab: {line}")

    def _write(
        self,
        record: RecordingWriter,
        task_id: str,
        planner: Planner,
        decision: Decision,
        trace: Trace,
    ) -> None:
        if trace.answers is not None:
            record.answers(task_id, trace.answers, reader=trace.reader)
        if decision.chosen_by == "router":
            record.choice(
                task_id,
                decision.primary.model,
                router=trace.router.responded,
                kind=trace.router.kind,
                probabilities=trace.probabilities,
            )
        evals_digest = self.evals.digest if self.evals is not None else None
        record.inputs(planner.catalog, evals_digest, self.settings)
        record.decision(task_id, decision)


def _evals(given: Evals | str | Path | None, settings: Settings) -> Evals | None:
    """The evals to decide by; None where the file is missing, empty or unreadable."""
    if isinstance(given, Evals):
        return given
    try:
        return load_evals(given or settings.evals or shipped("evals", "evals.md"))
    except EvalsError as error:
        _log.warning("%s", error)
        return None


def _stderr(line: str) -> None:
    print(line, file=sys.stderr)
