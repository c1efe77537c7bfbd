"""From an agent and a call to the chain of candidates to try (SPEC 9.1, 9.2)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from routinglab.catalog.names import Resolved, resolve_fallbacks, resolve_model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort, effort_for
from routinglab.core.ids import Candidate
from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput, ModelNameError, SettingsError
from routinglab.routing.decision import Decision
from routinglab.routing.restrictions import Restriction, restrictions_for
from routinglab.routing.router import Router
from routinglab.running.candidates import Origin, Planned, distinct, levels
from routinglab.skills.agent import AgentDefinition
from routinglab.skills.effective import EffectiveAgent, effective_agent
from routinglab.skills.profile import Profile, ProfileResolver, resolve_profile
from routinglab.skills.skill import Skill


@dataclass(frozen=True, slots=True)
class Call:
    """What a caller says beyond the agent and the task; None and empty were not said."""

    model: str | None = None
    effort: Effort | None = None
    needs: TaskNeeds = field(default_factory=TaskNeeds)
    constraints: ModelConstraints | None = None
    fallback_models: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class LaunchPlan:
    """An agent ready to run: automatic or not, and the candidates that were named.

    ``primary`` is None where routing decides. ``rest`` are the configured fallbacks and, last, the
    current model where there is one.
    """

    agent: EffectiveAgent
    call: Call
    automatic: bool
    effort: Effort | None
    primary: Planned | None = None
    rest: tuple[Planned, ...] = ()


def prepare(
    agent: Skill | AgentDefinition,
    call: Call,
    router: Router,
    profile: ProfileResolver | None = None,
) -> LaunchPlan:
    """Decide between automatic routing and a concrete model, and resolve every name.

    The first model named of call, settings override, definition, profile and host (the current
    model) counts. Raises ``ModelNameError`` for one that cannot be resolved and ``InvalidInput``
    where the first one has not the effort asked for: a pinned model is never replaced in silence.
    """
    skill = agent if isinstance(agent, Skill) else agent.skill
    if call.effort is not None:
        # the call's effort stands in for the definition's, also where it restricts routing
        skill = skill.model_copy(update={"effort": call.effort})
    effective = effective_agent(skill, router.settings, model=call.model)
    name, effort = effective.model, effective.effort
    if profile is not None and not (name and effort):
        resolved = resolve_profile(effective.skill, profile) or Profile()
        name, effort = name or resolved.model, effort or resolved.effort
    found = _resolve(name, effort, router)
    current = _current(router)
    if found.mode == "inherit":
        found = _inherited(effective, current, found.effort)
    rest = (*_fallbacks(effective, call, current, router), *_last(current))
    if found.mode == "auto":
        return LaunchPlan(effective, call, True, found.effort or effort, None, rest)
    item = _planned(found, effective.thinking, "primary")
    _check(item)
    return LaunchPlan(effective, call, False, effort, item, rest)


def routing_limits(plan: LaunchPlan) -> ModelConstraints | None:
    """The call's constraints, held to the effort that automatic routing was asked for."""
    limits = plan.call.constraints
    if plan.effort is None:
        return limits
    efforts: tuple[Effort | None, ...] = (plan.effort,)
    if limits is None:
        return ModelConstraints(allowed_efforts=efforts)
    if limits.allowed_efforts is None:
        return limits.model_copy(update={"allowed_efforts": efforts})
    kept = tuple(e for e in limits.allowed_efforts if e == plan.effort)
    if not kept:
        raise InvalidInput(
            f"effort {plan.effort!r} is not among the call's allowedEfforts; change one of them",
            field="effort",
        )
    return limits.model_copy(update={"allowed_efforts": kept})


def chain_for(plan: LaunchPlan, decision: Decision | None, router: Router) -> tuple[Planned, ...]:
    """Every candidate in order, each model id once, the unfit ones with why they are skipped."""
    if decision is None:
        assert plan.primary is not None
        return distinct(_spared((plan.primary, *plan.rest)))
    ranked = (
        Planned(candidate, router.catalog.get(candidate.model), "ranked", pinned=True)
        for candidate in decision.chain
    )
    named = (plan.primary,) if plan.primary is not None else ()
    return _within_limits(distinct((*ranked, *named, *plan.rest)), plan, decision, router)


def _spared(chain: tuple[Planned, ...]) -> tuple[Planned, ...]:
    """Concrete calls: the current model is tried, whatever its provider's settings say."""
    current = {item.candidate.model for item in chain if item.origin == "current" and not item.skip}
    return tuple(
        replace(item, spared=True)
        if item.candidate.model in current and not _unsupported(item)
        else item
        for item in chain
    )


def _fallbacks(
    agent: EffectiveAgent, call: Call, current: Resolved | None, router: Router
) -> tuple[Planned, ...]:
    names = agent.fallback_models if call.fallback_models is None else call.fallback_models
    found = resolve_fallbacks(
        names,
        router.catalog,
        router.settings,
        thinking=agent.thinking,
        thinking_levels=agent.fallback_thinking_levels if call.fallback_models is None else (),
        env=router.env,
    )
    meant = (
        item if item.mode == "model" else _as_current(current, item.effort) if current else None
        for item in found
    )
    return tuple(_planned(item, None, "fallback") for item in meant if item is not None)


def _current(router: Router) -> Resolved | None:
    """What ``currentModel`` means, with its ``problem`` where it cannot be called."""
    name = router.settings.current_model
    if not name:
        return None
    try:
        [found] = resolve_fallbacks([name], router.catalog, router.settings, env=router.env)
    except (ModelNameError, InvalidInput) as error:
        raise SettingsError(f"currentModel: {error}", field="currentModel") from None
    return found if found.mode == "model" else None


def _last(current: Resolved | None) -> tuple[Planned, ...]:
    return () if current is None else (_planned(current, None, "current"),)


def _inherited(agent: EffectiveAgent, current: Resolved | None, effort: Effort | None) -> Resolved:
    """The host's model for an agent that names none; the agent's own effort comes before the host's."""
    if current is None:
        raise ModelNameError(
            f"agent {agent.name!r} names no model and there is no current model; set "
            "currentModel in the settings or ROUTINGLAB_MODEL, or give model="
        )
    return _as_current(current, effort)


def _as_current(current: Resolved, effort: Effort | None) -> Resolved:
    if effort is None or current.candidate is None:
        return current
    candidate = Candidate(model=current.candidate.model, effort=effort)
    return replace(current, candidate=candidate, effort=effort)


def _resolve(name: str | None, effort: Effort | None, router: Router) -> Resolved:
    return resolve_model(name, router.catalog, router.settings, effort=effort, env=router.env)


def _planned(found: Resolved, thinking: Effort | None, origin: Origin) -> Planned:
    assert found.candidate is not None
    candidate, skip = found.candidate, found.problem
    if candidate.effort is None and thinking is not None and not found.pinned:
        candidate = Candidate(model=candidate.model, effort=thinking)
    if found.entry is not None and found.entry.kind != "chat":
        skip = f"it is no chat model but {found.entry.kind}"
    pinned = found.pinned or candidate.effort is not None
    return Planned(candidate, found.entry, origin, pinned=pinned, skip=skip)


def _unsupported(item: Planned) -> bool:
    effort = item.candidate.effort
    return item.entry is not None and effort is not None and effort not in item.entry.efforts


def _check(item: Planned) -> None:
    if item.skip is not None:
        raise ModelNameError(f"{item.candidate.model} cannot run an agent: {item.skip}")
    if item.entry is not None and _unsupported(item):
        raise InvalidInput(
            f"{item.candidate.model} does not support effort {item.candidate.effort!r}; it has "
            f"{levels(item.entry)}",
            field="effort",
            choices=item.entry.efforts,
        )


def _within_limits(
    chain: tuple[Planned, ...], plan: LaunchPlan, decision: Decision, router: Router
) -> tuple[Planned, ...]:
    """Under automatic routing the constraints hold for every candidate.

    An explicit suffix is exempt from what only supplies or restricts the ranking's effort (a
    legacy ``thinking``, the call's ``effort``), never from ``allowedEfforts``.
    """
    agent = plan.agent
    brief = AgentBrief(
        agent.name, agent.skill.description, agent.prompt, constraints=agent.constraints
    )
    pinned = restrictions_for(router.settings, brief, plan.call.constraints)
    open_ = restrictions_for(router.settings, brief, routing_limits(plan))
    return tuple(
        item
        if item.origin == "ranked" or item.skip
        else _held_to(item, pinned if item.pinned else open_, decision.needs)
        for item in chain
    )


def _held_to(item: Planned, held: tuple[Restriction, ...], needs: TaskNeeds) -> Planned:
    """``item`` with an allowed effort, or with the reason why nothing allows it.

    One that states no effort gets the allowed level nearest to what the difficulty asks for.
    """
    entry = item.entry
    if entry is None:
        if held:
            return replace(item, skip="nothing is known of it that could satisfy constraints")
        return item
    efforts = (item.candidate.effort,) if item.pinned else entry.effort_choices
    broken = {e: [name for r in held for name in r.broken_by(entry, e)] for e in efforts}
    allowed = [effort for effort, names in broken.items() if not names]
    if not allowed:
        names = dict.fromkeys(name for found in broken.values() for name in found)
        return replace(item, skip=f"it does not satisfy {', '.join(names)}")
    effort = effort_for(allowed, needs.difficulty or "moderate", bool(needs.latency_sensitive))
    return replace(item, candidate=Candidate(model=item.candidate.model, effort=effort))
