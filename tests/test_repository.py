"""What the repository holds: no addresses of registries, clean notebooks, rooms that import one way."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import zipfile
from itertools import chain
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TEXT = {
    ".py",
    ".md",
    ".toml",
    ".txt",
    ".sh",
    ".json",
    ".jsonl",
    ".ipynb",
    ".cfg",
    ".j2",
    ".css",
    ".js",
    "",
}

#: Rooms from left to right (and those that see each other): a module imports only leftwards.
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


def tracked() -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if listed.returncode:
        pytest.skip("this is no git checkout")
    paths = [ROOT / name for name in listed.stdout.decode().split("\0") if name]
    return [path for path in paths if path.is_file()]


def modules() -> list[Path]:
    return sorted((ROOT / "routinglab").rglob("*.py"))


def test_no_address_of_a_package_registry_is_committed() -> None:
    wanted = re.compile(
        r"index-url|find-links|\"resolved\": *\"http|pypi\.org/simple|files\.pythonhosted\.org"
    )
    itself = Path(__file__).resolve()
    found = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in tracked()
        if path.suffix in TEXT and path.resolve() != itself
        for match in wanted.finditer(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not found


def test_constraints_are_names_and_versions_only() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    assert len(lines) > 50
    assert all(re.fullmatch(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+", line) for line in lines)
    assert not any(line.lower().startswith("routinglab") for line in lines)


def test_every_dependency_has_an_exact_version() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"].values()
    wanted = {re.split(r"[\[<>=~! ]", d)[0] for d in chain(project["dependencies"], *extras)}
    pinned = {line.partition("==")[0] for line in (ROOT / "constraints.txt").read_text().split()}

    def plain(name: str) -> str:
        return re.sub(r"[-_.]+", "-", name).lower()

    assert {plain(n) for n in wanted} - {plain(n) for n in pinned} == {"routinglab"}


def test_every_exact_version_installs_on_the_oldest_python_named() -> None:
    import tomllib
    from importlib.metadata import PackageNotFoundError, metadata

    from packaging.specifiers import SpecifierSet

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    oldest = project["requires-python"].removeprefix(">=") + ".0"
    refused, looked_at = [], 0
    for line in (ROOT / "constraints.txt").read_text().split():
        name, _, version = line.partition("==")
        try:
            facts = metadata(name)
        except PackageNotFoundError:
            continue  # an extra that is not installed here
        if facts["Version"] == version:
            looked_at += 1
            if oldest not in SpecifierSet(facts.get("Requires-Python", "") or ""):
                refused.append(f"{line} wants Python {facts['Requires-Python']}")
    assert looked_at > 50
    assert not refused


def test_notebooks_have_stable_ids_and_no_outputs() -> None:
    for path in sorted((ROOT / "notebooks").glob("*.ipynb")):
        node = json.loads(path.read_text())
        ids = [cell["id"] for cell in node["cells"]]
        assert len(set(ids)) == len(ids), path.name
        for cell in node["cells"]:
            assert re.fullmatch(r"[a-z0-9-]+", cell["id"]), path.name
            assert not re.fullmatch(r"[0-9a-f]{8}", cell["id"]), f"{path.name}: a drawn id"
            if cell["cell_type"] == "code":
                assert cell["outputs"] == [], path.name
                assert cell["execution_count"] is None, path.name


def test_no_module_is_longer_than_400_lines() -> None:
    long = [str(p.relative_to(ROOT)) for p in modules() if len(p.read_text().splitlines()) > 400]
    assert not long


def layer_of(name: str) -> int | None:
    return next((i for i, rooms in enumerate(LAYERS) if name in rooms), None)


def imports_of(path: Path) -> set[str]:
    """Rooms a module imports, at its top or inside functions; not what only a type checker sees."""
    tree = ast.parse(path.read_text())
    for node in ast.walk(tree):
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            node.body = []
    rooms = set()
    for node in ast.walk(tree):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names = [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        rooms |= {name.split(".")[1] for name in names if name.startswith("routinglab.")}
    return rooms


def test_modules_import_only_leftwards() -> None:
    wrong = []
    for path in modules():
        parts = path.relative_to(ROOT / "routinglab").with_suffix("").parts
        own = layer_of(parts[0])
        if own is None:
            continue
        for room in imports_of(path):
            other = layer_of(room)
            if other is not None and other > own:
                wrong.append(f"{'/'.join(parts)} imports {room}")
    assert not wrong


def test_only_the_report_and_the_interface_touch_widgets_and_notebooks() -> None:
    wrong = []
    for path in modules():
        room = path.relative_to(ROOT / "routinglab").parts[0]
        if room in ("ui", "report", "cli"):
            continue
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom) and node.module:
                names = [node.module]
            if {n.split(".")[0] for n in names} & {
                "ipywidgets",
                "nbformat",
                "nbclient",
                "matplotlib",
            }:
                wrong.append(str(path.relative_to(ROOT)))
    assert not wrong


def test_scripts_can_be_run() -> None:
    for name in (".ci/run", "tools/new_venv.sh"):
        assert os.access(ROOT / name, os.X_OK), name


def test_a_wheel_holds_the_evals_skills_notebooks_and_data(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    held = set(zipfile.ZipFile(wheel).namelist())
    for path in tracked():
        name = path.relative_to(ROOT).as_posix()
        room = name.partition("/")[0]
        if room in ("evals", "skills", "notebooks") and not path.name.startswith("."):
            assert f"routinglab/_shipped/{name}" in held
        elif room == "routinglab":
            assert name in held
    assert not [name for name in held if name.startswith(("tests/", "benchmarks/"))]


def test_every_dependency_is_explained() -> None:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = chain(project["dependencies"], *project["optional-dependencies"].values())
    names = {re.split(r"[\[<>=~! ]", line)[0] for line in wanted} - {"routinglab"}
    page = (ROOT / "docs" / "dependencies.md").read_text()
    assert [name for name in sorted(names) if not re.search(rf"\b{re.escape(name)}\b", page)] == []
