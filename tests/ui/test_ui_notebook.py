"""The launch notebook as a page: it runs without keys, twice to the same bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from routinglab.report.build import build_report


@pytest.mark.notebook
def test_the_notebook_runs_without_keys_to_the_same_page_twice(tmp_path: Path) -> None:
    pages = []
    for name in ("one.html", "two.html"):
        build_report("launch", tmp_path / name, {"pace": 0})
        pages.append((tmp_path / name).read_text())
    page = pages[0]
    assert pages[1] == page
    assert "Recorded answers" in page
    assert "64 candidate models" in page
    assert "The folder holds four skills and four agents." in page
    assert "<script>window" not in page
