"""What a recording file may hold by accident, what a writer appends to, and what privacy leaves out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from routinglab.core.ids import Candidate
from routinglab.errors import InvalidInput, MetricError, RecordingError
from routinglab.lab.logged import logged_choices
from routinglab.lab.recording import load_recording, read_recording
from routinglab.lab.records import Outcome
from routinglab.lab.replay import replay
from routinglab.lab.writer import RecordingWriter
from routinglab.running.attempt import Attempt

HEADER = '{"kind":"recording","schemaVersion":1}\n'
GOOD = '{"kind":"task","id":"good","text":"x"}\n'
TEXT = "Rename the flag of project Nightjar in the command line tool and its documentation."


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("[]", "no JSON object"),
        ("17", "no JSON object"),
        ('{"kind":"task","id":"b","text":5}', "text: 5 is not text"),
        ('{"kind":"task","id":"b","group":5}', "group: 5 is not text"),
        ('{"kind":"task","id":"b","needs":[]}', r"needs: \[\] is not an object"),
        ('{"kind":"task","id":"b\\ud800"}', "is not a task id"),
        ('{"kind":"task","id":"b","expectedInputTokens":99999999999999999999}', "tokens"),
        ('{"kind":"choice","task":"good","model":"m","probabilities":"x"}', "probabilities"),
        ('{"kind":"choice","task":"good","model":"m","probabilities":{"m":2}}', "probabilities"),
        ('{"kind":"outcome","task":"good","outcome":{"model":"m","score":NaN}}', "finite"),
    ],
)
def test_a_line_of_a_wrong_type_costs_only_itself(line: str, said: str) -> None:
    recording = read_recording((HEADER + GOOD + line + "\n" + GOOD.replace("good", "z")).encode())
    (problem,) = recording.problems
    assert problem.line == 3
    with pytest.raises(AssertionError, match=said):
        raise AssertionError(problem.message)
    assert recording.ids == ["good", "z"]
    assert [task.text for task in recording] == ["x", "x"]
    for frame in ("tasks", "decisions", "attempts", "outcomes"):
        getattr(recording, frame)
    assert replay(recording).summary.tasks == 2


def test_a_byte_order_mark_and_windows_line_ends_change_nothing() -> None:
    lines = (HEADER + GOOD).replace("\n", "\r\n").encode()
    assert read_recording(b"\xef\xbb\xbf" + lines).problems == ()
    assert read_recording(b"\xef\xbb\xbf" + lines).task("good").text == "x"


def test_a_recording_without_tasks_is_replayed_to_nothing() -> None:
    result = replay(read_recording(HEADER.encode()))
    assert result.summary.tasks == 0
    assert "Replay" in result._repr_html_()


@pytest.mark.parametrize("path", [None, 3])
def test_what_is_no_path_is_an_error(path: object) -> None:
    with pytest.raises(InvalidInput, match="named by its path"):
        load_recording(path)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("dear diary\n", "not a recording, so nothing can be appended"),
        (
            '{"kind":"recording","schemaVersion":9}\n',
            "of schema version 9; this routinglab writes 1",
        ),
    ],
)
def test_nothing_is_appended_to_another_file(tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "notes"
    path.write_text(content)
    with pytest.raises(RecordingError, match=said):
        RecordingWriter(path)
    assert path.read_text() == content


def test_a_torn_header_is_no_reason_not_to_append(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text(HEADER[:20])
    with RecordingWriter(path) as record:
        record.task("x", id="t")
    assert load_recording(path).ids == ["t"]


def test_a_text_that_is_not_kept_is_nowhere_in_the_file(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with RecordingWriter(path, keep_text=0) as record:
        task = record.task(TEXT, id="t")
        for message in (
            f"HTTP 400: cannot answer {TEXT!r}",
            f"HTTP 400 near '{TEXT[7:45]}'",
            "HTTP 429",
        ):
            record.attempt(
                task,
                Attempt(
                    candidate=Candidate.of("acme/m"),
                    kind="failed",
                    message=message,
                    partial=f"You ask me to {TEXT}",
                ),
            )
        short = record.task("Hi!", id="short")
        record.attempt(
            short, Attempt(candidate=Candidate.of("acme/m"), kind="failed", message="bad: Hi!")
        )
    assert "Nightjar" not in path.read_text()
    assert "Hi!" not in path.read_text()
    assert [a.message for a in load_recording(path).attempts_of("t")] == [
        "[quotes the task, whose text is not kept]",
        "[quotes the task, whose text is not kept]",
        "HTTP 429",
    ]


def test_texts_that_are_kept_stay_in_attempts(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with RecordingWriter(path, keep_text=500) as record:
        task = record.task(TEXT)
        record.attempt(
            task,
            Attempt(candidate=Candidate.of("acme/m"), kind="failed", message=TEXT, partial=TEXT),
        )
    (attempt,) = load_recording(path).attempts_of(task)
    assert attempt.message == attempt.partial == TEXT


def test_outcomes_and_attempts_are_found_by_task(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    with RecordingWriter(path) as record:
        for name in ("a", "b", "a-late"):
            record.task(name, id=name)
        for name, score in (("a", 0.1), ("b", 0.2), ("a", 0.3)):
            record.outcome(name, Outcome(model="acme/m", score=score))
    recording = load_recording(path)
    assert [o.score for o in recording.outcomes_of("a")] == [0.1, 0.3]
    assert recording.outcomes_of("a-late") == recording.attempts_of("b") == ()
    with pytest.raises(RecordingError, match="no task 3"):
        recording.outcomes_of(3)  # type: ignore[arg-type]


def test_probabilities_that_do_not_sum_to_one_are_refused() -> None:
    lines = [
        json.loads(HEADER),
        {"kind": "choice", "task": "t", "model": "m", "probabilities": {"m": 0.5}},
        {"kind": "outcome", "task": "t", "outcome": {"model": "m", "score": 1}},
    ]
    recording = read_recording("\n".join(map(json.dumps, lines)).encode())
    with pytest.raises(MetricError, match=r"sum to 0\.5"):
        logged_choices(recording)
