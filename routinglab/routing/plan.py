"""Plans for many tasks over one catalog and one evals file, each distinct one made once."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING

from routinglab.catalog.model import Catalog, Model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.core.recent import Recent
from routinglab.errors import ModelNameError
from routinglab.routing.decision import Digests
from routinglab.routing.evidence import Evidence
from routinglab.routing.offer import make_plan
from routinglab.routing.planned import DecisionParts, Plan, PlanInputs
from routinglab.routing.policies import PolicyLike, find_policy, policy_name
from routinglab.routing.restrictions import Admission, admit, restrictions_for

if TYPE_CHECKING:
    from routinglab.settings import Settings

__all__ = ["Admission", "DecisionParts", "Plan", "Planner"]

_KEPT_PLANS = 512
_KEPT_ADMISSIONS = 256


class Planner:
    """Ranks and plans over the models of ``catalog``, which should be the available ones.

    ``evals`` is None where there is no evals file. ``policy`` is a name or a function (see
    ``policies.py``). ``current`` names the chat model that stands in where routing cannot decide, by
    default the settings' ``currentModel``. Making one is cheap; keep it as long as its inputs stay
    the same, for it remembers the plans it made. Safe to share between threads.
    """

    def __init__(
        self,
        catalog: Catalog,
        evals: Evidence | None,
        settings: Settings | None = None,
        *,
        policy: PolicyLike = "evidence",
        current: str | None = None,
    ) -> None:
        self.catalog = catalog
        self.evals = evals
        self.settings = settings
        self.policy = find_policy(policy)
        self.policy_name = policy_name(policy)
        self.current = self._resolve(current or (settings.current_model if settings else None))
        digests = Digests(
            catalog=catalog.digest,
            evals=evals.digest if evals is not None else None,
            settings=settings.digest if settings is not None else None,
        )
        self._inputs = PlanInputs(self.policy_name, digests, self.current)
        self._admissions: Recent[Admission] = Recent(_KEPT_ADMISSIONS)
        self._plans: Recent[Plan] = Recent(_KEPT_PLANS)

    def admission(
        self, *, call: ModelConstraints | None = None, agent: AgentBrief | None = None
    ) -> Admission:
        """The models that every restriction allows, whatever the task needs.

        Raises :class:`ConstraintConflict` and :class:`NoEligibleModel`.
        """
        return self._admissions.get(
            _restriction_key(call, agent),
            lambda: admit(self.catalog, restrictions_for(self.settings, agent, call)),
        )

    def plan(
        self,
        needs: TaskNeeds,
        *,
        call: ModelConstraints | None = None,
        agent: AgentBrief | None = None,
    ) -> Plan:
        """What can be decided for a task with ``needs`` without asking a model.

        ``needs`` are the settled ones; those left open count as moderate, or as not needed. The
        agent's restrictions hold, its own needs are not looked at here.

        Raises :class:`ConstraintConflict` and :class:`NoEligibleModel`.
        """
        return self._plans.get(
            (needs, _restriction_key(call, agent)),
            lambda: self._make(needs, call, agent),
        )

    def _make(
        self, needs: TaskNeeds, call: ModelConstraints | None, agent: AgentBrief | None
    ) -> Plan:
        limits = (call, *(agent.constraints if agent else ()))
        if agent is not None and self.settings is not None:
            override = self.settings.subagents.agent_overrides.get(agent.name)
            limits += (override.model_constraints if override else None,)
        listed = any(limit is not None and limit.allowed_models is not None for limit in limits)
        return make_plan(
            needs=needs,
            admission=self.admission(call=call, agent=agent),
            evals=self.evals,
            policy=self.policy,
            listed=listed,
            inputs=self._inputs,
        )

    def _resolve(self, name: str | None) -> Model | None:
        """The current model where it is available; its effort is chosen when it stands in."""
        if name is None:
            return None
        found = self.catalog.get(name)
        if found is not None:
            return found
        from routinglab.catalog.names import resolve_model

        try:
            resolved = resolve_model(name, self.catalog, self.settings)
        except ModelNameError:
            return None
        return self.catalog.get(resolved.candidate.model) if resolved.candidate else None


def _restriction_key(call: ModelConstraints | None, agent: AgentBrief | None) -> Hashable:
    return (call, (agent.name, agent.builtin, agent.constraints) if agent else None)
