"""Figures, cells and dates as people write them (SPEC 3.2)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.evals.cells import plain_text, split_row
from routinglab.evals.dates import find_date, heading_version, stated_date
from routinglab.evals.evals import parse_evals
from routinglab.evals.values import Figure, is_missing, read_figure


@pytest.mark.parametrize(
    ("cell", "figure"),
    [
        ("74% ±3", Figure(74.0, "%", 3.0)),
        ("74±3", Figure(74.0, None, 3.0)),
        ("74.2% (±3.1%)", Figure(74.2, "%", 3.1)),
        ("74 $\\pm$ 3", Figure(74.0, None, 3.0)),
        ("74% [71, 77]", Figure(74.0, "%", 3.0)),
        ("1420 +5/-4", Figure(1420.0, None, 4.5)),
        ("**58%**", Figure(58.0, "%")),
        ("$6.52", Figure(6.52, "usd")),
        ("6.52 USD", Figure(6.52, "usd")),
        ("$0.06/task", Figure(0.06, "usd")),
        ("143k", Figure(143_000.0, scaled=True)),
        ("30k tok", Figure(30_000.0, "tokens", scaled=True)),
        ("1.2M tokens", Figure(1_200_000.0, "tokens", scaled=True)),
        ("1,200", Figure(1200.0)),
        ("12 000", Figure(12_000.0)),
        ("74,5%", Figure(74.5, "%")),
        ("24.0 min", Figure(1440.0, "seconds", scaled=True)),
        ("850 ms", Figure(0.85, "seconds", scaled=True)),
        ("266.5 s", Figure(266.5, "seconds")),
        ("2.5 h", Figure(9000.0, "seconds", scaled=True)),
        ("1h 20m", Figure(4800.0, "seconds")),
        ("12:30", Figure(750.0, "seconds")),
        ("69 tok/s", Figure(69.0, "tokens/s")),
        ("0.99", Figure(0.99)),
        ("−3", Figure(-3.0)),
        ("+3.2", Figure(3.2)),
        ("+$0.98 (1.20×)", Figure(0.98, "usd", delta=True, note="1.20×")),
        ("-$2.73", Figure(-2.73, "usd", delta=True)),
        ("1.20×", Figure(1.2, "×")),
        ("1,420 Elo", Figure(1420.0, "points")),
        ("45/113 (39.8%)", Figure(39.8, "%", note="45/113")),
        ("3 of 4", Figure(75.0, "%", note="3/4")),
        ("74% (high)", Figure(74.0, "%", note="high")),
        ("74%[^2]", Figure(74.0, "%")),
        ("74¹", Figure(74.0)),
        ("[74%](https://example.org)", Figure(74.0, "%")),
        ("~~70~~ 74%", Figure(74.0, "%")),
        ("≈74%", Figure(74.0, "%")),
        ("７４％ ± ３", Figure(74.0, "%", 3.0)),
        ("74\u2007% ±\u20093", Figure(74.0, "%", 3.0)),
        ("\u00ad7\u200b4", Figure(74.0)),
        ("$74\\%$", Figure(74.0, "%")),
        ("$74 \\pm 3$", Figure(74.0, None, 3.0)),
        ("74 (-2, +3)", Figure(74.0, None, 2.5)),
        ("6.52$", Figure(6.52, "usd")),
        ("90¢", Figure(0.9, "usd", scaled=True)),
        ("\u20113", Figure(-3.0)),
        ("-0", Figure(0.0)),
        ("74% ✅", Figure(74.0, "%")),
        ("74 [1]", Figure(74.0)),
        ("74^[2]", Figure(74.0)),
    ],
)
def test_figures_seen_in_the_wild(cell: str, figure: Figure) -> None:
    assert read_figure(plain_text(cell)) == figure


@pytest.mark.parametrize(
    "cell",
    [
        "∅",
        "—",
        "–",
        "-",
        "---",
        "n/a",
        "N/A",
        "",
        "  ",
        "&mdash;",
        "TBD",
        "nan",
        "N/A*",
        "— †",
        "— (not run)",
        "n/a (refused)",
    ],
)
def test_missing_marks_are_missing_and_no_figure(cell: str) -> None:
    assert is_missing(plain_text(cell))
    assert read_figure(plain_text(cell)) is None


@pytest.mark.parametrize(
    "cell", ["<1%", "70–75%", "74.2 / 80.1", "yes", "GPT-5", "±3", "inf", "1e400", "1.2.3"]
)
def test_what_is_no_single_figure_is_not_read_as_one(cell: str) -> None:
    assert not is_missing(cell)
    assert read_figure(cell) is None


@pytest.mark.parametrize(
    ("line", "width", "cells"),
    [
        ("| a | b |", None, ["a", "b"]),
        ("a | b", None, ["a", "b"]),
        ("| a | | c |", None, ["a", "", "c"]),
        (r"| a \| b | c |", None, ["a | b", "c"]),
        ("| `x|y` | b |", None, ["`x|y`", "b"]),
        ("| `x|y` | b |", 3, ["`x", "y`", "b"]),
        ("| `x | b |", None, ["`x", "b"]),
        (r"| a \\| b |", None, [r"a \\", "b"]),
    ],
)
def test_rows_split_into_cells(line: str, width: int | None, cells: list[str]) -> None:
    assert split_row(line, width) == cells


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        ("**[Opus 5](https://x.y/a_(b))**[^1]", "Opus 5"),
        ("[gpt-6 [xhigh]](u)", "gpt-6 [xhigh]"),
        ("gpt-6 [xhigh][1]", "gpt-6 [xhigh]"),
        ("`a_b_c`", "a_b_c"),
        ("gpt_oss_120b", "gpt_oss_120b"),
        ("A &amp; B<br>C<sup>2</sup>", "A & B C"),
        ("<b>x</b> _y_", "x y"),
    ],
)
def test_markup_is_taken_off_cells(cell: str, text: str) -> None:
    assert plain_text(cell) == text


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("as of 2026-09-22", date(2026, 9, 22)),
        ("22 September 2026", date(2026, 9, 22)),
        ("Sep 22, 2026", date(2026, 9, 22)),
        ("2026/9/2", date(2026, 9, 2)),
        ("(2026-08)", date(2026, 8, 1)),
        ("July 2026", date(2026, 7, 1)),
        ("version 2026 of 12 tasks", None),
        ("2026-13-40", None),
    ],
)
def test_dates(text: str, day: date | None) -> None:
    assert find_date(text) == day


def test_prose_with_several_dates_gives_the_one_it_states_for_its_figures() -> None:
    assert stated_date("Started 2026-01-02. Snapshot of 2026-09-03, ends 2027-01-01.") == date(
        2026, 9, 3
    )
    assert stated_date("Between 2026-01-02 and 2026-02-03.") is None


@pytest.mark.parametrize(
    ("heading", "version"),
    [
        ("Intelligence Index v4.3.2 (2026-09-22)", "4.3.2"),
        ("FrontierCode 1.1, Main", "1.1"),
        ("DeepSWE v2", "2"),
        ("Artificial Analysis, 2026.09.22", ""),
        ("Own outcomes", ""),
    ],
)
def test_versions_of_headings(heading: str, version: str) -> None:
    assert heading_version(heading) == version


@given(st.text(max_size=80))
@settings(max_examples=300, deadline=None)
def test_reading_a_cell_never_raises(text: str) -> None:
    plain = plain_text(text)
    figure = read_figure(plain)
    assert figure is None or not is_missing(plain)


@given(st.floats(0, 100), st.floats(0, 20))
@settings(max_examples=100, deadline=None)
def test_a_percentage_with_an_interval_reads_back(value: float, half: float) -> None:
    text = f"{value:.2f}% ±{half:.2f}"
    assert read_figure(text) == Figure(float(f"{value:.2f}"), "%", float(f"{half:.2f}"))


@pytest.mark.parametrize("head", ["±", "95% CI", "CI"])
@pytest.mark.parametrize("half", ["±3", "3", "+4/-2"])
def test_an_interval_may_have_a_column_of_its_own(head: str, half: str) -> None:
    text = f"## DeepSWE v1\n\n| Model | pass@1 | {head} | Steps |\n|---|---|---|---|\n| a-1 | 74% | {half} | 5 |\n"
    rows = parse_evals(text).rows
    assert [(row.benchmark, row.value, row.ci) for row in rows] == [
        ("dswe:Pass@1", 74, 3), ("dswe:steps", 5, None),
    ]  # fmt: skip
