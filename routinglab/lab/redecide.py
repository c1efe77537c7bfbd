"""Deciding a recorded task again, from what was stated and answered, without any request."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from pydantic.alias_generators import to_camel

from routinglab.catalog.model import Catalog
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints, broken_restrictions
from routinglab.core.needs import TaskNeeds
from routinglab.errors import ConstraintConflict, NoEligibleModel, RoutingFailed
from routinglab.evals.evals import Evals
from routinglab.lab.index import NOTHING, Index, Rest
from routinglab.lab.records import (
    InputsRecord,
    encode,
    parts_digest,
    parts_of,
    rest_of,
    rest_text,
)
from routinglab.lab.why import Compared, differing, why
from routinglab.routing.decision import AnsweredBy, Decision, Digests, Option, RouterInfo
from routinglab.routing.plan import Plan, Planner
from routinglab.routing.policies import PolicyLike
from routinglab.routing.router import Launch
from routinglab.settings.model import ModelRouting, Settings

Choice = Literal["recorded", "rank"]

#: A task's inputs by number: needs, constraints, agent, answers, choice, recorded decision.
Key = tuple[int, int, int, int, int, int]


#: What decisions were made over, by the digests of catalog and settings.
_Over = tuple[str | None, str | None]


@dataclass(frozen=True, slots=True)
class Redecided:
    """What came of one distinct set of inputs; tasks with the same inputs share it.

    ``before`` and ``after`` are candidates as text, None where nothing was recorded or nothing may
    be decided. ``drift`` names the parts of the decision that differ, digests of inputs included.
    """

    before: str | None
    after: str | None
    before_model: str | None
    after_model: str | None
    flipped: bool | None
    drift: tuple[str, ...]
    why: str
    work: str | None
    difficulty: str | None
    mistake_cost: str | None


@dataclass(frozen=True, slots=True)
class Inputs:
    """What the replay was given; None means as recorded, or as shipped."""

    evals: Evals
    catalog: Catalog
    settings: Settings | None
    policy: PolicyLike
    constraints: ModelConstraints | None
    choice: Choice
    narrow_to_recorded: bool
    prices: Mapping[str, tuple[float, float] | float] = field(default_factory=dict)
    also: ModelConstraints | None = None


class Redecider:
    """Decides distinct sets of inputs again; planners are made once for each set of inputs."""

    def __init__(self, index: Index, inputs: Inputs) -> None:
        self.index = index
        self.inputs = inputs
        self.missing_models: set[str] = set()
        self._planners: dict[tuple[_Over | None, str | None], Planner] = {}
        self._recorded = {(record.catalog, record.settings): record for record in index.inputs}
        self._plan: tuple[Any, Plan] | None = None
        self._digest: tuple[tuple[Plan, Digests], str] | None = None

    def all(self, keys: list[Key]) -> Iterator[tuple[int, Redecided]]:
        """(number of the key, result) in whatever order shares most plans."""
        order = sorted(range(len(keys)), key=lambda n: (*keys[n][:4], keys[n][5]))
        for number in order:
            yield number, self.one(keys[number])

    def one(self, key: Key) -> Redecided:
        """Decide one set of inputs again and compare it with what was recorded."""
        rest = self._rest(key)
        try:
            decision, plan = self.decide(key)
        except (NoEligibleModel, ConstraintConflict, RoutingFailed) as error:
            return self._failed(key, rest, str(error))
        changed: tuple[str, ...] = ()
        before = after = None
        if rest is not None:
            changed = differing(rest.text, rest_text(rest_of(decision)))
            if rest.parts != self._shared(decision, plan):
                before, after = self.index.parts(rest.parts), parts_of(decision)
                changed += ("parts unknown",) if before is None else differing_parts(before, after)
        compared = Compared(
            before=_candidate(rest),
            after=str(decision.primary),
            before_model=rest.primary if rest else None,
            after_model=decision.primary.model,
            recorded_choice=self._choice(key, rest),
            stands=decision.chosen_by == "router",
            mode=self.inputs.choice,
            degraded=decision.degraded,
            options_before=_options(before) if before else _shown(decision),
            options_after=_shown(decision),
            removed_by=self._removed_by(plan, key, rest),
            changed=changed,
        )
        return Redecided(
            compared.before,
            compared.after,
            compared.before_model,
            compared.after_model,
            None if rest is None else compared.before != compared.after,
            changed,
            why(compared),
            decision.needs.work,
            decision.needs.difficulty,
            decision.needs.mistake_cost,
        )

    def decide(self, key: Key) -> tuple[Decision, Plan]:
        """The decision for a set of inputs, without its task's own keys (digest, requests, time)."""
        rest = self._rest(key)
        launch, needs, answered = self._launch(key, rest)
        stood_in = rest.primary if rest is not None and rest.degraded is not None else None
        planner = self._planner(rest, stood_in)
        plan = self._planned(planner, needs, launch, key)
        told: dict[str, Any] = {"agent": launch.name or None, "answered_by": answered}
        if rest is not None:
            told |= {"agent": rest.agent, **_carried(rest)}
        if stood_in and rest and plan.degraded is None and self.inputs.choice == "recorded":
            decision = plan.decide(**{**told, "degraded": rest.degraded})
            return self._with_recorded_digests(decision, rest), plan
        choice = self._choice(key, rest)
        if self.inputs.choice == "rank" or choice not in plan.offered:
            choice = None
        if choice is None and (rest is None or rest.chosen_by == "router"):
            told.pop("router", None)
        decision = plan.decide(choice, **told)
        return self._with_recorded_digests(decision, rest), plan

    def _launch(
        self, key: Key, rest: Rest | None
    ) -> tuple[Launch, TaskNeeds, Mapping[str, AnsweredBy]]:
        index = self.index
        needs_number, constraints_number, agent_number, answers_number = key[:4]
        call = index.all_needs.values[needs_number] if needs_number >= 0 else TaskNeeds()
        limits = (
            index.all_constraints.values[constraints_number] if constraints_number >= 0 else None
        )
        if self.inputs.constraints is not None:
            limits = self.inputs.constraints
        agent = index.all_agents.values[agent_number].brief() if agent_number >= 0 else None
        if self.inputs.also is not None:  # as an agent's do, it adds up with what the caller stated
            agent = agent or AgentBrief("")
            agent = replace(agent, constraints=(*agent.constraints, self.inputs.also))
        launch = Launch.of("", agent, call, limits)
        answers = index.all_needs.values[answers_number] if answers_number >= 0 else None
        settled, by = launch.settled(answers) if answers else (launch.stated, launch.answered_by)
        if settled.missing and rest is not None:
            settled = settled.under(rest.needs)
            recorded = dict(rest.answered_by)
            by = {name: by.get(name, recorded.get(name, "recording")) for name in settled.stated()}
        return launch, settled, by

    def _planned(self, planner: Planner, needs: TaskNeeds, launch: Launch, key: Key) -> Plan:
        """The plan, which consecutive keys of one group share."""
        wanted = (id(planner), needs, launch.limits, key[2])
        if self._plan is None or self._plan[0] != wanted:
            plan = planner.plan(needs, call=launch.limits, agent=launch.agent)
            self._plan = (wanted, plan)
        return self._plan[1]

    def _planner(self, rest: Rest | None, current: str | None) -> Planner:
        digests = self.index.digests.get(rest.parts) if rest else None
        record = self._recorded.get((digests.catalog, digests.settings)) if digests else None
        if record is None and len(self._recorded) == 1 and rest is None:
            record = next(iter(self._recorded.values()))
        where = (record.catalog, record.settings) if record else None
        found = self._planners.get((where, current))
        if found is None:
            found = self._planners[where, current] = Planner(
                self._catalog(record),
                self.inputs.evals,
                self._settings(record),
                policy=self.inputs.policy,
                current=current,
            )
        return found

    def _catalog(self, record: InputsRecord | None) -> Catalog:
        """The catalog, narrowed to what was available when it was recorded, at the given prices."""
        catalog = self.inputs.catalog
        if record is not None and self.inputs.narrow_to_recorded:
            self.missing_models |= {name for name in record.models if name not in catalog}
            catalog = Catalog(catalog[name] for name in record.models if name in catalog)
        return catalog

    def _settings(self, record: InputsRecord | None) -> Settings:
        if self.inputs.settings is not None:
            return self.inputs.settings
        if record is None:
            return Settings()
        return Settings(model_routing=ModelRouting.model_validate(record.model_routing))

    def _with_recorded_digests(self, decision: Decision, rest: Rest | None) -> Decision:
        """Settings that nobody changed keep the digest they were recorded with."""
        recorded = self.index.digests.get(rest.parts) if rest else None
        if self.inputs.settings is not None or recorded is None:
            return decision
        if (recorded.catalog, recorded.settings) not in self._recorded:
            return decision
        digests = decision.digests.model_copy(update={"settings": recorded.settings})
        return decision.model_copy(update={"digests": digests})

    def _choice(self, key: Key, rest: Rest | None) -> str | None:
        """The router's choice: as its own line says, else as the decision shows."""
        if key[4] >= 0:
            return self.index.all_choices.values[key[4]]
        return rest.primary if rest is not None and rest.chosen_by == "router" else None

    def _rest(self, key: Key) -> Rest | None:
        return self.index.all_rests.values[key[5]] if key[5] != NOTHING else None

    def _shared(self, decision: Decision, plan: Plan) -> str:
        """The digest of the shared parts, worked out once a plan and set of digests."""
        key = (plan, decision.digests)
        if self._digest is None or self._digest[0] != key:
            self._digest = (key, parts_digest(decision))
        return self._digest[1]

    def _removed_by(self, plan: Plan, key: Key, rest: Rest | None) -> str | None:
        """Why the recorded model is not among a plan's candidates; None where it is."""
        if rest is None or rest.primary in plan.candidates:
            return None
        if rest.primary in plan.admission.efforts:
            return "it does not read images, or its window is too small"
        model = self.inputs.catalog.get(rest.primary)
        if model is None:
            return "it is not in the catalog"
        launch, _, _ = self._launch(key, rest)
        limits = (launch.limits, *(launch.agent.constraints if launch.agent else ()))
        broken = {
            to_camel(name)
            for limit in limits
            if limit is not None
            for name in broken_restrictions(model, rest.effort, limit)
        }
        return f"ruled out by {', '.join(sorted(broken) or ['modelRouting'])}"

    def _failed(self, key: Key, rest: Rest | None, message: str) -> Redecided:
        _, needs, _ = self._launch(key, rest)
        return Redecided(
            _candidate(rest),
            None,
            rest.primary if rest else None,
            None,
            None if rest is None else True,
            ("no decision",) if rest else (),
            message,
            needs.work,
            needs.difficulty,
            needs.mistake_cost,
        )


def differing_parts(before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[str, ...]:
    """Names of the shared parts that differ, digests one by one."""
    names: list[str] = []
    for key in sorted({*before, *after}):
        left, right = before.get(key), after.get(key)
        if encode(left) == encode(right):
            continue
        if key == "digests":
            inner = {**(left or {}), **(right or {})}
            names += [
                f"digests.{name}"
                for name in sorted(inner)
                if (left or {}).get(name) != (right or {}).get(name)
            ]
        else:
            names.append(key)
    return tuple(names)


def _options(parts: Mapping[str, Any]) -> dict[str, Option]:
    return {row["model"]: Option.model_validate(row) for row in parts.get("shortlist", ())}


def _shown(decision: Decision) -> dict[str, Option]:
    return {option.model: option for option in decision.shortlist}


def _candidate(rest: Rest | None) -> str | None:
    if rest is None:
        return None
    return rest.primary if rest.effort is None else f"{rest.primary}:{rest.effort}"


def _carried(rest: Rest) -> dict[str, Any]:
    """What was recorded of who read and chose; replay asks nobody again."""
    row = json.loads(rest.text)
    return {
        "router": RouterInfo.model_validate(row.get("router", {})),
        "reader": row.get("reader"),
        "switches": tuple(row.get("switches", ())),
    }
