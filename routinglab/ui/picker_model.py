"""What a picker knows without any widget: the state of its controls and what follows from it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from routinglab.catalog.model import Catalog, Model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.errors import ConstraintConflict, NoEligibleModel, RoutingFailed
from routinglab.routing.evidence import Evidence
from routinglab.routing.plan import Plan, Planner
from routinglab.routing.policies import PolicyLike
from routinglab.routing.restrictions import Restriction, restrictions_for
from routinglab.routing.router import Router, brief_of
from routinglab.settings import Settings
from routinglab.ui import reasons
from routinglab.ui.choices import Choices


@dataclass(frozen=True, slots=True)
class Removal:
    """What one restriction took away; ``candidates`` counts models at one effort."""

    name: str
    label: str
    says: str
    candidates: int


@dataclass(frozen=True, slots=True)
class Fallen:
    """A chat model that is not a candidate, and why."""

    model: Model
    reasons: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outlook:
    """What the present state of a picker would come to.

    ``plan`` is None where nothing is eligible. ``problem`` says why nothing can be launched, and
    ``note`` what a person should know although it can.
    """

    models: int
    candidates: int
    plan: Plan | None
    removals: tuple[Removal, ...]
    fallen: tuple[Fallen, ...]
    problem: str = ""
    note: str = ""

    @property
    def ready(self) -> bool:
        """Whether a launch has a model to go to."""
        return not self.problem


class PickerModel:
    """Constraints and needs as a person sets them, over the models that are available now.

    ``source`` is a router, whose catalog and keys are looked at again at every change, or a
    catalog with ``evals`` and ``settings``. ``agent`` is a brief, skill or definition whose own
    needs and constraints hold besides.
    """

    def __init__(
        self,
        source: Router | Catalog,
        evals: Evidence | None = None,
        settings: Settings | None = None,
        *,
        agent: Any = None,
        policy: PolicyLike = "evidence",
    ) -> None:
        self._planner: Callable[[], Planner]
        if isinstance(source, Router):
            self._planner = source.planner
            self._settings = source.settings
        else:
            planner = Planner(source, evals, settings, policy=policy)
            self._planner = lambda: planner
            self._settings = settings or Settings()
        self.agent: AgentBrief | None = brief_of(agent, self._settings)
        self.constraints = ModelConstraints()
        self.needs = TaskNeeds()
        self._seen: tuple[Catalog, Choices] | None = None

    @property
    def choices(self) -> Choices:
        """What the controls offer, from the catalog as it is now."""
        catalog = self._planner().catalog
        if self._seen is None or self._seen[0] is not catalog:
            self._seen = (catalog, Choices.of(catalog))
        return self._seen[1]

    def for_agent(self, agent: Any) -> None:
        """Look at everything as a launch of ``agent`` would; None for no agent."""
        self.agent = brief_of(agent, self._settings)

    def problem_for(self, agent: Any, known: Outlook) -> str:
        """Why a launch of ``agent`` has no model to go to; ``known`` is the outlook as it is now."""
        brief, before = brief_of(agent, self._settings), self.agent
        if brief == before:
            return known.problem
        self.agent = brief
        try:
            return self.outlook().problem
        finally:
            self.agent = before

    def outlook(self) -> Outlook:
        """What routing would have to choose from; every error of routing becomes a problem."""
        planner = self._planner()
        chat = [model for model in planner.catalog if model.kind == "chat"]
        candidates = sum(len(model.effort_choices) for model in chat)
        try:
            held = restrictions_for(self._settings, self.agent, self._call)
            plan = planner.plan(self._needs, call=self._call, agent=self.agent)
        except ConstraintConflict as error:
            return Outlook(len(chat), candidates, None, (), (), problem=_sentence(str(error)))
        except NoEligibleModel as error:
            removals = _removals(error.removed, held)
            problem = _nothing_left(removals, held, chat)
            return Outlook(
                len(chat), candidates, None, removals, _fallen(chat, held, None), problem
            )
        problem, note = _standing_in(plan)
        return Outlook(
            models=len(chat),
            candidates=candidates,
            plan=plan,
            removals=_removals(plan.removed, held),
            fallen=_fallen(chat, held, plan),
            problem=problem,
            note=note,
        )

    @property
    def _call(self) -> ModelConstraints | None:
        return self.constraints if self.constraints.stated() else None

    @property
    def _needs(self) -> TaskNeeds:
        return self.needs.under(self.agent.needs if self.agent is not None else None)


def _removals(counts: Any, held: Sequence[Restriction]) -> tuple[Removal, ...]:
    return tuple(
        Removal(name, reasons.label(name), reasons.limit_text(name, held), count)
        for name, count in counts.items()
    )


def _fallen(
    chat: Sequence[Model], held: Sequence[Restriction], plan: Plan | None
) -> tuple[Fallen, ...]:
    """Every chat model that is no candidate; those nearest to being one first."""
    kept = set(plan.candidates) if plan is not None else set()
    allowed = plan.admission.efforts if plan is not None else {}
    out = []
    for model in chat:
        if model.full_id in kept:
            continue
        if plan is not None and model.full_id in allowed:
            why: tuple[str, ...] = (reasons.narrowed(model, plan.needs),)
        else:
            why = reasons.reasons(model, held, partial(_broken, model, held=held))
        out.append(Fallen(model, why))
    return tuple(sorted(out, key=lambda one: (len(one.reasons), one.model.full_id)))


def _broken(model: Model, effort: Any, held: Sequence[Restriction]) -> list[str]:
    return [name for restriction in held for name in restriction.broken_by(model, effort)]


def _nothing_left(
    removals: Sequence[Removal], held: Sequence[Restriction], chat: Sequence[Model]
) -> str:
    if not removals:
        return (
            "No chat model is available: no provider is configured. Set the key of one, or work "
            "on the whole catalog with Router(what_if=True)."
        )
    first = removals[0]
    # only models that nothing else keeps out say what widening this one limit would bring
    near = [
        m for m in chat if any({*_broken(m, e, held)} == {first.name} for e in m.effort_choices)
    ]
    hint = reasons.widen(first.name, held, near)
    others = len(removals) - 1
    more = (
        f" {others} more limit{'s' * (others > 1)} rule{'s' * (others == 1)} out others."
        if others
        else ""
    )
    return (
        f"No model is left. {first.label} ({first.says}) rules out {first.candidates} candidates"
        + (f"; {hint}.{more}" if hint else f".{more}")
    )


def _standing_in(plan: Plan) -> tuple[str, str]:
    """Problem and note of a plan in which code cannot pick."""
    if plan.degraded is None:
        return "", ""
    try:
        decision = plan.decide()
    except RoutingFailed as error:
        return _sentence(str(error)), ""
    return "", f"{_sentence(plan.degraded)} The current model {decision.primary} stands in."


def _sentence(text: str) -> str:
    whole = text[:1].upper() + text[1:]
    return whole if whole.endswith((".", "!", "?")) else whole + "."
