"""Evals written from one's own outcomes read back to the same figures (SPEC 13.8)."""

from __future__ import annotations

from datetime import date
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.errors import OutcomesError
from routinglab.evals.build import build_evals
from routinglab.evals.evals import parse_evals
from routinglab.evals.own import OwnFigure, own_figures


def outcome(
    task: str, model: str, score: float | None, work: str = "coding", **more: Any
) -> dict[str, Any]:
    return {"task": task, "model": model, "score": score, "work": work, **more}


def read_back(text: str) -> dict[tuple[str, str | None, str], tuple[float, float | None]]:
    evals = parse_evals(text)
    assert evals.warnings == ()
    return {(row.slug, row.effort, row.benchmark): (row.value, row.ci) for row in evals.rows}


def expected(
    figures: tuple[OwnFigure, ...],
) -> dict[tuple[str, str | None, str], tuple[float, float | None]]:
    found: dict[tuple[str, str | None, str], tuple[float, float | None]] = {}
    for figure in figures:
        at = (figure.model, figure.effort)
        found[*at, f"own:{figure.work}"] = (figure.score, figure.ci)
        found[*at, f"own:{figure.work}/n"] = (float(figure.n), None)
        for name in ("usd", "seconds", "tokens"):
            value = getattr(figure, name)
            if value is not None:
                found[*at, f"own:{figure.work}/{name}"] = (value, None)
    return found


def test_figures_of_right_and_wrong_answers_carry_wilson_intervals() -> None:
    rows = [
        outcome(f"t{i}", "p/a-1", float(i < 8), cost=0.1 + i / 100, effort="high")
        for i in range(10)
    ]
    (figure,) = own_figures(rows)
    # Wilson, 8 of 10 at 95 %: 0.4902 to 0.9433
    assert figure == OwnFigure("p/a-1", "high", "coding", 80.0, "%", 22.66, 10, usd=0.145)


def test_graded_scores_carry_students_interval() -> None:
    rows = [outcome(f"t{i}", "p/a-1", score) for i, score in enumerate([0.2, 0.4, 0.6])]
    (figure,) = own_figures(rows)
    # t(0.975, 2) = 4.302653, s = 0.2: 4.302653 x 0.2 / sqrt(3) = 0.496828
    assert (figure.score, figure.ci, figure.n) == (40.0, 49.68, 3)


def test_repeated_outcomes_of_a_task_count_once() -> None:
    rows = [outcome("t1", "p/a-1", 1.0), outcome("t1", "p/a-1", 0.0), outcome("t2", "p/a-1", 1.0)]
    (figure,) = own_figures(rows)
    assert (figure.score, figure.n) == (75.0, 2)


def test_scores_beyond_one_are_points() -> None:
    (figure,) = own_figures([outcome("t1", "p/a-1", 7.0), outcome("t2", "p/a-1", 9.0)])
    assert (figure.score, figure.unit) == (8.0, "points")


def test_missing_scores_and_unknown_costs_stay_missing() -> None:
    rows = [
        outcome("t1", "p/a-1", 1.0, cost=5.0, provenance="unknown"),
        outcome("t2", "p/a-1", None, cost=1.0, provenance="observed"),
        outcome("t3", "p/a-1", 0.0, cost=2.0, provenance="observed"),
    ]
    (figure,) = own_figures(rows)
    assert (figure.n, figure.usd) == (2, 2.0)


def test_what_is_written_reads_back_to_the_same_figures() -> None:
    frame = pd.DataFrame(
        [
            outcome(f"t{i}", model, (i * 7 + n) % 10 / 9, kind, effort=effort, cost=0.000123456 * (i + n),
                    seconds=i + 0.25, tokens=1000 * i + n)
            for i in range(7)
            for n, (model, effort) in enumerate(
                [("anthropic/claude-opus-5", "high"), ("anthropic/claude-opus-5", "low"),
                 ("openrouter/x/gpt_oss|*120b", None), ("alibaba/qwen3.8-max", "xhigh")]
            )
            for kind in ("coding", "Code review", "writing")
        ]
    )  # fmt: skip
    text = build_evals(frame, as_of=date(2026, 11, 2))
    assert read_back(text) == expected(own_figures(frame))
    evals = parse_evals(text)
    assert {row.as_of for row in evals.rows} == {date(2026, 11, 2)}
    assert evals.own_keys("code_review") == ("own:code_review",)
    assert {row.model for row in evals.rows} == {"claude-opus-5", "gpt-oss|*120b", "qwen3-8-max"}


def test_one_kind_of_work_may_be_named_for_all() -> None:
    rows = [{"task": "t1", "model": "p/a-1", "score": 1}]
    assert [figure.work for figure in own_figures(rows, work="math_science")] == ["math_science"]
    assert "own:math_science" in parse_evals(build_evals(rows, work="math_science")).keys


def test_own_results_give_standings() -> None:
    rows = [outcome("t", f"p/m-{n}", n / 10) for n in range(5)]
    standing = parse_evals(build_evals(rows)).standing("q/m-3", "own:coding")
    assert standing is not None
    assert (standing.share, standing.value, standing.unit) == (0.75, 30.0, "%")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"task": "t", "score": 1, "work": "coding"}], "no column 'model'"),
        ([{"task": "t", "model": "m", "score": 1}], "no column 'work'"),
        ([outcome("t", "m", None)], "no outcome has a score"),
        ([outcome("t", "m", float("inf"))], "infinite"),
        ([{"task": "t", "model": "m", "score": "good", "work": "coding"}], "no number"),
        ([outcome("t", "m", 1.0, effort="huge")], "'huge' is no effort"),
        ([], "no column 'task'"),
        ([1], "mapping"),
        ("text", "mapping"),
        (5, "DataFrame or rows"),
    ],
)
def test_tables_that_cannot_be_summed_up_are_errors(rows: Any, message: str) -> None:
    with pytest.raises(OutcomesError, match=message):
        build_evals(rows)


@given(
    st.lists(
        st.builds(
            outcome,
            st.sampled_from(["t1", "t2", "t3"]),
            st.sampled_from(["p/a-1", "p/b-2", "q/claude-opus-5"]),
            st.floats(0, 1),
            st.sampled_from(["coding", "code_review"]),
            cost=st.none() | st.floats(0, 1e5),
            effort=st.sampled_from([None, "low", "max"]),
            tokens=st.none() | st.integers(0, 10**9),
        ),
        min_size=1,
        max_size=15,
    )
)
@settings(max_examples=25, deadline=None)
def test_any_outcomes_read_back(rows: list[dict[str, Any]]) -> None:
    assert read_back(build_evals(rows)) == expected(own_figures(rows))


@pytest.mark.parametrize(
    "work",
    ["cost", "speed", "n", "context", "score", "effort", "model", "slug", "CI", "high", "released",
     "ID", "cc", "unit", "date", "accuracy", "coding (n)", "日本語", "x@y", "source", "usd"],
)  # fmt: skip
def test_a_kind_of_work_may_be_called_like_another_column(work: str) -> None:
    rows = [outcome(f"t{i}", model, i % 2, work, cost=0.5) for i in range(4) for model in ("p/a-1", "p/b-1")]  # fmt: skip
    text = build_evals(rows)
    assert read_back(text) == expected(own_figures(rows))
    assert parse_evals(text).warnings == ()
