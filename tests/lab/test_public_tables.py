"""The published figures that must come out of the public tables; run where those are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from routinglab.errors import OutcomesError
from routinglab.lab import metrics, policies
from routinglab.lab.findings import OutcomesWarning
from routinglab.lab.imports.coderouterbench import (
    import_coderouterbench,
    import_decision_log,
    import_published,
)
from routinglab.lab.imports.llmrouter import import_llmrouter
from routinglab.lab.imports.routellm import import_routellm
from routinglab.lab.imports.routerarena import import_routerarena
from routinglab.lab.outcomes import IMPUTED, UNKNOWN, Outcomes


@pytest.fixture(scope="module")
def routers(shared_data: Path) -> Path:
    return shared_data / "routers"


@pytest.fixture(scope="module")
def ood176(routers: Path) -> Outcomes:
    return import_coderouterbench(routers / "coderouterbench", quiet=True)


def figures(choices: object) -> tuple[float, float, float]:
    """Mean score in percent, cumulative regret and total USD, rounded as published."""
    return (
        round(100 * metrics.mean_quality(choices), 2),  # type: ignore[arg-type]
        round(metrics.reward_regret(choices), 1),  # type: ignore[arg-type]
        round(metrics.total_cost(choices), 2),  # type: ignore[arg-type]
    )


def test_ood176_oracle_by_reward(ood176: Outcomes) -> None:
    assert figures(policies.oracle("reward")(ood176)) == (78.98, 0.0, 27.62)


def test_ood176_always_opus(ood176: Outcomes) -> None:
    assert figures(policies.always("claude-opus-4-6")(ood176)) == (63.64, 43.7, 194.91)


def test_ood176_always_gpt(ood176: Outcomes) -> None:
    quality, _, total = figures(policies.always("gpt-5.4")(ood176))
    assert (quality, total) == (64.20, 18.27)


@pytest.mark.parametrize(
    ("log", "quality", "regret"),
    [("LinUCB", 55.11, 46.7), ("kNN_Retrieval", 32.39, 80.0), ("LogReg", 39.20, 68.0)],
)
def test_ood176_logged_routers(
    routers: Path, ood176: Outcomes, log: str, quality: float, regret: float
) -> None:
    choices = import_decision_log(routers / "coderouterbench/decisions" / f"{log}.jsonl", ood176)
    assert figures(choices)[:2] == (quality, regret)
    assert choices.coverage == 1


def test_ood176_a_chain_pays_for_every_model_it_called(routers: Path, ood176: Outcomes) -> None:
    path = routers / "coderouterbench/decisions/ACRouter_ours.jsonl"
    choices = import_decision_log(path, ood176)
    assert figures(choices) == (73.30, 15.9, 86.72)
    assert choices.findings == ()


def test_ood176_an_unknown_name_in_a_log_is_an_error_with_the_nearest(
    routers: Path, ood176: Outcomes
) -> None:
    path = routers / "coderouterbench/decisions/LogReg.jsonl"
    with pytest.raises(OutcomesError, match=r"通义千问Max.*nearest: Qwen3-Max"):
        import_decision_log(path, ood176, aliases={})
    (found,) = import_decision_log(path, ood176).findings
    assert (found.kind, found.count) == ("alias", 23)


def test_ood176_what_is_odd_is_said(routers: Path) -> None:
    with pytest.warns(OutcomesWarning, match="406 rows have no token record") as caught:
        table = import_coderouterbench(routers / "coderouterbench")
    assert caught[0].filename == __file__
    counts = {found.kind: found.count for found in table.findings}
    assert counts == {"missing_tokens": 406, "constant_tokens": 512, "source_model": 256}
    new = table.info["source_split"].to_numpy() == "new64"
    assert (table.provenance[new] == IMPUTED).all()
    no_tokens = (table.input_tokens + table.output_tokens) == 0
    assert (table.provenance[no_tokens] == UNKNOWN).all()
    assert np.isnan(table.known_costs().cost[no_tokens]).all()


def test_id_test_finds_the_model_whose_tokens_are_one_count_a_dimension(routers: Path) -> None:
    table = import_coderouterbench(routers / "coderouterbench", "id_test", quiet=True)
    assert (len(table), len(table.models), table.coverage) == (2919, 8, 1.0)
    column = table.column("Qwen3-Max")
    counts = {found.kind: found.count for found in table.findings}
    assert counts == {"missing_tokens": 42, "constant_tokens": 2877}
    assert (table.provenance[:, column] == IMPUTED).sum() == 2877
    assert (table.provenance[:, column] == UNKNOWN).sum() == 42


def test_published_figures_read_as_published(routers: Path) -> None:
    frame = import_published(routers / "coderouterbench/published.csv").set_index("router")
    assert frame.loc["LogReg", ["quality", "reward_regret"]].tolist() == pytest.approx(
        [0.2898, 86.0]
    )
    assert np.isnan(frame.loc["DimensionBest", "quality"])


MIXTRAL, GPT4 = "mistralai/Mixtral-8x7B-Instruct-v0.1", "gpt-4-1106-preview"


def scores(table: Outcomes) -> dict[str, float]:
    return dict(zip(table.models, table.score.mean(axis=0).tolist(), strict=True))


def test_gsm8k_without_contaminated_prompts(routers: Path) -> None:
    folder = routers / "routellm"
    table = import_routellm(
        folder / "gsm8k.csv", contaminated=folder / "gsm8k_contaminated_prompts.jsonl"
    )
    assert len(table) == 1307
    assert round(100 * scores(table)[MIXTRAL], 4) == 63.7337
    assert round(100 * scores(table)[GPT4], 4) == 85.7689


def test_gsm8k_whole(routers: Path) -> None:
    table = import_routellm(routers / "routellm/gsm8k.csv")
    assert len(table) == 1319
    assert [round(scores(table)[m], 6) for m in (MIXTRAL, GPT4)] == [0.638362, 0.856710]


def test_mmlu(routers: Path) -> None:
    table = import_routellm(routers / "routellm/mmlu.csv", quiet=True)
    assert len(table) == 14042
    assert [round(scores(table)[m], 6) for m in (MIXTRAL, GPT4)] == [0.680815, 0.805797]
    assert [found.kind for found in table.findings] == ["same_text"]


def test_routerarena(routers: Path) -> None:
    table = import_routerarena(routers / "routerarena", quiet=True)
    frame = table.summary().set_index("model")
    assert frame.loc["gemini-2.0-flash-001", ["score", "total_cost"]].round(6).tolist() == [
        0.690119,
        0.038420,
    ]
    assert frame.loc["claude-3-haiku-20240307", ["score", "total_cost"]].round(6).tolist() == [
        0.523356,
        0.142377,
    ]
    counts = {found.kind: found.count for found in table.findings}
    assert counts == {"score_range": 1, "token_total": 374}
    assert round(float(table.score.min()), 3) == -0.033


def test_the_dearer_model_may_be_the_weaker_one(routers: Path) -> None:
    table = import_routerarena(routers / "routerarena", quiet=True)
    assert policies.best_model(table) == "gemini-2.0-flash-001"
    assert table.models[policies.cheapest_column(table)] == "gemini-2.0-flash-001"


def test_llmrouter_test(routers: Path) -> None:
    table = import_llmrouter(routers / "llmrouter/test.json")
    assert round(metrics.mean_quality(policies.best_single()(table)), 6) == 0.562572
    assert round(metrics.mean_quality(policies.oracle()(table)), 6) == 0.743364


def test_llmrouter_policies_are_fitted_on_train_and_judged_on_test(routers: Path) -> None:
    train = import_llmrouter(routers / "llmrouter/train.json")
    test = import_llmrouter(routers / "llmrouter/test.json")
    assert (len(train), len(test)) == (5608, 500)
    fitted = policies.best_single(train)(test)
    assert fitted.labels == ("llama-3.1-nemotron-51b-instruct", "fitted on llmrouter train")
    near = policies.k_nearest(8, train=train)(test)
    assert near.coverage == 1
    assert metrics.mean_quality(near) > metrics.mean_quality(policies.random_choice()(test))
