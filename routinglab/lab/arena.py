"""RouterArena's score of a router from its accuracy and cost."""

from __future__ import annotations

import math

from routinglab.errors import MetricError
from routinglab.lab.numbers import number

#: USD per 1,000 tasks between which costs are ranked.
CHEAPEST, DEAREST = 0.0044, 200.0
BETA = 0.1


def arena_score(accuracy: float, cost_per_thousand: float) -> float:
    """RouterArena's score, 0..100.

    ``accuracy`` is the mean accuracy 0..1, ``cost_per_thousand`` the mean USD per 1,000 tasks,
    clamped to 0.0044..200. The weighted harmonic mean of accuracy and of where the log of the cost
    lies, with beta 0.1; 0 where both are 0. MetricError for what is not one number, for a
    percentage, and for a negative cost. Source: RouterArena (Lu et al., 2025), section 4.2.
    """
    accuracy = number(accuracy, "accuracy")
    cost_per_thousand = number(cost_per_thousand, "cost_per_thousand")
    if not 0 <= accuracy <= 1:
        raise MetricError(f"accuracy {accuracy} is not between 0 and 1")
    if math.isnan(cost_per_thousand) or cost_per_thousand < 0:
        raise MetricError(f"cost {cost_per_thousand} is not an amount of USD")
    cost = min(max(cost_per_thousand, CHEAPEST), DEAREST)
    cheapness = (math.log2(DEAREST) - math.log2(cost)) / (math.log2(DEAREST) - math.log2(CHEAPEST))
    below = BETA * accuracy + cheapness
    return 0.0 if below == 0 else 100 * (1 + BETA) * accuracy * cheapness / below
