"""Reading settings (SPEC 2.1, 2.2)."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from routinglab.settings.model import Settings


def load_settings(
    project: str | Path | None = None,
    *,
    home: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Settings:
    """The user's settings, a project's over them, and the environment's over both.

    ``project`` is the folder that holds ``.routinglab`` (default: the working directory), ``home``
    the user's (default: ``ROUTINGLAB_HOME``, else the home directory), ``env`` the environment.
    """
    raise NotImplementedError
