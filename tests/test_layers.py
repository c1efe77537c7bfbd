"""Rooms import one way, and heavy libraries load where they are used."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "routinglab"

#: Rooms from left to right; those of one set see each other. A module imports only leftwards.
LAYERS = (
    {"errors", "core", "resources"},
    {"evals", "catalog", "settings", "skills"},
    {"providers"},
    {"routing"},
    {"running"},
    {"tasks", "workflow"},
    {"lab"},
    {"ui", "report", "cli"},
)
PLACE = {room: place for place, rooms in enumerate(LAYERS) for room in rooms}
MODULES = sorted(PACKAGE.rglob("*.py"))
ROOMS = sorted({path.relative_to(PACKAGE).parts[0] for path in MODULES})
#: The front doors: they name everything, and load it when it is asked for.
DOORS = {"__init__.py", "__main__.py"}


def room_of(path: Path) -> str:
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


@cache
def tree_of(path: Path) -> ast.Module:
    """A module without what only a type checker sees."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    return tree


def names_of(node: ast.AST) -> list[str]:
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        module = node.module or ""
        return [module, *(f"{module}.{alias.name}" for alias in node.names)]
    return []


def imports(path: Path) -> set[str]:
    """What a module imports, at its top or inside functions."""
    return {name for node in ast.walk(tree_of(path)) for name in names_of(node)}


def imports_at_once(path: Path) -> set[str]:
    """What importing a module imports: everything that is not inside a function."""

    def outside(node: ast.AST) -> Iterator[ast.AST]:
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield child
                yield from outside(child)

    return {name for node in outside(tree_of(path)) for name in names_of(node)}


def uses(names: set[str], libraries: set[str]) -> set[str]:
    return {name.partition(".")[0] for name in names} & libraries


def test_every_room_has_its_place() -> None:
    assert {room.removesuffix(".py") for room in set(ROOMS) - DOORS} == set(PLACE)


def test_imports_name_the_whole_path() -> None:
    relative = [
        str(path.relative_to(PACKAGE))
        for path in MODULES
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.ImportFrom) and node.level
    ]
    assert relative == []


@pytest.mark.parametrize("room", sorted(PLACE))
def test_a_room_imports_only_leftwards(room: str) -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)} imports {name}"
        for path in MODULES
        if room_of(path) == room
        for name in sorted(imports(path))
        if name.startswith("routinglab.") and PLACE.get(name.split(".")[1], -1) > PLACE[room]
    ]
    assert wrong == []


def test_nothing_left_of_the_interface_touches_widgets_notebooks_or_plots() -> None:
    heavy = {"ipywidgets", "IPython", "nbformat", "nbclient", "nbconvert", "matplotlib"}
    wrong = [
        f"{path.relative_to(PACKAGE)}: {found}"
        for path in MODULES
        if PLACE.get(room_of(path), 0) < PLACE["ui"] and (found := uses(imports(path), heavy))
    ]
    assert wrong == []


def test_frames_load_only_where_they_are_asked_for() -> None:
    """Left of the lab, pandas is imported inside functions; evals keep theirs in modules that load late."""
    wrong = [
        str(path.relative_to(PACKAGE))
        for path in MODULES
        if PLACE.get(room_of(path), 0) < PLACE["lab"]
        and room_of(path) != "evals"
        and uses(imports_at_once(path), {"pandas", "scipy"})
    ]
    assert wrong == []


def test_entering_a_room_loads_none_of_its_modules() -> None:
    wrong = {
        str(path.relative_to(PACKAGE)): found
        for path in PACKAGE.glob("*/__init__.py")
        if (found := {name for name in imports_at_once(path) if name.startswith("routinglab.")})
    }
    assert wrong == {}
