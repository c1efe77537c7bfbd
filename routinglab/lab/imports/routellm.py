"""RouteLLM: whether a weak and a strong model answered each question right; no costs."""

from __future__ import annotations

import os
from pathlib import Path

import pandas as pd

from routinglab.errors import OutcomesError
from routinglab.lab.findings import Finding, finding
from routinglab.lab.imports.files import read_json_lines, read_table, required
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.table import outcomes_from_rows

_RIGHT = {"true": 1.0, "false": 0.0, "1": 1.0, "0": 0.0, "1.0": 1.0, "0.0": 0.0}


def import_routellm(
    path: str | os.PathLike[str],
    *,
    contaminated: str | os.PathLike[str] | None = None,
    name: str | None = None,
    quiet: bool = False,
) -> Outcomes:
    """Outcomes from ``prompt, MODEL, MODEL`` with True or False cells, and a ``subject`` if any.

    ``contaminated`` is a JSON Lines file whose ``eval_prompt`` texts are dropped, because the
    routers were trained on them. Tasks are named by the file and their row number from 0. Source:
    RouteLLM (Ong et al., 2024), section 5.1, and its public benchmark files (Apache-2.0).
    """
    frame = read_table(path, texts=("prompt", "subject"))
    title = name or Path(path).stem
    required(frame, ("prompt",), title)
    models = [column for column in frame.columns if column not in ("prompt", "subject")]
    known: list[Finding] = []
    frame = frame.assign(task=[f"{title}-{number}" for number in range(len(frame))])
    if contaminated is not None:
        frame = _without(frame, contaminated, title)
    same = int(frame.duplicated([c for c in ("subject", "prompt") if c in frame]).sum())
    if same:
        known.append(
            finding("same_text", f"{same} questions repeat another; each counts", [], same)
        )
    rows = pd.concat(
        [
            pd.DataFrame({"task": frame["task"], "model": m, "score": _scores(frame[m], title)})
            for m in models
        ],
        ignore_index=True,
    )
    info = frame[["task"]].assign(text=frame["prompt"])
    if "subject" in frame:
        info["group"] = frame["subject"]
    return outcomes_from_rows(
        rows, name=title, info=info, source="routellm", known=known, quiet=quiet
    )


def _without(frame: pd.DataFrame, path: str | os.PathLike[str], title: str) -> pd.DataFrame:
    texts = set()
    for number, row in read_json_lines(path):
        if not isinstance(row.get("eval_prompt"), str):
            raise OutcomesError(f"{path}: line {number} has no eval_prompt")
        texts.add(row["eval_prompt"])
    absent = texts - set(frame["prompt"])
    if absent:
        raise OutcomesError(
            f"{title}: {len(absent)} of {len(texts)} contaminated prompts are not in the table; "
            "is it the right list?"
        )
    return frame[~frame["prompt"].isin(texts)].reset_index(drop=True)


def _scores(cells: pd.Series, title: str) -> pd.Series:
    words = cells.astype(str).str.strip().str.lower()
    scores = words.map(_RIGHT)
    bad = scores.isna() & cells.notna()
    if bad.any():
        raise OutcomesError(f"{title}: {cells[bad].iloc[0]!r} is neither True nor False")
    return scores
