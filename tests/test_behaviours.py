"""The table of behaviours names a test for each, and each of those exists."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TABLE = ROOT / "docs" / "behaviours.md"


def rows() -> list[list[str]]:
    if not TABLE.exists():
        pytest.skip("docs/behaviours.md is not written yet")
    lines = [line for line in TABLE.read_text().splitlines() if line.startswith("|")]
    cells = [
        [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))] for line in lines
    ]
    return [row for row in cells if not set("".join(row)) <= set("-: ") and "test" not in row[1:]]


@cache
def functions_of(path: Path) -> frozenset[str]:
    """``test_x`` for each test function of a file, ``TestY::test_x`` inside a class."""
    found = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.add(node.name)
        elif isinstance(node, ast.Assign):  # a state machine's test case
            found |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.ClassDef):
            functions = [
                f for f in node.body if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))
            ]
            found |= {f"{node.name}::{f.name}" for f in functions}
    return frozenset(found)


def test_no_cell_is_empty() -> None:
    bad = [row for row in rows() if len(row) != 3 or not all(row)]
    assert not bad


def test_every_test_named_exists() -> None:
    missing = []
    for row in rows():
        named = re.findall(r"(tests/[\w/.-]+\.py)::([\w:]+)", row[-1])
        if not named:
            missing.append(f"no test is named: {row}")
        for file, name in named:
            path = ROOT / file
            if not path.is_file() or name not in functions_of(path):
                missing.append(f"{file}::{name}")
    assert not missing
