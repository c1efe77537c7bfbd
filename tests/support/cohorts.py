"""Measured results as plain numbers, and catalog models in one line, for tests of routing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from routinglab.catalog.model import Model
from routinglab.core.standing import Standing
from routinglab.evals.identity import model_tokens
from routinglab.evals.row import Edition, Row

Scores = Mapping[str, float]


class TableEvidence:
    """Evidence over ``{cohort key: {model: value}}``; standings as SPEC 6.2 states them.

    ``shares`` replaces what a model stands at in a cohort, for asking what would be if it did.
    """

    def __init__(
        self,
        cohorts: Mapping[str, Scores],
        *,
        released: Mapping[str, date] | None = None,
        shares: Mapping[tuple[tuple[str, ...], str], float] | None = None,
        units: Mapping[str, str] | None = None,
        **conditions: Any,
    ) -> None:
        self.cohorts = {
            key: {model_tokens(model): value for model, value in scores.items()}
            for key, scores in cohorts.items()
        }
        self.digest = "table"
        self.conditions = conditions
        self.units = dict(units or {})
        self._released = {model_tokens(model): day for model, day in (released or {}).items()}
        self._shares = dict(shares or {})
        self.rows = tuple(
            self._row(key, model, value)
            for key, scores in cohorts.items()
            for model, value in scores.items()
        )

    def standing_at(self, identity: tuple[str, ...], key: str, share: float) -> TableEvidence:
        """The same evidence with one model's standing in one cohort set."""
        other = TableEvidence({}, shares={**self._shares, (identity, key): share})
        other.cohorts, other.rows, other._released = self.cohorts, self.rows, self._released
        other.units, other.conditions = self.units, self.conditions
        return other

    def cohort_keys(self, prefix: str) -> tuple[str, ...]:
        return tuple(
            key
            for key in self.cohorts
            if key == prefix or (key.startswith("pub:") and key.partition("@")[0] == prefix)
        )

    def standing(self, model_id: str, key: str) -> Standing | None:
        mine = model_tokens(model_id)
        scores = self.cohorts.get(key, {})
        if mine not in scores or len(scores) < 4:
            return None
        others = [value for model, value in scores.items() if model != mine]
        share = sum(value < scores[mine] for value in others) / len(others)
        return Standing(
            key=key,
            share=self._shares.get((mine, key), share),
            models=len(scores),
            value=scores[mine],
            unit=self.units.get(key, "%"),
            label=key.partition(":")[2],
            **self.conditions,
        )

    def measured(self, model_id: str, key: str) -> Row | None:
        mine = model_tokens(model_id)
        value = self.cohorts.get(key, {}).get(mine)
        return None if value is None else self._row(key, "-".join(mine), value)

    def own_keys(self, work: str) -> tuple[str, ...]:
        return self.cohort_keys(f"own:{work}")

    def released(self, model_id: str) -> date | None:
        return self._released.get(model_tokens(model_id))

    def _row(self, key: str, model: str, value: float) -> Row:
        return Row(
            edition=Edition(key.partition(":")[0], key.partition(":")[0]),
            benchmark=key, label=key.partition(":")[2], slug=model, name=model,
            model="-".join(model_tokens(model)), tokens=model_tokens(model),
            core=len(model_tokens(model)), effort=self.conditions.get("effort"), value=value,
            unit=self.units.get(key, "%"), ci=None, setting=self.conditions.get("setting"),
            reporter=self.conditions.get("reporter"), harness=self.conditions.get("harness"),
            released=None, as_of=None, line=1,
        )  # fmt: skip


def model(full_id: str, price: float | tuple[float, float] | None = 1.0, **facts: Any) -> Model:
    """A chat model; one ``price`` stands for input and output alike."""
    provider, _, name = full_id.partition("/")
    pair = price if isinstance(price, tuple) else (price, price)
    return Model(provider=provider, id=name, input_price=pair[0], output_price=pair[1], **facts)


def ladder(*names: str, step: float = 10.0) -> dict[str, float]:
    """Values for models named worst first, so that standings are 0, 1/(n-1), ... 1."""
    return {name: step * (place + 1) for place, name in enumerate(names)}
