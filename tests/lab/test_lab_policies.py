from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.errors import MetricError, OutcomesError
from routinglab.lab import metrics, policies
from routinglab.lab.compare import compare
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.policies import TaskView
from routinglab.lab.table import Checks, outcomes_from_rows

NAN = math.nan


def table(
    scores: list[list[float]],
    costs: list[list[float]] | None = None,
    info: dict[str, list[str]] | None = None,
    name: str = "made",
) -> Outcomes:
    """Models a, b, c, ... over tasks t0, t1, ...; NaN is missing."""
    models = "abcdefgh"[: len(scores[0])]
    rows = [
        {
            "task": f"t{n}",
            "model": model,
            "score": scores[n][m],
            "cost": costs[n][m] if costs else None,
        }
        for n in range(len(scores))
        for m, model in enumerate(models)
        if not math.isnan(scores[n][m])
    ]
    facts = pd.DataFrame({"task": [f"t{n}" for n in range(len(scores))], **(info or {})})
    return outcomes_from_rows(
        pd.DataFrame(rows),
        name=name,
        info=facts,
        checks=Checks(cost_without_tokens="observed"),
        quiet=True,
    )


SCORES = [[1, 1, 0], [0, 1, 1], [0, 0, 0], [1, 0.5, 0]]
COSTS = [[4, 2, 1], [4, 2, 1], [4, 2, 1], [4, 2, 1]]


@pytest.fixture
def made() -> Outcomes:
    return table(SCORES, COSTS)


def test_always_and_cheapest_and_best_single(made: Outcomes) -> None:
    always = policies.always("a")(made)
    assert always.models == ["a"] * 4
    assert (always.distinct, always.constant, always.shown_labels) == (1, True, ("constant",))
    assert policies.cheapest()(made).models == ["c"] * 4
    best = policies.best_single()(made)
    assert best.models == ["b"] * 4
    assert best.labels == ("b", "in-sample")
    other = table([[0, 0, 1]], [[1, 1, 1]], name="elsewhere")
    fitted = policies.best_single(other)(made)
    assert (fitted.models[0], fitted.labels) == ("c", ("c", "fitted on elsewhere"))


def test_the_best_of_equals_is_the_cheaper() -> None:
    assert policies.best_model(table([[1, 1]], [[2, 1]])) == "b"
    assert policies.best_model(table([[1, 1]])) == "a"


def test_a_model_with_unknown_costs_is_not_the_cheapest_for_it() -> None:
    rows = [
        {"task": f"t{n}", "model": m, "score": 1, "cost": c, "input_tokens": k, "output_tokens": k}
        for n in range(3)
        for m, c, k in (("free", 0.0, 0), ("cheap", 0.1 + n, 5 + n))
    ]
    made = outcomes_from_rows(pd.DataFrame(rows), name="x", quiet=True)
    assert policies.cheapest()(made).models == ["cheap"] * 3


def test_the_oracle_breaks_ties_to_the_cheaper(made: Outcomes) -> None:
    oracle = policies.oracle()(made)
    assert oracle.models == ["b", "c", "c", "a"]
    assert oracle.labels == ("hindsight",)
    assert metrics.quality_regret(oracle) == 0
    # with USD at half a point each the last task is worth -1, -0.5 and -0.5: the cheaper of two
    by_reward = policies.oracle("reward", 0.5)(made)
    assert by_reward.models == ["b", "c", "c", "c"]
    assert metrics.reward_regret(by_reward, 0.5) == 0
    with pytest.raises(OutcomesError, match="score, reward"):
        policies.oracle("best")  # type: ignore[arg-type]


def test_random_is_seeded_and_even() -> None:
    wide = table([[0, 1, 0, 1]] * 2000)
    one = policies.random_choice(1)(wide)
    assert one.models == policies.random_choice(1)(wide).models
    assert one.models != policies.random_choice(2)(wide).models
    shares = [one.models.count(m) / 2000 for m in "abcd"]
    assert all(0.2 < share < 0.3 for share in shares)


def test_a_cascade_pays_for_every_call_and_says_it_saw_the_outcomes(made: Outcomes) -> None:
    cascade = policies.cascade(["c", "b", "a"], 1.0)(made)
    assert cascade.models == ["b", "c", "a", "a"]
    assert cascade.cost.tolist() == [3, 1, 7, 7]
    assert cascade.labels == ("verifier-assisted",)
    lenient = policies.cascade(["c", "b", "a"], 0.5)(made)
    assert lenient.models == ["b", "c", "a", "b"]
    passed_over = table([[NAN, 0.5], [0, 1]], [[9, 1], [2, 1]])
    gap = policies.cascade(["a", "b"], 1.0)(passed_over)
    assert gap.cost.tolist() == [1, 3]


def test_nearest_tasks_decide_by_what_did_best_there() -> None:
    text = ["fix the parser bug", "fix the lexer bug", "write a poem", "write a short poem"]
    made = table([[1, 0], [1, 0], [0, 1], [0, 1]], [[1, 1]] * 4, {"text": text})
    near = policies.k_nearest(1)(made)
    assert near.models == ["a", "a", "b", "b"]
    assert near.labels == ("leave-one-out",)
    new = table([[0, 0], [0, 0]], [[1, 1]] * 2, {"text": ["a poem please", "parser bug"]})
    fitted = policies.k_nearest(2, train=made)(new)
    assert fitted.models == ["b", "a"]
    assert fitted.labels == ("fitted on made",)


def test_nearest_tasks_by_features_of_ones_own_and_by_group() -> None:
    made = table([[1, 0], [0, 1], [1, 0], [0, 1]], [[1, 1]] * 4, {"group": ["x", "y", "x", "y"]})
    assert policies.k_nearest(1)(made).models == ["a", "b", "a", "b"]
    turned = policies.k_nearest(1, features=lambda outcomes: [[1, 0], [1, 0.1], [0, 1], [0.1, 1]])(
        made
    )
    assert turned.models == ["b", "a", "b", "a"]
    with pytest.raises(OutcomesError, match="pass features"):
        policies.k_nearest(1)(table([[1, 0], [0, 1]]))
    with pytest.raises(OutcomesError, match="not a number of neighbours"):
        policies.k_nearest(0)


def test_leave_one_out_never_looks_at_the_task_itself() -> None:
    same = {"text": ["the same words"] * 3}
    made = table([[1, 0], [0, 1], [0, 1]], [[1, 1]] * 3, same)
    assert policies.k_nearest(5)(made).models == ["b", "a", "a"]


def test_a_policy_of_ones_own_sees_the_task_and_no_outcome(made: Outcomes) -> None:
    seen: list[TaskView] = []

    def mine(task: TaskView) -> str | None:
        seen.append(task)
        return None if task.task == "t2" else task.models[0]

    choices = policies.function(mine)(made)
    assert choices.name == "mine"
    assert choices.models == ["a", "a", None, "a"]
    assert choices.coverage == 0.75
    assert not choices.constant
    assert {"score", "cost"}.isdisjoint(vars(TaskView)) is True
    with pytest.raises(OutcomesError, match="nearest: a"):
        policies.function(lambda task: "A1")(made)


def test_figures_by_hand(made: Outcomes) -> None:
    a = policies.always("a")(made)
    assert metrics.mean_quality(a) == 0.5
    assert (metrics.mean_cost(a), metrics.total_cost(a)) == (4, 16)
    # oracle 1, 1, 0, 1 against 1, 0, 0, 1
    assert metrics.quality_regret(a) == metrics.regret(a) == 0.25
    # best rewards at 0.1: 0.8, 0.9, -0.1, 0.6; a's: 0.6, -0.4, -0.4, 0.6
    assert metrics.reward_regret(a) == pytest.approx(0.2 + 1.3 + 0.3 + 0)
    assert metrics.regret(a, kind="reward") == metrics.reward_regret(a)
    with pytest.raises(MetricError, match="quality, reward"):
        metrics.regret(a, kind="cost")  # type: ignore[arg-type]


def test_agreement_and_flips(made: Outcomes) -> None:
    oracle, best = policies.oracle()(made), policies.best_single()(made)
    assert metrics.agreement(oracle, best) == 0.25
    assert metrics.flip_rate(oracle, best) == 0.75
    assert metrics.agreement(["x", None, "y"], ["x", "y", "z"]) == 0.5
    assert math.isnan(metrics.agreement([None], ["x"]))
    with pytest.raises(MetricError, match="same tasks"):
        metrics.agreement(["x"], [])


def test_a_missing_outcome_lowers_coverage_and_is_no_zero() -> None:
    made = table([[1, NAN], [1, 0]], [[1, 1], [1, 1]])
    choices = policies.always("b")(made)
    assert metrics.mean_quality(choices) == 0
    assert metrics.coverage(choices) == choices.coverage == 0.5
    assert metrics.quality_regret(choices) == 1
    frame = compare(made, choices, resamples=50).frame
    assert frame.loc[0, "coverage"] == 0.5


def test_the_usual_baselines_stand_beside_any_policy(made: Outcomes) -> None:
    result = compare(made, policies.always("a"), {"mine": lambda task: "c"}, resamples=200)
    frame = result.frame
    assert frame["policy"].tolist() == [
        "always a",
        "mine",
        "best single",
        "cheapest",
        "random",
        "oracle",
    ]
    row = frame.set_index("policy").loc["always a"]
    assert row["quality"] == 0.5
    assert row["quality_low"] <= 0.5 <= row["quality_high"]
    assert row["vs_oracle"] == -0.25
    assert row["vs_oracle_low"] <= -0.25 <= row["vs_oracle_high"] <= 0
    assert row["vs_cheapest"] == 0.25
    assert row["distinct"] == 1
    assert row["labels"] == "constant"
    assert row["cost_observed"] == 1
    assert frame.set_index("policy").loc["oracle", "distinct"] == 3
    assert result.choices_of("mine").models == ["c"] * 4
    again = compare(made, policies.always("a"), {"mine": lambda task: "c"}, resamples=200)
    pd.testing.assert_frame_equal(frame, again.frame)


def test_a_table_without_costs_compares_by_quality_alone() -> None:
    result = compare(table(SCORES), policies.always("a"), resamples=50)
    assert "cheapest" not in result.frame["policy"].tolist()
    assert result.frame[["mean_cost", "total_cost", "reward_regret"]].isna().all(axis=None)
    with pytest.raises(OutcomesError, match="no cheapest model"):
        policies.cheapest()(table(SCORES))


def test_comparing_says_what_is_wrong_with_what_it_was_given(made: Outcomes) -> None:
    with pytest.raises(OutcomesError, match="name them apart"):
        compare(made, policies.always("a"), policies.always("a"))
    with pytest.raises(OutcomesError, match="neither a policy"):
        compare(made, 7)  # type: ignore[arg-type]
    with pytest.raises(OutcomesError, match="no policy 'x' was compared; there are best single"):
        compare(made, resamples=10).choices_of("x")


def test_the_comparisons_html_escapes_names(made: Outcomes) -> None:
    html = compare(made, {"<i>x</i>": lambda task: "a"}, resamples=20)._repr_html_()
    assert "<i>" not in html
    assert "&lt;i&gt;x" in html


def test_parts_of_a_table(made: Outcomes) -> None:
    part = made.select(["t3", "t0"], ["c", "a"])
    assert part.score.tolist() == [[0, 1], [0, 1]]
    assert part.info["task"].tolist() == ["t3", "t0"]
    assert made.select(np.array([True, False, False, True])).tasks == ("t0", "t3")
    with pytest.raises(OutcomesError, match="no task 't9'"):
        made.select(["t9"])
    train, test = made.split(0.5, seed=3)
    assert sorted(train.tasks + test.tasks) == list(made.tasks)
    assert made.split(0.5, seed=3)[0].tasks == train.tasks
    assert made.renamed({"a": "x/a"}).models == ("x/a", "b", "c")
    with pytest.raises(OutcomesError, match="one name"):
        made.renamed({"a": "b"})
    with pytest.raises(OutcomesError, match="between 0 and 1"):
        made.split(1)


GRID = st.integers(1, 6).flatmap(
    lambda models: st.lists(
        st.lists(st.floats(0, 1), min_size=models, max_size=models), min_size=1, max_size=8
    )
)


@settings(max_examples=40, deadline=None)
@given(GRID, st.randoms(use_true_random=False))
def test_no_policy_beats_the_oracle_and_no_single_model_the_best_one(
    scores: list[list[float]], random: object
) -> None:
    costs = [[random.random() for _ in row] for row in scores]  # type: ignore[attr-defined]
    made = table(scores, costs)
    oracle = metrics.mean_quality(policies.oracle()(made))
    best = metrics.mean_quality(policies.best_single()(made))
    for policy in (
        policies.best_single(),
        policies.cheapest(),
        policies.random_choice(0),
        policies.cascade(list(made.models), 0.5),
    ):
        choices = policy(made)
        assert metrics.mean_quality(choices) <= oracle + 1e-12
        assert metrics.quality_regret(choices) >= -1e-12
        assert metrics.reward_regret(choices) >= -1e-9
    for model in made.models:
        assert metrics.mean_quality(policies.always(model)(made)) <= best + 1e-12


def test_a_hair_of_rounding_decides_no_tie() -> None:
    # the same three scores in another order: means of 0.19999999999999998 and 0.20000000000000004
    scores = [[0.3, 0.1], [0.2, 0.2], [0.1, 0.3]]
    outcomes = table(scores, [[1, 2]] * 3)
    assert np.mean(outcomes.score[:, 0]) < np.mean(outcomes.score[:, 1])
    assert policies.best_model(outcomes) == "a"
    turned = table([[0.5, 0.5]] * 3, [row[::-1] for row in scores])
    assert policies.best_model(turned) == "a"
    assert policies.cheapest()(turned).models == ["a"] * 3
