"""Evals as frames: results, models, the pivot, and the Pareto frontier (SPEC 3.1)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from routinglab.errors import InvalidInput
from routinglab.evals.evals import load_evals, parse_evals

FIXTURES = Path(__file__).parent / "fixtures"

COST = """## DeepSWE v1.1 (2026-09-03)

| Model [effort] | pass@1 | Avg $/task |
|---|---|---|
| a-1 [max] | 70% | $9 |
| a-1 [low] | 50% | $1 |
| b-1 [max] | 60% | $1 |
| c-1 [max] | 70% | $5 |
| d-1 [max] | 70% | $5 |
| e-1 [max] | 90% | |
| f-1 [max] | | $0.01 |
| e-1 [low] | 40% | $0.50 |

## DeepSWE v1.0 (2026-01-03)

| Model | pass@1 | Avg $/task |
|---|---|---|
| z-1 | 99% | $0.02 |
"""


def test_results_have_the_stated_columns_and_types() -> None:
    frame = load_evals(FIXTURES / "slug_keyed.md").results
    assert list(frame.columns) == [
        "source", "benchmark", "label", "slug", "model", "effort", "value", "unit", "ci", "setting",
        "reporter", "harness", "released", "as_of", "line",
    ]  # fmt: skip
    assert len(frame) == 22
    assert frame["value"].dtype == "float64"
    assert frame["line"].dtype == "int64"
    first = frame.iloc[0]
    assert (first["benchmark"], first["value"], first["effort"], first["line"]) == (
        "aa:idx",
        57.6,
        "max",
        39,
    )
    assert first["released"] == pd.Timestamp("2026-09-22")
    assert first["reporter"] is None
    assert frame["released"].isna().sum() == 3 + 2 + 2 + 2
    assert frame["ci"].isna().all()


def test_results_of_a_file_without_rows_are_an_empty_frame_of_the_same_columns() -> None:
    empty = parse_evals("nothing").results
    assert len(empty) == 0
    assert list(empty.columns) == list(load_evals(FIXTURES / "own.md").results.columns)


def test_models_have_a_row_an_identity() -> None:
    frame = load_evals(FIXTURES / "slug_keyed.md").models.set_index("model")
    assert list(frame.index)[:2] == ["claude-opus-5-5", "gpt-6-astra"]
    opus = frame.loc["claude-opus-5-5"]
    assert opus["name"] == "Claude Opus 5.5"
    assert opus["efforts"] == ("max", "high")
    assert (opus["benchmarks"], opus["values"]) == (4, 10)
    assert opus["released"] == pd.Timestamp("2026-09-22")


def test_the_pivot_holds_the_best_value_of_the_newest_edition() -> None:
    pivot = load_evals(FIXTURES / "slug_keyed.md").pivot()
    assert (
        pivot.loc["claude-opus-5-5", "aa:idx"] == 57.6
    )  # not 53.6 at high, not 12 of the older edition
    assert pivot.loc["kimi-k3", "aa:idx"] == 44  # only in the older edition
    assert pd.isna(pivot.loc["kimi-k3", "aa:Sci"])
    assert (pivot.index.name, pivot.columns.name) == ("model", "benchmark")


def test_the_best_of_a_cost_is_the_lowest() -> None:
    assert parse_evals(COST).pivot().loc["a-1", "dswe:usd"] == 1


def test_the_frontier_joins_figures_of_one_row_only_and_keeps_equals() -> None:
    frame = parse_evals(COST).pareto("dswe:usd", "dswe:Pass@1")
    # a-1 [low] costs as much as b-1 for less; e-1's 90% has no cost and its $0.50 buys 40%
    assert list(zip(frame["model"], frame["effort"], frame["dswe:usd"], frame["dswe:Pass@1"], strict=True)) == [
        ("e-1", "low", 0.5, 40.0), ("b-1", "max", 1.0, 60.0), ("c-1", "max", 5.0, 70.0),
        ("d-1", "max", 5.0, 70.0),
    ]  # fmt: skip


def test_the_frontier_stays_within_one_source_and_may_be_narrowed() -> None:
    evals = parse_evals(COST)
    old = evals.pareto("dswe:usd", "dswe:Pass@1", source="DeepSWE v1.0 (2026-01-03)")
    assert list(old["model"]) == ["z-1"]
    low = evals.pareto("dswe:usd", "dswe:Pass@1", effort="low")
    assert list(low["model"]) == ["e-1", "a-1"]
    other = evals.pareto("dswe:Pass@1", "dswe:usd")
    assert list(other["dswe:Pass@1"]) == [70.0, 70.0, 60.0, 40.0]


def test_a_frontier_of_unknown_or_equal_keys_is_an_error_with_the_nearest() -> None:
    evals = parse_evals(COST)
    with pytest.raises(InvalidInput, match=r"Did you mean 'dswe:Pass@1'"):
        evals.pareto("dswe:usd", "dswe:pass@1")
    with pytest.raises(InvalidInput, match="two benchmarks"):
        evals.pareto("dswe:usd", "dswe:usd")


def test_the_page_for_a_notebook_is_escaped() -> None:
    text = "# AA <script>alert(1)</script> & co\n\n| slug | TB4 |\n|---|---|\n| a-1 | 5 |\n| b-1 | <i>much</i> & more |\n"
    page = parse_evals(text)._repr_html_()
    assert "<script>" not in page
    assert "1 values of 1 models" in page
    assert "cannot read &#x27;much &amp; more&#x27; as TB4" in page
