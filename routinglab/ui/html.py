"""Small pieces of HTML for panels; whatever is put in is escaped here."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from pathlib import Path

from routinglab.tasks.previews import clean

# these make text read backwards, in any script; marks and isolates of real right-to-left text stay
_OVERRIDES = dict.fromkeys(map(ord, "\u202d\u202e"))


@cache
def style() -> str:
    """The style sheet of the panels, as an element."""
    return f"<style>{Path(__file__).with_name('style.css').read_text(encoding='utf-8')}</style>"


def tag(name: str, *inside: str, css: str = "", title: str = "") -> str:
    """An element around HTML that was escaped before."""
    attributes = f' class="{escape(css)}"' if css else ""
    attributes += f' title="{escape(title)}"' if title else ""
    return f"<{name}{attributes}>{''.join(inside)}</{name}>"


def text(value: object) -> str:
    """A value as text: escaped, and without terminal codes, control characters and overrides."""
    return escape(clean(str(value)).translate(_OVERRIDES))


def table(
    head: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    caption: str = "",
    numbers: Sequence[int] = (),
) -> str:
    """A table of cells that are HTML already; ``numbers`` are the columns set to the right."""

    def cells(name: str, values: Sequence[str]) -> str:
        return "".join(
            tag(name, value, css="rl-num" if i in numbers else "") for i, value in enumerate(values)
        )

    top = f"<caption>{caption}</caption>" if caption else ""
    body = "".join(f"<tr>{cells('td', row)}</tr>" for row in rows)
    heads = f"<thead><tr>{cells('th', head)}</tr></thead>" if head else ""
    return f'<table class="rl-table">{top}{heads}<tbody>{body}</tbody></table>'


def plural(count: int, word: str) -> str:
    """``1 model``, ``1,200 models``."""
    return f"{count:,} {word}{'' if count == 1 else 's'}"
