"""Long tables: one row a (task, model) with a score and, where known, cost and tokens."""

from __future__ import annotations

from collections.abc import Mapping

import pandas as pd

from routinglab.errors import OutcomesError
from routinglab.lab.imports.files import TableSource, distinct_names, read_table, stem
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.table import COLUMNS, Checks, outcomes_from_rows

#: Names under which tables in the wild hold our columns; the first that is there is taken.
KNOWN_AS: Mapping[str, tuple[str, ...]] = {
    "task": ("task", "task_id", "sample_id", "id", "question_id"),
    "model": ("model", "model_name", "llm"),
    "score": ("score", "resolved", "performance", "correct", "accuracy", "reward"),
    "cost": ("cost", "cost_usd", "total_cost", "usd"),
    "seconds": ("seconds", "latency", "response_time"),
    "input_tokens": ("input_tokens", "in_tok", "prompt_tokens"),
    "output_tokens": ("output_tokens", "out_tok", "completion_tokens"),
    "total_tokens": ("total_tokens", "tokens"),
    "source_model": ("source_model",),
    "provenance": ("provenance",),
    "group": ("group", "dimension", "task_name", "eval_name", "subject"),
    "text": ("text", "prompt", "query", "question"),
}

#: Ours that are names, never numbers, however they look.
_TEXTS = ("task", "model", "source_model", "provenance", "group", "text")


def import_long(
    source: TableSource,
    *,
    columns: Mapping[str, str] | None = None,
    checks: Checks | None = None,
    name: str | None = None,
    quiet: bool = False,
) -> Outcomes:
    """Outcomes from a long table; ``columns`` maps our column names to the table's own.

    Columns that are not mapped are found by the names of ``KNOWN_AS``. Columns that are constant
    within a task (such as a bench) go to ``info``.
    """
    texts = [n for ours in _TEXTS for n in ((columns or {}).get(ours), *KNOWN_AS[ours]) if n]
    frame = read_table(source, texts=texts)
    title = name or stem(source, "long table")
    distinct_names(frame, title)
    unknown = sorted(set(columns or {}) - set(KNOWN_AS))
    if unknown:
        raise OutcomesError(f"{title}: {unknown[0]!r} is no column; known: {', '.join(KNOWN_AS)}")
    found = {}
    for ours, names in KNOWN_AS.items():
        theirs = (columns or {}).get(ours) or next((n for n in names if n in frame), None)
        if theirs is not None:
            if theirs not in frame:
                raise OutcomesError(f"{title}: no column {theirs!r} for {ours!r}")
            found[ours] = theirs
    for ours in ("task", "model", "score"):
        if ours not in found:
            have = ", ".join(str(column) for column in frame.columns)
            raise OutcomesError(f"{title}: no column for {ours!r}; the columns are {have}")
    rows = pd.DataFrame({ours: frame[found[ours]] for ours in COLUMNS if ours in found})
    if "group" in found:
        rows["token_group"] = frame[found["group"]]
    info = task_info(
        frame.drop(columns=[found[c] for c in COLUMNS if c in found and c != "task"]), found["task"]
    )
    info = info.rename(
        columns={found[c]: c for c in ("group", "text") if c in found and found[c] in info}
    )
    return outcomes_from_rows(rows, name=title, info=info, checks=checks, quiet=quiet)


def task_info(frame: pd.DataFrame, task: str) -> pd.DataFrame:
    """One row a task, in order of appearance, with the columns that do not vary within a task."""
    tasks = frame[task].astype(str)
    steady = [
        column
        for column in frame.columns
        if column != task and bool((frame.groupby(tasks)[column].nunique(dropna=False) <= 1).all())
    ]
    first = frame[steady].loc[~tasks.duplicated()].reset_index(drop=True)
    first.insert(0, "task", tasks.drop_duplicates().reset_index(drop=True))
    return first
