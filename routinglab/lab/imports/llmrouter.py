"""LLMRouter: questions with a score for each of nine models; no costs."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from routinglab.errors import OutcomesError
from routinglab.lab.imports.files import read_json
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.table import outcomes_from_rows


def import_llmrouter(
    path: str | os.PathLike[str], *, name: str | None = None, quiet: bool = False
) -> Outcomes:
    """Outcomes from a JSON list of ``{question, scores: {model: 0..1}}``.

    Tasks are named by the file and their place from 0; ``cluster_id`` becomes the group. Source:
    ulab-uiuc/LLMRouter, MIT.
    """
    title = name or f"llmrouter {Path(path).stem}"
    data = read_json(path)
    if not isinstance(data, list):
        raise OutcomesError(f"{title}: must be a JSON list of questions")
    rows, info = [], []
    for number, entry in enumerate(data):
        if not isinstance(entry, dict) or not isinstance(entry.get("scores"), dict):
            raise OutcomesError(f"{title}: entry {number} has no scores by model")
        task = f"{title}-{number}"
        rows += [(task, model, score) for model, score in entry["scores"].items()]
        info.append((task, entry.get("question"), entry.get("cluster_id")))
    table = pd.DataFrame(info, columns=["task", "text", "group"])
    if table["group"].isna().all():
        table = table.drop(columns="group")
    return outcomes_from_rows(
        pd.DataFrame(rows, columns=["task", "model", "score"]),
        name=title,
        info=table,
        source="llmrouter",
        quiet=quiet,
    )
