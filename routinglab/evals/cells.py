"""Table lines into cells, and cells into plain text."""

from __future__ import annotations

import html
import re

from routinglab.core.efforts import EFFORT_RANK

#: A cell longer than this holds no figure anybody wrote; it is reported, not read.
LONGEST_CELL = 1000

_BACKTICKS = re.compile(r"`+")
_UNSEEN = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff]+")
_MARKED = re.compile(
    r"[`*_\[<\\~&!$\u00a0\u00ad\u1680\u2000-\u200f\u2028-\u202f\u205f-\u2064\u3000\ufeff]"
)
_CODE = re.compile(r"(`+)(.+?)\1(?!`)")
_IMAGE = re.compile(r"!\[([^\[\]]*)\]\([^()]*\)")
_FOOTNOTE = re.compile(r"\[\^[^\[\]]+\]")
_LINK = re.compile(r"\[((?:[^\[\]]|\[[^\[\]]*\])+)\]\([^()]*(?:\([^()]*\)[^()]*)*\)")
_REFERENCE = re.compile(r"\[([^\[\]]+)\]\[[\w-]*\]")
_AUTOLINK = re.compile(r"<(https?://[^<>\s]+)>")
_BREAK = re.compile(r"<br\s*/?>", re.I)
_SUPERSCRIPT = re.compile(r"<sup\b[^<>]*>[^<>]*</sup>", re.I)
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
_STRUCK = re.compile(r"~~[^~]*~~")
_BOLD = re.compile(r"(\*\*\*|\*\*|__)(?=\S)(.+?)(?<=\S)\1")
_ITALIC = re.compile(r"(?<![\w*])([*_])(?=[^\s*_])([^*_]+?)(?<=[^\s*_])\1(?![\w*])")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")
_MATH = (
    ("\\pm", "±"), ("\\times", "×"), ("\\tau", "τ"), ("\\approx", "≈"), ("\\varnothing", "∅"),
    ("\\emptyset", "∅"),
)  # fmt: skip
_FORMULA = re.compile(r"^\$([^$]*[^$\s\\])\$(?=\s*$|\s*[±%(])")


def split_row(line: str, width: int | None = None, *, leading: bool = True) -> list[str]:
    """Cells of a table line, markup and all; ``width`` is how many the header has.

    ``leading`` tells that the table's lines begin with a pipe; where they do not, a row that does
    has an empty first cell.

    ``\\|`` is a literal pipe. A pipe inside a code span divides cells for some writers and not for
    others: the reading that gives ``width`` cells is taken, else the one that keeps spans whole.
    """
    text = line.strip()
    if not leading and text.startswith("|") and width is not None:
        cells = split_row(text, width)
        return ["", *cells] if len(cells) < width else cells
    if "`" not in text:
        return _cells(text, ())
    whole = _cells(text, _code_spans(text))
    if width is None or len(whole) == width:
        return whole
    divided = _cells(text, ())
    return divided if len(divided) == width else whole


def _cells(text: str, spans: tuple[tuple[int, int], ...] | list[tuple[int, int]]) -> list[str]:
    if "\\" not in text and not spans:
        parts = text.split("|")
    else:
        parts = _careful_split(text, spans)
    if parts and not parts[0].strip():
        parts = parts[1:]
    if len(parts) > 1 and not parts[-1].strip() and text.endswith("|"):
        parts = parts[:-1]
    return [part.strip() for part in parts]


def _careful_split(
    text: str, spans: tuple[tuple[int, int], ...] | list[tuple[int, int]]
) -> list[str]:
    parts: list[str] = []
    start = at = span = 0
    while True:
        at = text.find("|", at)
        if at < 0:
            parts.append(text[start:].replace("\\|", "|"))
            return parts
        while span < len(spans) and spans[span][1] <= at:
            span += 1
        inside = span < len(spans) and spans[span][0] <= at
        if not inside and not _escaped(text, at):
            parts.append(text[start:at].replace("\\|", "|"))
            start = at + 1
        at += 1


def _escaped(text: str, at: int) -> bool:
    before = at
    while before and text[before - 1] == "\\":
        before -= 1
    return (at - before) % 2 == 1


def _code_spans(text: str) -> list[tuple[int, int]]:
    """Start and end of every code span; runs of backticks pair with the next of their length."""
    runs = [(found.start(), found.end()) for found in _BACKTICKS.finditer(text)]
    following: dict[int, list[int]] = {}
    for number in range(len(runs) - 1, -1, -1):
        following.setdefault(runs[number][1] - runs[number][0], []).append(number)
    spans: list[tuple[int, int]] = []
    number = 0
    while number < len(runs):
        same = following[runs[number][1] - runs[number][0]]
        while same and same[-1] <= number:
            same.pop()
        if same:
            spans.append((runs[number][0], runs[same[-1]][1]))
            number = same[-1] + 1
        else:
            number += 1
    return spans


def _referenced(found: re.Match[str]) -> str:
    """The text of a reference link; an effort keeps its brackets (``gpt-6 [xhigh][1]``)."""
    text = found.group(1)
    return f"[{text}]" if text.lower() in EFFORT_RANK else text


def plain_cells(cells: list[str]) -> list[str]:
    """The cells of a row without markup."""
    together = "\n".join(cells)
    if len(together) <= LONGEST_CELL and not _MARKED.search(together):
        return cells
    return [plain_text(cell) for cell in cells]


def plain_text(cell: str) -> str:
    """A cell or heading without markup: bold, links, code, footnotes, tags, entities, escapes."""
    if len(cell) > LONGEST_CELL:
        return cell[:LONGEST_CELL]
    if not _MARKED.search(cell):
        return cell.strip()
    text = _CODE.sub(lambda found: found.group(2).strip(), cell)
    text = _FOOTNOTE.sub("", _IMAGE.sub(r"\1", text))
    text = _REFERENCE.sub(_referenced, _LINK.sub(r"\1", text))
    if "<" in text:
        text = _SUPERSCRIPT.sub("", _BREAK.sub(" ", _AUTOLINK.sub(r"\1", text)))
        text = _TAG.sub("", text)
    text = _STRUCK.sub("", text)
    text = _BOLD.sub(r"\2", _BOLD.sub(r"\2", text))
    text = _ITALIC.sub(r"\2", text)
    for code, sign in _MATH:
        if code in text:
            text = text.replace(f"${code}$", sign).replace(code, sign)
    if text[:1] == "$":
        text = _FORMULA.sub(r"\1", text)
    text = _ESCAPE.sub(r"\1", text)
    return " ".join(_UNSEEN.sub("", html.unescape(text)).split())
