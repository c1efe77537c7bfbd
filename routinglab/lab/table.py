"""Making an outcome table from rows, and checking what has gone wrong in public before."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from routinglab.errors import OutcomesError
from routinglab.lab import outcomes as tables
from routinglab.lab.findings import Finding, finding, say
from routinglab.lab.outcomes import IMPUTED, MISSING, OBSERVED, PROVENANCE, UNKNOWN, Outcomes

#: The columns of the rows that :func:`outcomes_from_rows` takes; task, model and score are required.
COLUMNS = (
    "task", "model", "score", "cost", "seconds", "input_tokens", "output_tokens",
    "total_tokens", "source_model", "provenance", "token_group",
)  # fmt: skip
#: Cells that are no number but say that there is none.
_BLANK = ("", "nan", "na", "n/a", "<na>", "null", "none")

_NUMBERS = ("score", "cost", "seconds", "input_tokens", "output_tokens", "total_tokens")

#: A group of at least this many tasks with one token count was not measured task by task.
CONSTANT_FROM = 5


@dataclass(frozen=True)
class Checks:
    """What the checks of a table are told.

    ``aliases`` map a name in the rows to the model's name; ``prices`` are USD per million (input,
    output) tokens; ``score_range`` is what scores should lie in (None: anything);
    ``cost_without_tokens`` is the provenance of costs in a table that has no token counts at all.
    """

    aliases: Mapping[str, str] = field(default_factory=dict)
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    score_range: tuple[float, float] | None = (0.0, 1.0)
    cost_without_tokens: str = "unknown"


def outcomes_from_rows(
    rows: pd.DataFrame,
    *,
    name: str,
    info: pd.DataFrame | None = None,
    checks: Checks | None = None,
    source: str = "",
    known: Iterable[Finding] = (),
    quiet: bool = False,
) -> Outcomes:
    """A checked table from one row an outcome.

    ``rows`` has the columns of ``COLUMNS``; ``info`` one row a task with a ``task`` column. Rows
    that say the same thing twice count once; rows that contradict each other are an OutcomesError.
    Everything odd is in ``findings`` and, unless ``quiet``, one :class:`OutcomesWarning`.
    """
    checks = checks or Checks()
    findings: list[Finding] = list(known)
    if checks.cost_without_tokens not in PROVENANCE[1:]:
        raise OutcomesError(
            f"cost_without_tokens {checks.cost_without_tokens!r} is not one of "
            + ", ".join(PROVENANCE[1:])
        )
    frame = _numbers(rows, name)
    frame["model"] = _resolved(frame["model"], checks.aliases, findings)
    frame = _without_duplicates(frame, name, findings)
    _check_scores(frame, checks.score_range, findings)
    frame["code"] = _provenance(frame, checks, findings)
    _check_costs(frame, checks.prices, findings)
    _check_names(frame, findings)
    table = _pivot(frame, name, info, findings, checks.prices, source)
    if not quiet:
        say(name, table.findings)
    return table


def _numbers(rows: pd.DataFrame, name: str) -> pd.DataFrame:
    missing = [column for column in ("task", "model", "score") if column not in rows]
    if missing:
        have = ", ".join(str(column) for column in rows.columns)
        raise OutcomesError(f"{name}: no column {missing[0]!r}; the columns are {have}")
    if rows.empty:
        raise OutcomesError(f"{name}: no outcomes; the table has no rows")
    frame = pd.DataFrame(index=range(len(rows)))
    for column in COLUMNS:
        if column in rows and isinstance(rows[column], pd.DataFrame):
            raise OutcomesError(f"{name}: two columns are named {column!r}")
        if column in _NUMBERS:
            values = rows[column] if column in rows else pd.Series([None] * len(rows))
            frame[column] = _as_number(values.reset_index(drop=True), column, name)
        elif column in rows:
            frame[column] = rows[column].reset_index(drop=True)
    blank = frame["task"].isna() | frame["model"].isna()
    if blank.any():
        raise OutcomesError(
            f"{name}: {int(blank.sum())} rows have no task or no model (row {int(blank.to_numpy().argmax()) + 1})"
        )
    frame["task"] = frame["task"].astype(str)
    frame["model"] = frame["model"].astype(str)
    return frame


def _as_number(values: pd.Series, column: str, name: str) -> pd.Series:
    if not pd.api.types.is_numeric_dtype(values):
        nothing = values.map(lambda cell: isinstance(cell, str) and cell.strip().lower() in _BLANK)
        values = values.mask(nothing.astype(bool), None)
    numbers = pd.to_numeric(values, errors="coerce").astype("float64")
    bad = (numbers.isna() & values.notna()) | np.isinf(numbers)
    if bad.any():
        at = int(bad.to_numpy().argmax())
        raise OutcomesError(f"{name}: {column} {values[at]!r} in row {at + 1} is not a number")
    return numbers


def _resolved(models: pd.Series, aliases: Mapping[str, str], findings: list[Finding]) -> pd.Series:
    for alias, model in aliases.items():
        same = models == alias
        if same.any():
            count = int(same.sum())
            findings.append(finding("alias", f"{alias!r} is {model!r} in {count} rows", [], count))
    return models.replace(dict(aliases))


def _without_duplicates(frame: pd.DataFrame, name: str, findings: list[Finding]) -> pd.DataFrame:
    again = frame.duplicated(["task", "model"], keep=False)
    if not again.any():
        return frame
    measured = ["score", "cost", "input_tokens", "output_tokens"]
    differing = frame[again].groupby(["task", "model"])[measured].nunique(dropna=False).max(axis=1)
    if (differing > 1).any():
        task, model = differing[differing > 1].index[0]
        raise OutcomesError(
            f"{name}: {int((differing > 1).sum())} (task, model) pairs have outcomes that "
            f"contradict each other, such as {model!r} on task {task!r}; keep one row of each"
        )
    kept = frame.drop_duplicates(["task", "model"]).reset_index(drop=True)
    dropped = len(frame) - len(kept)
    tasks = frame.loc[frame.duplicated(["task", "model"]), "task"].unique().tolist()
    findings.append(
        finding("duplicate", f"{dropped} rows repeat another and count once", tasks, dropped)
    )
    return kept


def _check_scores(
    frame: pd.DataFrame, bounds: tuple[float, float] | None, findings: list[Finding]
) -> None:
    if bounds is None:
        return
    outside = frame[(frame["score"] < bounds[0]) | (frame["score"] > bounds[1])]
    if len(outside):
        shown = [
            f"{score:g} on {task}"
            for score, task in zip(outside["score"], outside["task"], strict=True)
        ]
        findings.append(
            finding(
                "score_range",
                f"{len(outside)} scores lie outside {bounds[0]:g}..{bounds[1]:g}; kept as they are",
                shown,
            )
        )


def _provenance(frame: pd.DataFrame, checks: Checks, findings: list[Finding]) -> NDArray[np.int8]:
    """The code of each row: stated ones stand, but nothing without tokens is called observed."""
    codes = np.full(len(frame), OBSERVED, dtype=np.int8)
    tokens = frame["input_tokens"].fillna(0) + frame["output_tokens"].fillna(0)
    tokens = tokens.where(tokens > 0, frame["total_tokens"].fillna(0))
    no_record = (tokens <= 0).to_numpy()
    stated = frame.get("provenance")
    if stated is not None:
        unknown = sorted({str(s) for s in stated.dropna()} - set(PROVENANCE[1:]))
        if unknown:
            raise OutcomesError(
                f"provenance {unknown[0]!r} is not one of {', '.join(PROVENANCE[1:])}"
            )
        codes = np.array(
            [PROVENANCE.index(s) if isinstance(s, str) else UNKNOWN for s in stated], dtype=np.int8
        )
    elif no_record.all():
        priced = frame["cost"].notna().to_numpy()
        codes[:] = np.where(priced, PROVENANCE.index(checks.cost_without_tokens), UNKNOWN)
        if priced.any() and checks.cost_without_tokens == "unknown":
            findings.append(
                finding(
                    "unchecked_cost",
                    "the table has no token counts, so its costs are of unknown provenance",
                    [],
                    int(priced.sum()),
                )
            )
        return _other_source(frame, codes, findings)
    if no_record.any():
        codes[no_record] = np.where(codes[no_record] == OBSERVED, UNKNOWN, codes[no_record])
        free = frame[no_record & (frame["cost"] == 0).to_numpy()]
        message = f"{int(no_record.sum())} rows have no token record, so their cost is unknown"
        if len(free):
            message += f"; {len(free)} of them are priced 0"
        findings.append(
            finding(
                "missing_tokens",
                message,
                frame.loc[no_record, "task"].unique().tolist(),
                int(no_record.sum()),
            )
        )
    constant = _constant_tokens(frame, ~no_record)
    if constant.any():
        codes[constant] = np.where(codes[constant] == OBSERVED, IMPUTED, codes[constant])
        groups = (
            frame.loc[constant, "token_group"].unique().tolist() if "token_group" in frame else []
        )
        findings.append(
            finding(
                "constant_tokens",
                f"{int(constant.sum())} rows share one token count over a whole group, so their cost is imputed",
                groups,
                int(constant.sum()),
            )
        )
    codes[(codes == OBSERVED) & frame["cost"].isna().to_numpy()] = UNKNOWN
    return _other_source(frame, codes, findings)


def _constant_tokens(frame: pd.DataFrame, counted: NDArray[np.bool_]) -> NDArray[np.bool_]:
    keys = ["model", "token_group"] if "token_group" in frame else ["model"]
    rows = frame[counted]
    if rows.empty:
        return np.zeros(len(frame), dtype=bool)
    groups = rows.groupby(keys, dropna=False)
    kinds = ("input_tokens", "output_tokens", "total_tokens")
    same = np.logical_and.reduce([groups[kind].transform("nunique") <= 1 for kind in kinds])
    large = groups["task"].transform("size") >= CONSTANT_FROM
    constant = np.zeros(len(frame), dtype=bool)
    constant[rows.index[same & large.to_numpy()]] = True
    return constant


def _other_source(
    frame: pd.DataFrame, codes: NDArray[np.int8], findings: list[Finding]
) -> NDArray[np.int8]:
    if "source_model" not in frame:
        return codes
    source = frame["source_model"]
    other = (source.notna() & (source != frame["model"])).to_numpy()
    if other.any():
        named = frame.loc[other, "model"] + " <- " + source[other].astype(str)
        shown = [f"{pair}: {count} rows" for pair, count in named.value_counts().items()]
        findings.append(
            finding(
                "source_model",
                f"{int(other.sum())} rows were measured on another model than they name: "
                + ", ".join(shown),
                [],
                int(other.sum()),
            )
        )
        codes = np.where(other & (codes == OBSERVED), IMPUTED, codes).astype(np.int8)
    return codes


def _check_costs(
    frame: pd.DataFrame, prices: Mapping[str, tuple[float, float]], findings: list[Finding]
) -> None:
    bad = frame["cost"] < 0
    if bad.any():
        findings.append(
            finding(
                "bad_cost",
                f"{int(bad.sum())} costs are negative and read as unknown",
                frame.loc[bad, "task"].tolist(),
            )
        )
        frame.loc[bad, "cost"] = np.nan
        frame.loc[bad, "code"] = UNKNOWN
    total = frame["total_tokens"]
    parts = frame["input_tokens"] + frame["output_tokens"]
    odd = total.notna() & parts.notna() & (total != parts)
    if odd.any():
        findings.append(
            finding(
                "token_total",
                f"{int(odd.sum())} token totals are not input + output",
                frame.loc[odd, "task"].unique().tolist(),
                int(odd.sum()),
            )
        )
    input_price = frame["model"].map({model: price[0] for model, price in prices.items()})
    output_price = frame["model"].map({model: price[1] for model, price in prices.items()})
    expected = (frame["input_tokens"] * input_price + frame["output_tokens"] * output_price) / 1e6
    gap = (frame["cost"] - expected).abs()
    wrong = gap > 2e-6 + 0.01 * expected
    if wrong.any():
        models = frame.loc[wrong].groupby("model").size()
        shown = [f"{model}: {count} rows" for model, count in models.items()]
        findings.append(
            finding(
                "cost_mismatch",
                f"{int(wrong.sum())} costs are not tokens x price",
                shown,
                int(wrong.sum()),
            )
        )


def _check_names(frame: pd.DataFrame, findings: list[Finding]) -> None:
    seen: dict[str, str] = {}
    pairs = []
    for model in sorted(frame["model"].unique()):
        key = "".join(letter for letter in model.casefold() if letter.isalnum())
        if key in seen:
            pairs.append(f"{seen[key]} and {model}")
        seen.setdefault(key, model)
    if pairs:
        findings.append(finding("look_alike", "two names may be one model", pairs))


def _pivot(
    frame: pd.DataFrame,
    name: str,
    info: pd.DataFrame | None,
    findings: list[Finding],
    prices: Mapping[str, tuple[float, float]],
    source: str,
) -> Outcomes:
    if info is not None and "task" not in info:
        raise OutcomesError(f"{name}: info has no column 'task'")
    tasks = tuple(frame["task"].unique()) if info is None else tuple(info["task"].astype(str))
    if len(set(tasks)) < len(tasks):
        twice = next(task for task in tasks if tasks.count(task) > 1)
        raise OutcomesError(f"{name}: info has two rows for task {twice!r}")
    models = tuple(frame["model"].unique())
    shape = (len(tasks), len(models))
    row = frame["task"].map({task: number for number, task in enumerate(tasks)})
    if row.isna().any():
        raise OutcomesError(
            f"{name}: task {frame.loc[row.isna(), 'task'].iloc[0]!r} has no task row"
        )
    cells = (
        row.to_numpy(dtype=np.intp),
        frame["model"].map({m: n for n, m in enumerate(models)}).to_numpy(dtype=np.intp),
    )
    arrays = {}
    for column in ("score", "cost", "seconds", "input_tokens", "output_tokens"):
        values = np.full(shape, np.nan)
        values[cells] = frame[column].to_numpy()
        arrays[column] = values
    provenance = np.full(shape, MISSING, dtype=np.int8)
    provenance[cells] = frame["code"].to_numpy()
    provenance[np.isnan(arrays["score"]) & np.isnan(arrays["cost"])] = MISSING
    gaps = int(np.isnan(arrays["score"]).sum())
    if gaps:
        findings.append(
            finding(
                "missing_outcomes",
                f"{gaps} of {shape[0] * shape[1]} outcomes are missing",
                [],
                gaps,
            )
        )
    table = pd.DataFrame({"task": list(tasks)}) if info is None else info.reset_index(drop=True)
    return tables.Outcomes(
        name=name,
        tasks=tasks,
        models=models,
        provenance=provenance,
        info=table.assign(task=list(tasks)),
        findings=tuple(findings),
        prices=dict(prices),
        source=source,
        **arrays,
    )
