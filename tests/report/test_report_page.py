"""An executed notebook as a page: what is shown, escaped, embedded and refused."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from routinglab.errors import ReportError
from routinglab.report.manifest import Manifest, input_file
from routinglab.report.page import render_page

MANIFEST = Manifest(
    title="A </title> & more",
    notebook=input_file("study.ipynb", b""),
    parameters={"task": "</script><b>"},
    versions={"routinglab": "0"},
)


def code_cell(source: str, *tags: str, **data: Any) -> Any:
    cell = new_code_cell(source, id="c1", metadata={"tags": list(tags)})
    if "stdout" in data:
        cell.outputs = [new_output("stream", text=data["stdout"])]
    elif data:
        kind = data["kind"]
        cell.outputs = [new_output("display_data", {"text/plain": "plain", kind: data["value"]})]
    return cell


def page(*cells: Any, folder: Path = Path(), **options: Any) -> str:
    for number, cell in enumerate(cells[1:], 2):
        cell.id = f"{cell.id[0]}{number}"
    return render_page(new_notebook(cells=list(cells)), MANIFEST, folder=folder, **options)


def prose(text: str) -> Any:
    return new_markdown_cell(text, id="m")


def test_what_cells_print_and_return_as_text_is_escaped() -> None:
    text = page(
        code_cell("", stdout="<img src=x onerror=alert(1)>"),
        code_cell("", kind="text/plain", value="</script><script>alert(2)</script>"),
    )
    assert "&lt;img src=x onerror=alert(1)&gt;" in text
    assert "&lt;script&gt;alert(2)" in text
    assert "<img src=x" not in text


def test_title_and_parameters_are_escaped_in_text_and_in_the_manifest() -> None:
    text = page(prose("# T"))
    assert "<title>A &lt;/title&gt; &amp; more</title>" in text
    assert text.count("</script>") == 2
    assert r'"task":"<\/script><b>"' in text


def test_the_richest_form_of_an_output_is_shown() -> None:
    assert '<div class="html"><b>x</b></div>' in page(
        code_cell("", kind="text/html", value="<b>x</b>")
    )
    assert "<strong>x</strong>" in page(code_cell("", kind="text/markdown", value="**x**"))
    drawing = '<?xml version="1.0"?><svg viewBox="0 0 1 1"><metadata>when</metadata></svg>'
    assert '<svg viewBox="0 0 1 1"></svg>' in page(
        code_cell("", kind="image/svg+xml", value=drawing)
    )
    assert 'src="data:image/png;base64,QUJD"' in page(
        code_cell("", kind="image/png", value="QUJD\n")
    )
    assert "An interactive widget" in page(
        code_cell("", kind="application/vnd.jupyter.widget-view+json", value={"model_id": "x"})
    )


def test_a_policy_in_the_page_itself_forbids_every_request() -> None:
    policy = re.search(r'Security-Policy" content="([^"]+)"', page(prose("# T")))
    assert policy is not None
    assert "default-src &#39;none&#39;" in policy[1]
    assert "script-src &#39;sha256-" in policy[1]
    assert "http" not in policy[1]


@pytest.mark.parametrize(
    ("kind", "value", "told"),
    [
        ("text/html", '<img src="https://a.example/p.png">', "would load https://a.example/p.png"),
        ("text/html", "<style>@import 'x.css'</style>", r"would load x\.css"),
        ("text/markdown", "![x](missing.png)", r"would load missing\.png"),
        ("text/html", "<script>alert(1)</script>", "runs a script; .* --allow-scripts"),
        ("text/html", "<b onmouseover=alert(1)>", "runs a script"),
        ("application/javascript", "alert(1)", "runs a script"),
    ],
)
def test_an_output_that_is_not_self_contained_is_refused_naming_its_cell(
    kind: str, value: str, told: str
) -> None:
    with pytest.raises(ReportError, match=f"notebook study.ipynb: cell 'c1': its output {told}"):
        page(code_cell("", kind=kind, value=value))


def test_scripts_are_kept_where_they_are_allowed() -> None:
    cell = code_cell("", kind="text/html", value="<script>alert(1)</script>")
    text = page(cell, allow_scripts=True)
    assert "<script>alert(1)</script>" in text
    assert "script-src &#39;unsafe-inline&#39;" in text


def test_images_beside_the_notebook_are_embedded(tmp_path: Path) -> None:
    (tmp_path / "dot.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    text = page(prose("# T\n\n![dot](dot.png)"), folder=tmp_path)
    assert 'src="data:image/png;base64,iVBORw0KGgo' in text


@pytest.mark.parametrize(
    ("code", "tags", "shown", "opened"),
    [
        ("collapsed", (), True, False),
        ("hidden", (), False, False),
        ("shown", (), True, True),
        ("collapsed", ("hide-input",), False, False),
        ("shown", ("remove_input",), False, False),
        ("hidden", ("show-input",), True, True),
    ],
)
def test_code_is_collapsed_shown_or_hidden(
    code: Any, tags: tuple[str, ...], shown: bool, opened: bool
) -> None:
    text = page(code_cell("1 + 1", *tags, stdout="printed"), code=code)
    assert ("<summary>code</summary>" in text) is shown
    assert ('<details class="source" open>' in text) is opened
    assert "printed" in text


def test_a_cell_or_its_output_can_be_left_out() -> None:
    text = page(
        code_cell("1", "hide-cell", stdout="first gone"),
        code_cell("2", "hide-output", stdout="second gone"),
    )
    assert "gone" not in text


def test_contents_list_the_headings_with_ids_of_their_own() -> None:
    text = page(prose("# T\n## Same & one"), prose("## Same & one\n### *Deeper* `code`\n## »…"))
    links = re.findall(r'<li class="level-(\d)"><a href="#([^"]+)">([^<]+)</a>', text)
    assert links == [
        ("2", "same-one", "Same &amp; one"),
        ("2", "same-one-2", "Same &amp; one"),
        ("3", "deeper-code", "Deeper code"),
        ("2", "section", "»…"),
        ("2", "provenance", "Where this page came from"),
    ]
    assert all(text.count(f'id="{name}"') == 1 for _, name, _ in links)
