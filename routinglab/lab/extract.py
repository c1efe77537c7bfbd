"""Write the shipped CodeRouterBench facts: ``python -m routinglab.lab.extract FOLDER [TARGET]``.

FOLDER is the study's data as published. Facts are taken over (ids, scores, costs, tokens, choices),
task texts and code are not. The same folder gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from routinglab.lab.imports.coderouterbench import import_coderouterbench, import_published
from routinglab.lab.imports.files import read_json_lines, read_table
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.study import (
    AGENTIC,
    CHOICES,
    PUBLISHED,
    SHORT,
    study_needs,
    with_needs,
)
from routinglab.resources import shipped

#: How many of the short tasks ship, and the seed that drew them.
SAMPLE, SEED = 400, 20261201

#: The decision logs, by the name they get.
ROUTERS = {
    "ACRouter": "ACRouter_ours",
    "LinUCB": "LinUCB",
    "kNN retrieval": "kNN_Retrieval",
    "LogReg": "LogReg",
    "Random (seed 42)": "Random_seed42",
    "Always claude-opus-4-6": "Always_Opus_4_6",
    "Reward oracle": "Oracle",
}


def extract(folder: Path, target: Path | None = None) -> list[Path]:
    """Write the four files into ``target`` (the shipped ``evals`` folder); their paths."""
    where = target or shipped("evals")
    agentic = import_coderouterbench(folder, "ood176", quiet=True)
    short = import_coderouterbench(folder, "id_test", quiet=True)
    drawn = np.random.default_rng(SEED).choice(len(short), SAMPLE, replace=False)
    mask = np.zeros(len(short), dtype=bool)
    mask[drawn] = True
    source = read_table(folder / "ood176_results_long.csv")
    origin = source.set_index(["task_id", "model"])["source_model"]
    long = _facts(agentic)
    pairs = pd.MultiIndex.from_frame(long[["task", "model"]])
    _insert(long, "score", "source_model", origin.loc[pairs].to_numpy())
    return [
        _write(long.rename(columns={"source_split": "split"}), where / AGENTIC),
        _write(_facts(short.select(mask)).drop(columns="source_split"), where / SHORT),
        _write(_choices(folder / "decisions", agentic), where / CHOICES),
        _write(import_published(folder / "published.csv"), where / PUBLISHED),
    ]


def _facts(outcomes: Outcomes) -> pd.DataFrame:
    tasks = with_needs(outcomes.info, study_needs())
    frame = outcomes.long()
    needs = tasks.set_index("task").loc[frame["task"], ["work", "difficulty", "mistake_cost"]]
    for column in needs.columns:
        _insert(frame, "model", column, needs[column].to_numpy())
    for column in ("input_tokens", "output_tokens"):
        frame[column] = frame[column].astype("Int64")
    return frame.dropna(axis="columns", how="all")


def _insert(frame: pd.DataFrame, before: str, name: str, values: Any) -> None:
    frame.insert(list(frame.columns).index(before), name, values)


def _choices(folder: Path, outcomes: Outcomes) -> pd.DataFrame:
    """One column a router: the model that answered, ``a > b`` for a chain.

    Where a chain's answer is not its last call, the cell says so: ``a > b = a``.
    """
    frame = pd.DataFrame({"task": list(outcomes.tasks)})
    for name, stem in ROUTERS.items():
        cells = {}
        for _, row in read_json_lines(folder / f"{stem}.jsonl"):
            chain = row.get("chain_run") or [row["chosen_model"]]
            text = " > ".join(chain)
            if chain[-1] != row["chosen_model"]:
                text += f" = {row['chosen_model']}"
            cells[row["task_id"]] = text
        frame[name] = frame["task"].map(cells)
    return frame


def _write(frame: pd.DataFrame, path: Path) -> Path:
    rounded = frame.copy()
    for column in rounded.select_dtypes("float64").columns:
        rounded[column] = rounded[column].round(9)
    rounded.to_csv(path, index=False, lineterminator="\n")
    return path


if __name__ == "__main__":
    for written in extract(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None):
        print(written)
