"""Making a plan: narrowing, ranking, and the options a router is offered (SPEC 6.1, 6.3)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from routinglab.core.needs import TaskNeeds
from routinglab.routing.decision import Option
from routinglab.routing.describe import Describer
from routinglab.routing.evidence import Evidence
from routinglab.routing.narrowing import narrow
from routinglab.routing.planned import Plan, PlanInputs, task_effort
from routinglab.routing.policies import Policy, evidence
from routinglab.routing.ranked import RankedModel
from routinglab.routing.ranking import rank
from routinglab.routing.restrictions import Admission
from routinglab.routing.shortlist import distinct, shortlist

#: What one routing request holds: options, and bytes of their descriptions as compact JSON.
MAX_OPTIONS = 255
MAX_DESCRIPTION_BYTES = 60_000

#: Why code cannot pick, so that the current model stands in (SPEC 7.6).
NO_IMAGES = "the task needs images and no eligible model reads them"
NO_EVALS = "evals.md is missing or empty"
TOO_MANY = "more models are listed than one routing request holds"


def make_plan(
    needs: TaskNeeds,
    admission: Admission,
    evals: Evidence | None,
    policy: Policy,
    inputs: PlanInputs,
    *,
    listed: bool,
) -> Plan:
    """The plan for ``needs`` over the admitted models.

    ``listed`` says that a call or an agent lists its models, all of which are then offered.
    """
    models = narrow(admission.models, needs)
    ranked = tuple(rank(evals, models, needs, policy))
    if not ranked:
        return Plan(needs, admission, (), (), NO_IMAGES, inputs)
    if policy is evidence and (evals is None or not evals.rows):
        return Plan(needs, admission, ranked, (), NO_EVALS, inputs)
    options = _listed(needs, ranked) if listed else _described(needs, ranked, shortlist(ranked))
    if options is None:
        return Plan(needs, admission, ranked, (), TOO_MANY, inputs)
    offered = tuple(
        option.model_copy(update={"effort": task_effort(needs, admission, option.model)})
        for option in options
    )
    return Plan(needs, admission, ranked, offered, None, inputs)


def _listed(needs: TaskNeeds, ranked: Sequence[RankedModel]) -> list[Option] | None:
    """All listed models while one request holds them, else one an identity, else None."""
    whole = _described(needs, ranked, ranked[: MAX_OPTIONS + 1])
    if _fits(whole):
        return whole
    single = _described(needs, ranked, distinct(ranked)[: MAX_OPTIONS + 1])
    return single if _fits(single) else None


def _described(
    needs: TaskNeeds, ranked: Sequence[RankedModel], chosen: Sequence[RankedModel]
) -> list[Option]:
    describer = Describer(needs, ranked)
    return [describer.option(model) for model in chosen]


def _fits(options: Sequence[Option]) -> bool:
    return len(options) <= MAX_OPTIONS and description_bytes(options) <= MAX_DESCRIPTION_BYTES


def description_bytes(options: Sequence[Option]) -> int:
    """UTF-8 bytes of the options' descriptions as a compact JSON list."""
    shown = [option.to_dict() for option in options]
    return len(json.dumps(shown, ensure_ascii=False, separators=(",", ":")).encode())
