"""Ranking 1,000 candidates against sorting 1,000 pairs of floats and building as many results.

Run with ``python benchmarks/ranking.py``. Warm means the same evals and the same model objects as
before, for another task; cold means evals and models that were never ranked. The target is at most
3 times the yardstick warm, which is under 1 ms, under 10 ms cold, and time linear in candidates.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable
from datetime import date, timedelta
from itertools import cycle
from time import perf_counter

import numpy as np

from routinglab import Model, TaskNeeds, load_evals, rank
from routinglab.core.needs import DIFFICULTIES, WORKS
from routinglab.evals.evals import Evals
from routinglab.routing.ranked import RankedModel

CANDIDATES = 1_000
NEEDS = [TaskNeeds(work=work, difficulty=level) for work in WORKS for level in DIFFICULTIES]


def candidates(count: int, evals: Evals, seed: int = 1) -> list[Model]:
    """Models of the evals file at many providers, with models nobody measured among them."""
    rng = random.Random(seed)
    measured = list(evals.identities)
    models = []
    for i in range(count):
        name = rng.choice(measured) if i % 3 else f"unmeasured-{i}"
        models.append(
            Model(
                provider=f"provider{i}",
                id=name,
                input_price=rng.choice([None, 0.0, *(rng.uniform(0.05, 20) for _ in range(8))]),
                output_price=rng.uniform(0.1, 80),
                released=date(2026, 9, 22) - timedelta(days=rng.randint(0, 600)),
                efforts=("low", "high"),
            )
        )
    return models


def best(run: Callable[[], object], repeat: int) -> float:
    """The shortest of ``repeat`` runs, in seconds."""
    times = []
    gc.collect()
    for _ in range(repeat):
        start = perf_counter()
        run()
        times.append(perf_counter() - start)
    return min(times)


def yardstick(evals: Evals, models: list[Model], repeat: int) -> tuple[float, float]:
    """Seconds to argsort pairs of floats, and to build the same results from their columns."""
    rng = np.random.default_rng(1)
    first, second = rng.random(len(models)), rng.random(len(models))
    ranked = rank(evals, models, NEEDS[0])
    columns = [list(column) for column in zip(*ranked, strict=True)]

    def build() -> list[RankedModel]:
        return [RankedModel(*row) for row in zip(*columns, strict=True)]

    return best(lambda: np.lexsort((second, first)), repeat), best(build, repeat)


def warm(evals: Evals, models: list[Model], repeat: int) -> float:
    for needs in NEEDS:
        rank(evals, models, needs)
    tasks = cycle(NEEDS)
    return best(lambda: rank(evals, models, next(tasks)), repeat)


def cold(count: int, repeat: int) -> float:
    """Seconds for the first ranking of new evals and new models; reading the file is not counted."""
    times = []
    for seed in range(repeat):
        evals = load_evals()
        models = candidates(count, evals, seed)
        gc.collect()
        start = perf_counter()
        rank(evals, models, NEEDS[seed % len(NEEDS)])
        times.append(perf_counter() - start)
    return min(times)


def main() -> None:
    evals = load_evals()
    models = candidates(CANDIDATES, evals)
    sorting, building = yardstick(evals, models, 200)
    ranking = warm(evals, models, 200)
    half = warm(evals, models[: CANDIDATES // 2], 200)
    cold_seconds = cold(CANDIDATES, 5)
    print(f"argsort of {CANDIDATES:,} pairs  {sorting * 1e3:8.3f} ms")
    print(f"building the results    {building * 1e3:8.3f} ms")
    print(f"ranking, warm           {ranking * 1e3:8.3f} ms  (target under 1 ms)")
    print(f"ranking, cold           {cold_seconds * 1e3:8.3f} ms  (target under 10 ms)")
    print(f"half the candidates     {half / ranking:8.2f} of the time")
    ratio = ranking / (sorting + building)
    print(f"warm ranking is {ratio:.2f} x the yardstick (target 3)")


if __name__ == "__main__":
    main()
