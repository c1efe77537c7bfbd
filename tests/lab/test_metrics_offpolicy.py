from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.errors import MetricError
from routinglab.lab import metrics
from routinglab.lab.offpolicy import ridge_means

Log = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


def logged(count: int = 4000, seed: int = 0) -> Log:
    """chosen, outcome, propensity, target and the true value of a log over three models."""
    random = np.random.default_rng(seed)
    features = random.random(count)
    truth = np.column_stack([features, 1 - features, np.full(count, 0.5)])
    propensity = np.column_stack([0.2 + 0.4 * features, 0.5 - 0.4 * features, np.full(count, 0.3)])
    chosen = np.array([random.choice(3, p=p) for p in propensity])
    outcome = (random.random(count) < truth[np.arange(count), chosen]).astype(float)
    best = np.where(features > 0.5, 0, 1)
    target = metrics.mixed_target(best.tolist(), 3, explore=0.1)
    return chosen, outcome, propensity, target, truth


def repeated(values: list[float], times: int) -> np.ndarray:
    return np.tile(np.array(values, dtype=float), (times, 1))


def test_ips_and_snips_by_hand() -> None:
    # two models at even odds; the target takes the first three times in four: w = 1.5 and 0.5
    chosen = np.array([0, 0, 1, 1] * 10)
    outcome = np.array([1.0, 0.0, 1.0, 1.0] * 10)
    propensity, target = repeated([0.5, 0.5], 40), repeated([0.75, 0.25], 40)
    # mean of (1.5, 0, 0.5, 0.5) and the same sum over the weights' sum of 4
    found = metrics.ips(chosen, outcome, propensity, target)
    assert found.estimate == pytest.approx(0.625)
    assert metrics.snips(chosen, outcome, propensity, target).estimate == pytest.approx(0.625)
    # (sum w)^2 / sum w^2 = 40^2 / (20 * 2.25 + 20 * 0.25)
    assert found.effective == pytest.approx(32)
    assert found.low <= 0.625 <= found.high


def test_doubly_robust_by_hand() -> None:
    chosen = np.array([0, 1] * 20)
    outcome = np.array([1.0, 0.0] * 20)
    propensity, target = repeated([0.5, 0.5], 40), repeated([0.75, 0.25], 40)
    predictions = repeated([0.8, 0.3], 40)
    # direct 0.75*0.8 + 0.25*0.3 = 0.675; corrections 1.5*(1-0.8) and 0.5*(0-0.3), halved: 0.075
    found = metrics.doubly_robust(chosen, outcome, propensity, target, predictions=predictions)
    assert found.estimate == pytest.approx(0.75)


def test_every_estimate_finds_the_true_value() -> None:
    chosen, outcome, propensity, target, truth = logged()
    value = (target * truth).sum(axis=1).mean()
    features = truth[:, :1]
    estimates = [
        metrics.ips(chosen, outcome, propensity, target),
        metrics.snips(chosen, outcome, propensity, target),
        metrics.doubly_robust(chosen, outcome, propensity, target, features=features),
    ]
    for found in estimates:
        assert found.estimate == pytest.approx(value, abs=0.04)
        assert found.low < value < found.high
        assert 30 < found.effective < found.count == 4000
    widths = [found.high - found.low for found in estimates]
    assert widths[2] < widths[0]


def test_doubly_robust_stays_right_where_only_one_of_its_parts_is() -> None:
    chosen, outcome, propensity, target, truth = logged(seed=1)
    value = (target * truth).sum(axis=1).mean()
    nonsense = np.full_like(truth, 3.0)
    right_odds = metrics.doubly_robust(chosen, outcome, propensity, target, predictions=nonsense)
    assert right_odds.estimate == pytest.approx(value, abs=0.15)
    wrong = np.full_like(propensity, 1 / 3)
    right_model = metrics.doubly_robust(chosen, outcome, wrong, target, predictions=truth)
    assert right_model.estimate == pytest.approx(value, abs=0.04)
    assert abs(metrics.ips(chosen, outcome, wrong, target).estimate - value) > 0.1


def test_predictions_for_a_task_never_saw_its_outcome() -> None:
    chosen, outcome, propensity, target, _ = logged(200)
    seen: list[tuple[int, int]] = []

    def model(
        features: np.ndarray, known: np.ndarray, who: np.ndarray, wanted: np.ndarray, models: int
    ) -> np.ndarray:
        assert not set(features[:, 0]) & set(wanted[:, 0])
        seen.append((len(features), len(wanted)))
        return ridge_means(features, known, who, wanted, models)

    numbers = np.arange(200.0)
    metrics.doubly_robust(chosen, outcome, propensity, target, features=numbers, model=model)
    assert seen == [(160, 40)] * 5


def test_a_model_that_had_no_chance_is_refused() -> None:
    chosen = np.zeros(100, dtype=int)
    with pytest.raises(MetricError, match="no overlap: on 100 tasks"):
        metrics.ips(chosen, np.ones(100), repeated([1, 0], 100), repeated([0.5, 0.5], 100))
    # but a model that the target never takes may have had none
    found = metrics.ips(chosen, np.ones(100), repeated([1, 0], 100), repeated([1, 0], 100))
    assert found.estimate == 1


@pytest.mark.parametrize("estimate", [metrics.ips, metrics.snips, metrics.doubly_robust])
def test_fewer_than_thirty_effective_samples_are_refused(estimate: object) -> None:
    args = (np.zeros(29, dtype=int), np.ones(29), repeated([0.5, 0.5], 29), repeated([1, 0], 29))
    with pytest.raises(MetricError, match=r"29\.0 effective samples of 29"):
        estimate(*args)  # type: ignore[operator]
    chosen = np.array([0] + [1] * 999)
    with pytest.raises(MetricError, match=r"too little overlap: 1\.0 effective"):
        estimate(chosen, np.ones(1000), repeated([0.001, 0.999], 1000), repeated([1, 0], 1000))  # type: ignore[operator]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"propensity": repeated([0.5, 0.6], 40)}, "propensity must be probabilities"),
        ({"target": repeated([1.5, -0.5], 40)}, "target must be probabilities"),
        ({"outcome": np.full(40, np.nan)}, "missing"),
        ({"chosen": np.full(40, 2)}, "not among the models"),
        ({"chosen": np.full(40, -1)}, "not among the models"),
        ({"outcome": np.ones(39)}, "same tasks"),
        ({"target": repeated([1, 0], 39)}, "one shape"),
    ],
)
def test_what_is_no_log_is_refused(change: dict[str, np.ndarray], said: str) -> None:
    args = {
        "chosen": np.zeros(40, dtype=int),
        "outcome": np.ones(40),
        "propensity": repeated([0.5, 0.5], 40),
        "target": repeated([0.5, 0.5], 40),
    }
    with pytest.raises(MetricError, match=said):
        metrics.ips(**{**args, **change})


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 1000), st.floats(0.05, 0.95))
def test_judging_the_logging_policy_itself_gives_the_mean_outcome(seed: int, odds: float) -> None:
    random = np.random.default_rng(seed)
    propensity = repeated([odds, 1 - odds], 60)
    chosen = (random.random(60) > odds).astype(int)
    outcome = random.random(60)
    for estimate in (metrics.ips, metrics.snips):
        found = estimate(chosen, outcome, propensity, propensity)
        assert found.estimate == pytest.approx(outcome.mean())
        assert found.effective == pytest.approx(60)
