"""Tools that change files: ``write`` and ``edit``, only where the host allows writing."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from routinglab.core.files import write_whole
from routinglab.errors import ToolError
from routinglab.running.arguments import Argument, tool
from routinglab.running.workspace import Workspace
from routinglab.skills.tools import HostTool


def write_tools(workspace: Workspace) -> tuple[HostTool, ...]:
    """``write`` and ``edit`` inside one workspace; each file is replaced whole or not at all."""
    path = Argument("path", "string", "Path relative to the workspace.")
    return (
        tool(
            "write",
            "Write a text file, replacing what it held; missing folders are made.",
            (path, Argument("content", "string", "The whole new text.")),
            lambda given: asyncio.to_thread(_write, workspace, given),
        ),
        tool(
            "edit",
            "Replace a piece of a text file. The old text must occur exactly once unless all is true.",
            (
                path,
                Argument("old", "string", "The text to replace, exactly as it stands."),
                Argument("new", "string", "What takes its place."),
                Argument("all", "boolean", "Replace every occurrence.", optional=True),
            ),
            lambda given: asyncio.to_thread(_edit, workspace, given),
        ),
    )


def _write(workspace: Workspace, given: Mapping[str, Any]) -> str:
    path = workspace.path(given["path"])
    if path.is_dir():
        raise ToolError(f"{given['path']!r} is a folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    _replace(path, given["content"])
    return f"wrote {len(given['content'].encode())} bytes to {workspace.shown(path)}"


def _edit(workspace: Workspace, given: Mapping[str, Any]) -> str:
    path = workspace.file(given["path"])
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        raise ToolError(f"{given['path']!r} is not a UTF-8 text file") from None
    if not given["old"]:
        raise ToolError("edit: old must not be empty; use write for a new file")
    count = text.count(given["old"])
    if count == 0:
        raise ToolError(f"edit: the old text does not occur in {given['path']!r}")
    if count > 1 and not given.get("all"):
        raise ToolError(f"edit: the old text occurs {count} times; add context or set all")
    _replace(path, text.replace(given["old"], given["new"]))
    return f"replaced {count} place{'s' if count > 1 else ''} in {workspace.shown(path)}"


def _replace(path: Path, text: str) -> None:
    mode = path.stat().st_mode & 0o777 if path.exists() else 0o644
    write_whole(path, text.encode("utf-8"), mode=mode)
