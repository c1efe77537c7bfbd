"""``routinglab evals``: showing and checking a file of results."""

from __future__ import annotations

from pathlib import Path

import pytest

from routinglab.cli import exits

FILE = """\
## Artificial Analysis Intelligence Index (2026-09-22)

| slug | idx | TB4 |
| --- | --- | --- |
| gpt-6-astra-high | 60 | 50% |
| claude-opus-5-5-max | 62 | 58% ±3 |
| grok-4 | 40 | ∅ |
| glm-5 | 41 | 30% |
| deepseek-v4-pro | 45 | soon |
"""


@pytest.fixture
def evals(tmp_path: Path) -> Path:
    path = tmp_path / "mine.md"
    path.write_text(FILE)
    return path


def test_shows_a_models_results_with_its_standing(command, evals: Path) -> None:
    ran = command("evals", "show", evals, "--model", "openai/gpt-6-astra")
    assert ran.code == 0, ran.err
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0] == ["model", "benchmark", "value", "unit", "effort", "standing", "line"]
    # higher than three of the four others
    assert lines[1] == ["gpt-6-astra-high", "aa:idx", "60", "points", "high", "above", "75%", "of", "4", "others", "5"]  # fmt: skip


def test_shows_a_benchmark_as_json(command, evals: Path) -> None:
    rows = command("evals", "show", evals, "--benchmark", "aa:TB4", "--json").data
    assert [(row["slug"], row["value"], row["ci"], row["line"]) for row in rows] == [
        ("gpt-6-astra-high", 50.0, None, 5),
        ("claude-opus-5-5-max", 58.0, 3.0, 6),
        ("glm-5", 30.0, None, 8),
    ]


def test_an_unknown_benchmark_or_model_is_an_error(command, evals: Path) -> None:
    ran = command("evals", "show", evals, "--benchmark", "aa:TB5")
    assert (ran.code, "Did you mean 'aa:TB4'?" in ran.err) == (exits.USAGE, True)
    ran = command("evals", "show", evals, "--model", "openai/nothing-1")
    assert (ran.code, "no results of 'openai/nothing-1'" in ran.err) == (exits.USAGE, True)


def test_check_names_what_it_could_not_read_with_its_line(command, evals: Path) -> None:
    ran = command("evals", "check", evals)
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "mine.md: 8 values of 5 models in 1 sections",
        "Artificial Analysis Intelligence Index (2026-09-22) [2026-09-22]: 5 models, 8 values, 1 tables",
        "  line 3: 5 rows, 8 values: aa:idx, aa:TB4",
        "fewer than 4 models, so no standing: aa:TB4",
    ]
    assert ran.err.startswith("warning: line 9: ")
    assert "soon" in ran.err


def test_strict_check_fails_on_a_warning_and_passes_without(command, evals: Path) -> None:
    assert command("evals", "check", evals, "--strict").code == exits.FOUND
    evals.write_text(FILE.replace("soon", "37%"))
    assert command("evals", "check", evals, "--strict").code == exits.OK


def test_check_as_json(command, evals: Path) -> None:
    data = command("evals", "check", evals, "--json").data
    assert (data["values"], data["models"], data["ok"]) == (8, 5, False)
    assert data["small_cohorts"] == ["aa:TB4"]  # three models have a value
    (section,) = data["sections"]
    assert [(t["line"], t["rows"], t["keys"]) for t in section["tables"]] == [
        (3, 5, ["aa:idx", "aa:TB4"])
    ]
    assert [warning["line"] for warning in data["warnings"]] == [9]


def test_check_names_columns_no_benchmark_is_known_by(command, evals: Path) -> None:
    evals.write_text(FILE.replace("| slug | idx |", "| slug | Zorbmark |"))
    assert "line 3: no benchmark is known as 'Zorbmark'" in command("evals", "check", evals).out


def test_a_file_without_any_value_fails_the_check(command, evals: Path) -> None:
    evals.write_text("# Notes\n\nNothing measured yet.\n")
    ran = command("evals", "check", evals)
    assert ran.code == exits.FOUND
    assert ran.out.startswith("mine.md: 0 values of 0 models")


def test_the_shipped_file_has_no_warnings(command) -> None:
    assert command("evals", "check", "--strict").code == exits.OK


@pytest.mark.parametrize("content", [None, b""])
def test_a_missing_or_empty_file_is_an_error(command, tmp_path: Path, content) -> None:
    path = tmp_path / "none.md"
    if content is not None:
        path.write_bytes(content)
    ran = command("evals", "check", path)
    assert ran.code == exits.USAGE
    assert "none.md" in ran.err
