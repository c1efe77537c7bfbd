from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.errors import OutcomesError
from routinglab.lab.choices import choices_from_log, choices_of
from routinglab.lab.findings import OutcomesWarning
from routinglab.lab.outcomes import IMPUTED, MISSING, OBSERVED, UNKNOWN, Outcomes
from routinglab.lab.policies import function, logged
from routinglab.lab.table import Checks, outcomes_from_rows

Row = dict[str, object]


def rows(count: int = 6, models: tuple[str, ...] = ("a", "b")) -> list[Row]:
    """Outcomes with different tokens a task, priced at $1 and $2 per million."""
    return [
        {
            "task": f"t{n}",
            "model": model,
            "score": (n + place) % 2,
            "input_tokens": 1000 + n,
            "output_tokens": 500 + n,
            "cost": (1000 + n + 2 * (500 + n)) / 1e6,
        }
        for n in range(count)
        for place, model in enumerate(models)
    ]


def table(data: list[Row], **checks: object) -> Outcomes:
    return outcomes_from_rows(
        pd.DataFrame(data),
        name="test",
        checks=Checks(**checks),
        quiet=True,  # type: ignore[arg-type]
    )


def kinds(outcomes: Outcomes) -> dict[str, int]:
    return {found.kind: found.count for found in outcomes.findings}


def test_a_clean_table_has_nothing_to_say() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        outcomes = outcomes_from_rows(
            pd.DataFrame(rows()), name="t", checks=Checks(prices={"a": (1, 2), "b": (1, 2)})
        )
    assert outcomes.findings == ()
    assert (outcomes.provenance == OBSERVED).all()
    assert outcomes.coverage == 1


def test_missing_outcomes_stay_missing_and_lower_coverage() -> None:
    outcomes = table([row for n, row in enumerate(rows()) if n not in (0, 3, 5)])
    assert outcomes.coverage == pytest.approx(9 / 12)
    assert np.isnan(outcomes.score).sum() == np.isnan(outcomes.cost).sum() == 3
    assert (outcomes.provenance == MISSING).sum() == 3
    assert kinds(outcomes) == {"missing_outcomes": 3}
    assert len(outcomes.long()) == 9


def test_rows_without_tokens_have_an_unknown_cost_even_at_zero() -> None:
    data = rows()
    data[0] |= {"input_tokens": 0, "output_tokens": 0, "cost": 0.0}
    data[1] |= {"input_tokens": None, "output_tokens": None}
    outcomes = table(data)
    assert (outcomes.provenance[0] == UNKNOWN).all()
    assert kinds(outcomes)["missing_tokens"] == 2
    assert "1 of them are priced 0" in str(outcomes.findings[0])
    assert outcomes.cost[0, 0] == 0
    assert np.isnan(outcomes.known_costs().cost[0]).all()


def test_stated_provenance_stands_but_nothing_without_tokens_is_observed() -> None:
    data = [row | {"provenance": "observed"} for row in rows()]
    data[0] |= {"input_tokens": 0, "output_tokens": 0}
    data[1] |= {"provenance": "imputed"}
    outcomes = table(data)
    assert outcomes.provenance[0].tolist() == [UNKNOWN, IMPUTED]
    with pytest.raises(OutcomesError, match="'guessed' is not one of observed, imputed, unknown"):
        table([row | {"provenance": "guessed"} for row in rows()])


def test_a_table_without_token_counts_has_costs_of_unknown_provenance() -> None:
    data = [{k: v for k, v in row.items() if "tokens" not in k} for row in rows()]
    outcomes = table(data)
    assert (outcomes.provenance == UNKNOWN).all()
    assert kinds(outcomes) == {"unchecked_cost": 12}
    vouched = table(data, cost_without_tokens="observed")
    assert (vouched.provenance == OBSERVED).all()


def test_one_token_count_over_a_whole_group_means_imputed_costs() -> None:
    data = rows(10)
    for row in data:
        row["token_group"] = "flat" if int(str(row["task"])[1:]) < 5 else "real"
        if row["token_group"] == "flat" and row["model"] == "a":
            row |= {"input_tokens": 777, "output_tokens": 77}
    outcomes = table(data)
    assert (outcomes.provenance[:5, 0] == IMPUTED).all()
    assert (outcomes.provenance[5:] == OBSERVED).all()
    assert (outcomes.provenance[:, 1] == OBSERVED).all()
    assert kinds(outcomes) == {"constant_tokens": 5}


def test_a_few_equal_counts_are_no_pattern() -> None:
    data = [row | {"input_tokens": 5, "output_tokens": 5} for row in rows(4)]
    assert (table(data).provenance == OBSERVED).all()


def test_another_source_model_is_said_with_its_counts() -> None:
    data = [row | {"source_model": row["model"]} for row in rows()]
    for row in data[:6:2]:
        row["source_model"] = "a-old"
    outcomes = table(data)
    assert kinds(outcomes) == {"source_model": 3}
    assert "a <- a-old: 3 rows" in str(outcomes.findings[0])
    assert (outcomes.provenance[:3, 0] == IMPUTED).all()


def test_costs_that_are_not_tokens_times_price_are_said() -> None:
    data = rows()
    data[0]["cost"] = 0.5
    outcomes = table(data, prices={"a": (1, 2), "b": (1, 2)})
    assert kinds(outcomes) == {"cost_mismatch": 1}
    assert "a: 1 rows" in str(outcomes.findings[0])


def test_negative_costs_are_unknown() -> None:
    data = rows()
    data[0]["cost"] = -0.1
    outcomes = table(data)
    assert np.isnan(outcomes.cost[0, 0])
    assert outcomes.provenance[0, 0] == UNKNOWN
    assert kinds(outcomes) == {"bad_cost": 1}


def test_scores_out_of_range_are_kept_and_said() -> None:
    data = rows()
    data[0]["score"], data[1]["score"] = -0.033, 63.6
    outcomes = table(data)
    assert outcomes.score[0].tolist() == [-0.033, 63.6]
    assert kinds(outcomes) == {"score_range": 2}
    assert table(data, score_range=None).findings == ()


def test_totals_that_are_not_input_plus_output_are_said() -> None:
    data = [row | {"total_tokens": 1500 + 2 * (n // 2)} for n, row in enumerate(rows())]
    assert table(data).findings == ()
    data[3]["total_tokens"] = 1
    assert kinds(table(data)) == {"token_total": 1}


def test_repeated_rows_count_once_and_contradicting_ones_are_an_error() -> None:
    data = rows()
    same = table([*data, data[0]])
    assert same.score.tolist() == table(data).score.tolist()
    assert kinds(same) == {"duplicate": 1}
    with pytest.raises(OutcomesError, match="contradict each other, such as 'a' on task 't0'"):
        table([*data, data[0] | {"score": 0.5}])


def test_aliases_are_resolved_and_said() -> None:
    data = rows()
    for row in data[::2]:
        row["model"] = "甲"
    outcomes = table(data, aliases={"甲": "a", "unused": "b"})
    assert outcomes.models == ("a", "b")
    assert kinds(outcomes) == {"alias": 6}


def test_two_writings_of_one_name_are_pointed_out() -> None:
    outcomes = table(rows(models=("Qwen3-Max", "qwen3_max")))
    assert "Qwen3-Max and qwen3_max" in str(outcomes.findings[0])


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"score": "good"}, "score 'good' in row 1 is not a number"),
        ({"cost": float("inf")}, "is not a number"),
        ({"model": None}, "no model"),
    ],
)
def test_what_is_no_outcome_is_an_error(change: Row, said: str) -> None:
    data = rows()
    data[0] |= change
    with pytest.raises(OutcomesError, match=said):
        table(data)


def test_a_missing_column_or_an_empty_table_is_an_error() -> None:
    with pytest.raises(OutcomesError, match="no column 'score'; the columns are task, model"):
        outcomes_from_rows(pd.DataFrame({"task": ["t"], "model": ["a"]}), name="x")
    with pytest.raises(OutcomesError, match="no outcomes"):
        outcomes_from_rows(pd.DataFrame({"task": [], "model": [], "score": []}), name="x")


def test_findings_are_one_warning_at_the_callers_line() -> None:
    data = rows()
    data[0]["score"], data[1]["cost"] = 7, -1
    with pytest.warns(OutcomesWarning, match="test: 2 things to know") as caught:
        outcomes_from_rows(pd.DataFrame(data), name="test")
    assert [warning.filename for warning in caught] == [__file__]


def log(*choices: tuple[str, object], **more: object) -> list[dict[str, object]]:
    return [{"task_id": task, "chosen_model": model, **more} for task, model in choices]


def test_an_unknown_model_in_a_log_is_an_error_with_the_nearest_names() -> None:
    outcomes = table(rows(models=("claude-opus-4-6", "gpt-5.4")))
    for make in (
        lambda: choices_from_log(log(("t0", "gpt-5-4")), outcomes, name="log", aliases={}),
        lambda: choices_of("mine", outcomes, ["gpt-5-4"] * 6),
        lambda: outcomes.column("gpt-5-4"),
    ):
        with pytest.raises(OutcomesError, match=r"no model 'gpt-5-4'.*nearest: gpt-5\.4"):
            make()


def test_tasks_that_a_log_leaves_out_lower_its_coverage_and_score_nothing() -> None:
    outcomes = table(rows())
    choices = choices_from_log(log(("t1", "a")), outcomes, name="log", aliases={})
    assert choices.coverage == pytest.approx(1 / 6)
    assert np.isnan(choices.quality[0])
    assert np.isnan(choices.cost[0])
    assert choices.models[:2] == [None, "a"]


def test_a_chain_pays_for_every_call_and_answers_with_one() -> None:
    outcomes = table(rows())
    choices = choices_from_log(
        log(("t1", "b"), chain_run=["a", "b"]), outcomes, name="log", aliases={}
    )
    assert choices.cost[1] == pytest.approx(outcomes.cost[1].sum())
    assert choices.quality[1] == outcomes.score[1, 1]
    assert choices.distinct == 1


@pytest.mark.parametrize(
    ("entries", "said"),
    [
        (log(("t9", "a")), "task 't9' is not in test"),
        (log(("t1", "a"), ("t1", "b")), "decided twice"),
        (log(("t1", None)), "no chosen_model"),
        (log(("t1", "a"), chain_run=["b"]), "never called 'a'"),
    ],
)
def test_a_log_that_contradicts_itself_is_an_error(
    entries: list[dict[str, object]], said: str
) -> None:
    with pytest.raises(OutcomesError, match=said):
        choices_from_log(entries, table(rows()), name="log", aliases={})


def test_a_log_that_contradicts_the_table_is_said() -> None:
    outcomes = table(rows())
    entries = log(("t0", "a"), resolved=True) + log(("t1", "a"), cost_usd=9.0, resolved=True)
    choices = choices_from_log(entries, outcomes, name="log", aliases={})
    (found,) = choices.findings
    assert (found.kind, found.count) == ("log_mismatch", 2)


@settings(max_examples=40, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 4), st.integers(0, 2), st.floats(0, 1), st.floats(0, 9)),
        min_size=1,
        unique_by=lambda row: row[:2],
    )
)
def test_a_table_gives_back_the_rows_it_was_made_of(
    data: list[tuple[int, int, float, float]],
) -> None:
    frame = pd.DataFrame(
        [{"task": f"t{t}", "model": f"m{m}", "score": s, "cost": c} for t, m, s, c in data]
    )
    long = outcomes_from_rows(frame, name="x", quiet=True).long()
    key = ["task", "model"]
    assert (
        long.sort_values(key)[[*key, "score", "cost"]].to_numpy().tolist()
        == frame.sort_values(key).to_numpy().tolist()
    )


def test_totals_that_differ_are_no_constant_token_count() -> None:
    data = [{k: v for k, v in row.items() if "put_tokens" not in k} for row in rows(8, ("a",))]
    for number, row in enumerate(data):
        row["total_tokens"] = 100 + number
    assert (table(data).provenance == OBSERVED).all()
    same = table([row | {"total_tokens": 100} for row in data])
    assert (same.provenance == IMPUTED).all()
    assert kinds(same) == {"constant_tokens": 8}


def test_another_source_model_is_said_also_without_token_counts() -> None:
    data = [{k: v for k, v in row.items() if "tokens" not in k} for row in rows()]
    data[0]["source_model"] = "a-old"
    assert kinds(table(data)) == {"unchecked_cost": 12, "source_model": 1}


def test_a_cost_that_is_not_stated_was_not_observed() -> None:
    data = rows()
    data[0]["cost"] = None
    assert table(data).provenance[0].tolist() == [UNKNOWN, OBSERVED]


@pytest.mark.parametrize("cell", ["NaN", "n/a", "NA", "null", " None ", "", None])
def test_words_for_nothing_are_missing_scores(cell: object) -> None:
    data = rows()
    data[0]["score"] = cell
    outcomes = table(data)
    assert np.isnan(outcomes.score[0, 0])
    assert kinds(outcomes) == {"missing_outcomes": 1}


def test_what_describes_a_table_wrongly_is_an_error() -> None:
    frame = pd.DataFrame(rows())
    for change, said in (
        ({"info": pd.DataFrame({"task": ["t0", "t0"]})}, "two rows for task 't0'"),
        ({"info": pd.DataFrame({"id": ["t0"]})}, "no column 'task'"),
        ({"checks": Checks(cost_without_tokens="maybe")}, "'maybe' is not one of observed"),
    ):
        with pytest.raises(OutcomesError, match=said):
            outcomes_from_rows(frame, name="x", **change)  # type: ignore[arg-type]


def test_choices_keep_their_tasks_and_chains_over_another_table() -> None:
    outcomes = table(rows())
    entries = log(("t0", "b"), chain_run=["a", "b"]) + log(("t5", "a"))
    choices = choices_from_log(entries, outcomes, name="log", aliases={})
    turned = logged(choices)(outcomes.select(["t5", "t1", "t0"], ["b", "a"]))
    assert turned.models == ["a", None, "b"]
    assert turned.cost[[0, 2]].tolist() == choices.cost[[5, 0]].tolist()
    assert turned.labels == ("logged",)
    with pytest.raises(OutcomesError, match="no model 'a'"):
        logged(choices)(outcomes.select(models=["b"]))
    others = table([row | {"task": f"u{row['task']}"} for row in rows()])
    with pytest.raises(OutcomesError, match="about no task of test"):
        logged(choices)(others)


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"chain_run": "ab"}, "chain_run is not a list"),
        ({"chain_run": [1]}, "chain_run is not a list"),
        ({"resolved": "yes"}, "resolved 'yes' is no number"),
        ({"cost_usd": "1 USD"}, "cost_usd '1 USD' is no number"),
    ],
)
def test_a_log_row_of_a_wrong_type_is_an_error(more: dict[str, object], said: str) -> None:
    with pytest.raises(OutcomesError, match=said):
        choices_from_log(log(("t1", "a"), **more), table(rows()), name="log", aliases={})


def test_a_choice_that_is_no_name_is_an_error_and_nan_is_none() -> None:
    outcomes = table(rows(3))
    choices = choices_of("x", outcomes, pd.Series(["a", None, "b"]).tolist())
    assert choices.models == ["a", None, "b"]
    with pytest.raises(OutcomesError, match="5 is not the name of a model; there are a, b"):
        function(lambda task: 5)(outcomes)  # type: ignore[arg-type,return-value]
