"""Reading settings: user file, project file, environment (SPEC 2.1, 2.2)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from routinglab.errors import SettingsError
from routinglab.settings.files import read_settings_file, validated, without_nulls
from routinglab.settings.home import settings_file, user_home
from routinglab.settings.model import Settings
from routinglab.settings.paths import same_place, with_absolute_paths
from routinglab.settings.trust import narrowed, refuse_user_only

_ENVIRONMENT = {"ROUTINGLAB_MODEL": "currentModel", "ROUTINGLAB_ROUTER_MODEL": "routerModel"}


def load_settings(
    project: str | Path | None = None,
    *,
    home: str | Path | None = None,
    env: Mapping[str, str] | None = None,
) -> Settings:
    """The user's settings, a project's over them, and the environment's over both.

    ``project`` is the folder that holds ``.routinglab`` (default: the working directory), ``home``
    the user's (default: ``ROUTINGLAB_HOME``, else the home directory), ``env`` the environment.
    Objects merge key by key and lists replace; a project the user file does not trust only narrows.
    Raises :class:`~routinglab.errors.SettingsError` naming the file and the key's path.
    """
    variables = os.environ if env is None else env
    at_home = user_home(home, variables)
    folder = _project_folder(project)
    user_file, project_file = settings_file(at_home), settings_file(folder)

    user = with_absolute_paths(read_settings_file(user_file), at_home, at_home, str(user_file))
    trusted_folders = _trusted_folders(user, at_home, str(user_file))
    merged = user
    notes: list[str] = []
    if not same_place(user_file, project_file):
        trusted = any(same_place(folder, trusted) for trusted in trusted_folders)
        data, notes = _project_data(project_file, folder, at_home, user, trusted=trusted)
        merged = _merged(user, data)
    for variable, key in _ENVIRONMENT.items():
        if value := variables.get(variable, "").strip():
            merged = {**merged, key: value}

    settings = validated(merged, f"{user_file} with {project_file}")
    settings._warnings = tuple(f"{project_file}: {note}" for note in notes)
    return settings


def _project_folder(project: str | Path | None) -> Path:
    folder = Path(project).expanduser().absolute() if project is not None else Path.cwd()
    if not folder.is_dir():
        problem = "is not a folder" if folder.exists() else "does not exist"
        raise SettingsError(f"the project folder {problem}", where=str(folder))
    return folder


def _trusted_folders(user: Mapping[str, Any], home: Path, where: str) -> list[Path]:
    folders = []
    for entry in user.get("trustedProjects") or ():
        folder = home / entry[2:] if entry.startswith("~/") else Path(entry)
        if not folder.is_absolute():
            raise SettingsError(
                f"trustedProjects: {entry!r} must be an absolute path or begin with ~/",
                where=where,
                field="trustedProjects",
            )
        folders.append(folder)
    return folders


def _project_data(
    file: Path, folder: Path, home: Path, user: Mapping[str, Any], *, trusted: bool
) -> tuple[dict[str, Any], list[str]]:
    if not trusted:
        _refuse_link_outside(file, folder)
    data = read_settings_file(file)
    refuse_user_only(data, str(file), trusted=trusted)
    data = with_absolute_paths(data, folder, home, str(file), inside_only=not trusted)
    return (data, []) if trusted else narrowed(user, data)


def _refuse_link_outside(file: Path, folder: Path) -> None:
    """An untrusted project's file must be its own: a link could show another file in errors."""
    try:
        inside = file.resolve().is_relative_to(folder.resolve())
    except (OSError, RuntimeError):
        inside = False
    if not inside:
        raise SettingsError("is a link to a file outside the project", where=str(file))


def _merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(under)
    for key, value in over.items():
        below = merged.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            merged[key] = _merged(below, value)
        else:
            merged[key] = value
    return without_nulls(merged)
