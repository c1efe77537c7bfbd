"""What the repository holds: no addresses of registries, clean notebooks, a wheel with every file."""

from __future__ import annotations

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
