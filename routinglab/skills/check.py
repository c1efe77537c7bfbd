"""What ``routinglab skills check`` says: every skill, and what is wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

from routinglab.core.value import Value
from routinglab.errors import RoutingLabError
from routinglab.settings import Settings
from routinglab.skills.decode import clean
from routinglab.skills.skill import Scope, Skill
from routinglab.skills.store import SkillStore

if TYPE_CHECKING:
    from routinglab.catalog.model import Catalog


class SkillCheck(Value):
    """One skill of a report. ``errors`` stop it from running; ``hidden_by`` is the file whose
    skill is used instead of it, or a word about the setting that leaves it out.
    """

    name: str
    kind: Literal["skill", "agent"]
    scope: Scope
    run_as: str
    path: Path | None = None
    model: str | None = None
    warnings: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    hidden_by: str | None = None

    @property
    def status(self) -> Literal["ok", "warning", "error"]:
        return "error" if self.errors else "warning" if self.warnings else "ok"


class SkillReport(Value):
    """All skills a store found, and what belongs to no single one in ``warnings``."""

    skills: tuple[SkillCheck, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether every skill that is offered can run; warnings do not count."""
        return not any(check.errors for check in self.skills if check.hidden_by is None)

    def __str__(self) -> str:
        lines = [f"{c.status:7}  {c.name}  ({c.kind}, {c.scope}, {c.run_as})" for c in self.skills]
        said = [text for c in self.skills for text in (*c.errors, *c.warnings)]
        return "\n".join((*lines, *dict.fromkeys((*said, *self.warnings))))


def check_skills(
    store: SkillStore, settings: Settings | None = None, catalog: Catalog | None = None
) -> SkillReport:
    """Look at every skill of ``store``, hidden ones too.

    With ``settings`` (default: the store's) what an override makes of an agent is checked; with a
    ``catalog`` each model and fallback must be a name that means something.
    """
    options = settings if settings is not None else store.settings
    checks = [_check(skill, options, catalog) for skill in store.skills]
    for hidden in store.hidden:
        by = clean(str(hidden.by.path)) if hidden.by is not None else "skills.disabled"
        checks.append(_check(hidden.skill, options, None).model_copy(update={"hidden_by": by}))
    own = {
        text
        for skill in (*store.skills, *(h.skill for h in store.hidden))
        for text in skill.warnings
    }
    rest = [text for text in store.warnings if text not in own]
    rest += [
        f"settings: subagents.agentOverrides.{name}: no agent or subagent has this name"
        for name in options.subagents.agent_overrides
        if store.find(name) is None
    ]
    return SkillReport(skills=tuple(checks), warnings=tuple(rest))


def _check(skill: Skill, settings: Settings, catalog: Catalog | None) -> SkillCheck:
    errors = list(skill.blockers)
    model = skill.model
    if skill.is_subagent and not errors:
        from routinglab.skills.effective import effective_agent

        try:
            agent = effective_agent(skill, settings)
            model = agent.model
            if catalog is not None:
                _resolve(agent.model, agent.fallback_models, catalog, settings)
        except RoutingLabError as error:
            errors.append(f"{skill.path}:1: {error}")
    if skill.is_subagent and not skill.body:
        errors.append(f"{skill.path}:1: has no body, so its child would have no instructions")
    return SkillCheck(
        name=skill.name,
        kind=skill.kind,
        scope=skill.scope,
        run_as=skill.run_as,
        path=skill.path,
        model=model,
        warnings=tuple(text for text in skill.warnings if text not in errors),
        errors=tuple(map(clean, errors)),
    )


def _resolve(
    model: str | None, fallbacks: tuple[str, ...], catalog: Catalog, settings: Settings
) -> None:
    from routinglab.catalog.names import resolve_fallbacks, resolve_model

    for name in (model, *fallbacks):
        resolve_model(name, catalog, settings)
    resolve_fallbacks(fallbacks, catalog, settings)
