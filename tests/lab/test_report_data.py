"""Every figure of the report is worked out from its inputs: change a cell and it changes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from routinglab.catalog.model import Model
from routinglab.errors import OutcomesError
from routinglab.lab import extract, report_data, study
from routinglab.lab.compare import Comparison
from routinglab.lab.imports.coderouterbench import import_coderouterbench
from routinglab.lab.names import catalog_ids
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.report_data import StudyInputs
from routinglab.resources import shipped


@pytest.fixture(scope="module")
def inputs() -> StudyInputs:
    return report_data.study_inputs()


def compared(inputs: StudyInputs) -> Comparison:
    return report_data.study_comparison(inputs, resamples=50)


@pytest.fixture(scope="module")
def comparison(inputs: StudyInputs) -> Comparison:
    return compared(inputs)


def with_cell(outcomes: Outcomes, task: int, model: str, **cells: float) -> Outcomes:
    changed = {}
    for name, value in cells.items():
        values = getattr(outcomes, name).copy()
        values[task, outcomes.column(model)] = value
        changed[name] = values
    return replace(outcomes, **changed)


def test_the_published_figures_come_out_of_what_ships(comparison: Comparison) -> None:
    rows = comparison.frame.set_index("policy")

    def figures(policy: str) -> list[float]:
        row = rows.loc[policy]
        return [
            round(100 * row["quality"], 2),
            round(row["reward_regret"], 1),
            round(row["total_cost"], 2),
        ]

    assert figures("oracle by reward") == [78.98, 0.0, 27.62]
    assert figures("Reward oracle") == [78.98, 0.0, 27.62]
    assert figures("Always claude-opus-4-6") == [63.64, 43.7, 194.91]
    assert figures("ACRouter") == [73.30, 15.9, 86.72]
    assert figures("LinUCB")[:2] == [55.11, 46.7]
    assert figures("kNN retrieval")[:2] == [32.39, 80.0]
    assert figures("LogReg")[:2] == [39.20, 68.0]
    assert figures("always gpt-5.4")[::2] == [64.20, 18.27]


def test_distinct_choices_and_constant_routers_are_labelled(comparison: Comparison) -> None:
    rows = comparison.frame.set_index("policy")
    for choices in comparison.choices:
        row = rows.loc[choices.name]
        assert row["distinct"] == len(set(choices.models))
        assert ("constant" in row["labels"]) == (row["distinct"] == 1)
    assert rows.loc["cascade by price", "labels"] == "verifier-assisted"
    assert "in-sample" in rows.loc["best single", "labels"]


FIGURES: dict[str, Callable[[StudyInputs], pd.DataFrame]] = {
    "comparison": lambda inputs: compared(inputs).frame,
    "published": lambda inputs: report_data.published_beside(compared(inputs)),
    "models": lambda inputs: inputs.judged.summary(),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("cell", [{"score": 7.0}, {"cost": 50.0}])
def test_changing_one_outcome_changes_the_figure(
    inputs: StudyInputs, name: str, cell: dict[str, float]
) -> None:
    before = FIGURES[name](inputs)
    # ACRouter, the reward oracle and always gpt-5.4 all answered this task with gpt-5.4
    task = _task_that_everyone_gave_to("gpt-5.4", inputs)
    changed = replace(inputs, judged=with_cell(inputs.judged, task, "gpt-5.4", **cell))
    assert not FIGURES[name](changed).equals(before)
    assert FIGURES[name](inputs).equals(before)


def _task_that_everyone_gave_to(model: str, inputs: StudyInputs) -> int:
    logs = {choices.name: choices for choices in study.logged_choices(inputs.judged)}
    both = zip(logs["ACRouter"].models, logs["Reward oracle"].models, strict=True)
    return next(task for task, chosen in enumerate(both) if set(chosen) == {model})


def test_each_policys_quality_moves_by_the_cell_it_chose(
    inputs: StudyInputs, comparison: Comparison
) -> None:
    before = comparison.frame.set_index("policy")["quality"]
    changed = with_cell(inputs.judged, 0, "claude-opus-4-6", score=1.0)
    after = compared(replace(inputs, judged=changed)).frame.set_index("policy")["quality"]
    assert inputs.judged.score[0, inputs.judged.column("claude-opus-4-6")] == 0
    assert after["Always claude-opus-4-6"] - before["Always claude-opus-4-6"] == pytest.approx(
        1 / 176
    )
    assert after["always gpt-5.4"] == before["always gpt-5.4"]


def test_routing_rests_on_the_other_tasks_outcomes_and_the_prices_and_on_nothing_else(
    inputs: StudyInputs,
) -> None:
    chosen = study.route(inputs.judged, inputs.evals, inputs.catalog).models
    blind = replace(inputs.judged, score=1 - inputs.judged.score)
    assert study.route(blind, inputs.evals, inputs.catalog).models == chosen
    other = replace(inputs.learned, score=1 - inputs.learned.score)
    assert study.route(inputs.judged, study.evals_from(other), inputs.catalog).models != chosen
    cheapest = study.route(inputs.judged, inputs.evals, inputs.catalog, policy="cheapest").models
    named = inputs.catalog[catalog_ids(study.SOURCE)[cheapest[0] or ""]]
    facts = {key: getattr(named, key) for key in Model.model_fields}
    raised = inputs.catalog.having(
        [Model(**(facts | {"input_price": 900.0, "output_price": 900.0}))]
    )
    assert study.route(inputs.judged, inputs.evals, raised, policy="cheapest").models != cheapest


def test_the_evals_built_from_the_short_tasks_move_with_each_of_their_cells(
    inputs: StudyInputs,
) -> None:
    changed = with_cell(
        inputs.learned,
        0,
        "glm-5",
        score=1 - inputs.learned.score[0, inputs.learned.column("glm-5")],
    )
    own, other = (study.evals_from(learned) for learned in (inputs.learned, changed))
    assert own.digest != other.digest
    coding = inputs.learned.info["work"].to_numpy() == "coding"
    expected = inputs.learned.score[coding].mean(axis=0) * 100
    ids = catalog_ids(study.SOURCE)
    for column, model in enumerate(inputs.learned.models):
        measured = own.measured(ids[model], "own:coding")
        assert measured is not None
        assert measured.value == pytest.approx(expected[column], abs=0.006)


def test_the_judged_tasks_are_none_of_those_learned_from(inputs: StudyInputs) -> None:
    assert not set(inputs.judged.tasks) & set(inputs.learned.tasks)


def test_what_is_odd_about_the_shipped_outcomes_is_said(comparison: Comparison) -> None:
    counts = {found.kind: found.count for found in comparison.findings}
    assert counts == {
        "missing_tokens": 406,
        "constant_tokens": 512,
        "source_model": 256,
        "alias": 23,
    }


def test_needs_are_known_for_every_shipped_task(inputs: StudyInputs) -> None:
    for outcomes in (inputs.judged, inputs.learned):
        assert all(not needs.missing for needs in study.needs_of(outcomes))
    with pytest.raises(OutcomesError, match="no needs for group 'cooking'"):
        study.with_needs(pd.DataFrame({"task": ["t"], "group": ["cooking"]}), study.study_needs())
    with pytest.raises(OutcomesError, match="no column 'work'"):
        study.needs_of(replace(inputs.judged, info=inputs.judged.info[["task"]]))


def test_the_shipped_facts_are_those_of_the_public_table(shared_data: Path, tmp_path: Path) -> None:
    folder = shared_data / "routers" / "coderouterbench"
    for path in extract.extract(folder, tmp_path):
        assert path.read_bytes() == shipped("evals", path.name).read_bytes()
    public = import_coderouterbench(folder, quiet=True)
    ours = study.agentic_outcomes().select(public.tasks, public.models)
    assert np.array_equal(ours.score, public.score)
    assert np.allclose(ours.cost, public.cost, atol=1e-9)
    assert np.array_equal(ours.provenance, public.provenance)


def test_no_task_text_ships() -> None:
    for name in (study.AGENTIC, study.SHORT, study.CHOICES):
        frame = pd.read_csv(shipped("evals", name))
        assert not {"text", "prompt", "question", "query"} & set(frame.columns)
