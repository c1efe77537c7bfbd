"""What is kept of one task's activity: 64 reports, 8 KiB, and a label for the rest."""

from __future__ import annotations

import json

from hypothesis import given, settings
from hypothesis import strategies as st
from support.children import START

from routinglab.tasks.previews import ActivityLog, clean, cut, encoded


def filled(texts: list[str]) -> ActivityLog:
    log = ActivityLog()
    for text in texts:
        log.add(text, "note", START)
    return log


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.text(max_size=3000) | st.sampled_from(['"' * 900, "é" * 800, "x" * 5000]), max_size=90
    )
)
def test_however_much_is_reported_64_reports_and_8_kib_are_kept(texts: list[str]) -> None:
    activity = filled(texts).view()
    assert len(activity.reports) <= 64
    assert len(encoded(activity)) <= 8192
    assert activity.total == len(texts)
    assert bool(activity.reports) == bool(texts)
    # the newest ones, without a gap
    assert [r.number for r in activity.reports] == list(range(activity.omitted + 1, len(texts) + 1))
    assert (activity.omission is None) == (activity.omitted == 0)


def test_short_reports_fill_64_places_and_long_ones_8_kib() -> None:
    assert len(filled(["x"] * 64).view().reports) == 64
    assert filled(["x"] * 64).view().omission is None
    assert filled(["x"] * 65).view().omission == "1 earlier report omitted"
    # 1000 bytes of text and some 60 of wrapping each: seven fit in 8192
    long = filled(["x" * 1000] * 20).view()
    assert len(long.reports) == 7
    assert long.omission == "13 earlier reports omitted"


def test_the_label_for_omitted_reports_fits_into_the_8_kib_too() -> None:
    sizes = {n: len(encoded(filled(["x" * n] * 70).view())) for n in range(20, 400)}
    assert all(size <= 8192 for size in sizes.values())
    assert max(sizes.values()) > 8000


def test_a_long_report_is_cut_at_a_character_and_says_so() -> None:
    [report] = filled(["é" * 1000]).view().reports
    assert report.cut
    assert report.text == "é" * 498 + "…"
    assert len(report.text.encode()) <= 1000
    assert not filled(["é" * 500]).view().reports[0].cut


def test_the_encoded_preview_names_what_was_omitted_first() -> None:
    lines = encoded(filled([f"r{i}" for i in range(70)]).view()).splitlines()
    assert json.loads(lines[0]) == {"omitted": "6 earlier reports omitted"}
    assert json.loads(lines[1])["text"] == "r6"
    assert json.loads(lines[-1])["text"] == "r69"


def test_terminal_codes_and_control_characters_do_not_reach_a_view() -> None:
    assert (
        clean("\x1b[31mred\x1b[0m\x07 and\r\n\ttab\x00 \x1b]0;title\x07end") == "red and\n\ttab end"
    )
    assert clean("half \ud800 pair") == "half  pair"


@given(st.text(), st.integers(min_value=3, max_value=50))
def test_cutting_never_exceeds_its_bytes_and_keeps_a_start_of_the_text(
    text: str, limit: int
) -> None:
    short, was_cut = cut(text, limit)
    assert len(short.encode()) <= limit
    assert text.startswith(short.removesuffix("…") if was_cut else short)
    assert was_cut == (len(text.encode()) > limit)
