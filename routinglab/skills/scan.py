"""Walking skill and agent folders (SPEC 11.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from routinglab.resources import shipped
from routinglab.settings import Settings
from routinglab.skills.parse import Kind
from routinglab.skills.skill import Scope

SKILL_FOLDERS = (".routinglab/skills", ".reasonix/skills", ".agents/skills", ".claude/skills")
AGENT_FOLDERS = (".routinglab/agents", ".reasonix/agents", ".agents/agents", ".claude/agents")
SKIPPED = frozenset(("assets", "node_modules", "references", "scripts"))


@dataclass(frozen=True, slots=True)
class Root:
    """A folder to scan, or one file; which scope it is and what its files are."""

    path: Path
    scope: Scope
    kind: Kind = "skill"


@dataclass(frozen=True, slots=True)
class Found:
    """A file that is a skill or agent, and the name it has unless it states one."""

    path: Path
    name: str
    root: Root


def roots(project: Path, home: Path, settings: Settings) -> tuple[Root, ...]:
    """Every place to look in, the first of a name winning; agents after the skills of a scope.

    A home that is the project is one place, not two.
    """
    found: list[Root] = []
    scopes: list[tuple[Scope, Path]] = [("project", project)]
    if not _same(project, home):
        scopes.append(("global", home))
    for scope, folder in scopes:
        found += (Root(folder / name, scope) for name in SKILL_FOLDERS)
        found += (Root(folder / name, scope, "agent") for name in AGENT_FOLDERS)
        if scope == "project":
            found += (
                Root(_placed(path, project, home), "custom") for path in settings.skills.paths
            )
    found.append(Root(shipped("skills"), "builtin"))
    found.append(Root(shipped("skills", "agents"), "builtin", "agent"))
    return tuple(found)


def excluded(project: Path, home: Path, settings: Settings) -> tuple[Path, ...]:
    """The paths settings leave out, with links followed."""
    paths = (_placed(path, project, home) for path in settings.skills.excluded_paths)
    return tuple(_resolved(path) for path in paths)


def scan(
    root: Root, depth: int, leave_out: tuple[Path, ...], warn: Callable[[str], None]
) -> Iterator[Found]:
    """Skill files below ``root``, in name order: ``<name>/SKILL.md`` and flat ``<name>.md``.

    ``depth`` is how many folders below the root are entered. Links are followed, but never into a
    folder that is already being walked. Beside a ``SKILL.md`` flat files are its own material.
    """
    if root.path.is_file():
        if not _left_out(root.path, leave_out):
            yield Found(root.path, _file_name(root.path), root)
        return
    if root.path.is_dir() and not _left_out(root.path, leave_out):
        yield from _walk(root, root.path, depth, leave_out, warn, (_resolved(root.path),), False)


def _walk(
    root: Root,
    folder: Path,
    depth: int,
    leave_out: tuple[Path, ...],
    warn: Callable[[str], None],
    above: tuple[Path, ...],
    inside_skill: bool,
) -> Iterator[Found]:
    try:
        children = sorted(folder.iterdir(), key=lambda path: path.name)
    except OSError as error:
        warn(f"{folder}: cannot be listed ({error.strerror})")
        return
    main = next((c for c in children if c.name.lower() == "skill.md" and _is_file(c)), None)
    if main is not None and not _left_out(main, leave_out):
        yield Found(main, folder.name, root)
        # a standard folder holds skills whatever lies in it; a folder a user lists may be a skill
        inside_skill = inside_skill or folder != root.path or root.scope == "custom"
    for child in children:
        if child.name.startswith(".") or _left_out(child, leave_out):
            continue
        if _is_dir(child):
            place = _resolved(child)
            if child.name in SKIPPED or place in above or depth < 1:
                continue
            if root.scope == "builtin" and root.kind == "skill" and child.name == "agents":
                continue
            yield from _walk(root, child, depth - 1, leave_out, warn, (*above, place), inside_skill)
        elif child.suffix.lower() == ".md" and not inside_skill and child != main:
            if _is_file(child):
                yield Found(child, child.stem, root)
            else:
                warn(f"{child}: is no plain file, or a link to nothing")


def _file_name(path: Path) -> str:
    return path.parent.name if path.name.lower() == "skill.md" else path.stem


def _placed(path: Path, project: Path, home: Path) -> Path:
    text = str(path)
    if text == "~" or text.startswith("~/"):
        return home / text[2:]
    return project / path


def _left_out(path: Path, leave_out: tuple[Path, ...]) -> bool:
    return bool(leave_out) and any(_resolved(path).is_relative_to(out) for out in leave_out)


def _resolved(path: Path) -> Path:
    try:
        return path.resolve()
    except (OSError, RuntimeError):
        return path.absolute()


def _same(first: Path, second: Path) -> bool:
    return _resolved(first) == _resolved(second)


def _is_file(path: Path) -> bool:
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except (OSError, ValueError):
        return False
