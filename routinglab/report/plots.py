"""Drawings as SVG text: the same figures give the same bytes, and text takes the page's colour.

Nothing here decides what is drawn; functions take points and give a :class:`Figure`.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from routinglab.report.blocks import Column, Figure, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Drawn in this colour, replaced by the colour of the text around the figure.
_INK = "#010203"
_SOFT = "#7d8792"
#: Distinguishable with any colour vision (Okabe and Ito, 2008), legible on light and dark paper.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#b98400", "#56b4e9")

_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "routinglab",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "text.parse_math": False,
    "text.color": _INK,
    "axes.labelcolor": _INK,
    "axes.edgecolor": _SOFT,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "xtick.color": _INK,
    "ytick.color": _INK,
    "grid.color": _SOFT,
    "grid.alpha": 0.25,
    "legend.frameon": False,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
}


_NAME_SIZE = 7.5
#: Width of a letter of that size in pixels, a little generous.
_LETTER = 6.0
#: Where a name may stand: pixels right and up of its point, and which end it starts from.
_PLACES = ((6, 4, "left"), (-6, 4, "right"), (6, -12, "left"), (-6, -12, "right"))


@dataclass(frozen=True, slots=True)
class Point:
    """A labelled point; ``low`` and ``high`` bound its interval along y, ``group`` its colour."""

    label: str
    x: float
    y: float
    low: float | None = None
    high: float | None = None
    group: str = ""


@contextmanager
def drawing(width: float = 8.0, height: float = 4.4) -> Iterator[tuple[Axes, list[str]]]:
    """Axes to draw on, in inches, and a list that holds the SVG text when the block ends."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure as Drawing

    result: list[str] = []
    with mpl.rc_context(_STYLE):
        figure = Drawing(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)  # never pyplot: no global state, no window
        axes = figure.add_subplot()
        axes.grid(True, linewidth=0.6)
        axes.set_axisbelow(True)
        yield axes, result
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None, "Creator": None})
    result.append(_for_pages(buffer.getvalue()))


def _for_pages(svg: str) -> str:
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>\s*", "", svg, flags=re.DOTALL)
    return svg.replace(_INK, "currentColor")


def scatter(
    points: Sequence[Point],
    *,
    x: str,
    y: str,
    alt: str,
    caption: str = "",
    frontier: Sequence[Point] = (),
    frontier_label: str = "Pareto frontier",
    log_x: bool = False,
) -> Figure:
    """Points with their names; ``frontier`` is joined by a step line, best value so far."""
    groups = sorted({point.group for point in points})
    with drawing() as (axes, result):
        if log_x:
            axes.set_xscale("log")
            axes.xaxis.set_major_formatter(_plain_ticks())
        if frontier:
            ordered = sorted(frontier, key=lambda p: (p.x, p.y))
            axes.step(
                [p.x for p in ordered], [p.y for p in ordered],
                where="post", color=_SOFT, linewidth=1.2, zorder=1, label=frontier_label,
            )  # fmt: skip
        for number, group in enumerate(groups):
            members = [p for p in points if p.group == group]
            colour = PALETTE[number % len(PALETTE)]
            _intervals(axes, members, colour)
            axes.scatter(
                [p.x for p in members], [p.y for p in members],
                s=26, color=colour, zorder=3, label=group or None,
            )  # fmt: skip
        axes.set_xlabel(x)
        axes.set_ylabel(y)
        if frontier or len(groups) > 1:
            axes.legend(loc="lower right", fontsize=8)
        _name(axes, points, frontier)
    rows = tuple((p.label, p.x, p.y) for p in points)
    return Figure(result[0], alt, caption, Table((Column(""), Column(x), Column(y)), rows))


def intervals(points: Sequence[Point], *, x: str, alt: str, caption: str = "") -> Figure:
    """One row a point: its value (``y``) with its interval, best on top."""
    ordered = sorted(points, key=lambda p: (p.y, p.label))
    groups = sorted({point.group for point in points})
    with drawing(height=0.9 + 0.27 * len(ordered)) as (axes, result):
        for row, point in enumerate(ordered):
            colour = PALETTE[groups.index(point.group) % len(PALETTE)]
            if point.low is not None and point.high is not None:
                axes.plot(
                    [point.low, point.high], [row, row], color=colour, linewidth=2, alpha=0.55
                )
            axes.plot([point.y], [row], "o", color=colour, markersize=5)
        axes.set_yticks(range(len(ordered)), [p.label for p in ordered])
        axes.set_ylim(-0.6, len(ordered) - 0.4)
        axes.grid(False, axis="y")
        axes.set_xlabel(x)
        if len(groups) > 1:
            for number, group in enumerate(groups):
                axes.plot([], [], "o", color=PALETTE[number % len(PALETTE)], label=group)
            axes.legend(loc="lower right", fontsize=8)
    rows = tuple((p.label, p.y, p.low, p.high) for p in reversed(ordered))
    columns = (Column(""), Column(x), Column("low"), Column("high"))
    return Figure(result[0], alt, caption, Table(columns, rows))


def _intervals(axes: Axes, points: Sequence[Point], colour: str) -> None:
    for point in points:
        if point.low is not None and point.high is not None:
            axes.plot(
                [point.x, point.x], [point.low, point.high],
                color=colour, linewidth=1.4, alpha=0.45, zorder=2,
            )  # fmt: skip


def _plain_ticks() -> Any:
    from matplotlib.ticker import FuncFormatter

    return FuncFormatter(lambda value, _: f"{value:g}")


def _name(axes: Axes, points: Sequence[Point], frontier: Sequence[Point]) -> None:
    """Write names beside points, leaving out those that would cover another name or a point.

    Frontier points are named first, then from the best down; a place that no line crosses is
    preferred.
    """
    drawn = axes.get_figure(root=True)
    if drawn is not None:
        drawn.draw_without_rendering()  # places are known once the layout is
    transform, area = axes.transData.transform, axes.get_window_extent()
    first = {point.label for point in frontier}
    ordered = sorted(points, key=lambda p: (p.label not in first, -p.y, p.x, p.label))
    dots = [tuple(transform((p.x, p.y))) for p in points]
    lines = [(*transform(start), *transform(end)) for start, end in _lines(points, frontier)]
    taken: list[tuple[float, float, float, float]] = []
    for point in ordered:
        at = transform((point.x, point.y))
        boxes = [(_box(at[0] + x, at[1] + y, point.label, a), (x, y, a)) for x, y, a in _PLACES]
        free = [
            (box, place)
            for box, place in boxes
            if area.x0 <= box[0] and box[2] <= area.x1
            if not any(_overlap(box, other) for other in taken)
            if not any(_holds(box, dot) for dot in dots)
        ]
        clear = [item for item in free if not any(_crosses(item[0], line) for line in lines)]
        for box, (dx, dy, align) in (clear or free)[:1]:
            taken.append(box)
            written = axes.annotate(
                point.label, (point.x, point.y), xytext=(dx, dy),
                textcoords="offset pixels", ha=align, fontsize=_NAME_SIZE,
            )  # fmt: skip
            written.set_in_layout(False)


_Ends = tuple[tuple[float, float], tuple[float, float]]


def _lines(points: Sequence[Point], frontier: Sequence[Point]) -> list[_Ends]:
    """What is drawn besides points: their intervals and the steps of the frontier."""
    drawn: list[_Ends] = [
        ((p.x, p.low), (p.x, p.high)) for p in points if p.low is not None and p.high is not None
    ]
    steps = sorted(frontier, key=lambda p: (p.x, p.y))
    for left, right in pairwise(steps):
        drawn.append(((left.x, left.y), (right.x, left.y)))
        drawn.append(((right.x, left.y), (right.x, right.y)))
    return drawn


def _box(x: float, y: float, text: str, align: str) -> tuple[float, float, float, float]:
    width = _LETTER * len(text)
    left = x if align == "left" else x - width
    return left, y, left + width, y + 1.5 * _NAME_SIZE


def _overlap(a: tuple[float, ...], b: tuple[float, ...]) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _holds(box: tuple[float, ...], dot: tuple[float, ...]) -> bool:
    return box[0] <= dot[0] <= box[2] and box[1] <= dot[1] <= box[3]


def _crosses(box: tuple[float, ...], line: tuple[float, ...]) -> bool:
    """Whether an upright or level line runs through a box."""
    x0, x1 = sorted((line[0], line[2]))
    y0, y1 = sorted((line[1], line[3]))
    return x0 < box[2] and box[0] < x1 + 1 and y0 < box[3] and box[1] < y1 + 1
