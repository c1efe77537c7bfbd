"""What holds for an agent once settings and call are taken into account (SPEC 9.1, 9.2, 11.6)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.errors import ConstraintConflict
from routinglab.settings import AgentOverride, Settings
from routinglab.skills.skill import Skill

if TYPE_CHECKING:
    from routinglab.skills.agent import AgentDefinition

ModelFrom = Literal["call", "override", "definition", "host"]


@dataclass(frozen=True, slots=True)
class EffectiveAgent:
    """One agent or subagent skill as it is to be launched.

    ``model`` is a name as written (``auto``, ``inherit``, an alias, an id with or without effort
    suffix), None for the host's default; ``model_from`` says who named it. ``effort`` beats an
    alias's suffix and loses to an explicit one. ``thinking`` is the legacy default of every
    candidate without a suffix; ``fallback_thinking_levels`` is aligned to ``fallback_models``.
    These four are what ``catalog.names.resolve_model`` and ``resolve_fallbacks`` take.

    ``constraints`` hold for every candidate of automatic routing. ``ranking_only`` restricts just
    what the router may rank: remaining configured fallbacks may leave it by an explicit suffix.
    ``tools`` is None for the host's default and ``()`` for none.
    """

    skill: Skill
    model: str | None
    model_from: ModelFrom
    effort: Effort | None = None
    thinking: Effort | None = None
    fallback_models: tuple[str, ...] = ()
    fallback_thinking_levels: tuple[Effort | None, ...] = ()
    constraints: tuple[ModelConstraints, ...] = ()
    ranking_only: ModelConstraints | None = None
    needs: TaskNeeds = field(default_factory=TaskNeeds)
    tools: tuple[str, ...] | None = None

    @property
    def name(self) -> str:
        return self.skill.name

    @property
    def prompt(self) -> str:
        """The child's system prompt."""
        return self.skill.body

    @property
    def is_auto(self) -> bool:
        """Whether launching it makes a routing decision."""
        return is_auto(self.model)

    def brief(self) -> AgentBrief:
        """What the router sees; its constraints include the one that only ranking obeys."""
        ranking = (self.ranking_only,) if self.ranking_only is not None else ()
        return AgentBrief(
            self.name, self.skill.description, self.prompt, self.needs, self.constraints + ranking
        )


def is_auto(model: str | None) -> bool:
    """Whether a model name asks for automatic routing."""
    return model is not None and model.strip() == "auto"


def effective_agent(
    agent: Skill | AgentDefinition,
    settings: Settings | None = None,
    *,
    model: str | None = None,
) -> EffectiveAgent:
    """Combine a definition with the override of its name; ``model`` is the call's, if it named one.

    The model is the first one stated of call, override and definition; needs of the override come
    before the definition's; constraints of both hold at once. A pure function.

    Raises :class:`~routinglab.errors.SkillError` where something the author pinned could not be
    read, and :class:`~routinglab.errors.ConstraintConflict` where automatic ranking is left
    without any effort.
    """
    skill = agent if isinstance(agent, Skill) else agent.skill
    skill.require_runnable()
    overrides = settings.subagents.agent_overrides if settings is not None else {}
    change = overrides.get(skill.name, _NO_CHANGE)
    name, source = _model(skill, change, model)
    thinking = _thinking(skill, change)
    constraints = tuple(c for c in (skill.model_constraints, change.model_constraints) if c)
    ranking_only = None
    if is_auto(name):
        ranking_only = _ranking_only(skill, thinking)
        _check_efforts(skill.name, constraints, ranking_only)
    replaced = change.fallback_models is not None
    return EffectiveAgent(
        skill=skill,
        model=name,
        model_from=source,
        effort=skill.effort,
        thinking=thinking,
        fallback_models=skill.fallback_models if not replaced else change.fallback_models or (),
        fallback_thinking_levels=() if replaced else skill.fallback_thinking_levels,
        constraints=constraints,
        ranking_only=ranking_only,
        needs=(change.task_needs or TaskNeeds()).under(skill.task_needs),
        tools=skill.tools if change.tools is None else change.tools,
    )


_NO_CHANGE = AgentOverride()


def _model(skill: Skill, change: AgentOverride, call: str | None) -> tuple[str | None, ModelFrom]:
    stated: tuple[tuple[ModelFrom, str | None], ...] = (
        ("call", call), ("override", change.model), ("definition", skill.model),
    )  # fmt: skip
    for source, name in stated:
        if name is not None and name.strip():
            return name.strip(), source
    if _is_builtin_agent(skill):
        return "auto", "definition"
    return None, "host"


def _thinking(skill: Skill, change: AgentOverride) -> Effort | None:
    """The legacy default effort; a blank or False in the override clears the definition's."""
    stated = skill.thinking if change.thinking is None else change.thinking
    return stated if isinstance(stated, str) and stated else None


def _ranking_only(skill: Skill, thinking: Effort | None) -> ModelConstraints | None:
    """Efforts that the ranking is held to: the skill's own, and a builtin's legacy one.

    A definition the user wrote keeps its old behaviour: there ``thinking`` is a default only.
    """
    legacy = thinking if skill.scope == "builtin" else None
    stated = {effort for effort in (skill.effort, legacy) if effort is not None}
    if len(stated) > 1:
        raise ConstraintConflict(
            f"agent {skill.name!r}: effort {skill.effort!r} and thinking {legacy!r} cannot both "
            "hold for automatic ranking; keep one of them"
        )
    return ModelConstraints(allowed_efforts=tuple(stated)) if stated else None


def _check_efforts(
    name: str, constraints: tuple[ModelConstraints, ...], ranking: ModelConstraints | None
) -> None:
    lists = [c.allowed_efforts for c in (*constraints, ranking) if c and c.allowed_efforts]
    if len(lists) < 2 or set.intersection(*map(set, lists)):
        return
    asked = " and ".join("[" + ", ".join(str(e or "null") for e in es) + "]" for es in lists)
    raise ConstraintConflict(
        f"agent {name!r}: no reasoning effort satisfies every restriction ({asked}); change "
        'modelConstraints.allowedEfforts, or clear a legacy thinking with "" in its override'
    )


def _is_builtin_agent(skill: Skill) -> bool:
    return skill.scope == "builtin" and skill.is_subagent
