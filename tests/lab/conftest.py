"""Fixtures of the lab's tests."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.routed import Recorder


@pytest.fixture
def record(tmp_path: Path) -> Recorder:
    """Routes and records tasks into a file."""
    return Recorder(tmp_path / "runs.jsonl")
