"""Evals files as people write them: each fixture has another shape, and its figures are known."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from routinglab.evals.evals import Evals, load_evals
from routinglab.evals.row import Row

FIXTURES = Path(__file__).parent / "fixtures"


def read(name: str) -> Evals:
    return load_evals(FIXTURES / f"{name}.md")


def cells(evals: Evals, model: str, **where: object) -> dict[str, float]:
    """Values by key of the rows of a model that have these attributes."""
    return {
        row.benchmark: row.value
        for row in evals.rows
        if row.model == model and all(getattr(row, name) == value for name, value in where.items())
    }


def one(evals: Evals, model: str, key: str, **where: object) -> Row:
    found = [
        row
        for row in evals.rows
        if row.model == model
        and row.benchmark == key
        and all(getattr(row, name) == value for name, value in where.items())
    ]
    assert len(found) == 1
    return found[0]


def test_a_slug_keyed_table_is_read_among_front_matter_code_diagrams_and_comments() -> None:
    evals = read("slug_keyed")
    assert evals.warnings == ()
    assert len(evals.rows) == 22
    assert evals.identities == (
        "claude-opus-5-5", "gpt-6-astra", "qwen3-8-max", "grok-4-7", "grok-4-7-fast", "kimi-k3",
    )  # fmt: skip
    newest = date(2026, 9, 22)
    assert cells(evals, "claude-opus-5-5", effort="max", as_of=newest) == {
        "aa:idx": 57.6, "aa:TB4": 59.6, "aa:Sci": 66.9, "aa:MMMU": 87.7,
    }  # fmt: skip
    assert cells(evals, "grok-4-7") == {"aa:idx": 46.4, "aa:TB4": 25.8}
    assert cells(evals, "gpt-6-astra") == {"aa:idx": 52.7, "aa:TB4": 59.1, "aa:Sci": 56.5}
    astra = one(evals, "gpt-6-astra", "aa:idx")
    assert (astra.slug, astra.effort, astra.unit, astra.line) == (
        "gpt-6-astra",
        "max",
        "points",
        41,
    )
    assert astra.released == date(2026, 9, 3)
    assert astra.source == "Artificial Analysis Intelligence Index v4.3.2 (2026-09-22)"


def test_header_rows_and_separator_may_differ_in_width() -> None:
    # the first table has 7 header cells over 6 in its separator and rows of 7, 7, 7, 7, 5 and 7
    assert cells(read("slug_keyed"), "grok-4-7-fast") == {"aa:idx": 41.0, "aa:Sci": 50.1}


def test_a_key_list_of_the_file_names_labels_and_unknown_columns() -> None:
    evals = read("slug_keyed")
    labels = {row.benchmark: row.label for row in evals.rows}
    assert labels["aa:TB4"] == "Terminal-Bench 4.0"
    assert labels["aa:MMMU"] == "MMMU-Pro"  # the column is headed Mx, known from the key list only
    assert labels["aa:idx"] == "idx"


def test_settings_of_a_displayed_name_are_kept_without_the_effort() -> None:
    row = one(read("slug_keyed"), "claude-opus-5-5", "aa:idx", effort="high")
    assert row.setting == "Adaptive Reasoning, Default Fallback"


def test_long_labels_map_to_the_same_keys() -> None:
    evals = read("long_labels")
    assert evals.warnings == ()
    assert len(evals.rows) == 15 + (5 + 2 + 5) + (5 + 3)
    assert cells(evals, "claude-fable-5-1") == {
        "aa:Brief": 58, "aa:Gn": 63, "aa:tauB": 47, "aa:TB21": 91, "aa:Sci": 63, "aa:idx": 57,
        "aa:usd": 6.12, "aa:tps": 69, "aa:ttft": 266.5, "aa:e2e": 273.8, "aa:HLE": 59, "aa:OA": 67,
        "aa:GPQA": 94,
    }  # fmt: skip
    assert cells(evals, "gemini-3-8-flash") == {"aa:idx": 47, "aa:usd": 0.74}
    assert cells(evals, "gpt-5-6-sol") == {
        "aa:Auto": 51, "aa:HLE": 49, "aa:OA": 59, "aa:GPQA": 94, "aa:MMMU": 83,
    }  # fmt: skip
    assert {row.unit for row in evals.rows if row.benchmark == "aa:ttft"} == {"seconds"}


def test_tables_under_lower_headings_belong_to_the_heading_that_names_the_source() -> None:
    evals = read("long_labels")
    assert {row.source for row in evals.rows} == {
        "Artificial Analysis evaluations, 5 September 2026"
    }
    assert {row.as_of for row in evals.rows} == {date(2026, 9, 5)}
    assert len({row.edition.order for row in evals.rows}) == 1


def test_a_table_without_outer_pipes_gives_efforts_intervals_costs_and_tokens() -> None:
    evals = read("deepswe")
    assert evals.warnings == ()
    assert len(evals.rows) == 18 + 12
    sol = one(evals, "gpt-5-6-sol", "dswe:Pass@1", line=11)
    assert (sol.value, sol.ci, sol.unit, sol.effort) == (73.0, 3.0, "%", "max")
    assert cells(evals, "gpt-6-astra", effort="xhigh") == {
        "dswe:Pass@1": 74, "dswe:usd": 6.52, "dswe:tokens": 30_000, "dswe:steps": 29,
        "dswe:Δ-cost-against-Sol": 0.06,
    }  # fmt: skip
    assert one(evals, "gpt-6-astra", "dswe:Δ-cost-against-Sol").setting == "1.01×"
    assert one(evals, "gpt-5-6-luna", "dswe:tokens").value == 1200


def test_version_and_date_come_from_prose_and_from_a_lower_heading() -> None:
    editions = {(row.edition.version, row.edition.date) for row in read("deepswe").rows}
    assert editions == {("1.1", date(2026, 9, 3)), ("1.0", date(2026, 6, 1))}


def test_thousands_in_a_heading_and_times_of_any_unit_are_multiplied_out() -> None:
    evals = read("deepswe")
    old = cells(evals, "gpt-5-6-sol", as_of=date(2026, 6, 1))
    assert old == {"dswe:Pass@1": 61, "dswe:usd": 7.01, "dswe:tokens": 58_000, "dswe:seconds": 1440}
    assert one(evals, "qwen3-8-max", "dswe:seconds", effort="xhigh").value == 4800


def test_a_blank_model_cell_beside_an_effort_is_the_model_above() -> None:
    assert cells(read("deepswe"), "qwen3-8-max", effort="high") == {
        "dswe:Pass@1": 38, "dswe:usd": 2.1, "dswe:tokens": 40_000, "dswe:seconds": 90,
    }  # fmt: skip


def test_harness_columns_brackets_and_headers_are_read() -> None:
    evals = read("frontiercode")
    assert evals.warnings == ()
    assert len(evals.rows) == 5 * 5 - 1 + 3 + 2
    main = {(row.model, row.harness): row.value for row in evals.rows if row.benchmark == "fc:Main"}
    assert main == {
        ("claude-opus-5-5", "cc"): 54.6, ("gpt-6-astra", "codex"): 53.3, ("grok-4-6", "gb"): 48.0,
        ("kimi-k3", "msa"): 44.2, ("inkling", "msa"): 14.0, ("claude-opus-5", "cc"): 53.4,
        ("claude-opus-5", "msa"): 49.9, ("claude-sonnet-5", "cc"): 42.7,
        ("claude-fable-5", "cc"): 53.5, ("gpt-5-4-mini", "codex"): 27.0,
    }  # fmt: skip


def test_an_effort_that_is_none_of_the_seven_is_kept_as_setting() -> None:
    evals = read("frontiercode")
    assert one(evals, "inkling", "fc:Main").effort is None
    assert one(evals, "inkling", "fc:Main").setting == "effort 0.99"
    assert one(evals, "kimi-k3", "fc:Main").effort is None


def test_published_results_have_a_cohort_a_reporter() -> None:
    evals = read("published")
    assert evals.warnings == ()
    assert len(evals.rows) == 7 + 8 + 3 + 3
    assert evals.cohort_keys("pub:OSW2") == ("pub:OSW2@OpenAI", "pub:OSW2@Anthropic")
    by_reporter = {s.reporter: s for s in evals.standings("x/gpt-6-astra", "pub:OSW2")}
    assert by_reporter["OpenAI"].share == 1.0  # 71.2 above 66.0, 65.1 and 58
    assert by_reporter["Anthropic"].share == pytest.approx(2 / 3)  # 70.9 above 68.8, 55.5; below 74
    assert by_reporter["OpenAI"].setting == "100 steps"


def test_published_results_may_be_a_long_table_or_name_reporters_in_columns_and_cells() -> None:
    evals = read("published")
    kimi = one(evals, "kimi-k3", "pub:BComp@Moonshot AI")
    assert (kimi.value, kimi.as_of, kimi.effort) == (77.4, date(2026, 8, 14), "max")
    assert one(evals, "kimi-k3", "pub:DSWE@Moonshot AI").value == 64
    assert one(evals, "glm-5-3", "pub:FMT4@Z.ai").unit == "%"
    assert one(evals, "gpt-6-astra", "pub:ALE@OpenAI").value == 30.5
    assert one(evals, "gpt-6-astra", "pub:ALE@Anthropic").value == 29
    assert one(evals, "gpt-6-astra", "pub:SECPro@xAI").value == 12


def test_agent_rows_are_a_source_of_their_own_and_enter_no_cohort_of_models() -> None:
    evals = read("agents")
    assert evals.warnings == ()
    assert len(evals.rows) == 31
    claude = one(evals, "claude-fable-5-1", "agent:seconds")
    assert (claude.value, claude.unit, claude.harness) == (1440.0, "seconds", "Claude Code")
    assert claude.slug == "Claude Code + Fable 5.1 (max, with fallback)"
    assert evals.standing("anthropic/claude-fable-5.1", "agent:idx") is None
    assert evals.rows_for("anthropic/claude-fable-5.1") == ()
    assert [row.benchmark for row in evals.rows_for("openai/gpt-6-astra")] == ["aa:idx"]
    assert "agent:idx" not in evals.pivot().columns


def test_a_table_with_models_across_and_one_with_efforts_across_are_read() -> None:
    evals = read("turned")
    assert evals.warnings == ()
    assert len(evals.rows) == 8 + 6
    assert cells(evals, "gpt-6-astra", as_of=date(2026, 9, 1)) == {
        "aa:TB4": 59.1, "aa:Sci": 56.5, "aa:usd": 2.57,
    }  # fmt: skip
    by_effort = {
        row.effort: row.value
        for row in evals.rows
        if row.model == "gpt-6-astra" and row.as_of == date(2026, 9, 20)
    }
    assert by_effort == {"low": 46, "medium": 50, "high": 51, "max": 53}


def test_what_cannot_be_read_is_reported_with_its_line() -> None:
    evals = read("messy")
    assert [str(warned) for warned in evals.warnings] == [
        "line 5: column 'Mood' holds no figures and was passed over",
        "line 7: cannot read 'about half' as TB4",
        "line 8: 'Average' is no model; the row was passed over",
        "line 9: a row without a model name was passed over",
        "line 10: 1 cell beyond the header's 5 was passed over",
        "line 11: GPT-6 Astra has TB4 58.1 here and 59.1 on line 10",
        "line 12: cannot read '50–60%' as TB4",
        "line 12: cannot read '<5' as Sci",
        "line 15: a table without a model column was passed over (columns: Team, City)",
        "line 19: a table without rows",
        "line 24: a table without a line of dashes under its header; its first line was taken as the header",
        "line 28: an HTML table was passed over; write it with pipes",
        "line 37: a code fence is opened here and never closed; what follows was passed over",
    ]
    assert len(evals.rows) == 11


def test_a_source_nobody_knows_gets_a_namespace_from_its_heading() -> None:
    evals = read("messy")
    elo = one(evals, "claude-opus-5", "somebody-s-arena-2:Elo")
    assert (elo.value, elo.ci) == (1420.0, 4.5)
    assert one(evals, "gpt-6-astra", "somebody-s-arena-2:Elo").ci == 6.0
    assert one(evals, "claude-opus-5", "somebody-s-arena-2:Votes").value == 12_000


def test_own_outcomes_have_a_key_a_kind_of_work() -> None:
    evals = read("own")
    assert len(evals.rows) == 20
    assert evals.own_keys("coding") == ("own:coding",)
    assert evals.own_keys("code_review") == ("own:code_review",)
    assert evals.own_keys("writing") == ()
    standing = evals.standing("other/claude-opus-5", "own:coding")
    assert standing is not None
    assert (standing.share, standing.value, standing.effort) == (1.0, 81.25, "high")
    free = evals.measured("local/qwen3.8-max", "own:coding/usd")
    assert free is not None
    assert free.value == 0
