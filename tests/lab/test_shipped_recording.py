"""The recording that ships: what it holds, and that it is what its generator gives."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, NEED_FIELDS, WORKS
from routinglab.lab.record_shipped import record_shipped
from routinglab.lab.recording import Recording, load_recording
from routinglab.lab.replay import Replay, replay
from routinglab.resources import shipped

PATH = shipped("evals", "subagent-tasks.jsonl")


@pytest.fixture(scope="module")
def recording() -> Recording:
    return load_recording(PATH)


@pytest.fixture(scope="module")
def again(recording: Recording) -> Replay:
    return replay(recording)


def test_it_spans_every_kind_of_work_difficulty_and_mistake_cost(again: Replay) -> None:
    frame = again.decisions
    assert len(frame) >= 60
    assert set(frame["work"]) == set(WORKS)
    assert frame["work"].value_counts().min() >= 6
    assert set(frame["difficulty"]) == set(DIFFICULTIES)
    assert set(frame["mistake_cost"]) == set(MISTAKE_COSTS)


def test_it_has_flags_constraints_reader_answers_choices_and_expected_tokens(
    recording: Recording,
) -> None:
    assert recording.problems == ()
    decisions = [recording.decision(task) for task in recording.ids]
    needs = [decision.needs for decision in decisions if decision]
    assert len(needs) == len(recording)
    assert all(not need.missing for need in needs)
    for flag in NEED_FIELDS[3:]:
        assert sum(bool(getattr(need, flag)) for need in needs) >= 5
    tasks = list(recording)
    assert sum(task.constraints is not None for task in tasks) >= 10
    assert all(task.expected_input_tokens and task.expected_output_tokens for task in tasks)
    assert all(task.text and len(task.text) >= 50 for task in tasks)
    assert len({task.text for task in tasks}) == len(tasks)
    assert sum(number >= 0 for number in recording.index.answers) >= 10
    chosen = [d for d in decisions if d and d.chosen_by == "router"]
    assert len(chosen) >= 20
    assert sum(d.primary.model != d.shortlist[0].model for d in chosen) >= 10


def test_it_replays_without_drift(again: Replay) -> None:
    assert again.drifted == (), "run python -m routinglab.lab.record_shipped and commit the file"
    assert again.missing_models == ()


def test_letting_the_ranking_decide_flips_the_routers_other_choices(recording: Recording) -> None:
    frame = replay(recording, choice="rank").decisions.set_index("task")
    for task in recording.ids:
        decision = recording.decision(task)
        assert decision is not None
        first = decision.shortlist[0].model
        assert frame.loc[task, "flipped"] == (decision.primary.model != first)


def test_writing_it_again_gives_the_same_bytes(tmp_path: Path) -> None:
    one = record_shipped(tmp_path / "one.jsonl").read_bytes()
    two = record_shipped(tmp_path / "two.jsonl").read_bytes()
    assert one == two
    assert one == PATH.read_bytes(), "run python -m routinglab.lab.record_shipped and commit it"


def test_every_line_is_json_and_the_file_is_small() -> None:
    text = PATH.read_text("utf-8")
    assert len(text) < 1_500_000
    assert {json.loads(line)["kind"] for line in text.splitlines()} == {
        "recording",
        "inputs",
        "task",
        "answers",
        "choice",
        "parts",
        "decision",
    }
