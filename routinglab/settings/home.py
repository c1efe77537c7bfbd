"""Where a user's own files are."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

FOLDER = ".routinglab"
FILE = "settings.json"


def user_home(home: str | Path | None = None, env: Mapping[str, str] | None = None) -> Path:
    """The folder that holds ``.routinglab``: ``home``, else ``ROUTINGLAB_HOME``, else one's home.

    A folder that is itself named ``.routinglab`` stands for the one above it.
    """
    named = home or (os.environ if env is None else env).get("ROUTINGLAB_HOME", "").strip()
    folder = Path(named).expanduser().absolute() if named else Path.home()
    return folder.parent if folder.name == FOLDER else folder


def settings_file(folder: Path) -> Path:
    """The settings file of a home or project folder."""
    return folder / FOLDER / FILE
