"""The frame and the summary of a replay."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from routinglab.catalog.model import Catalog
from routinglab.lab.recording import Recording
from routinglab.lab.redecide import Redecided
from routinglab.lab.replay import Summary

Floats = NDArray[np.float64]

#: A candidate as text and its model's id; None where nothing was decided.
Named = tuple[str | None, str | None]
_FROM = ("", "outcome", "attempts", "expected")


def decisions_frame(
    recording: Recording, catalog: Catalog, numbers: Sequence[int], results: Sequence[Redecided]
) -> pd.DataFrame:
    """One row a task; texts that tasks share are categories."""
    codes = np.asarray(numbers, dtype=np.int32)
    frame: dict[str, Any] = {"task": pd.Series(recording.ids, dtype="object")}
    for name in ("work", "difficulty", "mistake_cost", "before", "after"):
        frame[name] = _categories([getattr(result, name) for result in results], codes)
    flipped = pd.array([result.flipped for result in results], dtype="boolean")
    frame["flipped"] = pd.Series(flipped.take(codes))
    frame["why"] = _categories([result.why for result in results], codes)
    frame["drift"] = _categories([", ".join(result.drift) for result in results], codes)
    known = _Known(recording, catalog)
    before = known.of([(r.before, r.before_model) for r in results], codes, attempts=True)
    after = known.of([(r.after, r.after_model) for r in results], codes, attempts=False)
    frame["cost_before"], frame["cost_after"] = pd.Series(before[0]), pd.Series(after[0])
    frame["cost_basis"] = pd.Series(pd.Categorical.from_codes(after[2], pd.Index(_FROM)))
    frame["quality_before"], frame["quality_after"] = pd.Series(before[1]), pd.Series(after[1])
    return pd.DataFrame(frame)


def _categories(values: Sequence[str | None], codes: NDArray[np.int32]) -> pd.Series:
    distinct = sorted({value for value in values if value is not None})
    place = {value: number for number, value in enumerate(distinct)}
    own = np.array([-1 if v is None else place[v] for v in values] or [-1], dtype=np.int32)
    taken = own[codes] if len(codes) else np.empty(0, dtype=np.int32)
    return pd.Series(pd.Categorical.from_codes(taken, pd.Index(distinct, dtype="object")))


class _Known:
    """Costs and qualities that a recording holds, by task number and candidate."""

    def __init__(self, recording: Recording, catalog: Catalog) -> None:
        index = recording.index
        self.catalog = catalog
        self.expected = (np.array(index.expected_input), np.array(index.expected_output))
        self.outcomes: dict[tuple[int, str], tuple[float, float]] = {}
        for task, row in index.outcome_rows():
            outcome = row["outcome"]
            name = outcome["model"]
            if outcome.get("effort") is not None:
                name = f"{name}:{outcome['effort']}"
            score, cost = outcome.get("score"), outcome.get("cost")
            self.outcomes[task, name] = (
                np.nan if score is None else score,
                np.nan if cost is None else cost,
            )
        self.spent: dict[int, float] = defaultdict(float)
        for task, row in index.attempt_rows():
            attempt = row["attempt"]
            if attempt.get("kind") != "skipped":
                cost = attempt.get("cost")
                self.spent[task] += np.nan if cost is None else cost

    def of(
        self, chosen: Sequence[Named], codes: NDArray[np.int32], *, attempts: bool
    ) -> tuple[Floats, Floats, NDArray[np.int8]]:
        """(cost, quality, basis) a task for what its distinct decision chose."""
        cost, quality = np.full(len(codes), np.nan), np.full(len(codes), np.nan)
        basis = np.zeros(len(codes), dtype=np.int8)
        self._expected(chosen, codes, cost, basis)
        if attempts:
            for task, spent in self.spent.items():
                if not np.isnan(spent):
                    cost[task], basis[task] = spent, 2
        if self.outcomes:
            for task, number in enumerate(codes):
                found = self._outcome(task, chosen[number])
                if found is not None:
                    quality[task] = found[0]
                    if not np.isnan(found[1]):
                        cost[task], basis[task] = found[1], 1
        return cost, quality, basis

    def _outcome(self, task: int, chosen: Named) -> tuple[float, float] | None:
        """The outcome at that very effort, else the one stated without an effort."""
        candidate, model = chosen
        if candidate is None or model is None:
            return None
        found = self.outcomes.get((task, candidate))
        return found if found is not None else self.outcomes.get((task, model))

    def _expected(
        self,
        chosen: Sequence[Named],
        codes: NDArray[np.int32],
        cost: Floats,
        basis: NDArray[np.int8],
    ) -> None:
        """Expected tokens at the catalog's prices, for the tasks that state both counts."""
        stated = (self.expected[0] >= 0) & (self.expected[1] >= 0)
        for task in np.flatnonzero(stated):
            name = chosen[codes[task]][1]
            model = self.catalog.get(name) if name is not None else None
            if model is None:
                continue
            usd = model.cost(int(self.expected[0][task]), int(self.expected[1][task]))
            if usd is not None:
                cost[task], basis[task] = usd, 3


def summarise(
    frame: pd.DataFrame, numbers: Sequence[int], results: Sequence[Redecided], drifted: int
) -> Summary:
    """The figures over all tasks; before and after are compared on tasks where both are known."""
    compared = frame["flipped"].notna()
    flipped = int(frame["flipped"].fillna(False).sum())
    identical = sum(1 for n in numbers if results[n].before is not None and not results[n].drift)
    costs = frame[["cost_before", "cost_after"]].dropna()
    qualities = frame[["quality_before", "quality_after"]].dropna()
    count = max(len(frame), 1)
    models = [
        {getattr(results[n], name) for n in set(numbers)} - {None}
        for name in ("before_model", "after_model")
    ]
    return Summary(
        tasks=len(frame),
        distinct=len(results),
        decided=int(frame["after"].notna().sum()),
        failed=int(frame["after"].isna().sum()),
        compared=int(compared.sum()),
        identical=identical,
        drifted=drifted,
        flipped=flipped,
        flip_rate=flipped / int(compared.sum()) if compared.any() else float("nan"),
        models_before=len(models[0]),
        models_after=len(models[1]),
        cost_before=_mean(costs["cost_before"]),
        cost_after=_mean(costs["cost_after"]),
        cost_coverage=len(costs) / count,
        quality_before=_mean(qualities["quality_before"]),
        quality_after=_mean(qualities["quality_after"]),
        quality_coverage=len(qualities) / count,
    )


def _mean(values: pd.Series) -> float:
    return float(values.mean()) if len(values) else float("nan")
