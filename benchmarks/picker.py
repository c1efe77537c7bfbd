"""One change of the constraint picker against the plan behind it: python benchmarks/picker.py [MODELS].

The picker works out the candidates, the shortlist and every model that is out with its reason, and
draws them; no request is sent and no kernel is needed. Each change is a limit that was never set
before, so that nothing is remembered. There is no target of its own: a hand on a slider sees no delay
below about 50 ms.
"""

from __future__ import annotations

import statistics
import sys
from itertools import count
from time import perf_counter

from ranking import candidates

from routinglab import ModelConstraints, TaskNeeds, load_evals
from routinglab.catalog.model import Catalog
from routinglab.routing.plan import Planner
from routinglab.settings import Settings
from routinglab.ui import ConstraintPicker

MODELS = int(sys.argv[1]) if len(sys.argv) > 1 else 320
CHANGES = 100
NEEDS = TaskNeeds(work="coding", difficulty="hard", mistake_cost="moderate")


def main() -> None:
    evals = load_evals()
    catalog = Catalog(candidates(MODELS, evals))
    planner = Planner(catalog, evals, Settings())
    picker = ConstraintPicker(catalog, evals, Settings(), needs=NEEDS)
    limits = (ModelConstraints(max_output_cost=20 + n / 100) for n in count())
    changes, plans = [], []
    for limit in (next(limits) for _ in range(CHANGES)):
        start = perf_counter()
        planner.plan(NEEDS, call=limit)
        middle = perf_counter()
        picker.set(constraints=limit)
        plans.append(middle - start)
        changes.append(perf_counter() - middle)
    assert picker.ready
    change, plan = statistics.median(changes), statistics.median(plans)
    print(f"{MODELS} models, {CHANGES} changes of a limit, medians")
    print(f"the plan alone       {plan * 1e3:6.2f} ms")
    print(f"a change, drawn      {change * 1e3:6.2f} ms, {change / plan:.1f} x")


if __name__ == "__main__":
    main()
