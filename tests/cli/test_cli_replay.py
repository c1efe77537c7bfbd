"""``routinglab replay``: recorded decisions again, and a check for CI."""

from __future__ import annotations

from pathlib import Path

import pytest

from routinglab import TaskNeeds, load_catalog, load_evals, load_settings
from routinglab.cli import exits
from routinglab.lab.writer import RecordingWriter
from routinglab.routing.plan import Planner
from routinglab.settings import Settings


@pytest.fixture
def recording(tmp_path: Path) -> Path:
    """Three decisions over the shipped catalog and evals."""
    planner = Planner(load_catalog(), load_evals(), Settings())
    path = tmp_path / "runs.jsonl"
    with RecordingWriter(path) as record:
        record.inputs(planner.catalog, planner.evals.digest, load_settings())
        for difficulty in ("easy", "moderate", "very_hard"):
            needs = TaskNeeds(
                work="coding", difficulty=difficulty, mistake_cost="low", needs_images=False,
                long_context=False, latency_sensitive=False,
            )  # fmt: skip
            task = record.task(f"a {difficulty} task", id=difficulty, needs=needs)
            by = dict.fromkeys(needs.stated(), "caller")
            record.decision(task, planner.plan(needs).decide(answered_by=by))
    return path


def test_unchanged_inputs_drift_nowhere(command, recording: Path) -> None:
    ran = command("replay", recording, "--check")
    assert ran.code == exits.OK, ran.out + ran.err
    assert ran.out.startswith("3 tasks, 3 distinct decisions; 0 of 3 flipped, 0 drifted")


def test_other_evals_drift_and_the_check_fails(command, recording: Path, tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text(
        "## Artificial Analysis (2026-09-01)\n\n| slug | TB4 |\n| --- | --- |\n"
        "| gemini-3-8-flash | 9 |\n| gpt-6-astra | 1 |\n| glm-5 | 2 |\n| grok-4 | 3 |\n"
    )
    ran = command("replay", recording, "--check", "--evals", tmp_path / "other.md")
    assert ran.code == exits.FOUND
    assert "3 of 3 decisions drifted" in ran.err
    assert command("replay", recording, "--evals", tmp_path / "other.md").code == exits.OK


def test_a_price_limit_flips_what_is_dearer(command, recording: Path) -> None:
    data = command("replay", recording, "--max-output-cost", "1", "--json").data
    catalog = load_catalog()
    for row in data["decisions"]:
        assert catalog[row["after"].rpartition(":")[0] or row["after"]].dearest_output <= 1 or (
            catalog.get(row["after"]) is not None and catalog[row["after"]].dearest_output <= 1
        )
        assert row["flipped"] is (row["before"] != row["after"])
    assert data["summary"]["flipped"] == sum(row["flipped"] for row in data["decisions"])


def test_json_is_valid_without_known_outcomes(command, recording: Path) -> None:
    summary = command("replay", recording, "--json").data["summary"]
    assert summary["tasks"] == 3
    assert summary["quality_before"] is None


def test_csv_has_a_line_a_task_with_reason_and_cost(command, recording: Path) -> None:
    import csv

    ran = command("replay", recording, "--csv", "--max-output-cost", "1")
    assert ran.code == exits.OK, ran.err
    rows = list(csv.DictReader(ran.out.splitlines()))
    same = command("replay", recording, "--json", "--max-output-cost", "1").data["decisions"]
    assert [row["task"] for row in rows] == ["easy", "moderate", "very_hard"]
    for name in ("work", "difficulty", "before", "after", "why", "drift"):
        assert [row[name] for row in rows] == [row[name] for row in same]
    assert {row["cost_after"] for row in rows} == {""}  # no expected tokens were stated


def test_csv_and_json_together_are_refused(command, recording: Path) -> None:
    ran = command("replay", recording, "--csv", "--json")
    assert (ran.code, ran.out) == (exits.USAGE, "")


def test_a_torn_line_is_told_and_the_rest_is_used(command, recording: Path) -> None:
    with recording.open("ab") as file:
        file.write(b'{"kind": "task", "id": "to')
    ran = command("replay", recording)
    assert ran.code == exits.OK
    assert ran.out.startswith("3 tasks")
    assert ran.err.startswith("warning: ")


@pytest.mark.parametrize("arguments", [("none.jsonl",), ("--choice", "luck")])
def test_bad_input_is_refused(command, recording: Path, arguments) -> None:
    given = arguments if arguments[0].endswith("jsonl") else (recording, *arguments)
    ran = command("replay", *given)
    assert ran.code == exits.USAGE
    assert ran.err.count("\n") == 1


def test_the_shipped_recording_has_not_drifted(command) -> None:
    from routinglab.resources import shipped

    ran = command("replay", shipped("evals", "subagent-tasks.jsonl"), "--check")
    assert ran.code == exits.OK, ran.out
