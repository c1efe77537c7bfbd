"""Blocks: one content, rendered as HTML, Markdown and data."""

from __future__ import annotations

import datetime
from html.parser import HTMLParser
from math import nan
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.report.blocks import Blocks, Column, Estimate, Facts, Figure, Note, Table, shown


class Cells(HTMLParser):
    """The text of each table cell, and the tags that were met."""

    def __init__(self, markup: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self.tags: set[str] = set()
        self.feed(markup)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        if tag in ("td", "th"):
            self.texts.append("")
        elif tag == "br":
            self.texts[-1] += "\n"

    def handle_data(self, data: str) -> None:
        if self.texts:
            self.texts[-1] += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "tr":
            self.texts.append("")


FRAME = pd.DataFrame(
    {
        "model": ["openai/gpt-6-astra", "x/<b>"],
        "cost": [1.2345, np.nan],
        "runs": [12_000, 3],
        "flipped": [False, True],
    }
)


def test_a_frame_becomes_rows_under_labels_with_formats() -> None:
    table = Table.of(
        FRAME,
        {"model": "Model", "cost": Column("USD", "${:.2f}"), "runs": "Runs"},
        caption="From a & b.",
        mark="flipped",
    )
    markup = table._repr_html_()
    assert '<td class="short">openai/gpt-6-astra</td>' in markup
    assert '<td class="number" data-v="1.2345">$1.23</td>' in markup
    assert '<td class="number missing" data-v="">—</td>' in markup
    assert '<td class="number" data-v="12000">12,000</td>' in markup
    assert '<tr class="flip"><td class="short">x/&lt;b&gt;</td>' in markup
    assert '<p class="caption">From a &amp; b.</p>' in markup
    assert table.to_dict() == {
        "caption": "From a & b.",
        "columns": ["Model", "USD", "Runs"],
        "rows": [["openai/gpt-6-astra", 1.2345, 12000], ["x/<b>", None, 3]],
    }
    assert table.to_markdown().splitlines()[2] == "| openai/gpt-6-astra | $1.23 | 12,000 |"


def test_an_estimate_sorts_as_its_number_and_shows_its_interval() -> None:
    table = Table(
        (Column("Score", ".1%"),), ((Estimate(0.642, 0.568, 0.716),), (Estimate(0.5, nan, nan),))
    )
    markup = table._repr_html_()
    assert (
        '<td class="number" data-v="0.642" data-low="0.568" data-high="0.716">'
        "64.2% (56.8% to 71.6%)</td>" in markup
    )
    assert '<td class="number" data-v="0.5">50.0%</td>' in markup
    assert table.to_dict()["rows"][0] == [{"value": 0.642, "low": 0.568, "high": 0.716}]
    assert "| 64.2% (56.8% to 71.6%) |" in table.to_markdown()
    assert max(Estimate(1, 0, 2), Estimate(3, 0, 9)) == 3


def test_a_figure_unfolds_to_the_points_it_shows() -> None:
    data = Table((Column(""), Column("USD")), (("a", 1.5),))
    markup = Figure("<svg></svg>", "one point", data=data)._repr_html_()
    assert "<summary>the 1 point as a table</summary>" in markup
    assert 'data-v="1.5"' in markup
    assert "<details" not in Figure("<svg></svg>", "nothing")._repr_html_()


def test_an_empty_table_has_its_headings() -> None:
    table = Table.of(FRAME.iloc[:0], {"model": "Model"})
    assert "<th>Model</th>" in table._repr_html_()
    assert table.to_dict()["rows"] == []


@given(st.lists(st.text(max_size=30), min_size=1, max_size=4))
@settings(max_examples=50, deadline=None)
def test_any_text_is_shown_as_text(texts: list[str]) -> None:
    clean = [t.replace("\r", "").replace("\x00", "") for t in texts]
    parsed = Cells(Table((Column("Task"),), tuple((t,) for t in clean))._repr_html_())
    harmless = {"div", "table", "thead", "tbody", "tr", "th", "td", "br", "wbr"}
    assert parsed.tags <= harmless
    found = [t.strip() for t in parsed.texts if t.strip()]
    assert found == ["Task", *(t.strip() for t in clean if t.strip())]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "—"),
        (float("nan"), "—"),
        (pd.NA, "—"),
        (pd.NaT, "—"),
        (0, "0"),
        (0.0, "0"),
        (1234567, "1,234,567"),
        (np.int64(3), "3"),
        (0.123456, "0.1235"),
        (np.float64(98765.4), "98,765"),
        (True, "yes"),
        (np.bool_(False), "no"),
        (["a", "b"], "a, b"),
        ({"b", "a"}, "a, b"),
        ((), "—"),
        (datetime.date(2026, 9, 3), "2026-09-03"),
        (pd.Timestamp("2026-09-03 12:00"), "2026-09-03"),
        ("text", "text"),
    ],
)
def test_values_read_as_people_write_them(value: Any, text: str) -> None:
    assert shown(value) == text


def test_formats_are_specifications_templates_or_functions() -> None:
    assert shown(0.5, ".0%") == "50%"
    assert shown(2, "{:.1f} s") == "2.0 s"
    assert shown("a", str.upper) == "A"
    assert shown(None, ".0%") == "—"


def test_key_figures_notes_and_figures_render_in_every_form() -> None:
    facts = Facts({"Tasks": 176, "Oracle": ("78.98 %", "ties to the cheaper")}, caption="c")
    note = Note("no <outcomes>", warning=True)
    figure = Figure(
        '<?xml?><svg width="1"></svg>', 'a "plot"', "cap", Table((Column("x"),), ((1,),))
    )
    markup = Blocks([facts, note, figure])._repr_html_()
    assert "<dt>Oracle</dt><dd>78.98 %<small>ties to the cheaper</small></dd>" in markup
    assert '<p class="note warning">no &lt;outcomes&gt;</p>' in markup
    assert '<figure><svg role="img" aria-label="a &quot;plot&quot;" width="1"></svg>' in markup
    text = Blocks([facts, note, figure]).to_markdown()
    assert "- Oracle: 78.98 % (ties to the cheaper)" in text
    assert "> no <outcomes>" in text
    assert "| x |" in text
    data = Blocks([facts, note, figure]).to_dict()["blocks"]
    assert data[0]["figures"] == {"Tasks": 176, "Oracle": "78.98 %"}
    assert data[1] == {"note": "no <outcomes>", "warning": True}
    assert data[2]["data"]["rows"] == [[1]]


def test_markdown_tables_keep_pipes_and_lines_inside_their_cell() -> None:
    table = Table((Column("a|b"),), (("x\ny|z",),))
    assert table.to_markdown().splitlines() == [r"| a\|b |", "| --- |", r"| x y\|z |"]
