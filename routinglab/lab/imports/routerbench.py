"""Wide frames in the RouterBench layout: a score and a cost column per model."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from routinglab.errors import OutcomesError
from routinglab.lab.imports.files import TableSource, distinct_names, read_table, required, stem
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.table import Checks, outcomes_from_rows

_COST, _ANSWER = "|total_cost", "|model_response"


def import_routerbench(
    source: TableSource,
    *,
    models: Sequence[str] | None = None,
    checks: Checks | None = None,
    name: str | None = None,
    quiet: bool = False,
) -> Outcomes:
    """Outcomes from ``sample_id, prompt, eval_name, MODEL..., MODEL|total_cost...``.

    A model is a column that has a ``MODEL|total_cost`` or ``MODEL|model_response`` column beside
    it, or one named in ``models``. Read from CSV, Parquet or a DataFrame; pickles are refused.
    Source: RouterBench (Hu et al., 2024), section 3, and its public data frames.
    """
    frame = read_table(source, texts=("sample_id", "prompt", "eval_name"))
    title = name or stem(source, "routerbench")
    distinct_names(frame, title)
    required(frame, ("sample_id",), title)
    names = list(models or _models(frame, title))
    missing = [model for model in names if model not in frame]
    if missing:
        raise OutcomesError(f"{title}: no score column for model {missing[0]!r}")
    blocks = []
    for model in names:
        block = pd.DataFrame({"task": frame["sample_id"], "model": model, "score": frame[model]})
        block["cost"] = frame.get(f"{model}{_COST}")
        blocks.append(block[block["score"].notna() | block["cost"].notna()])
    info = pd.DataFrame({"task": frame["sample_id"].astype(str)})
    for theirs, ours in (("eval_name", "group"), ("prompt", "text")):
        if theirs in frame:
            info[ours] = frame[theirs]
    info = info.drop_duplicates("task").reset_index(drop=True)
    rows = pd.concat(blocks, ignore_index=True)
    return outcomes_from_rows(rows, name=title, info=info, checks=checks, quiet=quiet)


def _models(frame: pd.DataFrame, title: str) -> list[str]:
    beside = {
        str(column).removesuffix(ending)
        for column in frame.columns
        for ending in (_COST, _ANSWER)
        if str(column).endswith(ending)
    }
    if not beside:
        raise OutcomesError(
            f"{title}: not in the RouterBench layout; no column is named MODEL{_COST}"
        )
    return [*(c for c in frame.columns if c in beside), *sorted(beside - set(frame.columns))]
