"""CodeRouterBench: coding tasks done by eight models, routers' decision logs, published figures."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pandas as pd

from routinglab.errors import OutcomesError
from routinglab.lab.choices import Choices, choices_from_log
from routinglab.lab.imports.files import read_json, read_json_lines, read_table, required
from routinglab.lab.imports.long import task_info
from routinglab.lab.names import aliases_of
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.table import Checks, outcomes_from_rows

SOURCE = "coderouterbench"
_FILES = {"ood176": "ood176_results_long.csv", "id_test": "id_test_results_long.csv"}
_COLUMNS = {
    "ood176": {
        "task_id": "task", "model": "model", "resolved": "score", "cost_usd": "cost",
        "in_tok": "input_tokens", "out_tok": "output_tokens", "source_model": "source_model",
        "source_split": "token_group",
    },
    "id_test": {
        "task_id": "task", "model": "model", "score": "score", "cost_usd": "cost",
        "input_tokens": "input_tokens", "output_tokens": "output_tokens",
        "total_tokens": "total_tokens", "latency_ms": "seconds", "dimension": "token_group",
    },
}  # fmt: skip


def import_coderouterbench(
    folder: str | os.PathLike[str], split: str = "ood176", *, quiet: bool = False
) -> Outcomes:
    """The 176 agentic tasks (``ood176``) or the 2,919 others (``id_test``), 8 models each.

    Scores are 0..1, costs USD as the table states them. Prices come from ``models.json`` beside it
    and every cost is checked against tokens x price. Source: agent-as-a-router, MIT.
    """
    if split not in _FILES:
        raise OutcomesError(f"split {split!r} is not one of {', '.join(_FILES)}")
    where = Path(folder)
    frame = read_table(where / _FILES[split], texts=("task_id", "model", "source_model"))
    columns = _COLUMNS[split]
    required(frame, tuple(columns), f"{SOURCE} {split}")
    rows = frame[list(columns)].rename(columns=columns)
    if split == "id_test":
        rows["seconds"] = rows["seconds"] / 1000
    facts = [c for c in ("task_id", "bench", "dimension", "source_split") if c in frame]
    info = task_info(frame[facts], "task_id").rename(columns={"dimension": "group"})
    checks = Checks(aliases=aliases_of(SOURCE), prices=_prices(where / "models.json"))
    return outcomes_from_rows(
        rows, name=f"{SOURCE} {split}", info=info, checks=checks, source=SOURCE, quiet=quiet
    )


def import_decision_log(
    path: str | os.PathLike[str],
    outcomes: Outcomes,
    *,
    aliases: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Choices:
    """A router's own log over ``outcomes``: its choice a task, or the chain of models it called.

    A model that the table lacks is an OutcomesError with the nearest names; nothing scores 0 at 0
    USD for being unknown. ``aliases`` replace the known ones of this benchmark; ``{}`` knows none.
    """
    known = aliases_of(SOURCE) if aliases is None else aliases
    return choices_from_log(
        (row for _, row in read_json_lines(path)),
        outcomes,
        name=name or Path(path).stem,
        aliases=known,
    )


def import_published(path: str | os.PathLike[str]) -> pd.DataFrame:
    """The published comparison, one row a router, with columns in our words.

    Quality is 0..1, costs USD, regret the summed reward regret; blank cells are missing.
    """
    frame = read_table(path)
    required(frame, ("Router", "OOD_AvgPerf%", "OOD_CumReg", "OOD_$Total"), "published")
    return pd.DataFrame(
        {
            "router": frame["Router"],
            "quality": frame["OOD_AvgPerf%"] / 100,
            "reward_regret": frame["OOD_CumReg"],
            "total_cost": frame["OOD_$Total"],
            "tasks": frame["OOD_n"],
            "id_quality": frame["ID_AvgPerf%"] / 100,
            "id_reward_regret": frame["ID_CumReg"],
        }
    )


def _prices(path: Path) -> dict[str, tuple[float, float]]:
    if not path.exists():
        return {}
    return {
        entry["model"]: (float(entry["input_per_1m"]), float(entry["output_per_1m"]))
        for entry in read_json(path)["models"]
    }
