"""A recording's own outcomes as a table, for comparing policies and building evals."""

from __future__ import annotations

from typing import Any

import pandas as pd

from routinglab.errors import OutcomesError
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.recording import Recording
from routinglab.lab.table import outcomes_from_rows


def import_recording(
    recording: Recording, *, name: str | None = None, quiet: bool = False
) -> Outcomes:
    """Tasks x models of the recorded outcomes; ``info`` has text, group and the needs decided on.

    Several outcomes of one model on one task (several efforts, or runs) count by their mean.
    """
    title = name or (recording.path.stem if recording.path else "recording")
    rows = recording.outcomes
    if rows.empty:
        raise OutcomesError(f"{title}: the recording has no outcomes")
    numbers = ["score", "cost", "seconds", "input_tokens", "output_tokens"]
    rows = rows.astype(dict.fromkeys(numbers, "float64"))
    how: dict[str, Any] = {**dict.fromkeys(numbers, "mean"), "provenance": _worst}
    rows = rows.groupby(["task", "model"], sort=False).agg(how).reset_index()
    info = recording.tasks[["task", "text", "group"]]
    needs = recording.decisions[["task", "work", "difficulty", "mistake_cost"]]
    info = info.merge(needs, on="task", how="left")
    info = info[info["task"].isin(rows["task"])].reset_index(drop=True)
    return outcomes_from_rows(rows, name=title, info=info, quiet=quiet)


def _worst(kinds: pd.Series) -> str:
    """The provenance of a mean: no better than its worst part."""
    return max((str(kind) for kind in kinds), key=("observed", "imputed", "unknown").index)
