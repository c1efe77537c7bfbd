"""Run the command inside this process, as a person would type it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from routinglab.cli.app import run


@dataclass(frozen=True)
class Ran:
    """Exit code and both outputs of one command."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        """What ``--json`` printed."""
        return json.loads(self.out)


Command = Callable[..., Ran]


@pytest.fixture
def command(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Command:
    """``command("evals", "check")`` in an empty folder."""
    folder = tmp_path / "project"
    folder.mkdir()
    monkeypatch.chdir(folder)

    def call(*arguments: object) -> Ran:
        capsys.readouterr()
        code = run([str(argument) for argument in arguments])
        return Ran(code, *capsys.readouterr())

    return call
