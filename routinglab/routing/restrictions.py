"""Which hard limits hold for a launch, and which candidates they leave (SPEC 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic.alias_generators import to_camel

from routinglab.catalog.model import Model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import CONSTRAINT_FIELDS, ModelConstraints, broken_restrictions
from routinglab.core.efforts import Effort
from routinglab.errors import ConstraintConflict, NoEligibleModel

if TYPE_CHECKING:
    from routinglab.settings import Settings

#: Prefix of the restrictions of the ``modelRouting`` setting in :attr:`Admission.removed`.
ROUTING_SOURCE = "modelRouting"

# asked for every limit of every candidate
_CALLED = {name: to_camel(name) for name in CONSTRAINT_FIELDS}


@dataclass(frozen=True, slots=True)
class Restriction:
    """Limits with who stated them: ``agent``, ``settings``, ``call`` or ``modelRouting``.

    ``excluded_models`` is the one limit that only the ``modelRouting`` setting has.
    """

    source: str
    limits: ModelConstraints
    excluded_models: tuple[str, ...] = ()

    def broken_by(self, model: Model, effort: Effort | None) -> Iterator[str]:
        """Names of the limits that a candidate does not satisfy, as a person wrote them."""
        for name in broken_restrictions(model, effort, self.limits):
            yield f"{self.source}.{_CALLED[name]}"
        if model.full_id in self.excluded_models:
            yield f"{self.source}.excludedModels"


@dataclass(frozen=True, slots=True)
class Admission:
    """What restrictions leave of a catalog.

    ``models`` in catalog order, ``efforts`` the allowed ones of each by full id. ``considered`` counts
    candidates (a chat model at one effort) and ``removed`` those that each restriction rules out;
    one candidate can be ruled out by several.
    """

    models: tuple[Model, ...]
    efforts: Mapping[str, tuple[Effort | None, ...]]
    removed: Mapping[str, int]
    considered: int


def restrictions_for(
    settings: Settings | None, agent: AgentBrief | None, call: ModelConstraints | None
) -> tuple[Restriction, ...]:
    """Every restriction on a launch: the agent's, its settings override's, the call's, the settings'.

    All hold at once. A call's own provider list, either one, replaces both provider lists of the
    ``modelRouting`` setting; an agent's only narrow them.

    Raises :class:`ConstraintConflict` where the agent's, override's and call's can never hold together.
    """
    found = [Restriction("agent", limits) for limits in (agent.constraints if agent else ())]
    found += _override(settings, agent)
    if call is not None:
        found.append(Restriction("call", call))
    _refuse_conflict(found)
    if settings is not None:
        found += _model_routing(settings, call)
    return tuple(found)


def _override(settings: Settings | None, agent: AgentBrief | None) -> Iterator[Restriction]:
    override = settings.subagents.agent_overrides.get(agent.name) if settings and agent else None
    if override is None or agent is None:
        return
    limits = override.model_constraints
    if limits is not None and limits not in agent.constraints:
        yield Restriction("settings", limits)
    if agent.builtin and override.thinking:  # blank or false states no effort
        legacy = ModelConstraints(allowed_efforts=(override.thinking,))
        if legacy not in agent.constraints:
            yield Restriction("thinking", legacy)


def _model_routing(settings: Settings, call: ModelConstraints | None) -> Iterator[Restriction]:
    lists = settings.model_routing
    own_providers = call is not None and (
        call.allowed_providers is not None or call.excluded_providers is not None
    )
    limits = ModelConstraints(
        allowed_models=lists.allowed_models or None,
        allowed_providers=None if own_providers else lists.allowed_providers or None,
        excluded_providers=None if own_providers else lists.excluded_providers or None,
    )
    if limits.stated() or lists.excluded_models:
        yield Restriction(ROUTING_SOURCE, limits, lists.excluded_models)


def _refuse_conflict(restrictions: Iterable[Restriction]) -> None:
    """Raise where lists contradict each other, whatever the catalog holds."""
    allowed: dict[str, tuple[set[object], list[str]]] = {}
    excluded: set[object] = set()
    for restriction in restrictions:
        excluded.update(restriction.limits.excluded_providers or ())
        for name in ("allowed_models", "allowed_providers", "allowed_efforts"):
            listed = getattr(restriction.limits, name)
            if not listed:  # an empty list alone allows nothing; that is no contradiction
                continue
            sources = [f"{restriction.source}.{to_camel(name)}"]
            if name in allowed:
                before, earlier = allowed[name]
                if not before & set(listed):
                    _conflict([*earlier, *sources], "have nothing in common")
                allowed[name] = before & set(listed), [*earlier, *sources]
            else:
                allowed[name] = set(listed), sources
    providers, provider_sources = allowed.get("allowed_providers", (None, []))
    if providers is not None and providers <= excluded:
        _conflict([*provider_sources, "excludedProviders"], "leave no provider")
    models, model_sources = allowed.get("allowed_models", (None, []))
    if models is not None:
        owners = {str(model).partition("/")[0] for model in models}
        if owners <= excluded:
            _conflict([*model_sources, "excludedProviders"], "leave no model")
        if providers is not None and not owners & providers:
            _conflict([*model_sources, *provider_sources], "leave no model")


def _conflict(names: list[str], what: str) -> None:
    raise ConstraintConflict(
        f"{' and '.join(names)} {what}, so no model can ever satisfy them; change one of them"
    )


def admit(models: Iterable[Model], restrictions: Iterable[Restriction]) -> Admission:
    """The chat models of ``models`` that satisfy every restriction at one effort or more.

    Raises :class:`NoEligibleModel` where none does, naming what removed the most candidates.
    """
    held = tuple(restrictions)
    offered = tuple(models)
    kept: list[Model] = []
    efforts: dict[str, tuple[Effort | None, ...]] = {}
    removed: dict[str, int] = {}
    considered = 0
    for model in offered:
        if model.kind != "chat":
            continue
        choices = model.effort_choices
        considered += len(choices)
        allowed = []
        for effort in choices:
            broken = [name for restriction in held for name in restriction.broken_by(model, effort)]
            for name in dict.fromkeys(broken):
                removed[name] = removed.get(name, 0) + 1
            if not broken:
                allowed.append(effort)
        if allowed:
            kept.append(model)
            efforts[model.full_id] = tuple(allowed)
    ordered = dict(sorted(removed.items(), key=lambda item: (-item[1], item[0])))
    if not kept:
        absent = _absent_providers(offered, held)
        raise NoEligibleModel(_nothing_left(considered, ordered, absent), removed=ordered)
    return Admission(tuple(kept), efforts, ordered, considered)


def _absent_providers(models: Iterable[Model], held: Iterable[Restriction]) -> list[str]:
    """The providers of every allowed list that none of ``models`` is at."""
    present = {model.provider for model in models if model.kind == "chat"}
    lists = [set(restriction.limits.allowed_providers or ()) for restriction in held]
    return sorted({name for allowed in lists if not allowed & present for name in allowed})


def _nothing_left(considered: int, removed: Mapping[str, int], absent: Sequence[str]) -> str:
    if not considered:
        return "no eligible model: no chat model is available; set the key of a provider"
    counts = [f"{name} rules out {count}" for name, count in removed.items()]
    left = (
        f"no eligible model: of {considered} candidates (a model at one effort) "
        f"{'; '.join(counts)}. Widen {next(iter(removed))} first"
    )
    if absent:
        left += f", or set the key of {' or '.join(absent)}: no model there is available"
    return left
