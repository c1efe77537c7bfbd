"""Views of recorded tasks: where each goes and why, and what a change of inputs turns over."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from routinglab.report.blocks import Blocks, Column, Facts, Folded, Note, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from routinglab.lab.recording import Recording
    from routinglab.lab.replay import Replay, Summary
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
            "Went elsewhere": (summary.flipped, "than recorded"),
            "No decision": summary.failed,
            "Expected cost": (usd(summary.cost_after), _costed(summary)),
        },
        caption=f"Decisions of {name_of(replay.recording)}, worked out again from {_evals(replay)}, "
        f"the catalog and policy {replay.policy}.",
    )


def decisions_table(replay: Replay) -> Table:
    """One row a task: what it is and needs, where it goes and why, what comes next, and the cost."""
    rows = []
    costs = replay.decisions.set_index("task")["cost_after"]
    for task in replay.recording:
        result = replay.result(task.id)
        rows.append(
            (
                task.id,
                _task(task.text),
                _needs(result.work, result.difficulty, result.mistake_cost),
                *(_choice(replay.decision(task.id)) if result.after else (None, result.why, None)),
                costs[task.id],
            )
        )
    columns = (
        Column("Task"),
        Column("What it asks", wide=True),
        Column("Needs", hint="work, difficulty, what a mistake costs"),
        Column("Routed to", hint="model:effort; without an effort where the model has no setting"),
        Column("Why", wide=True),
        Column("Fallbacks", hint="tried in this order where the first cannot serve"),
        Column("USD", ",.3f", hint="expected tokens at catalog prices, as one request"),
    )
    return Table(
        columns,
        tuple(rows),
        f"Tasks of {name_of(replay.recording)}, decided by policy {replay.policy} from "
        f"{_evals(replay)} and the catalog. A choice reads model:effort; a model whose effort cannot "
        "be set has none. Quality is the mean standing on the benchmarks for that work; unfold a "
        "reason for every term of the score and the smallest change that would flip it. USD are the "
        "tokens that the recording expects, at catalog prices: nothing was run for this.",
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
    return Table(columns, tuple(rows), f"From the decisions of {name_of(replay.recording)} above.")


def limit_overview(base: Replay, limited: Replay, limit: str = "") -> Facts:
    """What a limit changes over all tasks; ``limit`` says in words what it is."""
    before, after = base.summary, limited.summary
    return Facts(
        {
            **({"Limit": limit} if limit else {}),
            "Went elsewhere": (
                f"{after.flipped} of {after.compared}",
                f"{after.flip_rate:.0%} of the tasks",
            ),
            "Models chosen": (after.models_after, f"{before.models_after} without the limit"),
            "Expected cost": (usd(after.cost_after), f"{usd(before.cost_after)} without, a task"),
            "No decision": (after.failed, "no model satisfies every limit"),
        },
    )


def policies_table(base: Replay, others: Sequence[Replay]) -> Table:
    """One row a policy over the same tasks: what it would flip, cost, and reach in standing."""
    rows = []
    for replay in (base, *others):
        summary = replay.summary
        standing = _standing(replay)
        who = "recorded choices" if replay is base else f"policy {replay.policy}"
        rows.append(
            (
                who,
                summary.flipped,
                summary.models_after,
                summary.cost_after,
                replay.decisions["cost_after"].sum(min_count=1),
                standing,
                summary.failed,
            )
        )
    columns = (
        Column("Who decides", hint="recorded choices stand where they are still offered"),
        Column("Tasks elsewhere", "d", "than recorded"),
        Column("Models chosen", "d"),
        Column("USD a task", ",.3f", "expected, mean"),
        Column("USD in all", ",.2f", "expected"),
        Column("Mean standing", ".0%", "on the benchmarks for each task's work, where known"),
        Column("No decision", "d"),
    )
    return Table(
        columns,
        tuple(rows),
        f"The same tasks of {name_of(base.recording)}: with the recorded choices, where they are still "
        "offered, and under policies that rank alone. "
        "Standing is what published results say of the chosen models, not what they achieved here: "
        "these tasks have not been run.",
    )


def policy_choices_table(base: Replay, others: Sequence[Replay]) -> Table:
    """One row a task: what each policy would choose; marked where the first differs from recorded."""
    rows: list[tuple[str | None, ...]] = []
    marked: set[int] = set()
    for task in base.recording.ids:
        chosen = [replay.result(task).after for replay in (base, *others)]
        if chosen[1:] and chosen[0] != chosen[1]:
            marked.add(len(rows))
        rows.append((task, *chosen))
    columns = (Column("Task"), Column("Recorded choices"), *(Column(r.policy) for r in others))
    told = f"Choices for the tasks of {name_of(base.recording)}"
    if others:
        told += (
            f"; marked where policy {others[0].policy} alone would choose otherwise than recorded, "
            f"{len(marked)} of {len(rows)}"
        )
    return Table(columns, tuple(rows), f"{told}.", frozenset(marked))


def attempts(recording: Recording) -> Blocks | Note:
    """What was tried when the recorded tasks ran: ends counted apart, and a row an attempt."""
    frame = recording.attempts
    if frame.empty:
        return Note(
            f"{name_of(recording)} holds decisions only: these tasks were not run, so there are no "
            "attempts, tokens or times to show. Record runs with Runner(record=...) and they "
            "appear here."
        )
    tries = frame.groupby("task", sort=False)["kind"]
    kinds = Counter(map(str, frame["kind"]))
    facts: dict[str, object] = {
        "Tasks run": tries.ngroups,
        "Attempts": len(frame),
        "With fallbacks": (int((tries.size() > 1).sum()), "tasks that took more than one attempt"),
        **{f"Ended {kind}": count for kind, count in sorted(kinds.items())},
        "Cost": (usd(frame["cost"].sum(min_count=1)), "USD over the attempts whose cost is known"),
    }
    numbered = frame.assign(number=frame.groupby("task", sort=False).cumcount() + 1)
    tried = [_candidate(*pair) for pair in zip(frame["model"], frame["effort"], strict=True)]
    table = Table.of(
        numbered.assign(candidate=tried),
        {
            "task": "Task",
            "number": Column("Attempt", "d", "2 and up are fallbacks"),
            "candidate": "Candidate",
            "kind": "Ended",
            "failure": "Failure",
            "status": Column("HTTP", "d"),
            "input_tokens": "Tokens in",
            "output_tokens": "Tokens out",
            "cost": Column("USD", ",.4f"),
            "seconds": Column("Seconds", ",.1f"),
            "message": Column("What it said", wide=True),
        },
        caption=f"Attempts of {name_of(recording)}, in the order tried.",
    )
    return Blocks((Facts(facts), table))


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
        caption=f"From {name_of(limited.recording)}, decided again; costs are expected tokens at "
        "catalog prices.",
    )


def _folded(why: str) -> Folded | str:
    head = why.partition(": ")[0]
    return why if len(why) <= 90 else Folded(head, why)


def _choice(decision: Decision) -> tuple[str, Folded, str]:
    why = Folded(_short_why(decision), decision.explain().text)
    return str(decision.primary), why, "\n".join(map(str, decision.fallbacks))


def _needs(work: str | None, difficulty: str | None, mistake_cost: str | None) -> str | None:
    known = [
        _words(work),
        _words(difficulty),
        f"mistakes {_words(mistake_cost)}" if mistake_cost else None,
    ]
    return "\n".join(word for word in known if word) or None


def _standing(replay: Replay) -> float:
    """Mean standing of the chosen models over the tasks where it is known; NaN without any."""
    known = []
    for task in replay.recording.ids:
        if replay.result(task).after is None:
            continue
        decision = replay.decision(task)
        known += [
            option.work_standing
            for option in decision.shortlist
            if option.model == decision.primary.model and option.work_standing is not None
        ]
    return sum(known) / len(known) if known else float("nan")


def _candidate(model: object, effort: object) -> str:
    if not isinstance(model, str):
        return "unknown"
    return f"{model}:{effort}" if isinstance(effort, str) else model


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


def _costed(summary: Summary) -> str:
    share = summary.cost_coverage
    return "USD a task, mean" + ("" if share >= 1 else f" of the {share:.0%} with a known cost")


def _evals(replay: Replay) -> str:
    path = replay.evals.path
    return path.name if path else "the evals"


def usd(value: float) -> str:
    """A price in dollars, to the cent above one dollar; "unknown" where it is NaN."""
    return "unknown" if value != value else f"${value:,.2f}" if value >= 1 else f"${value:.3f}"


def name_of(recording: Recording) -> str:
    """The name of a recording's file."""
    return recording.path.name if recording.path else "the recording"
