"""The tools every child has: ``read``, ``ls``, ``find`` and ``search``; none of them writes."""

from __future__ import annotations

import asyncio
import fnmatch
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from routinglab.errors import ToolError
from routinglab.running.arguments import Argument, tool
from routinglab.running.workspace import Workspace
from routinglab.skills.tools import HostTool

#: The largest file that is read or searched, in bytes, and the most lines or names listed.
FILE_LIMIT = 5_000_000
LINES = 2_000
NAMES = 1_000
MATCHES = 200
#: Seconds a regular expression may take on one file.
PATTERN_SECONDS = 2.0

_PATH = Argument("path", "string", "Path relative to the workspace.")


def read_tools(workspace: Workspace) -> tuple[HostTool, ...]:
    """``read``, ``ls``, ``find`` and ``search`` over one workspace."""
    return (
        tool(
            "read",
            "Read a text file, with line numbers. Give offset and limit for a part of a long one.",
            (
                _PATH,
                Argument("offset", "integer", "First line, from 1.", optional=True, least=1),
                Argument("limit", "integer", "Number of lines.", optional=True, least=1),
            ),
            lambda given: asyncio.to_thread(_read, workspace, given),
        ),
        tool(
            "ls",
            "List a folder: folders end in a slash, files show their size in bytes.",
            (Argument("path", "string", "Folder, by default the workspace.", optional=True),),
            lambda given: asyncio.to_thread(_ls, workspace, given),
        ),
        tool(
            "find",
            "Find files by a name pattern such as *.py or src/**/test_*.py.",
            (
                Argument("pattern", "string", "Pattern of the name or the relative path."),
                Argument("path", "string", "Folder to look below.", optional=True),
            ),
            lambda given: asyncio.to_thread(_find, workspace, given),
        ),
        tool(
            "search",
            "Search file contents by a regular expression; gives path:line: text.",
            (
                Argument("pattern", "string", "Python regular expression."),
                Argument("path", "string", "File or folder to search.", optional=True),
                Argument("files", "string", "Name pattern of the files, as *.md.", optional=True),
            ),
            lambda given: asyncio.to_thread(_search, workspace, given),
        ),
    )


def _text(path: Path, shown: str) -> str:
    size = path.stat().st_size
    if size > FILE_LIMIT:
        raise ToolError(f"{shown!r} has {size:,} bytes, more than the {FILE_LIMIT:,} that are read")
    data = path.read_bytes()
    if b"\0" in data[:8192]:
        raise ToolError(f"{shown!r} is a binary file")
    return data.decode("utf-8", "replace")


def _read(workspace: Workspace, given: Mapping[str, Any]) -> str:
    path = workspace.file(given["path"])
    lines = _text(path, given["path"]).splitlines()
    first = given.get("offset") or 1
    if first > max(len(lines), 1):
        raise ToolError(f"{given['path']!r} has {len(lines)} lines; offset {first} is past its end")
    count = min(given.get("limit") or LINES, LINES)
    part = lines[first - 1 : first - 1 + count]
    body = "\n".join(f"{number:>6}\t{line}" for number, line in enumerate(part, first))
    rest = len(lines) - (first - 1 + len(part))
    return f"{body}\n[{rest} more lines; read on with offset {first + count}]" if rest > 0 else body


def _ls(workspace: Workspace, given: Mapping[str, Any]) -> str:
    folder = workspace.folder(given.get("path") or ".")
    entries = sorted(folder.iterdir(), key=lambda entry: entry.name)
    lines = [_entry(workspace, entry) for entry in entries[:NAMES]]
    if len(entries) > NAMES:
        lines.append(f"[{len(entries) - NAMES} more entries]")
    return "\n".join(lines) or "[empty folder]"


def _entry(workspace: Workspace, entry: Path) -> str:
    if workspace.leads_out(entry):
        return f"{entry.name} [link out of the workspace]"
    if entry.is_dir():
        return f"{entry.name}/"
    return f"{entry.name} {entry.stat().st_size}" if entry.exists() else f"{entry.name} [dead link]"


def _find(workspace: Workspace, given: Mapping[str, Any]) -> str:
    below = workspace.folder(given.get("path") or ".")
    found = [
        shown
        for path in workspace.files(below)
        if _named(shown := workspace.shown(path), given["pattern"])
    ]
    if len(found) > NAMES:
        found = [*found[:NAMES], f"[{len(found) - NAMES} more files]"]
    return "\n".join(found) or "[no file matches]"


def _named(shown: str, pattern: str) -> bool:
    name = shown.rpartition("/")[2]
    if "/" not in pattern:
        return fnmatch.fnmatchcase(name, pattern)
    # a ** between slashes may also stand for no folder at all
    return fnmatch.fnmatchcase(shown, pattern) or fnmatch.fnmatchcase(
        shown, pattern.replace("**/", "")
    )


def _search(workspace: Workspace, given: Mapping[str, Any]) -> str:
    import regex

    try:
        pattern = regex.compile(given["pattern"])
    except regex.error as error:
        raise ToolError(f"{given['pattern']!r} is no regular expression: {error}") from None
    target = workspace.path(given.get("path") or ".")
    if not target.exists():
        raise ToolError(f"{given['path']!r} does not exist")
    files = [target] if target.is_file() else workspace.files(target)
    lines: list[str] = []
    for path in files:
        shown = workspace.shown(path)
        if given.get("files") and not _named(shown, given["files"]):
            continue
        for number, line in _matches(pattern, path):
            if len(lines) == MATCHES:
                return "\n".join([*lines, f"[stopped at {MATCHES} matches; narrow the search]"])
            lines.append(f"{shown}:{number}: {line[:300]}")
    return "\n".join(lines) or "[no line matches]"


def _matches(pattern: Any, path: Path) -> Iterator[tuple[int, str]]:
    try:
        text = _text(path, path.name)
    except (ToolError, OSError):
        return  # binary, unreadable or too large: nothing to show
    for number, line in enumerate(text.splitlines(), 1):
        try:
            hit = pattern.search(line, timeout=PATTERN_SECONDS)
        except TimeoutError:
            raise ToolError("the regular expression takes too long; write a simpler one") from None
        if hit:
            yield number, line
