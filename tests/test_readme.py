"""The README's Python runs as written, and its commands exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()


def test_the_python_runs_as_written(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert len(blocks) >= 3
    scope: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "README.md", "exec"), scope)
    printed = capsys.readouterr().out
    assert "The runner-up: " in printed
    assert "72 tasks" in printed


def test_the_first_screen_has_the_two_commands_and_the_picture() -> None:
    top = "\n".join(README.splitlines()[:16])
    assert "make report" in top
    assert "make lab" in top
    picture = re.search(r"!\[[^\]]+\]\((docs/[^)]+\.png)\)", top)
    assert picture is not None
    assert (ROOT / picture[1]).stat().st_size < 300_000


def test_the_commands_shown_are_understood() -> None:
    from typer.main import get_command

    from routinglab.cli.app import app

    shown = re.findall(r"^routinglab (.+?)(?:\s+#.*)?$", README, flags=re.MULTILINE)
    assert len(shown) >= 4
    root = get_command(app)
    for line in shown:
        verb, *arguments = shlex.split(line)
        command = root.get_command(None, verb)
        command.make_context(verb, list(arguments))  # parses, runs nothing


def test_every_make_target_named_in_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    named = re.findall(r"(?:^|`)make ([a-z]+)\b", README, flags=re.MULTILINE)
    assert len(named) >= 4
    assert set(named) <= targets
