from __future__ import annotations

import json
import multiprocessing
import threading
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.ids import Candidate
from routinglab.core.needs import TaskNeeds
from routinglab.core.text import text_digest
from routinglab.errors import InvalidInput, RecordingError
from routinglab.lab.recording import load_recording, read_recording
from routinglab.lab.records import Outcome
from routinglab.lab.writer import RecordingWriter
from routinglab.routing.decision import Decision, RoutingRequest
from routinglab.running.attempt import Attempt

NEEDS = TaskNeeds(work="coding", difficulty="hard")
HEADER = b'{"kind":"recording","schemaVersion":1}\n'


def lines(*rows: dict[str, object]) -> bytes:
    return HEADER + b"".join(json.dumps(row).encode() + b"\n" for row in rows)


def test_everything_written_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "runs.jsonl"
    agent = AgentBrief(
        "worker", "does things", "a prompt", NEEDS, (ModelConstraints(allowed_models=()),), True
    )
    limits = ModelConstraints(max_output_cost=3.5, allowed_efforts=(None, "high"))
    decision = Decision(
        primary=Candidate.of("a/b", "high"),
        fallbacks=(Candidate.of("c/d"),),
        candidates=("a/b", "c/d"),
        needs=NEEDS,
        answered_by={"work": "caller"},
        task_digest="abc",
        requests=(RoutingRequest(purpose="needs", model="r/r", seconds=0.5, input_tokens=9),),
    )
    attempt = Attempt(candidate=Candidate.of("a/b", "high"), kind="ok", cost=0.02, steps=3)
    outcome = Outcome(model="a/b", score=0.5, cost=0.1, seconds=2, provenance="observed")
    with RecordingWriter(path) as record:
        task = record.task(
            "Do it",
            agent=agent,
            needs=NEEDS,
            constraints=limits,
            expected_input_tokens=10,
            expected_output_tokens=2,
            group="g",
        )
        record.answers(task, TaskNeeds(mistake_cost="low"), reader="r/r")
        record.choice(task, "c/d", router="r/r", probabilities={"a/b": 0.25, "c/d": 0.75})
        record.decision(task, decision)
        record.attempt(task, attempt)
        record.outcome(task, outcome)
    recording = load_recording(path)
    assert recording.problems == ()
    assert recording.schema_version == 1
    assert len(recording) == 1
    kept = recording.task(task)
    assert (kept.text, kept.text_digest, kept.text_length) == ("Do it", text_digest("Do it"), 5)
    assert kept.agent is not None
    assert kept.agent.brief() == AgentBrief(
        "worker", "does things", "", NEEDS, agent.constraints, True
    )
    assert (kept.needs, kept.constraints, kept.group) == (NEEDS, limits, "g")
    assert (kept.expected_input_tokens, kept.expected_output_tokens) == (10, 2)
    assert recording.decision(task) == decision
    assert recording.decision(task).canonical() == decision.canonical()  # type: ignore[union-attr]
    assert recording.attempts_of(task) == (attempt,)
    assert recording.outcomes_of(task) == (outcome,)


def test_the_frames_have_the_declared_columns_and_values(tmp_path: Path) -> None:
    with RecordingWriter(tmp_path / "r.jsonl") as record:
        task = record.task("Do it", id="t", needs=NEEDS)
        record.decision(task, Decision(primary=Candidate.of("a/b", "low"), candidates=("a/b",)))
        record.attempt(task, Attempt(candidate=Candidate.of("a/b"), kind="failed", failure="quota"))
        record.outcome(task, Outcome(model="a/b", score=1))
    recording = load_recording(tmp_path / "r.jsonl")
    tasks, decisions = recording.tasks, recording.decisions
    assert tasks.loc[0, ["task", "text", "work", "difficulty"]].tolist() == [
        "t",
        "Do it",
        "coding",
        "hard",
    ]
    assert decisions.loc[0, ["task", "model", "effort", "chosen_by"]].tolist() == [
        "t",
        "a/b",
        "low",
        "ranking",
    ]
    assert recording.attempts.loc[0, "failure"] == "quota"
    assert recording.outcomes.loc[0, "score"] == 1.0
    assert recording.outcomes["cost"].isna().all()


def test_a_torn_last_line_is_reported_and_everything_before_it_kept(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingWriter(path) as record:
        record.task("one", id="a")
        record.task("two", id="b")
    whole = path.read_bytes()
    last = whole.rstrip(b"\n").rfind(b"\n") + 1
    for cut in range(last + 1, len(whole) - 1):
        recording = read_recording(whole[:cut])
        assert recording.ids == ["a"]
        (problem,) = recording.problems
        assert problem.line == 3
        assert "torn" in problem.message


def test_a_whole_last_line_without_a_newline_counts(tmp_path: Path) -> None:
    recording = read_recording(lines({"kind": "task", "id": "a"})[:-1])
    assert recording.ids == ["a"]
    assert recording.problems == ()


def test_the_writer_closes_a_torn_line_so_it_costs_only_itself(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingWriter(path) as record:
        record.task("one", id="a")
    with path.open("ab") as file:
        file.write(b'{"kind":"task","id":"lo')
    with RecordingWriter(path) as record:
        record.task("three", id="c")
    recording = load_recording(path)
    assert recording.ids == ["a", "c"]
    assert [problem.line for problem in recording.problems] == [3]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (b"not json", "not JSON"),
        (b"[1, 2]", "not a record"),
        (b'"kind"', "not a record"),
        (b"{}", "no 'kind'"),
        (b'{"kind": "tasks", "id": "x"}', "unknown kind 'tasks'"),
        (b'{"kind": ["task"]}', "not a record"),
        (b'{"kind": "task"}', "'id' is missing"),
        (b'{"kind": "task", "id": 7}', "not a task id"),
        (b'{"kind": "task", "id": "x", "needs": {"work": "cooking"}}', "cooking"),
        (b'{"kind": "task", "id": "x", "constraints": {"maxCost": 1}}', "maxCost"),
        (b'{"kind": "outcome", "task": "a", "outcome": {"model": "m", "cost": -1}}', "cost"),
        (b'{"kind": "decision", "task": "a", "decision": {"primary": 3}}', "primary"),
        (b'{"kind": "parts", "digest": "d", "parts": {}, "packed": "!!"}', "packed"),
        (b'{"kind": "task", "id": "x", "expectedInputTokens": "many"}', "many"),
        (b"\xff\xfe{}", "not JSON"),
        (b"[" * 100_000, "nested too deeply"),
    ],
)
def test_a_bad_middle_line_is_named_by_number_and_nothing_else_is_lost(
    line: bytes, said: str
) -> None:
    data = lines({"kind": "task", "id": "a"}) + line + b"\n" + b'{"kind":"task","id":"z"}\n'
    recording = read_recording(data)
    assert recording.ids == ["a", "z"]
    (problem,) = recording.problems
    assert problem.line == 3
    assert said in str(problem)


def test_blank_lines_crlf_and_a_byte_order_mark_are_no_problem() -> None:
    data = (
        b"\xef\xbb\xbf" + lines({"kind": "task", "id": "a"}).replace(b"\n", b"\r\n") + b"\r\n  \n"
    )
    recording = read_recording(data)
    assert recording.ids == ["a"]
    assert recording.problems == ()


def test_a_newer_schema_is_refused_with_what_to_do() -> None:
    with pytest.raises(RecordingError, match=r"newer routinglab .*version 2.*Upgrade"):
        read_recording(b'{"kind":"recording","schemaVersion":2}\n{"kind":"task","id":"a"}\n')


@pytest.mark.parametrize("data", [b"", b"\n\n", b"# Evals\n\n| a |\n", b"\x00\x01"])
def test_a_file_that_is_no_recording_is_refused(data: bytes) -> None:
    with pytest.raises(RecordingError, match="not a recording"):
        read_recording(data)


def test_a_missing_file_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match="No such file"):
        load_recording(tmp_path / "none.jsonl")
    with pytest.raises(RecordingError, match="cannot be"):
        load_recording(tmp_path)


def test_a_missing_header_is_said_and_the_rest_is_read() -> None:
    recording = read_recording(b'{"kind":"task","id":"a"}\n')
    assert recording.ids == ["a"]
    assert "header" in recording.problems[0].message


def test_a_lost_task_line_costs_its_text_but_not_what_follows_about_it() -> None:
    recording = read_recording(
        lines({"kind": "outcome", "task": "a", "outcome": {"model": "m", "score": 1}})
    )
    assert recording.ids == ["a"]
    assert recording.task("a").text is None
    assert recording.outcomes_of("a")[0].score == 1


def test_a_lost_parts_line_costs_a_decision_only_its_candidates(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    decision = Decision(primary=Candidate.of("a/b"), candidates=("a/b",), needs=NEEDS)
    with RecordingWriter(path) as record:
        record.decision(record.task("x", id="t"), decision)
    kept = [line for line in path.read_bytes().splitlines(True) if b'"kind":"parts"' not in line]
    recording = read_recording(b"".join(kept))
    found = recording.decision("t")
    assert found is not None
    assert (found.primary, found.needs, found.candidates) == (decision.primary, NEEDS, ())
    assert "candidates and shortlist are unknown" in str(recording.problems[0])


def test_a_decision_written_in_one_piece_reads_the_same(tmp_path: Path) -> None:
    decision = Decision(
        primary=Candidate.of("a/b"), candidates=("a/b",), needs=NEEDS, task_digest="d"
    )
    recording = read_recording(
        lines({"kind": "decision", "task": "t", "decision": decision.to_dict()})
    )
    assert recording.problems == ()
    assert recording.decision("t") == decision


def test_an_id_used_again_is_another_task() -> None:
    recording = read_recording(
        lines(
            {"kind": "task", "id": "a", "text": "one"},
            {"kind": "choice", "task": "a", "model": "m/1"},
            {"kind": "task", "id": "a", "text": "two"},
            {"kind": "choice", "task": "a", "model": "m/2"},
        )
    )
    assert recording.ids == ["a", "a#2"]
    assert [recording.task(name).text for name in recording.ids] == ["one", "two"]
    chosen = [recording.index.all_choices.values[n] for n in recording.index.choice]
    assert chosen == ["m/1", "m/2"]


def test_an_unknown_task_lists_the_nearest() -> None:
    recording = read_recording(lines({"kind": "task", "id": "coding-01"}))
    with pytest.raises(RecordingError, match="Did you mean 'coding-01'"):
        recording.task("coding-1")


def test_long_texts_are_kept_by_digest_only(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingWriter(path, keep_text=5) as record:
        record.task("short", id="a")
        record.task("a private text", id="b")
    assert b"private" not in path.read_bytes()
    recording = load_recording(path)
    assert recording.task("a").text == "short"
    kept = recording.task("b")
    assert kept.text is None
    assert (kept.text_digest, kept.text_length) == (text_digest("a private text"), 14)


def test_every_written_text_passes_the_redaction_hook(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingWriter(path, redact=lambda text: text.replace("hunter2", "***")) as record:
        task = record.task("use hunter2", id="t", agent=AgentBrief("a", "knows hunter2"))
        record.attempt(
            task, Attempt(candidate=Candidate.of("a/b"), kind="failed", message="no hunter2")
        )
        record.decision(task, Decision(primary=Candidate.of("a/b"), degraded="hunter2 was wrong"))
    assert b"hunter2" not in path.read_bytes()
    recording = load_recording(path)
    assert recording.problems == ()
    assert recording.task("t").text == "use ***"


def test_what_looks_like_a_key_is_hidden_without_asking(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    key = "sk-ant-" + "abcdefghij" * 3
    with RecordingWriter(path) as record:
        task = record.task(f"use {key} please")
        record.attempt(
            task, Attempt(candidate=Candidate.of("a/b"), kind="failed", message=f"bad key {key}")
        )
    assert key.encode() not in path.read_bytes()
    assert load_recording(path).task(task).text == "use [redacted] please"


def test_the_file_is_the_owners_alone(tmp_path: Path) -> None:
    with RecordingWriter(tmp_path / "r.jsonl"):
        pass
    assert (tmp_path / "r.jsonl").stat().st_mode & 0o077 == 0


def test_shared_parts_are_written_once(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    decision = Decision(primary=Candidate.of("a/b"), candidates=("a/b",))
    with RecordingWriter(path) as record:
        for number in range(5):
            record.decision(record.task("x", id=f"t{number}"), decision)
    kinds = [json.loads(line)["kind"] for line in path.read_text().splitlines()]
    assert kinds.count("parts") == 1
    assert kinds.count("decision") == 5


def test_writing_after_closing_or_to_a_bad_place_is_a_clear_error(tmp_path: Path) -> None:
    record = RecordingWriter(tmp_path / "r.jsonl")
    record.close()
    record.close()
    with pytest.raises(RecordingError, match="closed"):
        record.task("x")
    with pytest.raises(RecordingError, match="cannot be written"):
        RecordingWriter(tmp_path)


def append(path: str, name: str, count: int) -> None:
    with RecordingWriter(path) as record:
        for number in range(count):
            record.task("x" * 20_000, id=f"{name}-{number}")


def test_threads_and_processes_append_side_by_side(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    started = multiprocessing.get_context("spawn")
    processes = [
        started.Process(target=append, args=(str(path), f"p{number}", 20)) for number in range(2)
    ]
    for process in processes:
        process.start()
    with RecordingWriter(path) as record:
        threads = [
            threading.Thread(
                target=lambda n=n: [record.task("y" * 20_000, id=f"t{n}-{i}") for i in range(20)]
            )
            for n in range(3)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    for process in processes:
        process.join()
    recording = load_recording(path)
    assert recording.problems == ()
    assert len(set(recording.ids)) == 100
    assert path.read_bytes().count(b'"kind":"recording"') == 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(st.characters(codec=None)), max_size=5))
def test_any_text_survives(texts: list[str]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r.jsonl"
        with RecordingWriter(path) as record:
            for number, text in enumerate(texts):
                record.task(text, id=f"t{number}")
        recording = load_recording(path)
    assert [task.text for task in recording] == texts
    assert recording.problems == ()


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_no_bytes_make_reading_fail_in_another_way(data: bytes) -> None:
    recording = read_recording(lines({"kind": "task", "id": "a"}) + data)
    assert recording.ids[0] == "a"


def test_a_wrong_value_is_refused_before_anything_is_written(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput):
        Outcome(model="", score=1)
    with pytest.raises(InvalidInput):
        Outcome(model="a/b", score=float("nan"))
