"""Runs inside a notebook's kernel: notes which files the notebook reads.

The list becomes the manifest's inputs. It is found by looking, because a list somebody keeps by
hand forgets the file that mattered.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import sysconfig
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).resolve().parents[1]
_seen: dict[str, None] = {}
_written: set[str] = set()
_ignored: tuple[str, ...] = ()
_watching = False


def watch() -> None:
    """Start noting files that are opened for reading; takes effect once for a process."""
    global _watching, _ignored
    _ignored = _outside_of_interest()
    if not _watching:
        _watching = True
        sys.addaudithook(_hook)


def _outside_of_interest() -> tuple[str, ...]:
    """Folders whose files are programs, caches or the system's, and covered by versions."""
    home = Path.home()
    roots = {
        sys.prefix, sys.base_prefix, *sysconfig.get_paths().values(),
        "/proc", "/sys", "/dev", "/etc", "/usr", "/lib", "/var/lib", "/var/cache",
        str(home / ".cache"), str(home / ".config"), str(home / ".ipython"),
        str(home / ".jupyter"), str(home / ".local"), str(home / ".matplotlib"),
        os.environ.get("MPLCONFIGDIR", ""), os.environ.get("IPYTHONDIR", ""),
        os.environ.get("JUPYTER_RUNTIME_DIR", ""),
    }  # fmt: skip
    return tuple(sorted(os.path.realpath(root) + os.sep for root in roots if root))


def _hook(event: str, args: tuple[Any, ...]) -> None:
    if event != "open" or not _watching:
        return
    path, mode, flags = args
    if not isinstance(path, (str, bytes)):
        return
    writes = (mode and set(mode) & set("wxa+")) or flags & (os.O_WRONLY | os.O_RDWR)
    real = os.path.realpath(os.fsdecode(path))
    if writes:
        _written.add(real)  # made by the notebook itself: read again later, it is no input
    elif real not in _written:
        _seen.setdefault(real)


def inputs() -> list[dict[str, Any]]:
    """Every file read so far that still exists, as ``{name, sha256, bytes}`` sorted by name.

    Names are relative to the package or its checkout for what ships with it, else the shortest
    ends of paths that tell the files apart, so that they do not depend on the machine.
    """
    global _watching
    _watching = False
    paths = [Path(p) for p in _seen if _counts(p) and Path(p).is_file()]
    names = _names(paths)
    rows = []
    for path in paths:
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        rows.append({"name": names[path], "sha256": digest, "bytes": len(content)})
    return sorted(rows, key=lambda row: row["name"])


def _counts(path: str) -> bool:
    if path.endswith((".py", ".pyc", ".pyi", ".pth", ".so")) or "__pycache__" in path:
        return False
    if _shipped_name(Path(path)) is not None:
        return Path(path).name != "matplotlibrc"
    if any(path.startswith(root) for root in _ignored):
        return False
    return ".dist-info" not in path


def _shipped_name(path: Path) -> str | None:
    """``evals/evals.md`` for what ships with the package, wherever it is installed."""
    if path.is_relative_to(_PACKAGE / "_shipped"):
        return path.relative_to(_PACKAGE / "_shipped").as_posix()
    if path.is_relative_to(_PACKAGE):
        return path.relative_to(_PACKAGE.parent).as_posix()
    if not (_PACKAGE / "_shipped").exists():
        beside = [_PACKAGE.parent / room for room in ("evals", "skills", "notebooks")]
        if any(path.is_relative_to(room) for room in beside):
            return path.relative_to(_PACKAGE.parent).as_posix()
    return None


def _names(paths: list[Path]) -> dict[Path, str]:
    names = {path: name for path in paths if (name := _shipped_name(path)) is not None}
    rest = [path for path in paths if path not in names]
    for path in rest:
        for depth in range(1, len(path.parts) + 1):
            ending = path.parts[-depth:]
            if sum(other.parts[-depth:] == ending for other in rest) == 1:
                names[path] = "/".join(ending).replace("//", "/")
                break
    return names


def print_inputs() -> None:
    """Print :func:`inputs` and the versions of the libraries in use as one line of JSON."""
    print(json.dumps({"inputs": inputs(), "versions": versions()}))


def versions() -> dict[str, str]:
    """Versions of Python, routinglab and each library it names that this kernel has loaded."""
    import re
    from importlib import metadata

    import routinglab

    wanted = {"nbclient", "nbconvert"}
    for requirement in metadata.requires("routinglab") or ():
        if "extra ==" not in requirement:
            wanted.add(re.split(r"[^A-Za-z0-9_.-]", requirement, maxsplit=1)[0])
    modules = {"python-frontmatter": "frontmatter", "pyyaml": "yaml"}
    found = {
        "python": ".".join(map(str, sys.version_info[:3])),
        "routinglab": routinglab.__version__,
    }
    for name in sorted(wanted):
        if modules.get(name, name) in sys.modules or name in ("nbclient", "nbconvert"):
            found[name] = metadata.version(name)
    return found
