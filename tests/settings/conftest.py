"""Two folders, a home and a project, and a way to write their settings files."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from routinglab.settings import Settings, load_settings


@dataclass(frozen=True)
class Place:
    home: Path
    project: Path

    def user(self, data: object) -> Path:
        return _write(self.home, data)

    def repo(self, data: object) -> Path:
        return _write(self.project, data)

    def trusting(self, data: Mapping[str, Any] | None = None) -> Path:
        """A user file that trusts the project."""
        return self.user({**(data or {}), "trustedProjects": [str(self.project)]})

    def load(self, env: Mapping[str, str] | None = None) -> Settings:
        return load_settings(self.project, home=self.home, env=env or {})


def _write(folder: Path, data: object) -> Path:
    file = folder / ".routinglab" / "settings.json"
    file.parent.mkdir(exist_ok=True)
    if isinstance(data, bytes):
        file.write_bytes(data)
    else:
        file.write_text(data if isinstance(data, str) else json.dumps(data), encoding="utf-8")
    return file


@pytest.fixture
def place(tmp_path: Path) -> Place:
    home, project = tmp_path / "home", tmp_path / "project"
    home.mkdir()
    project.mkdir()
    return Place(home, project)
