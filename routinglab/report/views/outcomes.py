"""Views of policies on tasks whose outcomes are known."""

from __future__ import annotations

from math import nan
from typing import TYPE_CHECKING

from routinglab.errors import InvalidInput
from routinglab.report.blocks import Blocks, Column, Estimate, Facts, Figure, Note, Table
from routinglab.report.plots import Point, intervals, scatter
from routinglab.report.views.alike import ROUTED, SEES, alike

if TYPE_CHECKING:
    import pandas as pd

    from routinglab.lab.compare import Comparison
    from routinglab.lab.outcomes import Outcomes


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
    """One row a set of choices: score with its interval, cost, regret, distinct models, coverage."""
    rows = comparison.frame.set_index("policy")
    shown = alike(comparison)
    frame = rows.loc[[same.policy for same in shown]].reset_index()
    frame = frame.assign(
        name=[same.names for same in shown],
        read=[same.labels or "—" for same in shown],
        routed=[same.kind == ROUTED for same in shown],
        score=_estimates(frame, "quality"),
        against=_estimates(frame, "vs_best_single"),
    ).sort_values(["quality", "total_cost", "policy"], ascending=[False, True, True])
    whole = bool((frame["coverage"] >= 1).all())
    coverage: dict[str, str | Column] = {
        "coverage": Column("Coverage", ".0%", "share of tasks with a known score")
    }
    return Table.of(
        frame,
        {
            "name": "Policy",
            "score": Column("Score (95 % interval)", ".1%"),
            "total_cost": Column("USD in all", ",.2f"),
            "mean_cost": Column("USD a task", ".4f"),
            "against": Column("Score against the best single", "+.1%", "paired over the tasks"),
            "quality_regret": Column("Quality regret", ".3f", "oracle minus policy, a task"),
            "reward_regret": Column("Reward regret", ",.1f", "reward = score − 0.1·USD, summed"),
            "distinct": Column("Models chosen", "d"),
            **({} if whole else coverage),
            "cost_unknown": Column("Cost unknown", ".0%", "share of tasks without a token record"),
            "read": Column("How to read it", wide=True),
        },
        caption=f"On {comparison.outcomes.name}; intervals by seeded bootstrap over tasks. Names "
        "joined by = had the same score at the same cost on every task. Marked: routed by this package, which saw "
        "none of these outcomes. Regret is what the best choice for each task would have added: "
        "quality regret in score, a task; reward regret in score − 0.1·USD, over all tasks. In-sample, "
        "hindsight, leave-one-out and verifier-assisted policies looked at the outcomes they are "
        "judged on." + (" Every task counts for every policy: coverage is 100 %." if whole else ""),
        mark="routed",
    )


def slices_table(comparison: Comparison, by: str = "bench") -> Table:
    """Every policy's score in each part of the tasks, such as a benchmark they came from."""
    from routinglab.lab import metrics

    info = comparison.outcomes.info
    if by not in info:
        raise InvalidInput(
            f"the tasks have no {by!r}; they have {', '.join(map(str, info.columns))}",
            choices=tuple(map(str, info.columns)),
        )
    column = info[by].astype(str)
    parts = [str(name) for name in column.value_counts().index]
    means = comparison.frame.set_index("policy")["quality"]
    rows: list[tuple[str | Estimate, ...]] = []
    marked: set[int] = set()
    for same in sorted(alike(comparison), key=lambda s: (-means[s.policy], s.policy)):
        quality = comparison.choices_of(same.policy).quality
        cells = []
        for part in parts:
            found = metrics.bootstrap(quality[(column == part).to_numpy()])
            bounds = (found.low, found.high) if found.count > 1 else (nan, nan)
            cells.append(Estimate(found.estimate, *bounds))
        if same.kind == ROUTED:
            marked.add(len(rows))
        rows.append((same.names, *cells))
    counts = column.value_counts()
    columns = (
        Column("Policy"),
        *(Column(f"{part} ({_tasks(int(counts[part]))})", ".0%") for part in parts),
    )
    return Table(
        columns,
        tuple(rows),
        f"Mean score with its 95 % interval, by {by} of {comparison.outcomes.name}. An interval "
        "without width means that every task of the part came out the same.",
        frozenset(marked),
    )


def comparison_figure(comparison: Comparison) -> Figure:
    """Score against cost of every policy, and the line of those that no other beats on both."""
    points = [point for point in _points(comparison) if point.x == point.x]
    return scatter(
        points,
        x="mean USD a task",
        y="mean score (%)",
        alt=f"score against cost of {len(points)} policies",
        caption=f"Outcomes of {comparison.outcomes.name}; bars are 95 % intervals. Policies "
        "with the same score at the same cost on every task share a point. The line leaves out those that look at the outcomes "
        "they are judged on.",
        frontier=undominated([point for point in points if point.group != SEES]),
        log_x=bool(points) and min(point.x for point in points) > 0,
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
    return intervals(
        _points(comparison),
        x="mean score (%)",
        alt="score of every policy with its interval",
        caption=f"95 % intervals by seeded bootstrap over the tasks of {comparison.outcomes.name}.",
    )


def single_models_table(outcomes: Outcomes) -> Table:
    """Every model on every task: solved, not solved and without a score apart, and the cost."""
    import numpy as np

    rows = []
    for model in outcomes.models:
        score = outcomes.score[:, outcomes.column(model)]
        rows.append(
            (
                model,
                int(np.sum(score >= 1)),
                int(np.sum((score > 0) & (score < 1))),
                int(np.sum(score <= 0)),
                int(np.sum(np.isnan(score))),
            )
        )
    counts = {row[0]: row[1:] for row in rows}
    summary = outcomes.summary()
    for place, name in enumerate(("solved", "partly", "failed", "missing")):
        summary[name] = [counts[model][place] for model in summary["model"]]
    partly: dict[str, str | Column] = {"partly": Column("Partly", "d")}
    return Table.of(
        summary,
        {
            "model": "Model",
            "score": Column("Score", ".1%"),
            "solved": Column("Solved", "d"),
            **(partly if summary["partly"].any() else {}),
            "failed": Column("Failed", "d"),
            "missing": Column("No outcome", "d", "never counted as failed"),
            "total_cost": Column("USD in all", ",.2f"),
            "mean_cost": Column("USD a task", ".4f"),
            "cost_observed": Column("Cost observed", ".0%"),
            "cost_imputed": Column("Cost imputed", ".0%"),
            "cost_unknown": Column("Cost unknown", ".0%"),
        },
        caption=f"Outcomes of {outcomes.name}. Imputed: a token count shared by a whole group of "
        "tasks; unknown: no token record, so the cost stated for it says nothing.",
    )


def published_table(frame: pd.DataFrame) -> Table:
    """Published figures of a study beside what the same logs give here."""
    return Table.of(
        frame[frame["quality"].notna()],
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
        "logs replayed on the outcomes; a dash where no log was published. Where the two differ, a "
        "log names a model otherwise than the outcomes do, and the published figure counts those "
        "tasks as failed at no cost; the notes below say which name it is.",
    )


def findings(comparison: Comparison) -> Blocks:
    """What is odd about the outcomes, each as a note."""
    return Blocks([Note(str(finding), warning=True) for finding in comparison.findings])


def _points(comparison: Comparison) -> list[Point]:
    frame = comparison.frame
    columns = ("mean_cost", "quality", "quality_low", "quality_high")
    values = (frame[name].astype(float).tolist() for name in columns)
    figures = dict(zip(frame["policy"], zip(*values, strict=True), strict=True))
    points = []
    for same in alike(comparison):
        cost, score, low, high = figures[same.policy]
        points.append(Point(same.policy, cost, 100 * score, 100 * low, 100 * high, same.kind))
    return points


def _estimates(frame: pd.DataFrame, name: str) -> pd.Series:
    import pandas as pd

    columns = (frame[name], frame[f"{name}_low"], frame[f"{name}_high"])
    # as objects, or pandas would keep the numbers and drop their bounds
    made = [Estimate(*row) for row in zip(*columns, strict=True)]
    return pd.Series(made, frame.index, dtype=object)


def _tasks(count: int) -> str:
    return f"{count} task" if count == 1 else f"{count} tasks"
