"""Views of policies on tasks whose outcomes are known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from routinglab.report.blocks import Blocks, Column, Facts, Figure, Note, Table
from routinglab.report.plots import Point, intervals, scatter

if TYPE_CHECKING:
    import pandas as pd

    from routinglab.lab.compare import Comparison
    from routinglab.lab.outcomes import Outcomes

#: Labels of a policy that looked at the outcomes it is judged on.
_SEES = "sees outcomes"
_HINDSIGHT = ("hindsight", "verifier-assisted", "in-sample", "leave-one-out")


def overview(comparison: Comparison) -> Facts:
    """The table that everything is judged on, and its best, cheapest and oracle."""
    rows = comparison.frame.set_index("policy")
    best, oracle = rows.loc["best single"], rows.loc["oracle"]
    outcomes = comparison.outcomes
    return Facts(
        {
            "Tasks": len(outcomes.tasks),
            "Models": len(outcomes.models),
            "Best single": (f"{best['quality']:.1%}", str(best["labels"]).partition(",")[0]),
            "Oracle": (f"{oracle['quality']:.1%}", "the best model for each task, in hindsight"),
            "Oracle's cost": (f"${oracle['total_cost']:,.2f}", "USD over all tasks"),
        },
        caption=f"Outcomes of {outcomes.name}.",
    )


def comparison_table(comparison: Comparison) -> Table:
    """One row a policy: score with its interval, cost, regret, distinct choices and coverage."""
    frame = comparison.frame.sort_values(
        ["quality", "total_cost", "policy"], ascending=[False, True, True]
    )
    frame = frame.assign(
        interval=[f"{a:.1%} – {b:.1%}" for a, b in zip(frame["quality_low"], frame["quality_high"], strict=True)],
        routed=[str(p).startswith("routed by") for p in frame["policy"]],
        against=[
            f"{d:+.1%} ({a:+.1%} to {b:+.1%})"
            for d, a, b in zip(
                frame["vs_best_single"], frame["vs_best_single_low"], frame["vs_best_single_high"],
                strict=True,
            )
        ],
    )  # fmt: skip
    return Table.of(
        frame,
        {
            "policy": "Policy",
            "quality": Column("Score", ".1%"),
            "interval": "95 % interval",
            "total_cost": Column("USD in all", ",.2f"),
            "mean_cost": Column("USD a task", ".4f"),
            "quality_regret": Column("Quality regret", ".3f", "oracle minus policy, a task"),
            "reward_regret": Column("Reward regret", ",.1f", "reward = score − 0.1·USD, summed"),
            "against": Column("Against the best single", hint="paired, with its interval"),
            "distinct": Column("Distinct choices", "d"),
            "coverage": Column("Coverage", ".0%"),
            "cost_unknown": Column("Cost unknown", ".0%", "share of tasks without a token record"),
            "labels": "How to read it",
        },
        caption=f"On {comparison.outcomes.name}; intervals by seeded bootstrap over tasks. Marked: "
        "routed by this package, which saw none of these outcomes.",
        mark="routed",
    )


def comparison_figure(comparison: Comparison) -> Figure:
    """Score against cost of every policy, and the line of those that no other beats on both."""
    from routinglab.lab.report_data import cost_quality_figures

    frame = comparison.frame.set_index("policy")
    shown = cost_quality_figures(comparison).drop_duplicates(["mean_cost", "quality"])
    points = []
    for _, row in shown.iterrows():
        full = frame.loc[row["policy"]]
        points.append(
            Point(
                row["policy"], row["mean_cost"], 100 * row["quality"], 100 * full["quality_low"],
                100 * full["quality_high"], _group(row["policy"], str(full["labels"])),
            )
        )  # fmt: skip
    within_reach = [point for point in points if point.group != _SEES]
    return scatter(
        points,
        x="mean USD a task",
        y="mean score (%)",
        alt=f"score against cost of {len(points)} policies",
        caption=f"Outcomes of {comparison.outcomes.name}; bars are 95 % intervals. Policies with the "
        "same cost and score share a point, named by the first. The line leaves out those that look "
        "at the outcomes they are judged on.",
        frontier=undominated(within_reach),
        log_x=True,
    )


def undominated(points: list[Point]) -> list[Point]:
    """The points that no other beats on both axes: dearer only where better."""
    best: list[Point] = []
    for point in sorted(points, key=lambda p: (p.x, -p.y, p.label)):
        if not best or point.y > best[-1].y:
            best.append(point)
    return best


def interval_figure(comparison: Comparison) -> Figure:
    """Every policy's score with its interval, best on top."""
    points = [
        Point(
            row["policy"], row["mean_cost"], 100 * row["quality"], 100 * row["quality_low"],
            100 * row["quality_high"], _group(row["policy"], str(row["labels"])),
        )
        for _, row in comparison.frame.iterrows()
    ]  # fmt: skip
    return intervals(
        points,
        x="mean score (%)",
        alt="score of every policy with its interval",
        caption=f"95 % intervals by seeded bootstrap over the tasks of {comparison.outcomes.name}.",
    )


def single_models_table(outcomes: Outcomes) -> Table:
    """Every model on every task."""
    return Table.of(
        outcomes.summary(),
        {
            "model": "Model",
            "score": Column("Score", ".1%"),
            "total_cost": Column("USD in all", ",.2f"),
            "mean_cost": Column("USD a task", ".4f"),
            "coverage": Column("Coverage", ".0%"),
            "cost_observed": Column("Cost observed", ".0%"),
            "cost_imputed": Column("imputed", ".0%"),
            "cost_unknown": Column("unknown", ".0%"),
        },
        caption=f"Outcomes of {outcomes.name}. Imputed: a token count shared by a whole group of "
        "tasks; unknown: no token record.",
    )


def published_table(frame: pd.DataFrame) -> Table:
    """Published figures of a study beside what the same logs give here."""
    return Table.of(
        frame,
        {
            "router": "Router",
            "quality": Column("Score, published", ".1%"),
            "our_quality": Column("here", ".1%"),
            "reward_regret": Column("Reward regret, published", ",.1f"),
            "our_reward_regret": Column("here", ",.1f"),
            "total_cost": Column("USD, published", ",.2f"),
            "our_total_cost": Column("here", ",.2f"),
        },
        caption="Published results of CodeRouterBench (MIT) beside the same routers' own decision "
        "logs replayed on the outcomes; a dash where no log was published.",
    )


def findings(comparison: Comparison) -> Blocks:
    """What is odd about the outcomes, each as a note."""
    return Blocks([Note(str(finding), warning=True) for finding in comparison.findings])


def _group(policy: str, labels: str) -> str:
    if policy.startswith("routed by"):
        return "routed here"
    if any(word in labels for word in _HINDSIGHT):
        return _SEES
    return "published router" if "logged" in labels and "constant" not in labels else "baseline"
