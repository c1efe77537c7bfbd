"""Ranking models for a task (SPEC 6.2).

What does not depend on the task (prices against each other, ages, standings by kind of work) is kept
in a table for one (evals, models), so that ranking the same models for another task only weighs and
sorts. The order among equal scores is the table's own: standard routes before faster ones, then ids
by code point.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date
from typing import Any

from routinglab.catalog.model import Model
from routinglab.core.needs import TaskNeeds
from routinglab.core.recent import Recent
from routinglab.errors import InvalidInput
from routinglab.routing.evidence import Evidence, WorkKeys, quality, released
from routinglab.routing.policies import PolicyLike, find_policy, ordered_by
from routinglab.routing.ranked import Facts, RankedModel
from routinglab.routing.scoring import cheapness, price_scale, recency, scores, weights

#: Tables kept; a replay over many sets of eligible models uses the last ones most.
_KEPT_TABLES = 64


def rank(
    evals: Evidence | None,
    models: Iterable[Model],
    needs: TaskNeeds | Mapping[str, Any],
    policy: PolicyLike = "evidence",
) -> list[RankedModel]:
    """Every chat model of ``models`` for a task with ``needs``, best first.

    ``policy`` is a name (``evidence``, ``cheapest``, ``newest``, ``best_quality``, ``random:7``,
    ``always:provider/id``) or a function (see ``routing/policies.py``). Without ``evals`` nothing is
    measured. The order in which models are given changes nothing.

    Raises :class:`InvalidInput` for a wrong need, policy or model.
    """
    task = needs if isinstance(needs, TaskNeeds) else TaskNeeds.model_validate(needs)
    scored = _table(evals, list(models)).ranked(task)
    return ordered_by(find_policy(policy), task, scored)


class _Work:
    """The facts of a table's models for one kind of work, in table order."""

    __slots__ = ("facts", "measured", "qualities", "unmeasured")

    def __init__(
        self,
        evals: Evidence | None,
        models: list[Model],
        dates: list[date | None],
        work: str | None,
    ) -> None:
        keys = WorkKeys.of(evals, work)
        self.facts = [
            Facts(m.full_id, m, quality(evals, m, keys), day, evals)
            for m, day in zip(models, dates, strict=True)
        ]
        self.qualities = [facts.quality.value for facts in self.facts]
        known = [facts.quality.source is not None for facts in self.facts]
        self.measured = [i for i, is_known in enumerate(known) if is_known]
        self.unmeasured = [i for i, is_known in enumerate(known) if not is_known]


class _Table:
    """One (evals, models) with everything about it that no task changes."""

    def __init__(self, evals: Evidence | None, given: list[Model]) -> None:
        for model in given:
            if not isinstance(model, Model):
                raise InvalidInput(f"rank takes catalog models, not {type(model).__name__}")
        if evals is not None and not hasattr(evals, "standing"):
            raise InvalidInput(f"evals must come from load_evals, not {type(evals).__name__}")
        self.given = given  # keeps the ids of the key alive
        self.evals = evals
        by_id = {model.full_id: model for model in given if model.kind == "chat"}
        self.models = sorted(by_id.values(), key=lambda m: (m.base_model is not None, m.full_id))
        self.faster = [i for i, model in enumerate(self.models) if model.base_model is not None]
        scale = price_scale(model.blended_price for model in self.models)
        self.cheapness = [cheapness(model.blended_price, scale) for model in self.models]
        self.dates = [released(evals, model) for model in self.models]
        days = [None if day is None else day.toordinal() for day in self.dates]
        newest = max((day for day in days if day is not None), default=None)
        self.recency = [recency(day, newest) for day in days]
        self._works: dict[str | None, _Work] = {}

    def ranked(self, needs: TaskNeeds) -> list[RankedModel]:
        work = self._works.get(needs.work)
        if work is None:
            work = self._works[needs.work] = _Work(self.evals, self.models, self.dates, needs.work)
        by = weights(needs.demand, bool(needs.latency_sensitive))
        totals = scores(by, work.qualities, self.cheapness, self.recency)
        if by.route_bonus:
            for i in self.faster:
                totals[i] += by.route_bonus
        place = totals.__getitem__  # sorting is stable, also in reverse, so ties keep table order
        order = sorted(work.measured, key=place, reverse=True)
        order += sorted(work.unmeasured, key=place, reverse=True)
        facts, cheap, recent = work.facts, self.cheapness, self.recency
        return [RankedModel(facts[i], totals[i], cheap[i], recent[i], by) for i in order]


_tables: Recent[_Table] = Recent(_KEPT_TABLES)


def _table(evals: Evidence | None, models: list[Model]) -> _Table:
    """The table of these very objects; it holds them, so their ids cannot be taken over."""
    return _tables.get((id(evals), *map(id, models)), lambda: _Table(evals, models))
