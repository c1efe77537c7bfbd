"""Notebooks written for a test."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

MakeNotebook = Callable[..., Path]


@pytest.fixture
def make_notebook(tmp_path: Path) -> MakeNotebook:
    """Write a notebook of cells: ``#``-led text is Markdown, ``(source, *tags)`` is tagged code."""

    def make(*cells: str | tuple[str, ...], name: str = "study.ipynb") -> Path:
        built = []
        for number, cell in enumerate(cells):
            source, tags = (cell, []) if isinstance(cell, str) else (cell[0], list(cell[1:]))
            make_cell = new_markdown_cell if source.startswith("#") and not tags else new_code_cell
            built.append(make_cell(source, id=f"c{number}", metadata={"tags": tags}))
        path = tmp_path / name
        nbformat.write(new_notebook(cells=built), path)
        return path

    return make
