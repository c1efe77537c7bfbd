"""The report on an evals file, the data the reader rests on, and what loading costs."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from routinglab.evals.benchmarks import BENCHMARKS, SOURCES, benchmark, find_label, source_named
from routinglab.evals.check import check_evals
from routinglab.evals.words import COLUMNS, IDENTITY, plain

FIXTURES = Path(__file__).parent / "fixtures"


def test_a_report_lists_sections_tables_unknown_columns_and_warnings() -> None:
    report = check_evals(FIXTURES / "messy.md")
    assert [(s.source, s.namespace, s.edition, s.values) for s in report.sections] == [
        ("Artificial Analysis (2026-09-01)", "aa", "2026-09-01", 7),
        ("Somebody's arena 2 (2026-08-02)", "somebody-s-arena-2", "2026-08-02", 4),
    ]
    assert [(t.line, t.rows, t.values) for s in report.sections for t in s.tables] == [
        (5, 4, 5), (24, 2, 2), (32, 2, 4),
    ]  # fmt: skip
    assert report.unrecognised == ((5, "Mood"), (32, "Elo"), (32, "Votes"))
    assert report.small_cohorts[0] == "aa:Sci"
    assert len(report.warnings) == 13
    assert not report.ok
    assert "line 12: cannot read '<5' as Sci" in report.lines()


def test_a_clean_file_is_ok_and_its_report_is_json() -> None:
    report = check_evals(FIXTURES / "agents.md")
    assert report.ok
    data = json.loads(json.dumps(report.to_dict()))
    assert data["sections"][0]["tables"][0]["keys"][0] == "agent:idx"


def test_benchmark_data_is_complete_and_labels_are_unambiguous() -> None:
    sources = {source.id for source in SOURCES}
    seen: dict[tuple[str, str], str] = {}
    for entry in BENCHMARKS:
        assert entry.source in sources | {"*"}
        assert entry.direction in ("higher", "lower")
        assert entry.about or entry.source == "*"
        assert entry.name
        for label in (entry.key, entry.name, *entry.labels):
            assert plain(label)
            owner = seen.setdefault((entry.source, plain(label)), entry.key)
            assert owner == entry.key, f"{label} names both {owner} and {entry.key}"


@pytest.mark.parametrize(
    "key",
    [
        *(f"aa:{k}" for k in ["idx", "Brief", "Gn", "Auto", "TB4", "TB21", "TBh", "Sci", "HLE", "PDF", "Crit", "OA", "ONH", "LCR", "Cod", "Agt", "Omni", "GPQA", "IF", "MMMU", "tau2", "tauB", "Analyst", "ITB", "Apex", "AIME", "LCB", "Harvey", "MLCR", "Open", "Ent", "usd", "tps", "ttft"]),
        "dswe:Pass@1", "dswe:usd", "dswe:steps", "fc:Main", "fc:usd",
        *(f"pub:{k}" for k in ["OSW2", "SSP", "ALE", "XGym", "SECPro", "BComp", "ABench", "FMT4", "TBSci", "DSWE"]),
    ],
)  # fmt: skip
def test_canonical_keys_are_known_and_name_themselves(key: str) -> None:
    source, name = key.split(":")
    assert benchmark(key) is not None
    found = find_label(source, name)
    assert found is not None
    assert found.key == name


@pytest.mark.parametrize(
    ("heading", "source"),
    [
        ("Artificial Analysis Intelligence Index v4.3.2", "aa"),
        ("AA Coding Agent Index v1.4", "agent"),
        ("DeepSWE v1.1", "dswe"),
        ("FrontierCode 1.1, Main", "fc"),
        ("Published results", "pub"),
        ("Own outcomes (2026-11)", "own"),
        ("DeepSWE, published 2026-09-03", "dswe"),
        ("Aardvark", None),
        ("Model prices", None),
    ],
)
def test_headings_name_sources(heading: str, source: str | None) -> None:
    found = source_named(heading)
    assert (found.id if found else None) == source


def test_word_lists_are_lower_case_and_say_each_heading_once() -> None:
    for name in ("prefixes", "variants", "deployments"):
        assert IDENTITY[name] == [word.lower() for word in IDENTITY[name]]
    role_of: dict[str, str] = {}
    for role in (
        "slug",
        "model",
        "agent_model",
        "agent",
        "effort",
        "harness",
        "reporter",
        "setting",
        "released",
        "as_of",
        "ci",
        "unit",
        "benchmark",
        "value",
        "about",
    ):
        for label in COLUMNS[role]:
            assert plain(label)
            assert role_of.setdefault(plain(label), role) == role


def test_reading_evals_loads_no_frames_and_no_numbers_library() -> None:
    code = (
        "import sys; from routinglab.evals.evals import load_evals; e = load_evals();"
        "e.standing('anthropic/claude-opus-5', 'aa:idx'); e.standings_for('openai/gpt-6-astra');"
        "print([m for m in ('pandas', 'numpy', 'scipy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
