"""What code decides about a task before, or instead of, asking a router (SPEC 6, 7.4 to 7.6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, TypedDict, Unpack

from routinglab.catalog.model import Model
from routinglab.core.efforts import DEGRADED_ORDER, Effort, effort_for
from routinglab.core.ids import Candidate
from routinglab.core.needs import TaskNeeds
from routinglab.core.recent import Recent
from routinglab.errors import InvalidInput, RoutingFailed
from routinglab.routing.decision import (
    AnsweredBy,
    ChosenBy,
    Decision,
    Digests,
    Option,
    RouterInfo,
    RoutingRequest,
    Scoring,
)
from routinglab.routing.ranked import RankedModel
from routinglab.routing.restrictions import Admission
from routinglab.routing.shortlist import distinct
from routinglab.routing.template import CanonicalTemplate

#: How many fallbacks follow the primary.
FALLBACKS = 2

_KEPT_TEMPLATES = 64


class DecisionParts(TypedDict, total=False):
    """What a decision says of one task beside what was chosen; keyword arguments of ``decide``."""

    agent: str | None
    answered_by: Mapping[str, AnsweredBy]
    chosen_by: ChosenBy
    router: RouterInfo
    reader: str | None
    requests: Sequence[RoutingRequest]
    switches: Sequence[str]
    created: datetime | None
    degraded: str | None


@dataclass(frozen=True, slots=True)
class PlanInputs:
    """What every plan of one planner has in common; ``current`` is None where it is unavailable."""

    policy: str
    digests: Digests
    current: Model | None


@dataclass(frozen=True, eq=False)
class Plan:
    """The ranking and shortlist for one (needs, restrictions).

    ``ranked`` is what image and long-context needs leave of the eligible models, best first, and
    ``shortlist`` what a router chooses from. ``degraded`` is why code cannot pick, so that the
    current model stands in.
    """

    needs: TaskNeeds
    admission: Admission
    ranked: tuple[RankedModel, ...]
    shortlist: tuple[Option, ...]
    degraded: str | None
    inputs: PlanInputs

    @property
    def eligible(self) -> tuple[Model, ...]:
        """Models that satisfy every restriction at one effort or more."""
        return self.admission.models

    @property
    def removed(self) -> Mapping[str, int]:
        """Candidates by the restriction that rules them out, the most first."""
        return self.admission.removed

    @cached_property
    def candidates(self) -> tuple[str, ...]:
        """Ids of the models the router could choose from, in the order of the ranking."""
        return tuple(model.model for model in self.ranked)

    @cached_property
    def offered(self) -> tuple[str, ...]:
        """Ids of the shortlist."""
        return tuple(option.model for option in self.shortlist)

    def candidate(self, model: str) -> Candidate:
        """An eligible model with the effort it gets for this task (SPEC 7.4)."""
        return Candidate(model=model, effort=task_effort(self.needs, self.admission, model))

    def decide(
        self, choice: str | None = None, *, task_digest: str = "", **parts: Unpack[DecisionParts]
    ) -> Decision:
        """The decision for ``choice``, a model of the shortlist; without one the ranking's first.

        With a ``degraded`` reason, the plan's own or the one given, the current model stands in.

        Raises :class:`InvalidInput` for a choice that was not offered, and :class:`RoutingFailed`
        with the reason where the current model is not available or not allowed.
        """
        reason = parts.get("degraded") or self.degraded
        base = self._stand_in(reason) if reason else self._chosen(choice)
        changed: dict[str, Any] = {"task_digest": task_digest, **parts, "degraded": reason}
        changed["chosen_by"] = "current" if reason else parts.get("chosen_by", base.chosen_by)
        changed["answered_by"] = dict(parts.get("answered_by", {}))
        for name in ("requests", "switches"):
            changed[name] = tuple(changed.get(name, ()))
        return base.model_copy(update=changed)

    def template(
        self, choice: str | None = None, **parts: Unpack[DecisionParts]
    ) -> CanonicalTemplate:
        """The canonical text of ``decide`` with these arguments for whatever task digest.

        The last ones asked for are kept; a loop over many tasks does best to hold on to its own.
        """
        answered = tuple(parts.get("answered_by", {}).items())
        given = (parts.get(name) for name in _KEYED_PARTS)
        rest = tuple(tuple(value) if isinstance(value, list) else value for value in given)
        return self._templates.get(
            (choice, answered, rest), lambda: CanonicalTemplate.of(self.decide(choice, **parts))
        )

    @cached_property
    def _templates(self) -> Recent[CanonicalTemplate]:
        return Recent(_KEPT_TEMPLATES)

    @cached_property
    def _decisions(self) -> dict[str | None, Decision]:
        return {}

    def _chosen(self, choice: str | None) -> Decision:
        found = self._decisions.get(choice)
        if found is None:
            if choice is not None and choice not in self.offered:
                raise InvalidInput(
                    f"{choice!r} was not offered; the shortlist is {', '.join(self.offered)}",
                    field="choice",
                    choices=self.offered,
                )
            first = choice or self.shortlist[0].model
            alone = "single" if len(self.shortlist) == 1 else "ranking"
            found = self._decisions[choice] = self._record(
                primary=self.candidate(first),
                fallbacks=tuple(map(self.candidate, fallback_models(self.ranked, first))),
                chosen_by="router" if choice else alone,
            )
        return found

    def _stand_in(self, reason: str) -> Decision:
        model = self.inputs.current
        if model is None:
            raise RoutingFailed(f"{reason}, and no current model is available to stand in")
        allowed = self.admission.efforts.get(model.full_id)
        if allowed is None:
            raise RoutingFailed(
                f"{reason}, and the current model {model.full_id} does not satisfy the constraints"
            )
        effort = next(effort for effort in DEGRADED_ORDER if effort in allowed)
        return self._record(
            primary=Candidate(model=model.full_id, effort=effort),
            chosen_by="current",
            degraded=reason,
        )

    def _record(self, **chosen: Any) -> Decision:
        return Decision(
            policy=self.inputs.policy,
            candidates=self.candidates,
            shortlist=self.shortlist,
            scoring=self._scoring,
            needs=self.needs,
            removed=dict(self.removed),
            digests=self.inputs.digests,
            **chosen,
        )

    @cached_property
    def _scoring(self) -> Scoring | None:
        return scoring(self.ranked) if self.ranked else None


_KEYED_PARTS = ("agent", "chosen_by", "router", "reader", "requests", "switches", "degraded")


def task_effort(needs: TaskNeeds, admission: Admission, model: str) -> Effort | None:
    """The effort of a model for a task: the supported, allowed level nearest to its difficulty."""
    return effort_for(
        admission.efforts[model], needs.difficulty or "moderate", bool(needs.latency_sensitive)
    )


def fallback_models(ranked: Sequence[RankedModel], primary: str) -> list[str]:
    """The models to try after ``primary`` (SPEC 7.5).

    The best two other identities; where there are fewer, other routes of those already used.
    """
    used = {model.identity for model in ranked if model.model == primary}
    others = [model for model in distinct(ranked) if model.identity not in used]
    chosen = [model.model for model in others[:FALLBACKS]]
    routes = (m.model for m in ranked if m.model != primary and m.model not in chosen)
    return [*chosen, *routes][:FALLBACKS]


def scoring(ranked: Sequence[RankedModel]) -> Scoring:
    """The columns a decision keeps of its ranking."""
    first: dict[tuple[str, ...], int] = {}
    return Scoring(
        input_prices=tuple(model.entry.input_price for model in ranked),
        output_prices=tuple(model.entry.output_price for model in ranked),
        released=tuple(model.released for model in ranked),
        standings=tuple(model.facts.quality.standing for model in ranked),
        sources=tuple(model.facts.quality.source for model in ranked),
        faster=tuple(i for i, m in enumerate(ranked) if m.entry.base_model is not None),
        identities=tuple(first.setdefault(m.identity, i) for i, m in enumerate(ranked)),
    )
