"""RouterArena: the same questions answered by several models, one JSON Lines file each."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from routinglab.errors import OutcomesError
from routinglab.lab.findings import Finding, finding
from routinglab.lab.imports.files import read_json, read_json_lines
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.table import Checks, outcomes_from_rows


def import_routerarena(
    source: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    *,
    prices: str | os.PathLike[str] | None = None,
    name: str = "routerarena",
    quiet: bool = False,
) -> Outcomes:
    """Outcomes from a folder of answer files, or from the files named.

    A request that failed has no outcome; it is not a wrong answer. ``prices`` is a ``cost.json``
    (the folder's own is found), against which costs are checked. For evaluation only: nothing may
    be fitted on these tasks. Source: RouteWorks/RouterArena (2025), Apache-2.0.
    """
    if isinstance(source, str | os.PathLike):
        folder = Path(source)
        files = sorted(folder.glob("*.jsonl")) if folder.is_dir() else [folder]
        if prices is None and (files[0].parent / "cost.json" if files else folder).is_file():
            prices = files[0].parent / "cost.json"
    else:
        files = [Path(path) for path in source]
    if not files:
        raise OutcomesError(f"{name}: no .jsonl file in {source}")
    rows: list[dict[str, Any]] = []
    info: dict[str, tuple[str, str, str | None]] = {}
    failed: list[str] = []
    for path in files:
        for number, row in read_json_lines(path):
            try:
                _read(row, rows, info, failed)
            except KeyError as error:
                raise OutcomesError(f"{path}: line {number} lacks {error}") from None
            except (AttributeError, TypeError) as error:
                raise OutcomesError(f"{path}: line {number} is no answer ({error})") from None
    known: list[Finding] = []
    if failed:
        known.append(finding("failed", f"{len(failed)} requests failed; no outcome", failed))
    if not rows:
        raise OutcomesError(f"{name}: no outcomes; {len(failed)} requests, all of which failed")
    table = pd.DataFrame(list(info.values()), columns=["task", "text", "group"])
    return outcomes_from_rows(
        pd.DataFrame(rows),
        name=name,
        info=table,
        checks=Checks(prices=_prices(prices)),
        source="routerarena",
        known=known,
        quiet=quiet,
    )


def _read(
    row: dict[str, Any],
    rows: list[dict[str, Any]],
    info: dict[str, tuple[str, str, str | None]],
    failed: list[str],
) -> None:
    task, result = str(row["global_index"]), row["evaluation_result"]
    info.setdefault(task, (task, row["question"], task.rsplit("_", 1)[0]))
    if not row["success"] or result is None:
        failed.append(task)
        return
    tokens = row.get("token_usage") or {}
    rows.append(
        {
            "task": task,
            "model": row["llm_selected"],
            "score": result["score"],
            "cost": result["inference_cost"],
            "input_tokens": tokens.get("input_tokens"),
            "output_tokens": tokens.get("output_tokens"),
            "total_tokens": tokens.get("total_tokens"),
        }
    )


def _prices(path: str | os.PathLike[str] | None) -> dict[str, tuple[float, float]]:
    if path is None:
        return {}
    return {
        model: (
            float(price["input_token_price_per_million"]),
            float(price["output_token_price_per_million"]),
        )
        for model, price in read_json(path).items()
    }
