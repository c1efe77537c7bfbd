"""Efforts, settings, intervals, harnesses, reporters and kinds of work as people write them."""

from __future__ import annotations

import pytest

from routinglab.evals.evals import load_evals, parse_evals
from routinglab.evals.names import displayed_name
from routinglab.evals.row import Row
from routinglab.evals.values import half_width


def rows(text: str) -> list[Row]:
    return list(parse_evals(text).rows)


PUB = "## Published results\n\n"


@pytest.mark.parametrize(
    "text",
    [
        "| Model | OSW2 |\n|---|---|\n| **xAI** | |\n| a-1 | 5 |\n",
        "| Benchmark | a-1 |\n|---|---|\n| **Reported by xAI** | |\n| OSWorld 2.0 | 5 |\n",
        "**Reported by xAI** (2026-09-10)\n\n| Model | OSW2 |\n|---|---|\n| a-1 | 5 |\n",
        "**xAI**\n\n| Model | OSW2 |\n|---|---|\n| a-1 | 5 |\n",
        "xAI's figures:\n\n| Model | OSW2 |\n|---|---|\n| a-1 | 5 |\n",
        "### OSWorld 2.0 — reported by xAI\n\n| Model | Score |\n|---|---|\n| a-1 | 5 |\n",
        "| Model | OSW2 | Reporter |\n|---|---|---|\n| a-1 | 5 | xAI (self) |\n",
        "| Model | OSW2 | Source |\n|---|---|---|\n| a-1 | 5 | [xAI model card](http://x.ai) |\n",
    ],
    ids=["row", "turned row", "bold by", "bold", "intro", "heading", "remark", "document"],
)
def test_who_reports_may_be_said_in_many_places(text: str) -> None:
    assert [(row.benchmark, row.reporter) for row in rows(PUB + text)] == [("pub:OSW2@xAI", "xAI")]


def test_a_reporter_row_holds_until_the_next_and_a_model_without_figures_is_none() -> None:
    table = "| Model | OSW2 |\n|---|---|\n| OpenAI | |\n| a-1 | 5 |\n| Mistral Medium 3.5 | |\n| b-1 | 6 |\n| Google | |\n| c-1 | 7 |\n"
    assert [row.reporter for row in rows(PUB + table)] == ["OpenAI", "OpenAI", "Google"]


def test_several_reporters_in_a_cell_stay_as_written() -> None:
    table = "| Model | OSW2 | Reporter |\n|---|---|---|\n| a-1 | 5 | OpenAI, Anthropic |\n"
    assert [row.reporter for row in rows(PUB + table)] == ["OpenAI, Anthropic"]


def test_a_benchmark_of_another_source_keeps_its_key_in_published_results() -> None:
    table = (
        "| Model | Terminal-Bench 4.0 | Humanity's Last Exam |\n|---|---|---|\n| a-1 | 5 | 6 |\n"
    )
    assert [(row.benchmark, row.unit) for row in rows(PUB + table)] == [("pub:TB4", "%"), ("pub:HLE", "%")]  # fmt: skip


def test_what_was_measured_with_a_value_of_a_long_table_is_kept() -> None:
    table = "| Benchmark | Model | Score | ± | Cost | Reporter |\n|---|---|---|---|---|---|\n| OSW2 | a-1 | 5 | 2 | $3 | OpenAI |\n"
    found = [(row.benchmark, row.value, row.unit, row.ci) for row in rows(PUB + table)]
    assert found == [
        ("pub:OSW2@OpenAI", 5.0, "%", 2.0),
        ("pub:OSW2/usd@OpenAI", 3.0, "usd", None),
    ]


@pytest.mark.parametrize(
    ("cell", "effort", "setting"),
    [
        ("Medium (default)", "medium", "default"),
        ("x-high", "xhigh", None),
        ("32k tokens", None, "effort 32k tokens"),
        ("none", None, None),
    ],
)
def test_cells_of_an_effort_column(cell: str, effort: str | None, setting: str | None) -> None:
    (row,) = rows(f"## AA\n\n| Model | Effort | HLE |\n|---|---|---|\n| a-1 | {cell} | 5 |\n")
    assert (row.effort, row.setting) == (effort, setting)


def test_an_effort_in_a_setting_column_or_behind_a_figure_is_the_effort() -> None:
    table = "| Model | Setting | HLE |\n|---|---|---|\n| a-1 | xhigh, 100 steps | 5 |\n| a-1 | max turns 9 | 5 (high, cc) |\n"
    found = [(row.effort, row.harness, row.setting) for row in rows("## AA\n\n" + table)]
    assert found == [("xhigh", None, "100 steps"), ("high", "cc", "max turns 9")]


@pytest.mark.parametrize(
    ("name", "model", "effort", "setting"),
    [
        ("GPT-6 Astra†", "gpt-6-astra", None, None),
        ("gpt-6-astra*", "gpt-6-astra", None, None),
        ("GPT-6 Astra ¹ ✅", "gpt-6-astra", None, None),
        ("GPT-6 Astra (max turns 100)", "gpt-6-astra", None, "max turns 100"),
        ("GPT-6 Astra (max with fallback)", "gpt-6-astra", "max", "with fallback"),
        ("GPT-6 Astra (reasoning effort: medium)", "gpt-6-astra", "medium", None),
        ("GPT-6 Astra (effort=low)", "gpt-6-astra", "low", None),
        ("GPT-6 Astra w/ tools", "gpt-6-astra", None, "w/ tools"),
        ("GPT-6 Astra max with fallback", "gpt-6-astra", "max", "with fallback"),
        ("GPT-6 Astra + tools", "gpt-6-astra", None, "tools"),
    ],
)
def test_names_with_marks_and_settings(
    name: str, model: str, effort: str | None, setting: str | None
) -> None:
    shown = displayed_name(name)
    assert ("-".join(shown.tokens[: shown.core]), shown.effort, shown.setting) == (model, effort, setting)  # fmt: skip


def test_minutes_in_a_heading_are_no_effort() -> None:
    (row,) = rows("## AA\n\n| Model | Time (min) |\n|---|---|\n| a-1 | 8 |\n")
    assert (row.benchmark, row.effort, row.value) == ("aa:seconds", None, 480.0)


def test_columns_headed_by_harnesses_are_the_main_score_under_each() -> None:
    table = "| Model | Claude Code | mini-swe-agent |\n|---|---|---|\n| a-1 | 5 | 6 |\n"
    found = [(row.benchmark, row.harness) for row in rows("## FrontierCode 1.1\n\n" + table)]
    assert found == [("fc:Main", "Claude Code"), ("fc:Main", "mini-swe-agent")]


def test_a_table_of_ids_and_names_takes_both() -> None:
    named = "| Model ID | Name | HLE |\n|---|---|---|\n| openai/gpt-6-astra | GPT-6 Astra (high) | 5 |\n"
    twice = (
        "| Model | Model name | HLE |\n|---|---|---|\n| gpt-6-astra | GPT-6 Astra (high) | 5 |\n"
    )
    for table, slug in ((named, "openai/gpt-6-astra"), (twice, "gpt-6-astra")):
        evals = parse_evals("## AA\n\n" + table)
        assert [(row.slug, row.model, row.effort) for row in evals.rows] == [(slug, "gpt-6-astra", "high")]  # fmt: skip
        assert evals.warnings == ()


def test_agent_and_model_rows_enter_no_cohort_of_models_under_any_heading() -> None:
    text = "## DeepSWE v1.1\n\n| Agent + model | pass@1 |\n|---|---|\n| Codex + a-1 | 5 |\n"
    assert [row.edition.namespace for row in rows(text)] == ["agent"]


@pytest.mark.parametrize(
    ("cell", "half"),
    [("3", 3.0), ("±3%", 3.0), ("+3/-2", 2.5), ("-3/+2", 2.5), ("70–78", 4.0), ("[70, 76]", 3.0), ("-3", None), ("wide", None)],
)  # fmt: skip
def test_half_widths_of_intervals_in_cells_of_their_own(cell: str, half: float | None) -> None:
    assert half_width(cell) == half


def test_a_column_of_intervals_belongs_to_the_figures_it_names() -> None:
    table = "| Model | coding | coding n | coding ± | research |\n|---|---|---|---|---|\n| a-1 | 70 | 30 | 3 | 9 |\n"
    found = {row.benchmark: row.ci for row in rows("## Own outcomes\n\n" + table)}
    assert found == {"own:coding": 3.0, "own:coding/n": None, "own:research": None}


@pytest.mark.parametrize(
    "text",
    [
        "| Model | Work | Score | Cost |\n|---|---|---|---|\n| a-1 | code review | 70% | $2 |\n",
        "### Code review\n\n| Model | Score | Cost |\n|---|---|---|\n| a-1 | 70% | $2 |\n",
        "| Model | code review | code review cost |\n|---|---|---|\n| a-1 | 70% | $2 |\n",
        "| Model | Code review score | code_review $/task |\n|---|---|---|\n| a-1 | 70% | $2 |\n",
    ],
    ids=["long", "heading", "columns", "score"],
)
def test_own_outcomes_have_a_kind_of_work_however_laid_out(text: str) -> None:
    found = [(row.benchmark, row.value) for row in rows("## Own outcomes\n\n" + text)]
    assert found == [("own:code_review", 70.0), ("own:code_review/usd", 2.0)]


def test_own_outcomes_may_have_models_across() -> None:
    found = [(row.model, row.benchmark, row.value) for row in rows("## Own outcomes\n\n| Work | a-1 | b-1 |\n|---|---|---|\n| coding | 6 | 7 |\n")]  # fmt: skip
    assert found == [("a-1", "own:coding", 6.0), ("b-1", "own:coding", 7.0)]


def test_shares_of_one_beside_percent_are_reported() -> None:
    evals = parse_evals("## Own outcomes\n\n| Model | coding |\n|---|---|\n| a-1 | 0.8 |\n| b-1 | 85% |\n")  # fmt: skip
    assert [str(one) for one in evals.warnings] == ["line 5: coding is 0.8 here and in percent on line 6"]  # fmt: skip


def test_a_file_of_old_windows_is_read_as_such(tmp_path) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "evals.md"
    path.write_bytes("## AA\n\n| Model | HLE |\n|---|---|\n| a-1 | 74% ±3 |\n| b-1 | — |\n".encode("cp1252"))  # fmt: skip
    evals = load_evals(path)
    assert [(row.value, row.ci) for row in evals.rows] == [(74.0, 3.0)]
    assert [str(one) for one in evals.warnings] == ["line 5: the file is not UTF-8; it was read as Windows-1252"]  # fmt: skip


def test_qwen_with_and_without_a_gap_is_one_model() -> None:
    evals = parse_evals("## AA\n\n| Model | HLE |\n|---|---|\n| Qwen 3.7 Plus | 5 |\n| qwen3.7-plus | 6 |\n")  # fmt: skip
    assert {row.model for row in evals.rows} == {"qwen3-7-plus"}
    assert (
        len(evals.rows_for("qwen/qwen-3.7-plus")) == len(evals.rows_for("qwen/qwen3.7-plus")) == 2
    )
