"""Fixtures every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings

# a busy machine makes single examples slow; nothing here is timed
settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real, public data that some tests read; they are skipped without it."""
    named = os.environ.get("ROUTINGLAB_SHARED_DATA")
    folder = Path(named) if named else Path(__file__).parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("the public data set is not beside this checkout")
    return folder


@pytest.fixture(autouse=True)
def _no_outside_settings(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Keep a person's own settings, keys and home out of every test."""
    for name in list(os.environ):
        ours = name.startswith("ROUTINGLAB_") and name != "ROUTINGLAB_SHARED_DATA"
        if ours or name.endswith(("_API_KEY", "_TOKEN")):
            monkeypatch.delenv(name)
    monkeypatch.delenv("ATOMIC_MODEL_ROUTING_DEBUG", raising=False)
    monkeypatch.setenv("ROUTINGLAB_HOME", str(tmp_path_factory.mktemp("home")))
