"""What the router is told of an option (SPEC 6.4): its own evidence and nothing else."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import islice
from typing import Any

from routinglab.core.needs import TaskNeeds
from routinglab.core.standing import Standing
from routinglab.errors import InvalidInput
from routinglab.routing.cohorts import cohorts
from routinglab.routing.conditions import KnownNames, known_names, own_clauses
from routinglab.routing.decision import Option
from routinglab.routing.evidence import WorkKeys, measured, standings
from routinglab.routing.ranked import RankedModel

#: Results for the kind of work that an option shows, beside the overall one.
SHOWN_RESULTS = 2

NO_RESULTS = "no published results"

_TIERS = ("cheapest third", "middle third", "dearest third")


def describe(
    option: RankedModel | Option | str,
    needs: TaskNeeds | Mapping[str, Any],
    ranked: Sequence[RankedModel],
) -> Option:
    """``option`` as one contender among ``ranked``; ``Option.to_dict()`` is what the router sees.

    ``option`` may also be a model id or a described option; raises :class:`InvalidInput` where such
    a one is not among ``ranked``.
    """
    task = needs if isinstance(needs, TaskNeeds) else TaskNeeds.model_validate(needs)
    if not isinstance(option, RankedModel):
        name = option if isinstance(option, str) else option.model
        found = next((model for model in ranked if model.model == name), None)
        if found is None:
            raise InvalidInput(f"{name!r} is not among the ranked models", field="option")
        option = found
    return Describer(task, ranked).option(option)


class Describer:
    """Describes options of one ranking, sharing what is the same for all of them."""

    def __init__(self, needs: TaskNeeds, ranked: Sequence[RankedModel]) -> None:
        self.needs = needs
        self.ranked = ranked
        self.newest = max((d for model in ranked if (d := model.released)), default=None)
        self.prices = sorted(p for m in ranked if (p := m.entry.blended_price) is not None)

    def option(self, model: RankedModel) -> Option:
        """The option with its description; its effort is left open."""
        at_work = list(self._at_work(model))
        overall = self._overall(model)
        shown = [*at_work, *overall]
        description = {
            "model": model.model,
            "name": model.entry.name or model.entry.id,
            "released": self._released(model),
            "price": self._price(model),
            **self._pace(model),
            "images": _images(model),
            "results": [text for text, _ in at_work] or [NO_RESULTS],
            "overall": overall[0][0] if overall else NO_RESULTS,
        }
        return Option(
            model=model.model,
            name=model.entry.name,
            score=model.score,
            terms=model.terms,
            work_standing=model.work_standing,
            overall_standing=model.overall_standing,
            evidence=tuple(standing for _, standing in shown if standing is not None),
            reason=model.reason,
            description=description,
        )

    def _released(self, model: RankedModel) -> str:
        if model.released is None or self.newest is None:
            return "unknown"
        days = (self.newest - model.released).days
        if not days:
            return f"{model.released}, the newest here"
        return f"{model.released}, {days} day{'s' * (days != 1)} older than the newest here"

    def _price(self, model: RankedModel) -> str:
        entry = model.entry
        billing = f"billing {entry.billing or 'unknown'}"
        if entry.blended_price is None:
            return f"unknown; {billing}"
        cheaper = bisect_left(self.prices, entry.blended_price)
        tier = _TIERS[min(2, 3 * cheaper // max(1, len(self.prices)))]
        prices = f"{_usd(entry.input_price)} input, {_usd(entry.output_price)} output"
        steps = "".join(
            f"; beyond {t.above:,} input tokens {_usd(t.input_price)} and {_usd(t.output_price)}"
            for t in entry.tiers
        )
        return f"{tier}: {prices} per million tokens{steps}; {billing}"

    def _pace(self, model: RankedModel) -> dict[str, str]:
        evals, found = model.facts.evals, {}
        if evals is not None:
            for name, key in (("speed", cohorts().speed), ("latency", cohorts().latency)):
                row = measured(evals, model.entry, key)
                if row is not None:
                    at = f" at {row.effort} effort" if row.effort else ""
                    what = "to the first token" if name == "latency" else ""
                    found[name] = (
                        " ".join(part for part in (_amount(row.value, row.unit), what) if part) + at
                    )
        return found

    def _at_work(self, model: RankedModel) -> Iterator[tuple[str, Standing | None]]:
        """Results for the kind of work: those with a standing, then those with too few others."""
        evals = model.facts.evals
        if evals is None:
            return
        keys = WorkKeys.of(evals, self.needs.work)
        found = standings(evals, model.entry, (*keys.own, *keys.work))
        for standing in found[:SHOWN_RESULTS]:
            yield self._result(model, standing), standing
        placed = {standing.key for standing in found}
        alone = (measured(evals, model.entry, key) for key in (*keys.own, *keys.work)
                 if key not in placed)  # fmt: skip
        for row in islice(filter(None, alone), max(0, SHOWN_RESULTS - len(found))):
            result = Standing(
                key=row.benchmark, share=0, models=0, value=row.value, unit=row.unit,
                label=row.label, effort=row.effort, harness=row.harness,
                reporter=row.reporter, setting=row.setting,
            )  # fmt: skip
            yield self._result(model, result), None

    def _overall(self, model: RankedModel) -> list[tuple[str, Standing]]:
        evals = model.facts.evals
        if evals is None:
            return []
        found = standings(evals, model.entry, WorkKeys.of(evals, None).overall)
        return [(self._result(model, standing), standing) for standing in found[:1]]

    def _result(self, model: RankedModel, result: Standing) -> str:
        conditions = [
            f"{result.effort} effort" if result.effort else "",
            f"harness {result.harness}" if result.harness else "",
            f"reported by {result.reporter}" if result.reporter else "",
            own_clauses(result.setting, model.identity, self._names) if result.setting else "",
        ]
        under = "; ".join(part for part in conditions if part)
        where = (
            f"{standing_words(result.share)} of {result.models} models"
            if result.models
            else "too few models measured to compare"
        )
        source = cohorts().sources.get(result.key.partition(":")[0], "")
        name = f"{source} {result.label or result.key}".strip()
        text = f"{name} {_amount(result.value, result.unit)}, {where}"
        return f"{text} ({under})" if under else text

    @cached_property
    def _names(self) -> KnownNames:
        return known_names(self.ranked)


def standing_words(share: float) -> str:
    """A standing as people say it; ``share`` is that of the other models below."""
    for least, words in ((0.9, "top 10%"), (0.75, "top quarter"), (0.5, "above median")):
        if share >= least:
            return words
    return "below median" if share >= 0.25 else "bottom quarter"


def _images(model: RankedModel) -> str:
    inputs = model.entry.inputs
    return "unknown" if inputs is None else "read" if "image" in inputs else "not read"


def _usd(price: float | None) -> str:
    if price is None:
        return "unknown"
    return f"${price:.2f}" if price >= 0.1 or not price else f"${price:.4g}"


def _amount(value: float, unit: str) -> str:
    number = f"{value:.10g}"
    if unit == "usd":
        return f"${number}"
    return f"{number}%" if unit == "%" else f"{number} {unit}".rstrip()
