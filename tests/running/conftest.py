"""A router for tests that look at chains only."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.chains import quiet_router

from routinglab.catalog.model import Model
from routinglab.routing.router import Router


@pytest.fixture
def router(tmp_path: Path) -> Callable[..., Router]:
    """Make a router nobody talks to; settings by name, ``models`` added to the catalog."""

    def make(*models: Model, **keys: Any) -> Router:
        return quiet_router(tmp_path, *models, **keys)

    return make
