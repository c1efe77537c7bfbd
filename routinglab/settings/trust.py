"""What a project file may say when its user does not vouch for it (SPEC 2.2).

A cloned repository is somebody else's file. It may choose among what its reader has configured; it
may not add an endpoint, name a key variable, reach outside its own folder, or loosen a limit.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from routinglab.errors import SettingsError

#: Tools that only look, and only inside the workspace.
READ_TOOLS = ("read", "search", "find", "ls")

_REFUSED = "is taken from your own settings file only"
_HOW = "move it there, or list the project there under trustedProjects"


def refuse_user_only(project: Mapping[str, Any], where: str, *, trusted: bool) -> None:
    """Raise for keys that this project file may not hold."""
    if "trustedProjects" in project:
        raise SettingsError(
            f"trustedProjects: {_REFUSED}; a project cannot vouch for itself",
            where=where,
            field="trustedProjects",
        )
    if "providers" in project and not trusted:
        raise SettingsError(f"providers: {_REFUSED}; {_HOW}", where=where, field="providers")


def narrowed(
    user: Mapping[str, Any], project: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """An untrusted project's data, changed so that merging it over the user's only narrows.

    Gives that data, and a sentence for everything the project asked for and does not get.
    """
    notes: list[str] = []
    data = {key: value for key, value in project.items() if not _unsets(user, key, value)}
    if isinstance(data.get("modelRouting"), Mapping):
        data["modelRouting"] = _routing(_object(user, "modelRouting"), data["modelRouting"])
    if isinstance(data.get("tools"), Mapping):
        data["tools"] = _permissions(_object(user, "tools"), data["tools"], notes)
    if isinstance(data.get("skills"), Mapping):
        data["skills"] = _skills(_object(user, "skills"), data["skills"])
    if isinstance(data.get("subagents"), Mapping):
        mine = _object(_object(user, "subagents"), "agentOverrides")
        theirs = _object(data["subagents"], "agentOverrides")
        data["subagents"] = {
            "agentOverrides": {
                name: _override(
                    _object(mine, name), change, f"subagents.agentOverrides.{name}", notes
                )
                for name, change in theirs.items()
                if isinstance(change, Mapping)
            }
        }
    return data, notes


def _unsets(user: Mapping[str, Any], key: str, value: object) -> bool:
    """Whether the project would wipe out a whole group of the user's keys with a null."""
    return value is None and isinstance(user.get(key), Mapping)


def _object(data: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = data.get(key)
    return value if isinstance(value, Mapping) else {}


def _routing(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    merged: dict[str, Any] = {}
    for kind in ("Providers", "Models"):
        own, other = mine.get(f"allowed{kind}") or [], theirs.get(f"allowed{kind}") or []
        out = _union(mine.get(f"excluded{kind}"), theirs.get(f"excluded{kind}"))
        both = [name for name in own if name in other]
        if own and other and not both:
            # an empty list would mean "no restriction", so say "nothing" by excluding all of it
            both, out = list(own), _union(out, own)
        merged[f"allowed{kind}"] = both or list(own) or list(other)
        merged[f"excluded{kind}"] = out
    return merged


def _permissions(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], notes: list[str]
) -> dict[str, bool]:
    merged = {}
    for name, wanted in theirs.items():
        own = mine.get(name) is True
        if wanted is True and not own:
            notes.append(f"the project asks for tools.{name}; your settings do not allow it")
        merged[name] = own and wanted is not False
    return merged


def _skills(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    merged = {key: value for key, value in theirs.items() if value is not None}
    for name in ("disabled", "excludedPaths"):
        if name in merged:
            merged[name] = _union(mine.get(name), merged[name])
    return merged


def _override(
    mine: Mapping[str, Any], theirs: Mapping[str, Any], path: str, notes: list[str]
) -> dict[str, Any]:
    merged = {key: value for key, value in theirs.items() if value is not None}
    if isinstance(merged.get("modelConstraints"), Mapping):
        merged["modelConstraints"] = _constraints(
            _object(mine, "modelConstraints"), merged["modelConstraints"]
        )
    effort = mine.get("thinking")
    if effort and merged.pop("thinking", effort) != effort:
        notes.append(f"the project changes {path}.thinking; yours stays")
    if "tools" in merged:
        merged["tools"] = _tools(mine.get("tools"), merged["tools"], f"{path}.tools", notes)
    return merged


def _constraints(mine: Mapping[str, Any], theirs: Mapping[str, Any]) -> dict[str, Any]:
    """Both sets of limits at once; here an empty ``allowed`` list does allow nothing."""
    merged = {**mine, **{key: value for key, value in theirs.items() if value is not None}}
    for key, own in mine.items():
        other = theirs.get(key)
        if own is None or other is None:
            continue
        if key.startswith("allowed"):
            merged[key] = [item for item in own if item in other]
        elif key.startswith("max"):
            merged[key] = min(own, other)
        elif key.startswith("min"):
            merged[key] = max(own, other)
        else:
            merged[key] = _union(own, other)
    return merged


def _tools(mine: object, theirs: object, path: str, notes: list[str]) -> list[str]:
    own = _names(mine) if mine is not None else list(READ_TOOLS)
    wanted = _names(theirs)
    kept = [name for name in wanted if name in own]
    if lost := [name for name in wanted if name not in own]:
        notes.append(f"the project asks for {', '.join(lost)} in {path}; it does not get them")
    return kept


def _names(value: object) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else value
    return [str(part).strip() for part in parts] if isinstance(parts, list) else []


def _union(first: Any, second: Any) -> list[Any]:
    return list(dict.fromkeys([*(first or ()), *(second or ())]))
