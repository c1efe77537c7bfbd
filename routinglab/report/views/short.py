"""The main report in five figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from routinglab.report.blocks import Facts
from routinglab.report.views.routing import name_of, usd

if TYPE_CHECKING:
    from routinglab.lab.compare import Comparison
    from routinglab.lab.replay import Replay


def in_short(again: Replay, limited: Replay, limit: str, comparison: Comparison) -> Facts:
    """Where the recorded tasks go, what a limit changes, and what routing was worth elsewhere.

    ``comparison`` holds the policy ``routed by evidence`` and the usual baselines.
    """
    before, after = again.summary, limited.summary
    frame = comparison.frame.set_index("policy")
    score, cost = frame["quality"].astype(float).to_dict(), frame["mean_cost"].astype(float)
    price = {name: usd(value) for name, value in cost.to_dict().items()}
    best = str(frame["labels"].to_dict()["best single"]).partition(",")[0]
    tasks = len(comparison.outcomes)
    return Facts(
        {
            "Recorded tasks": (
                before.tasks,
                f"go to {before.models_after} models, {usd(before.cost_after)} expected a task",
            ),
            f"With {limit}": (
                f"{after.flipped} of {after.compared}",
                f"go elsewhere, {usd(after.cost_after)} expected a task",
            ),
            "Routed": (
                f"{score['routed by evidence']:.1%}",
                f"of {tasks} tasks with known outcomes, {price['routed by evidence']} a task",
            ),
            "Best single model": (
                f"{score['best single']:.1%}",
                f"{best}, {price['best single']} a task, known only afterwards",
            ),
            "Oracle": (
                f"{score['oracle']:.1%}",
                f"{price['oracle']} a task, the best choice for each",
            ),
        },
        caption=f"Recorded tasks: {name_of(again.recording)}; known outcomes: {comparison.outcomes.name}. "
        "Each figure stands below, with its interval or its reasons.",
    )
