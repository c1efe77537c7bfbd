from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "routing.md"


def test_the_examples_of_the_page_run(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) == 2
    monkeypatch.chdir(tmp_path)
    space: dict[str, object] = {}
    for block in blocks:
        exec(block, space)
    printed = capsys.readouterr().out
    assert "was chosen by the ranking" in printed
    assert len(re.findall(r" standing [01]\.\d\d$", printed, re.MULTILINE)) == 3


def test_the_policy_of_the_page_takes_ten_lines_at_most() -> None:
    example = (
        PAGE.read_text(encoding="utf-8").partition("def frugal")[2].partition("from routinglab")[0]
    )
    assert len(example.strip().splitlines()) <= 10
