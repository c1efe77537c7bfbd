"""Outcome tables: what each of several models achieved on each of several tasks (SPEC 13.3)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from routinglab.core.text import did_you_mean
from routinglab.errors import OutcomesError
from routinglab.lab.findings import Finding

Floats = NDArray[np.float64]

#: What the provenance codes of :class:`Outcomes` mean; 0 where the model has no outcome at all.
PROVENANCE = ("missing", "observed", "imputed", "unknown")
MISSING, OBSERVED, IMPUTED, UNKNOWN = range(4)


@dataclass(frozen=True, eq=False)
class Outcomes:
    """Tasks x models, with what is missing left missing.

    The arrays have the shape (tasks, models). ``score`` is higher-is-better, NaN where the model
    was not tried; ``cost`` USD, NaN where nothing is stated; ``seconds``, ``input_tokens`` and
    ``output_tokens`` likewise. ``provenance`` says for each cell whether its cost and tokens were
    observed, imputed or are unknown (codes of ``PROVENANCE``). A cost that a table states without
    tokens behind it stays as stated, marked unknown; :meth:`known_costs` takes such costs out.
    ``info`` has one row a task: ``task``, and where known ``group``, ``text`` and needs.
    """

    name: str
    tasks: tuple[str, ...]
    models: tuple[str, ...]
    score: Floats
    cost: Floats
    provenance: NDArray[np.int8]
    input_tokens: Floats
    output_tokens: Floats
    seconds: Floats
    info: pd.DataFrame
    findings: tuple[Finding, ...] = ()
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    source: str = ""

    def __post_init__(self) -> None:
        shape = (len(self.tasks), len(self.models))
        if not all(shape):
            raise OutcomesError(f"{self.name}: no outcomes; {shape[0]} tasks, {shape[1]} models")
        for name in ("score", "cost", "provenance", "input_tokens", "output_tokens", "seconds"):
            if getattr(self, name).shape != shape:
                raise OutcomesError(
                    f"{self.name}: {name} has the shape {getattr(self, name).shape}, not {shape}"
                )

    def __repr__(self) -> str:
        return (
            f"Outcomes({self.name!r}, {len(self.tasks)} tasks x {len(self.models)} models, "
            f"coverage {self.coverage:.1%}, {len(self.findings)} findings)"
        )

    def __len__(self) -> int:
        return len(self.tasks)

    @cached_property
    def task_number(self) -> dict[str, int]:
        """Row of each task."""
        return {task: number for number, task in enumerate(self.tasks)}

    @cached_property
    def model_number(self) -> dict[str, int]:
        """Column of each model."""
        return {model: number for number, model in enumerate(self.models)}

    def column(self, model: str) -> int:
        """The column of a model; OutcomesError with the nearest names where there is none."""
        number = self.model_number.get(model) if isinstance(model, str) else None
        if number is None:
            raise OutcomesError(unknown_model(model, self.models, self.name))
        return number

    @property
    def coverage(self) -> float:
        """Share of (task, model) cells with a score, 0..1."""
        return float(np.mean(~np.isnan(self.score)))

    @property
    def digest(self) -> str:
        """SHA-256 of tasks, models, scores, costs and provenance."""
        total = hashlib.sha256("\n".join([*self.tasks, "", *self.models]).encode())
        for values in (self.score, self.cost, self.provenance):
            total.update(np.ascontiguousarray(values).tobytes())
        return total.hexdigest()

    def reward(self, price_weight: float = 0.1) -> Floats:
        """score - price_weight x USD for every cell (CodeRouterBench's reward at 0.1)."""
        values: Floats = self.score - price_weight * self.cost
        return values

    def known_costs(self) -> Outcomes:
        """The same table with every cost of unknown provenance taken out (NaN)."""
        cost = np.where(self.provenance == UNKNOWN, np.nan, self.cost)
        return replace(self, cost=cost)

    def select(
        self,
        tasks: Sequence[str] | NDArray[np.bool_] | None = None,
        models: Sequence[str] | None = None,
    ) -> Outcomes:
        """The part for these tasks (ids, or a mask over rows) and models, in the order given."""
        rows: NDArray[np.intp] = np.arange(len(self.tasks))
        if isinstance(tasks, np.ndarray) and tasks.dtype == bool:
            rows = np.flatnonzero(tasks)
        elif tasks is not None:
            unknown = [task for task in tasks if task not in self.task_number]
            if unknown:
                hint = did_you_mean(str(unknown[0]), self.tasks)
                raise OutcomesError(f"{self.name}: no task {unknown[0]!r}.{hint}")
            rows = np.array([self.task_number[task] for task in tasks], dtype=np.intp)
        columns = np.array(
            [self.column(model) for model in (self.models if models is None else models)],
            dtype=np.intp,
        )
        cells = np.ix_(rows, columns)
        return replace(
            self,
            tasks=tuple(self.tasks[row] for row in rows),
            models=tuple(self.models[column] for column in columns),
            info=self.info.iloc[rows].reset_index(drop=True),
            **{
                name: getattr(self, name)[cells]
                for name in (
                    "score", "cost", "provenance", "input_tokens", "output_tokens", "seconds",
                )
            },
        )  # fmt: skip

    def split(self, train: float = 0.5, seed: int = 0) -> tuple[Outcomes, Outcomes]:
        """A seeded random division of the tasks into (train, test)."""
        if not 0 < train < 1:
            raise OutcomesError(f"train: {train} is not a share between 0 and 1")
        order = np.random.default_rng(seed).permutation(len(self.tasks))
        mask = np.zeros(len(self.tasks), dtype=bool)
        mask[order[: round(train * len(self.tasks))]] = True
        return self.select(mask), self.select(~mask)

    def renamed(self, names: Mapping[str, str]) -> Outcomes:
        """The same table with models under other names, such as catalog ids."""
        models = tuple(names.get(model, model) for model in self.models)
        if len(set(models)) != len(models):
            raise OutcomesError(f"{self.name}: two models would get one name")
        prices = {names.get(model, model): price for model, price in self.prices.items()}
        return replace(self, models=models, prices=prices)

    def long(self) -> pd.DataFrame:
        """One row an outcome: ``info``'s columns, model, score, cost, seconds, tokens, provenance."""
        rows, columns = np.nonzero(self.provenance != MISSING)
        cells = (rows, columns)
        frame = self.info.iloc[rows].reset_index(drop=True)
        return frame.assign(
            model=np.array(self.models, dtype=object)[columns],
            score=self.score[cells],
            cost=self.cost[cells],
            seconds=self.seconds[cells],
            input_tokens=self.input_tokens[cells],
            output_tokens=self.output_tokens[cells],
            provenance=np.array(PROVENANCE, dtype=object)[self.provenance[cells]],
        )

    def summary(self) -> pd.DataFrame:
        """One row a model: tasks, coverage, mean score, mean and total cost, provenance shares."""
        known = ~np.isnan(self.score)
        count = known.sum(axis=0)
        rows: dict[str, Any] = {
            "model": list(self.models),
            "tasks": count,
            "coverage": known.mean(axis=0),
            "score": mean_known(self.score),
            "mean_cost": mean_known(self.cost),
            "total_cost": np.nansum(self.cost, axis=0),
        }
        for code in (OBSERVED, IMPUTED, UNKNOWN):
            share = (self.provenance == code).sum(axis=0) / np.maximum(count, 1)
            rows[f"cost_{PROVENANCE[code]}"] = share
        frame = pd.DataFrame(rows)
        return frame.sort_values("score", ascending=False, kind="stable").reset_index(drop=True)


def mean_known(values: Floats) -> Floats:
    """Column means over what is known; NaN for a column without any value."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    means: Floats = np.divide(total, count, out=np.full(values.shape[1], np.nan), where=count > 0)
    return means


def unknown_model(model: object, known: Sequence[str], name: str) -> str:
    """The message for a model that a table lacks: the nearest names first, then how to go on."""
    import difflib

    if not isinstance(model, str):
        return f"{name}: {model!r} is not the name of a model; there are {', '.join(known)}"
    near = sorted(
        known,
        key=lambda other: (
            -difflib.SequenceMatcher(None, model.lower(), other.lower()).ratio(),
            other,
        ),
    )[:3]
    return (
        f"{name}: no model {model!r} in the table; nearest: {', '.join(near)}. "
        "If it is another name of one of them, pass aliases={...}."
    )
