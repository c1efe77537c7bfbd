"""Drawings: the same figures give the same bytes, in the page's own colours."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ET

from routinglab.report.contained import reach_of
from routinglab.report.plots import Point, _crosses, _lines, intervals, scatter

POINTS = [
    Point("cheap $ & <small>", 0.1, 40.0, 35.0, 45.0, "baseline"),
    Point("dear", 9.0, 70.0, group="router"),
    Point("waste", 9.5, 20.0, group="router"),
]


def draw() -> str:
    figure = scatter(
        POINTS, x="USD", y="score", alt="quality by cost", frontier=POINTS[:2], log_x=True
    )
    return figure.svg + intervals(POINTS, x="score", alt="intervals").svg


def test_a_scatter_is_well_formed_self_contained_and_in_the_colour_of_the_text() -> None:
    figure = scatter(POINTS, x="USD", y="score", alt="quality by cost", frontier=POINTS[:2])
    ET.fromstring(figure.svg)
    assert reach_of(figure.svg) is None
    assert "currentColor" in figure.svg
    assert "#010203" not in figure.svg
    assert "<metadata>" not in figure.svg


def test_the_figures_drawn_stand_beside_the_drawing() -> None:
    figure = scatter(POINTS, x="USD", y="score", alt="quality by cost")
    assert figure.to_dict()["data"]["rows"][1] == ["dear", 9.0, 70.0]
    assert [row[0] for row in intervals(POINTS, x="score", alt="i").to_dict()["data"]["rows"]] == [
        "dear",
        "cheap $ & <small>",
        "waste",
    ]


def test_another_process_draws_the_same_bytes() -> None:
    code = (
        "import sys; sys.path.insert(0, sys.argv[1])\n"
        "from test_report_plots import draw; sys.stdout.write(draw())"
    )
    folder = __file__.rpartition("/")[0]
    other = subprocess.run(
        [sys.executable, "-c", code, folder], capture_output=True, text=True, check=True
    )
    assert other.stdout == draw()


def test_no_points_still_draw() -> None:
    ET.fromstring(scatter([], x="USD", y="score", alt="nothing measured").svg)
    ET.fromstring(intervals([], x="score", alt="nothing measured").svg)


def test_a_name_prefers_a_place_that_no_line_crosses() -> None:
    box = (10.0, 10.0, 40.0, 20.0)
    assert _crosses(box, (25, 0, 25, 30))  # upright, through it
    assert _crosses(box, (30, 15, 0, 15))  # level, drawn from right to left
    assert not _crosses(box, (50, 0, 50, 30))
    assert not _crosses(box, (0, 25, 60, 25))
    steps = _lines([Point("a", 1, 5, 4, 6)], [Point("p", 1, 5), Point("q", 3, 9)])
    assert steps == [((1, 4), (1, 6)), ((1, 5), (3, 5)), ((3, 5), (3, 9))]
