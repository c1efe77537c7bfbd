"""The folder a child may look at, and the guard that keeps every path inside it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath, PureWindowsPath

from routinglab.errors import ToolError

#: Folders that searches pass over: version control, caches and installed packages.
SKIPPED_FOLDERS = frozenset(
    {
        ".git", ".hg", ".svn", ".venv", "__pycache__", "node_modules", ".ipynb_checkpoints",
        ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis",
    }
)  # fmt: skip


class Workspace:
    """A root folder. Paths given to tools are relative to it and may not leave it.

    An absolute path, a ``..`` that climbs out and a symlink that points outside are refused with
    a :class:`~routinglab.errors.ToolError`, for files that exist and for ones to be made alike.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root).resolve()
        if not self.root.is_dir():
            raise ToolError(f"the workspace {root} is not a folder")

    def path(self, given: str) -> Path:
        """The real path of ``given``, whether or not it exists."""
        if not isinstance(given, str) or not given.strip() or "\0" in given:
            raise ToolError(f"{given!r} is not a path; give one relative to the workspace")
        if PurePosixPath(given).is_absolute() or PureWindowsPath(given).anchor or given[0] == "~":
            raise ToolError(f"{given!r} is refused: give a path relative to the workspace")
        # resolve() follows every symlink on the way, also when the last parts do not exist
        try:
            real = (self.root / given).resolve()
        except (OSError, RuntimeError):
            raise ToolError(f"{given!r} is refused: its links lead in a circle") from None
        if not real.is_relative_to(self.root):
            raise ToolError(f"{given!r} is refused: it leads out of the workspace")
        return real

    def file(self, given: str) -> Path:
        """The real path of a regular file that exists."""
        path = self.path(given)
        if path.is_dir():
            raise ToolError(f"{given!r} is a folder, not a file; use ls")
        if not path.is_file():
            reason = "is not a regular file" if path.exists() else "does not exist"
            raise ToolError(f"{given!r} {reason}")
        return path

    def folder(self, given: str) -> Path:
        """The real path of a folder that exists."""
        path = self.path(given)
        if not path.is_dir():
            reason = "is not a folder" if path.exists() else "does not exist"
            raise ToolError(f"{given!r} {reason}")
        return path

    def shown(self, path: Path) -> str:
        """A path as tools print it: relative to the root, with forward slashes."""
        return path.relative_to(self.root).as_posix()

    def leads_out(self, path: Path) -> bool:
        """Whether a path is a link that leads out of the root, or in a circle."""
        try:
            return path.is_symlink() and not path.resolve().is_relative_to(self.root)
        except (OSError, RuntimeError):
            return True

    def files(self, below: Path) -> Iterator[Path]:
        """Regular files below a folder in sorted order; links are not followed into folders."""
        for folder, folders, names in os.walk(below, followlinks=False):
            folders[:] = sorted(f for f in folders if f not in SKIPPED_FOLDERS)
            for name in sorted(names):
                path = Path(folder, name)
                if self.leads_out(path):
                    continue
                if path.is_file():
                    yield path
