"""Render an executed notebook as one HTML page that asks nothing of the network."""

from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from routinglab.errors import ReportError
from routinglab.report.contained import Reach, reach_of
from routinglab.report.manifest import Manifest

if TYPE_CHECKING:
    from jinja2 import Environment
    from nbformat import NotebookNode

Code = Literal["collapsed", "shown", "hidden"]

_HERE = Path(__file__).parent
#: What is shown of an output that offers several forms, best first.
_PREFERRED = (
    "text/html", "text/markdown", "image/svg+xml", "image/png", "image/jpeg", "image/gif",
    "text/latex", "text/plain",
)  # fmt: skip
_SVG_METADATA = re.compile(r"<metadata>.*?</metadata>\s*", re.DOTALL)
_WIDGET = "application/vnd.jupyter.widget-view+json"
_SCRIPT = "application/javascript"


@dataclass(frozen=True, slots=True)
class PageCell:
    """A cell ready for the template; ``outputs`` and ``prose`` are HTML, ``source`` too."""

    id: str
    prose: str = ""
    source: str = ""
    outputs: tuple[str, ...] = ()
    open: bool = False


@dataclass(frozen=True, slots=True)
class Heading:
    """A line of the contents list."""

    level: int
    id: str
    text: str


def render_page(
    node: NotebookNode,
    manifest: Manifest,
    *,
    folder: Path,
    code: Code = "collapsed",
    allow_scripts: bool = False,
) -> str:
    """The page as text. ``folder`` is where images that Markdown names are looked for.

    Cells tagged ``hide-cell`` are left out, ``hide-input`` and ``hide-output`` hide a part,
    ``show-input`` opens the code. Raises ReportError, naming the cell, where an output would need
    another file or address, or a script without ``allow_scripts``.
    """
    cells = [_cell(cell, folder, code) for cell in node.cells if not _tagged(cell, "hide-cell")]
    for cell in cells:
        _must_be_contained(cell, manifest.notebook.name, allow_scripts)
    cells, headings = _number_headings([cell for cell in cells if cell is not None])
    script = _file("page.js")
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            title=manifest.title,
            cells=cells,
            headings=headings,
            manifest=manifest,
            files=[manifest.notebook, *manifest.inputs],
            manifest_json=manifest.to_json().replace("</", "<\\/").replace("<!--", "<\\u0021--"),
            css=_file("page.css") + _highlighting(),
            script=script,
            policy=_policy(script, allow_scripts),
            has_code=any(cell.source for cell in cells),
        )
    )


def _policy(script: str, allow_scripts: bool) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    allowed = "'unsafe-inline' 'unsafe-eval' blob:" if allow_scripts else f"'sha256-{digest}'"
    return (
        "default-src 'none'; img-src data:; font-src data:; media-src data:; "
        f"style-src 'unsafe-inline'; script-src {allowed}; base-uri 'none'; form-action 'none'"
    )


def _cell(cell: NotebookNode, folder: Path, code: Code) -> PageCell:
    if cell.cell_type == "markdown":
        return PageCell(cell.id, prose=_markdown(cell.source, folder, cell.get("attachments")))
    if cell.cell_type != "code":
        return PageCell(cell.id)
    shown = _tagged(cell, "show-input") or code == "shown"
    hidden = _tagged(cell, "hide-input") or (code == "hidden" and not shown)
    source = "" if hidden or not cell.source.strip() else _highlighted(cell.source)
    outputs: list[str] = []
    if not _tagged(cell, "hide-output"):
        outputs = [html for output in cell.outputs if (html := _output(output, folder))]
    return PageCell(cell.id, source=source, outputs=tuple(outputs), open=shown)


def _tagged(cell: NotebookNode, tag: str) -> bool:
    tags = cell.metadata.get("tags", [])
    return tag in tags or tag.replace("hide-", "remove-").replace("-", "_") in tags


def _output(output: NotebookNode, folder: Path) -> str:
    if output.output_type == "stream":
        return f'<pre class="stream {output.name}">{_ansi(output.text)}</pre>'
    if output.output_type == "error":
        return f'<pre class="stream stderr">{_ansi(chr(10).join(output.traceback))}</pre>'
    data = output.get("data", {})
    if _WIDGET in data and "text/html" not in data:
        return '<p class="note">An interactive widget: open the notebook to use it.</p>'
    if _SCRIPT in data:
        return f"<script>{data[_SCRIPT]}</script>"
    for kind in _PREFERRED:
        if kind in data:
            return _data(kind, data[kind], output.get("metadata", {}), folder)
    return ""


def _data(kind: str, value: Any, metadata: Any, folder: Path) -> str:
    text = "".join(value) if isinstance(value, list) else str(value)
    match kind:
        case "text/html":
            return f'<div class="html">{text}</div>'
        case "text/markdown":
            return _markdown(text, folder, None)
        case "image/svg+xml":
            drawing = _SVG_METADATA.sub("", text[text.find("<svg") :])
            return f'<div class="figure foreign">{drawing}</div>'
        case "image/png" | "image/jpeg" | "image/gif":
            alt = html.escape(str(metadata.get("alt", "figure")))
            source = html.escape("".join(text.split()))
            return f'<img alt="{alt}" src="data:{kind};base64,{source}">'
        case _:
            return f"<pre>{_ansi(text)}</pre>"


def _ansi(text: str) -> str:
    from nbconvert.filters import ansi2html

    return str(ansi2html(text))


def _markdown(text: str, folder: Path, attachments: Any) -> str:
    from nbconvert.filters.markdown_mistune import IPythonRenderer, MarkdownWithMath

    renderer = IPythonRenderer(
        escape=False,
        attachments=attachments or {},
        embed_images=True,
        path=str(folder),
        exclude_anchor_links=True,
    )
    return str(MarkdownWithMath(renderer=renderer).render(text))


def _highlighted(source: str) -> str:
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_by_name

    return str(highlight(source, get_lexer_by_name("ipython3"), HtmlFormatter(nowrap=True)))


@cache
def _highlighting() -> str:
    from pygments.formatters import HtmlFormatter

    light = HtmlFormatter(style="default", nobackground=True).get_style_defs(".code")
    dark = HtmlFormatter(style="github-dark", nobackground=True).get_style_defs(".code")
    return f"\n{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


@cache
def _file(name: str) -> str:
    return _HERE.joinpath("template", name).read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(_HERE / "template"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


_HEADING = re.compile(r"<h([1-3])([^>]*?)(?: id=\"([^\"]*)\")?([^>]*)>(.*?)</h\1>", re.DOTALL)


def _number_headings(cells: list[PageCell]) -> tuple[list[PageCell], list[Heading]]:
    """Give each heading of the prose an id of its own, and list those of level 2 and 3."""
    headings: list[Heading] = []
    taken: dict[str, int] = {}

    def place(match: re.Match[str]) -> str:
        level, before, _, after, inner = match.groups()
        text = html.unescape(re.sub(r"<[^>]+>", "", inner)).strip()
        slug = re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "section"
        taken[slug] = taken.get(slug, 0) + 1
        name = slug if taken[slug] == 1 else f"{slug}-{taken[slug]}"
        if level in "23":
            headings.append(Heading(int(level), name, text))
        return f'<h{level}{before} id="{name}"{after}>{inner}</h{level}>'

    placed = [
        PageCell(c.id, _HEADING.sub(place, c.prose), c.source, c.outputs, c.open) for c in cells
    ]
    return placed, headings


def _must_be_contained(cell: PageCell, notebook: str, allow_scripts: bool) -> None:
    for part in (cell.prose, *cell.outputs):
        reach: Reach | None = reach_of(part, allow_scripts=allow_scripts)
        if reach is None:
            continue
        if reach.script:
            advice = "its output runs a script; show a table or an SVG, or pass --allow-scripts"
        else:
            advice = f"its output would load {reach.address}; a page must hold everything it shows"
        raise ReportError(f"notebook {notebook}: cell {cell.id!r}: {advice}")
