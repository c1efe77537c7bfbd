"""Views of recorded tasks: where each goes and why, and what a change of inputs turns over."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from routinglab.report.blocks import Column, Facts, Folded, Table

if TYPE_CHECKING:
    from routinglab.lab.recording import Recording
    from routinglab.lab.replay import Replay
    from routinglab.routing.decision import Decision


def overview(replay: Replay) -> Facts:
    """How many tasks, to how many models, and whether deciding again gives the same."""
    summary = replay.summary
    again = f"{summary.identical} of {summary.compared} to the byte"
    return Facts(
        {
            "Tasks": summary.tasks,
            "Models chosen": summary.models_after,
            "Decided the same": (summary.compared - summary.drifted, again),
            "Flipped": summary.flipped,
            "No decision": summary.failed,
            "Expected cost": (_usd(summary.cost_after), "USD a task, mean"),
        },
        caption=f"Decisions of {_name(replay.recording)}, worked out again from the same inputs.",
    )


def decisions_table(replay: Replay) -> Table:
    """One row a task: what it is, where it goes at which effort, why, and what comes next."""
    rows = []
    costs = replay.decisions.set_index("task")["cost_after"]
    for task in replay.recording:
        result = replay.result(task.id)
        rows.append(
            (
                task.id,
                _task(task.text),
                *(_choice(replay.decision(task.id)) if result.after else _no_choice(result.why)),
                costs[task.id],
                *map(_words, (result.work, result.difficulty, result.mistake_cost)),
            )
        )
    columns = (
        Column("Task"),
        Column("What it asks", wide=True),
        Column("Routed to"),
        Column("Effort"),
        Column("Why", wide=True),
        Column("Fallbacks"),
        Column("USD", ",.3f", hint="expected tokens at catalog prices"),
        Column("Work"),
        Column("Difficulty"),
        Column("Mistake costs"),
    )
    return Table(
        columns,
        tuple(rows),
        f"Tasks of {_name(replay.recording)}, decided by policy {replay.policy} over the shipped "
        "evals and catalog. Quality is the mean standing on the benchmarks for that work; unfold a "
        "reason for every term of the score and the smallest change that would flip it.",
    )


def chosen_table(replay: Replay) -> Table:
    """How many tasks each model gets, and of which kinds of work."""
    counts = Counter(replay.result(task).after_model for task in replay.recording.ids)
    rows = []
    for model, number in sorted(counts.items(), key=lambda item: (-item[1], item[0] or "")):
        tasks = [t for t in replay.recording.ids if replay.result(t).after_model == model]
        works = Counter(replay.result(t).work for t in tasks)
        shown = ", ".join(
            f"{w} {n}" for w, n in sorted(works.items(), key=lambda x: (-x[1], str(x[0])))
        )
        rows.append((model or "no decision", number, shown))
    columns = (Column("Model"), Column("Tasks"), Column("Kinds of work", wide=True))
    return Table(columns, tuple(rows), f"From the decisions of {_name(replay.recording)} above.")


def limit_overview(base: Replay, limited: Replay) -> Facts:
    """What a limit changes over all tasks."""
    before, after = base.summary, limited.summary
    return Facts(
        {
            "Flipped": (
                f"{after.flipped} of {after.compared}",
                f"{after.flip_rate:.0%} of the tasks",
            ),
            "Models chosen": (after.models_after, f"{before.models_after} without the limit"),
            "Expected cost": (_usd(after.cost_after), f"{_usd(before.cost_after)} without, a task"),
            "No decision": (after.failed, "no model satisfies every limit"),
        },
    )


def flips_table(limited: Replay, only_flipped: bool = True) -> Table:
    """Tasks whose choice changes: before, after, why, and what it does to the expected cost."""
    import pandas as pd

    frame = limited.decisions
    if only_flipped:
        frame = frame[frame["flipped"].fillna(False).astype(bool)]
    return Table.of(
        frame.assign(why=pd.Series([_folded(str(why)) for why in frame["why"]], frame.index)),
        {
            "task": "Task",
            "before": "Recorded",
            "after": "With the change",
            "why": Column("Why", wide=True),
            "cost_before": Column("USD before", ",.3f"),
            "cost_after": Column("USD after", ",.3f"),
        },
        caption=f"From {_name(limited.recording)}, decided again; costs are expected tokens at "
        "catalog prices.",
    )


def _folded(why: str) -> Folded | str:
    head = why.partition(": ")[0]
    return why if len(why) <= 90 else Folded(head, why)


def _choice(decision: Decision) -> tuple[str, str, Folded, str]:
    why = Folded(_short_why(decision), decision.explain().text)
    fallbacks = "\n".join(str(fallback) for fallback in decision.fallbacks)
    return decision.primary.model, decision.primary.effort or "none", why, fallbacks


def _no_choice(why: str) -> tuple[None, None, str, None]:
    return None, None, why, None


def _words(name: str | None) -> str | None:
    return name.replace("_", " ") if name else None


def _task(text: str | None) -> Folded | str | None:
    if text is None or len(text) <= 110:
        return text
    return Folded(text[: text.rfind(" ", 0, 100)] + " …", text)


def _short_why(decision: Decision) -> str:
    """The first place's terms in a line; who chose, where it was not the ranking."""
    if decision.degraded is not None:
        return f"stands in: {decision.degraded}"
    option = next((o for o in decision.shortlist if o.model == decision.primary.model), None)
    if option is None or option.terms is None:
        return f"chosen by the {decision.chosen_by}"
    terms = option.terms
    place = [o.model for o in decision.shortlist].index(option.model) + 1
    who = {"router": f"the router's pick, option {place}", "ranking": "ranked first"}
    return (
        f"{who.get(decision.chosen_by, decision.chosen_by)}: score {option.score:.2f} = quality "
        f"{terms.quality:.2f}×{terms.quality_weight:.2f} + cheapness {terms.cheapness:.2f}×"
        f"{terms.price_weight:.2f} + recency {terms.recency:.2f}×{terms.recency_weight:.2f}"
    )


def _usd(value: float) -> str:
    return "unknown" if value != value else f"${value:,.2f}" if value >= 1 else f"${value:.3f}"


def _name(recording: Recording) -> str:
    return recording.path.name if recording.path else "the recording"
