"""Blocks a report is made of: tables, key figures, notes and figures, each with its caption.

A block says what is shown; renderings follow from it: HTML in a notebook or page, Markdown, and
plain data for JSON. Text is escaped where it is rendered, so a block may hold anything.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

Format = str | Callable[[Any], str]


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table: its heading, how values read, and a hint for the heading.

    ``format`` is a format specification such as ``.1f``, a template such as ``${:.2f}`` or a
    function; ``wide`` gives long text room.
    """

    label: str
    format: Format | None = None
    hint: str = ""
    wide: bool = False


class Estimate(float):
    """A number with the interval it lies in: sorts and computes as the number.

    ``low`` and ``high`` bound the interval, NaN where it is not known.
    """

    low: float
    high: float

    def __new__(cls, value: float, low: float, high: float) -> Estimate:
        made = super().__new__(cls, value)
        made.low, made.high = low, high
        return made

    def __format__(self, form: str) -> str:
        """The number and its interval, each in ``form``: ``64.2% (56.8% to 71.6%)``."""
        value = float(self)
        if math.isnan(self.low) or math.isnan(self.high):
            return format(value, form)
        return f"{value:{form}} ({self.low:{form}} to {self.high:{form}})"


@dataclass(frozen=True, slots=True)
class Folded:
    """A value of a cell that shows ``summary`` and unfolds to ``text``."""

    summary: str
    text: str

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns; ``caption`` says what they are and where they came from.

    ``marked`` names rows (by position) to point out.
    """

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    caption: str = ""
    marked: frozenset[int] = frozenset()

    @classmethod
    def of(
        cls,
        frame: pd.DataFrame,
        columns: Mapping[str, str | Column] | None = None,
        *,
        caption: str = "",
        mark: str | None = None,
    ) -> Table:
        """Take a frame's columns, in the order given, each under a label or a :class:`Column`.

        ``mark`` names a boolean column whose true rows are pointed out.
        """
        chosen = {name: name for name in map(str, frame.columns)} if columns is None else columns
        heads = [c if isinstance(c, Column) else Column(c) for c in chosen.values()]
        values = [list(frame[name]) for name in chosen]
        rows = tuple(zip(*values, strict=True)) if values else ()
        marked = (
            frozenset(i for i, m in enumerate(frame[mark]) if m is True or m == 1) if mark else ()
        )
        return cls(tuple(heads), rows, caption, frozenset(marked))

    def _repr_html_(self) -> str:
        numeric = [self._numeric(i) for i in range(len(self.columns))]
        head = "".join(
            f"<th{_classes('number' if n else '')}{_title(c.hint)}>{escape(c.label)}</th>"
            for c, n in zip(self.columns, numeric, strict=True)
        )
        body = "\n".join(
            f"<tr{_classes('flip' if i in self.marked else '')}>"
            + "".join(_cell(v, c, n) for v, c, n in zip(row, self.columns, numeric, strict=True))
            + "</tr>"
            for i, row in enumerate(self.rows)
        )
        return (
            f'<div class="scroll" tabindex="0"><table data-rows="{len(self.rows)}">\n'
            f"<thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table></div>"
            + _caption(self.caption)
        )

    def to_markdown(self) -> str:
        """A pipe table, with the caption under it."""
        lines = [
            "| " + " | ".join(_pipe(c.label) for c in self.columns) + " |",
            "| " + " | ".join("---" for _ in self.columns) + " |",
            *(
                "| "
                + " | ".join(
                    _pipe(shown(v, c.format)) for v, c in zip(row, self.columns, strict=True)
                )
                + " |"
                for row in self.rows
            ),
        ]
        return "\n".join(lines + (["", self.caption] if self.caption else []))

    def to_dict(self) -> dict[str, Any]:
        """``{caption, columns, rows}`` with missing values as None."""
        return {
            "caption": self.caption,
            "columns": [column.label for column in self.columns],
            "rows": [[None if _missing(v) else _plain(v) for v in row] for row in self.rows],
        }

    def _numeric(self, position: int) -> bool:
        values = [row[position] for row in self.rows if not _missing(row[position])]
        return bool(values) and all(_is_number(value) for value in values)


@dataclass(frozen=True, slots=True)
class Facts:
    """A few key figures side by side: ``{label: value}`` or ``{label: (value, remark)}``."""

    items: Mapping[str, Any]
    caption: str = ""

    def _repr_html_(self) -> str:
        boxes = []
        for label, item in self.items.items():
            value, remark = item if isinstance(item, tuple) else (item, "")
            small = f"<small>{escape(remark)}</small>" if remark else ""
            boxes.append(
                f"<div><dt>{escape(label)}</dt><dd>{escape(shown(value))}{small}</dd></div>"
            )
        return f'<dl class="facts">{"".join(boxes)}</dl>' + _caption(self.caption)

    def to_markdown(self) -> str:
        """One list item a figure."""
        pairs = [(k, v if isinstance(v, tuple) else (v, "")) for k, v in self.items.items()]
        lines = [f"- {k}: {shown(v)}" + (f" ({r})" if r else "") for k, (v, r) in pairs]
        return "\n".join(lines + (["", self.caption] if self.caption else []))

    def to_dict(self) -> dict[str, Any]:
        """``{caption, figures}``."""
        figures = {k: _plain(v[0] if isinstance(v, tuple) else v) for k, v in self.items.items()}
        return {"caption": self.caption, "figures": figures}


@dataclass(frozen=True, slots=True)
class Note:
    """A sentence to point out; ``warning`` makes it stand out more."""

    text: str
    warning: bool = False

    def _repr_html_(self) -> str:
        kind = "note warning" if self.warning else "note"
        return f'<p class="{kind}">{escape(self.text)}</p>'

    def to_markdown(self) -> str:
        """A quotation."""
        return f"> {self.text}"

    def to_dict(self) -> dict[str, Any]:
        """``{note, warning}``."""
        return {"note": self.text, "warning": self.warning}


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing as SVG text, what it shows in words, its caption, and the figures drawn."""

    svg: str = field(repr=False)
    alt: str
    caption: str = ""
    data: Table | None = None

    def _repr_html_(self) -> str:
        start = self.svg.find("<svg")
        opened = f'<svg role="img" aria-label="{escape(self.alt, quote=True)}"'
        drawing = opened + self.svg[start + len("<svg") :]
        caption = f"<figcaption>{escape(self.caption)}</figcaption>" if self.caption else ""
        shown = f"<figure>{drawing}{caption}</figure>"
        if self.data is None or not self.data.rows:
            return shown
        count = f"{len(self.data.rows)} points" if len(self.data.rows) != 1 else "1 point"
        return (
            f'{shown}<details class="data"><summary>the {count} as a table</summary>'
            f"{self.data._repr_html_()}</details>"
        )

    def to_markdown(self) -> str:
        """The words, and the figures drawn where they are known."""
        parts = [f"_{self.alt}_", self.caption, self.data.to_markdown() if self.data else ""]
        return "\n\n".join(part for part in parts if part)

    def to_dict(self) -> dict[str, Any]:
        """``{caption, alt, data}``."""
        data = self.data.to_dict() if self.data else None
        return {"caption": self.caption, "alt": self.alt, "data": data}


@dataclass(frozen=True, slots=True)
class Blocks:
    """Several blocks in order, shown as one."""

    blocks: Sequence[Any]

    def _repr_html_(self) -> str:
        return "\n".join(block._repr_html_() for block in self.blocks)

    def to_markdown(self) -> str:
        """Each block's Markdown."""
        return "\n\n".join(block.to_markdown() for block in self.blocks)

    def to_dict(self) -> dict[str, Any]:
        """``{blocks}``."""
        return {"blocks": [block.to_dict() for block in self.blocks]}


def shown(value: Any, form: Format | None = None) -> str:
    """How a value reads: a dash where it is missing, thousands separated, lists with commas."""
    if _missing(value):
        return "—"
    if callable(form):
        return form(value)
    if form is not None:
        return form.format(value) if "{" in form else format(value, form)
    if isinstance(value, bool) or str(getattr(value, "dtype", "")) == "bool":
        return "yes" if value else "no"
    if isinstance(value, float) or (_is_number(value) and not _is_whole(value)):
        return f"{value:,.4g}" if abs(value) < 10_000 else f"{value:,.0f}"
    if _is_number(value):
        return f"{int(value):,}"
    if isinstance(value, (list, tuple, set, frozenset)):
        items = sorted(map(str, value)) if isinstance(value, (set, frozenset)) else map(str, value)
        return ", ".join(items) or "—"
    if hasattr(value, "date") and hasattr(value, "isoformat"):
        return str(value.date().isoformat())
    return str(value)


def _missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return _is_number(value) and not _is_whole(value) and math.isnan(value)


def _is_number(value: Any) -> bool:
    import numbers

    # numpy's booleans are no numbers to it, Python's are
    return isinstance(value, numbers.Real) and not isinstance(value, bool)


def _is_whole(value: Any) -> bool:
    import numbers

    return isinstance(value, numbers.Integral)


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        return value.item()
    if isinstance(value, Estimate):
        return {"value": float(value), "low": value.low, "high": value.high}
    if isinstance(value, (str, int, float, bool)) or value is None:
        return value
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return shown(value)


def _cell(value: Any, column: Column, numeric: bool) -> str:
    text = shown(value, column.format)
    kinds = ["number"] if numeric else []
    if column.wide:
        kinds.append("wide")
    elif not numeric and all(len(line) <= 30 for line in text.split("\n")):
        kinds.append("short")
    if _missing(value):
        kinds.append("missing")
    data = ""
    if numeric:
        data = ' data-v=""' if _missing(value) else f' data-v="{float(value):.12g}"'
        if isinstance(value, Estimate) and not math.isnan(value.low):
            data += f' data-low="{value.low:.12g}" data-high="{value.high:.12g}"'
    if isinstance(value, Folded):
        summary, lines = escape(value.summary), escape(value.text).replace("\n", "<br>")
        content = f"<details><summary>{summary}</summary>{lines}</details>"
    else:
        content = escape(text).replace("\n", "<br>")
        if " " not in text and "short" not in kinds:
            content = content.replace("/", "/<wbr>")  # a long id breaks between its parts
    return f"<td{_classes(*kinds)}{data}>{content}</td>"


def _classes(*names: str) -> str:
    joined = " ".join(name for name in names if name)
    return f' class="{joined}"' if joined else ""


def _title(hint: str) -> str:
    return f' title="{escape(hint, quote=True)}"' if hint else ""


def _caption(text: str) -> str:
    return f'<p class="caption">{escape(text)}</p>' if text else ""


def _pipe(text: str) -> str:
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("\n", " ")
