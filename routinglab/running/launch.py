"""From an agent and a call to the chain of candidates to try (SPEC 9.1, 9.2)."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from routinglab.catalog.names import Resolved, resolve_fallbacks, resolve_model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort, effort_for
from routinglab.core.ids import Candidate
from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput, ModelNameError
from routinglab.routing.decision import Decision
from routinglab.routing.restrictions import Restriction, restrictions_for
from routinglab.routing.router import Router
from routinglab.running.candidates import Planned, distinct, levels
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
    """An agent ready to run: automatic or not, and where it is not, its chain."""

    agent: EffectiveAgent
    call: Call
    automatic: bool
    effort: Effort | None
    primary: Planned | None = None


def prepare(
    agent: Skill | AgentDefinition,
    call: Call,
    router: Router,
    profile: ProfileResolver | None = None,
) -> LaunchPlan:
    """Decide between automatic routing and a concrete model, and resolve the latter.

    The first model named of call, settings override, definition, profile and host (the current
    model) counts. Raises ``ModelNameError`` for one that cannot be resolved or has not the pinned
    effort: a pinned model is never replaced in silence.
    """
    effective = effective_agent(agent, router.settings, model=call.model)
    name, effort = effective.model, call.effort or effective.effort
    if profile is not None and not (name and effort):
        resolved = resolve_profile(effective.skill, profile) or Profile()
        name, effort = name or resolved.model, effort or resolved.effort
    found = _resolve(name, effort, router)
    if found.mode == "inherit":
        current = router.settings.current_model
        if not current:
            raise ModelNameError(
                f"agent {effective.name!r} names no model and there is no current model; set "
                "currentModel in the settings or ROUTINGLAB_MODEL, or give model="
            )
        found = _resolve(current, effort, router)
    if found.mode == "auto":
        return LaunchPlan(effective, call, True, found.effort or effort)
    item = _planned(found, effective.thinking, "primary")
    _check_effort(item)
    return LaunchPlan(effective, call, False, effort, item)


def routing_limits(plan: LaunchPlan) -> ModelConstraints | None:
    """The call's constraints, held to its ``effort`` where automatic routing was asked for one."""
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
    """Every candidate in order, each model id once, the unfit ones with the reason they are skipped."""
    items: list[Planned] = []
    if decision is not None:
        items += [
            Planned(c, router.catalog.get(c.model), "ranked", pinned=True) for c in decision.chain
        ]
    elif plan.primary is not None:
        items.append(plan.primary)
    items += _fallbacks(plan, router)
    items += _current(plan, router)
    chain = distinct(items)
    return _within_limits(chain, plan, decision, router) if decision is not None else chain


def _fallbacks(plan: LaunchPlan, router: Router) -> list[Planned]:
    agent, call = plan.agent, plan.call
    names = agent.fallback_models if call.fallback_models is None else call.fallback_models
    thinking_levels = agent.fallback_thinking_levels if call.fallback_models is None else ()
    found = resolve_fallbacks(
        names,
        router.catalog,
        router.settings,
        thinking=agent.thinking,
        thinking_levels=thinking_levels,
        env=router.env,
    )
    return [_planned(item, None, "fallback") for item in found if item.mode == "model"]


def _current(plan: LaunchPlan, router: Router) -> list[Planned]:
    if not router.settings.current_model:
        return []
    found = _resolve(router.settings.current_model, None, router)
    return [_planned(found, None, "current")] if found.mode == "model" else []


def _resolve(name: str | None, effort: Effort | None, router: Router) -> Resolved:
    return resolve_model(name, router.catalog, router.settings, effort=effort, env=router.env)


def _planned(found: Resolved, thinking: Effort | None, origin: Any) -> Planned:
    assert found.candidate is not None
    candidate = found.candidate
    if candidate.effort is None and thinking is not None and not found.pinned:
        candidate = Candidate(model=candidate.model, effort=thinking)
    pinned = found.pinned or candidate.effort is not None
    return Planned(candidate, found.entry, origin, pinned=pinned)


def _check_effort(item: Planned) -> None:
    effort = item.candidate.effort
    if item.entry is not None and effort is not None and effort not in item.entry.efforts:
        raise InvalidInput(
            f"{item.candidate.model} does not support effort {effort!r}; it has "
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
        if item.origin == "ranked"
        else _held_to(item, pinned if item.pinned else open_, decision.needs)
        for item in chain
    )


def _held_to(item: Planned, held: tuple[Restriction, ...], needs: TaskNeeds) -> Planned:
    """``item`` with an allowed effort, or with the reason why nothing allows it.

    One that states no effort gets the allowed level nearest to what the difficulty asks for.
    """
    entry = item.entry
    if entry is None:
        return (
            replace(item, skip="nothing is known of it that could satisfy constraints")
            if held
            else item
        )
    efforts = (item.candidate.effort,) if item.pinned else entry.effort_choices
    broken = {e: [name for r in held for name in r.broken_by(entry, e)] for e in efforts}
    allowed = [effort for effort, names in broken.items() if not names]
    if not allowed:
        names = dict.fromkeys(name for found in broken.values() for name in found)
        return replace(item, skip=f"it does not satisfy {', '.join(names)}")
    effort = effort_for(allowed, needs.difficulty or "moderate", bool(needs.latency_sensitive))
    return replace(item, candidate=Candidate(model=item.candidate.model, effort=effort))
