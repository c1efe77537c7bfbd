"""Where a table begins and ends, and what the lines around it say (SPEC 3.2)."""

from __future__ import annotations

from datetime import date

import pytest

from routinglab.evals.evals import Evals, parse_evals

AA = "## Artificial Analysis 2026-09-01\n\n"


def read(text: str) -> list[tuple[str, str, float, int]]:
    return shown(parse_evals(text))


def shown(evals: Evals) -> list[tuple[str, str, float, int]]:
    return [(row.model, row.benchmark, row.value, row.line) for row in evals.rows]


def warned(text: str) -> list[str]:
    return [str(one) for one in parse_evals(text).warnings]


def test_text_right_above_a_table_is_read_too() -> None:
    text = "## AA\n\n- `QQ`: SciCode.\n| Model | QQ |\n|---|---|\n| a-1 | 5 |\n\nSnapshot: 2026-09-22\n| Model | HLE |\n|---|---|\n| a-1 | 6 |\n"
    evals = parse_evals(text)
    assert shown(evals) == [("a-1", "aa:Sci", 5.0, 6), ("a-1", "aa:HLE", 6.0, 11)]
    assert {row.edition.date for row in evals.rows} == {date(2026, 9, 22)}


def test_a_line_without_pipes_does_not_end_a_table() -> None:
    text = AA + "Model | HLE\n---|---\na-1 | 1\nb-1\nc-1 | 3\n"
    assert read(text) == [("a-1", "aa:HLE", 1.0, 5), ("c-1", "aa:HLE", 3.0, 7)]


def test_text_right_below_a_table_is_read_as_text() -> None:
    text = "## AA\n\n| Model | HLE |\n|---|---|\n| a-1 | 1 |\nAs of 2026-09-05.\n"
    evals = parse_evals(text)
    assert [row.as_of for row in evals.rows] == [date(2026, 9, 5)]
    assert evals.warnings == ()


def test_rows_after_a_blank_line_belong_to_the_table_above() -> None:
    text = AA + "Model | HLE\n---|---\na-1 | 1\n\nb-1 | 2\n"
    assert read(text) == [("a-1", "aa:HLE", 1.0, 5), ("b-1", "aa:HLE", 2.0, 7)]


def test_a_header_repeated_in_a_table_begins_another() -> None:
    text = (
        AA + "| Model | HLE |\n|---|---|\n| a-1 | 1 |\n| Model | GPQA |\n|---|---|\n| b-1 | 2 |\n"
    )
    assert read(text) == [("a-1", "aa:HLE", 1.0, 5), ("b-1", "aa:GPQA", 2.0, 8)]
    assert warned(text) == []


@pytest.mark.parametrize(
    "table",
    [
        "- | Model | HLE |\n  |---|---|\n  | a-1 | 7 |\n",
        "* Text\n    * nested\n\n      | Model | HLE |\n      |---|---|\n      | a-1 | 7 |\n",
        "- Text\n\n  more\n\n    | Model | HLE |\n    |---|---|\n    | a-1 | 7 |\n",
        "> - quoted\n>\n>   | Model | HLE |\n>   |---|---|\n>   | a-1 | 7 |\n",
        "+-------+-----+\n| Model | HLE |\n+=======+=====+\n| a-1   | 7   |\n+-------+-----+\n",
        "| Model | HLE |\n-------------\n| a-1 | 7 |\n",
        "Words | more\n| Model | HLE |\n|---|---|\n| a-1 | 7 |\n",
        "|Model|HLE|\n|-|-|\n|a-1|7|\n||\n| | |\n",
    ],
    ids=["in item", "nested item", "item text", "quoted item", "grid", "dashes", "prose", "tight"],
)
def test_tables_in_lists_quotes_and_grids(table: str) -> None:
    evals = parse_evals(AA + table)
    assert [(row.model, row.benchmark, row.value) for row in evals.rows] == [("a-1", "aa:HLE", 7.0)]
    assert evals.warnings == ()


def test_a_lone_line_of_a_table_is_reported() -> None:
    assert warned(AA + "| a-1 | 7 |\n")[0] == "line 3: a single line of a table was passed over"


def test_figures_of_a_turned_table_have_their_own_lines() -> None:
    text = AA + "| Benchmark | a-1 | b-1 |\n|---|---|---|\n| HLE | 1 | 2 |\n| GPQA | x | 4 |\n"
    assert read(text) == [("a-1", "aa:HLE", 1.0, 5), ("b-1", "aa:HLE", 2.0, 5), ("b-1", "aa:GPQA", 4.0, 6)]  # fmt: skip
    assert warned(text) == ["line 6: cannot read 'x' as GPQA"]


def test_figures_under_no_heading_are_reported() -> None:
    text = AA + "| Model | | HLE |\n|---|---|---|\n| a-1 | 5 | 1 |\n"
    assert read(text) == [("a-1", "aa:HLE", 1.0, 5)]
    assert warned(text) == ["line 3: column 2 has no heading and was passed over"]


def test_headings_are_read_without_attributes_and_dates_from_any_front_matter() -> None:
    evals = parse_evals('+++\ndate = "2026-09-01"\n+++\n## AA {#aa .tabset}\n\n|Model|HLE|\n|-|-|\n|a-1|1|\n')  # fmt: skip
    assert [(row.source, row.as_of) for row in evals.rows] == [("AA", date(2026, 9, 1))]


@pytest.mark.parametrize(
    "written", ["20260905", "Sep. 5th, 2026", "5 September 2026", "2026/9/5", "2026‑09‑05"]
)
def test_one_date_however_written_is_one_edition(written: str) -> None:
    table = "\n\n| Model | HLE |\n|---|---|\n| a-1 | 1 |\n\n"
    evals = parse_evals(f"## AA (2026-09-05){table}## AA ({written}){table}")
    assert len({row.edition.order for row in evals.rows}) == 1


def test_a_half_character_in_a_text_is_replaced() -> None:
    evals = parse_evals(AA + "| Model | HLE |\n|---|---|\n| a\ud800-1 | 1 |\n")
    assert evals.results["slug"].tolist() == ["a\ufffd\ufffd\ufffd-1"]
