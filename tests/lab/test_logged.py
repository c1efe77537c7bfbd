from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.routed import Recorder

from routinglab.errors import MetricError, OutcomesError
from routinglab.evals.build import build_evals
from routinglab.evals.evals import parse_evals
from routinglab.lab import metrics
from routinglab.lab.imports.recorded import import_recording
from routinglab.lab.logged import logged_choices
from routinglab.lab.recording import load_recording
from routinglab.lab.records import Outcome
from routinglab.lab.writer import RecordingWriter


def test_a_recordings_propensities_give_an_off_policy_estimate(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    with RecordingWriter(path) as record:
        for number in range(80):
            task = record.task("x", id=f"t{number}")
            chosen = "m/a" if number % 2 else "m/b"
            record.choice(task, chosen, probabilities={"m/a": 0.5, "m/b": 0.5})
            record.outcome(task, Outcome(model=chosen, score=1 if number % 2 else 0.25))
        record.choice(record.task("no odds"), "m/a")
        record.choice(record.task("no outcome"), "m/a", probabilities={"m/a": 1})
    log = logged_choices(load_recording(path))
    assert log.models == ("m/a", "m/b")
    assert (len(log.tasks), log.left_out) == (80, 2)
    always_a = log.target(dict.fromkeys(log.tasks, "m/a"))
    found = metrics.snips(log.chosen, log.outcome, log.propensity, always_a)
    assert found.estimate == 1
    assert found.effective == pytest.approx(40)
    with pytest.raises(MetricError, match="'m/c', which was never offered"):
        log.target(dict.fromkeys(log.tasks, "m/c"))


def test_odds_that_contradict_the_choice_are_refused(tmp_path: Path) -> None:
    for number, (odds, said) in enumerate(
        [({"m/b": 1.0}, "has no probability"), ({"m/a": 0.5}, "sum to 0.5")]
    ):
        path = tmp_path / f"{number}.jsonl"
        with RecordingWriter(path) as record:
            task = record.task("x")
            record.choice(task, "m/a", probabilities=odds)
            record.outcome(task, Outcome(model="m/a", score=1))
        with pytest.raises(MetricError, match=said):
            logged_choices(load_recording(path))


def test_a_recording_without_odds_says_so(record: Recorder) -> None:
    record(choice="acme/fair")
    with pytest.raises(MetricError, match="no task has both"):
        logged_choices(load_recording(record.path))


def test_recorded_outcomes_become_a_table_and_evals_of_ones_own(record: Recorder) -> None:
    for number in range(3):
        record(f"t{number}", f"text {number}")
        for place, model in enumerate(("acme/best", "acme/fair")):
            record.writer.outcome(
                f"t{number}",
                Outcome(
                    model=model,
                    score=(number + place) % 2,
                    cost=0.1,
                    input_tokens=100 + number,
                    output_tokens=10,
                    provenance="observed",
                ),
            )
    record.writer.outcome("t0", Outcome(model="acme/best", effort="low", score=1))
    outcomes = import_recording(load_recording(record.path), quiet=True)
    assert outcomes.models == ("acme/best", "acme/fair")
    # two outcomes on t0, 0 and 1, count by their mean; the second's tokens are unknown
    assert outcomes.score[:, 0].tolist() == [0.5, 1, 0]
    assert [found.kind for found in outcomes.findings] == []
    assert outcomes.info["work"].tolist() == ["coding"] * 3
    evals = parse_evals(build_evals(outcomes.long()))
    measured = evals.measured("acme/best", "own:coding")
    assert measured is not None
    assert measured.value == pytest.approx(50)
    assert np.isfinite(outcomes.cost).all()


def test_a_recording_without_outcomes_has_no_table(record: Recorder) -> None:
    record()
    with pytest.raises(OutcomesError, match="no outcomes"):
        import_recording(load_recording(record.path))
