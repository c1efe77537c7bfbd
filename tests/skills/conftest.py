"""A project and a home folder, and short ways to put skills into them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from routinglab.settings import Settings
from routinglab.skills.skill import Skill
from routinglab.skills.store import SkillStore


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "person"
    folder.mkdir()
    return folder


@pytest.fixture
def put(project: Path) -> Callable[..., Path]:
    """Write text or bytes to a path below the project (or below ``at``)."""

    def write(name: str, content: str | bytes, at: Path | None = None) -> Path:
        path = (at or project) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


@pytest.fixture
def store(project: Path, home: Path) -> Callable[..., SkillStore]:
    """A store of the project as it is now, with ``skills`` settings by keyword."""

    def build(**skills: Any) -> SkillStore:
        return SkillStore(project, home, Settings(skills=skills))

    return build


@pytest.fixture
def one(put: Callable[..., Path], store: Callable[..., SkillStore]) -> Callable[..., Skill]:
    """Load one project skill of this content through the store."""

    def load(content: str | bytes, name: str = "x") -> Skill:
        path = put(f".routinglab/skills/{name}.md", content)
        found = [skill for skill in store().skills if skill.path == path]
        assert len(found) == 1
        return found[0]

    return load
