"""File paths inside settings: made absolute, and kept inside a project nobody vouched for."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from routinglab.errors import SettingsError


def with_absolute_paths(
    data: dict[str, Any], folder: Path, home: Path, where: str, *, inside_only: bool = False
) -> dict[str, Any]:
    """``data`` with its paths made absolute; relative ones start at ``folder``, ``~`` is ``home``.

    With ``inside_only`` a path that leads out of ``folder``, also by ``..`` or a link, is refused.
    """

    def place(value: object, key: str, *, inside: bool) -> object:
        if not isinstance(value, str):
            return value
        full = _absolute(value, folder, home, where, key)
        if inside and not full.is_relative_to(folder.resolve()):
            raise SettingsError(
                f"{key}: {value!r} leads outside the project; put such a path in your own "
                "settings file, or list the project there under trustedProjects",
                where=where,
                field=key,
            )
        return str(full)

    def places(value: object, key: str, *, inside: bool) -> object:
        if not isinstance(value, list):
            return value
        return [place(item, key, inside=inside) for item in value]

    data = dict(data)
    if "evals" in data:
        data["evals"] = place(data["evals"], "evals", inside=inside_only)
    if "catalog" in data:
        data["catalog"] = places(data["catalog"], "catalog", inside=inside_only)
    skills = data.get("skills")
    if isinstance(skills, dict):
        skills = dict(skills)
        for name, inside in (("paths", inside_only), ("excludedPaths", False)):
            if name in skills:
                skills[name] = places(skills[name], f"skills.{name}", inside=inside)
        data["skills"] = skills
    return data


def _absolute(value: str, folder: Path, home: Path, where: str, key: str) -> Path:
    if not value.strip():
        raise SettingsError(f"{key}: is a blank path", where=where, field=key)
    try:
        if value == "~" or value.startswith(("~/", "~\\")):
            return (home / value[2:]).resolve()
        return (folder / value).resolve()
    except (OSError, RuntimeError, ValueError):
        raise SettingsError(
            f"{key}: {value!r} is not a usable path", where=where, field=key
        ) from None


def same_place(first: Path, second: Path) -> bool:
    """Whether two paths name one file or folder."""
    try:
        return first.resolve() == second.resolve() or first.samefile(second)
    except (OSError, RuntimeError):
        return False
