from __future__ import annotations

import json
import math
import socket
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.routed import EASY, EVALS, Recorder

from routinglab.catalog.model import Catalog, Model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.ids import Candidate
from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, WORKS, TaskNeeds
from routinglab.errors import CatalogError, InvalidInput
from routinglab.evals.evals import parse_evals
from routinglab.lab.recording import load_recording
from routinglab.lab.records import Outcome
from routinglab.lab.replay import replay
from routinglab.routing.ranked import RankedModel
from routinglab.running.attempt import Attempt
from routinglab.settings.model import ModelRouting, Settings


def with_price(catalog: Catalog, name: str, price: tuple[float, float]) -> Catalog:
    model = catalog[name]
    facts: dict[str, Any] = {key: getattr(model, key) for key in Model.model_fields}
    return catalog.having([Model(**{**facts, "input_price": price[0], "output_price": price[1]})])


def test_with_nothing_changed_every_decision_is_the_same_to_the_byte(record: Recorder) -> None:
    made = {
        "plain": record("plain"),
        "easy": record("easy", needs=EASY),
        "read": record(
            "read",
            needs=TaskNeeds(work="writing"),
            answers=TaskNeeds(
                difficulty="easy",
                mistake_cost="low",
                needs_images=False,
                long_context=False,
                latency_sensitive=True,
            ),
        ),
        "chosen": record("chosen", choice="acme/fair"),
        "agent": record(
            "agent",
            agent=AgentBrief(
                "w",
                "works",
                "",
                TaskNeeds(mistake_cost="severe"),
                (ModelConstraints(excluded_providers=("other",)),),
            ),
            constraints=ModelConstraints(max_output_cost=20),
        ),
        "screen": record(
            "screen",
            needs=TaskNeeds(
                work="computer_use",
                difficulty="easy",
                mistake_cost="low",
                long_context=False,
                latency_sensitive=False,
            ),
        ),
    }
    result = replay(load_recording(record.path), evals=record.evals, catalog=record.catalog)
    assert result.drifted == ()
    assert result.summary.identical == len(made)
    assert set(result.decisions["why"]) == {"identical"}
    for task, decision in made.items():
        assert result.decision(task).canonical() == decision.canonical()
        assert result.decision(task) == decision
    assert made["agent"].answered_by["mistake_cost"] == "caller"
    assert made["screen"].answered_by["needs_images"] == "rule"


def test_no_network_is_touched(record: Recorder, monkeypatch: pytest.MonkeyPatch) -> None:
    record(choice="acme/best")

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError("a connection was opened")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert replay(record.path, evals=record.evals, catalog=record.catalog).summary.identical == 1


def test_the_recorded_choice_stands_where_it_is_still_offered(record: Recorder) -> None:
    first = record("t", choice="acme/fair")
    assert first.shortlist[0].model != "acme/fair"
    stands = replay(record.path, evals=record.evals, catalog=record.catalog).decisions.loc[0]
    assert (stands["after"], stands["flipped"]) == ("acme/fair:high", False)
    ranked = replay(
        record.path, evals=record.evals, catalog=record.catalog, choice="rank"
    ).decisions.loc[0]
    assert ranked["after"] == f"{first.shortlist[0].model}:high"
    assert ranked["flipped"]
    assert "instead of the router's choice" in ranked["why"]


def test_a_recorded_choice_that_is_gone_leaves_the_decision_to_the_ranking(
    record: Recorder,
) -> None:
    record("t", choice="acme/fair")
    rest = Catalog(model for model in record.catalog if model.id != "fair")
    result = replay(record.path, evals=record.evals, catalog=rest)
    row = result.decisions.loc[0]
    assert row["before"] == "acme/fair:high"
    assert row["after"] != row["before"]
    assert "not in the catalog" in row["why"]
    assert result.decision("t").chosen_by == "ranking"
    assert result.drifted == ("t",)


def test_a_price_that_changes_the_ranking_flips_the_decision_and_says_why(record: Recorder) -> None:
    before = record("t", needs=EASY)
    assert before.primary.model == "acme/small"
    result = replay(
        record.path, evals=record.evals, catalog=record.catalog, prices={"acme/small": 1000.0}
    )
    row = result.decisions.loc[0]
    assert row["flipped"]
    assert row["after"] != "acme/small"
    assert "acme/small" in row["why"]
    assert "cheapness -" in row["why"]
    assert "scoring" in row["drift"]
    same = replay(
        record.path,
        evals=record.evals,
        catalog=with_price(record.catalog, "acme/small", (200.0, 800.0)),
    )
    assert same.decisions.loc[0, "after"] == row["after"]


def test_prices_are_checked(record: Recorder) -> None:
    record()
    with pytest.raises(CatalogError, match="acme/small"):
        replay(record.path, evals=record.evals, catalog=record.catalog, prices={"acme/smal": 2.0})
    with pytest.raises(InvalidInput, match="factor"):
        replay(record.path, evals=record.evals, catalog=record.catalog, prices={"acme/small": -1.0})
    with pytest.raises(InvalidInput, match="recorded, rank"):
        replay(record.path, evals=record.evals, catalog=record.catalog, choice="best")  # type: ignore[arg-type]


def test_other_evals_are_a_counterfactual(record: Recorder) -> None:
    record("t")
    other = parse_evals(EVALS.replace("| fair | 40 | 45%", "| fair | 90 | 95%"))
    row = replay(record.path, evals=other, catalog=record.catalog).decisions.loc[0]
    assert row["after"] == "acme/fair:high"
    assert row["flipped"]
    assert "digests.evals" in row["drift"]
    assert "quality +" in row["why"]


def test_an_input_that_changes_no_decision_is_named_but_is_no_drift(record: Recorder) -> None:
    record("t")
    same = parse_evals(EVALS + "\nA closing remark.\n")
    result = replay(record.path, evals=same, catalog=record.catalog)
    assert result.drifted == ()
    assert result.decisions.loc[0, "drift"] == "digests.evals"
    assert result.summary.identical == 0


def test_constraints_replace_what_callers_stated_and_leave_an_agents_own(record: Recorder) -> None:
    agent = AgentBrief("w", constraints=(ModelConstraints(allowed_models=("acme/fair",)),))
    record("free", constraints=ModelConstraints(allowed_models=("acme/small",)))
    record("bound", agent=agent)
    result = replay(record.path, evals=record.evals, catalog=record.catalog, constraints={})
    assert result.decisions["after"].tolist() == ["acme/good:high", "acme/fair:high"]
    narrow = replay(
        record.path, evals=record.evals, catalog=record.catalog, constraints={"maxOutputCost": 1}
    )
    rows = narrow.decisions.set_index("task")
    assert rows.loc["free", "after"] == "acme/small"
    assert rows["after"].isna()["bound"]
    assert narrow.summary.failed == 1
    assert "bound" in narrow.drifted
    with pytest.raises(InvalidInput, match="maxOutputPrice"):
        replay(
            record.path,
            evals=record.evals,
            catalog=record.catalog,
            constraints={"maxOutputPrice": 1},
        )


def test_limits_that_hold_besides_add_up_with_what_callers_and_agents_stated(
    record: Recorder,
) -> None:
    record("plain")
    record("stated", constraints=ModelConstraints(allowed_models=("acme/good", "acme/fair")))
    record("agent", agent=AgentBrief("w", constraints=(ModelConstraints(max_input_cost=5.0),)))
    result = replay(
        record.path, evals=record.evals, catalog=record.catalog, also={"maxOutputCost": 14}
    )
    assert result.decisions["after"].tolist() == ["acme/fair:high"] * 3
    assert [result.decision(task).agent for task in ("plain", "stated", "agent")] == [
        None,
        None,
        "w",
    ]
    assert "ruled out by maxOutputCost" in result.decisions.loc[0, "why"]
    tighter = replay(
        record.path, evals=record.evals, catalog=record.catalog, also={"maxOutputCost": 1}
    )
    assert tighter.decisions["after"].isna().tolist() == [False, True, False]


def test_settings_and_a_policy_of_ones_own_change_decisions(record: Recorder) -> None:
    record("t")
    routing = Settings(model_routing=ModelRouting(excluded_models=("acme/good",)))
    assert replay(
        record.path, evals=record.evals, catalog=record.catalog, settings=routing
    ).decisions.loc[0, "after"] != ("acme/good:high")

    def dearest(needs: TaskNeeds, ranked: Any) -> list[RankedModel]:
        return sorted(ranked, key=lambda model: -(model.entry.blended_price or 0))

    result = replay(record.path, evals=record.evals, catalog=record.catalog, policy=dearest)
    assert result.decisions.loc[0, "after"] == "acme/best:high"
    assert result.policy == "dearest"


def test_recorded_routing_settings_and_availability_hold_without_being_passed(
    record: Recorder, monkeypatch: pytest.MonkeyPatch
) -> None:
    configured = Catalog(model for model in record.catalog if model.id != "good")
    chosen = Settings(
        current_model="acme/fair", model_routing=ModelRouting(excluded_models=("acme/best",))
    )
    record("t", settings=chosen, over=configured)
    monkeypatch.setattr("routinglab.lab.replay.load_catalog", lambda: record.catalog)
    result = replay(record.path, evals=record.evals)
    assert result.summary.identical == 1
    monkeypatch.setattr(
        "routinglab.lab.replay.load_catalog", lambda: Catalog(list(record.catalog)[2:])
    )
    gone = replay(record.path, evals=record.evals)
    assert gone.missing_models == ("acme/best",)


def test_a_degraded_decision_stands_on_its_current_model(record: Recorder) -> None:
    settings = Settings(current_model="acme/fair")
    made = record("t", settings=settings, degraded="the router timed out")
    assert made.primary.model == "acme/fair"
    result = replay(record.path, evals=record.evals, catalog=record.catalog)
    assert result.decision("t").canonical() == made.canonical()
    assert "timed out" in result.decisions.loc[0, "why"]
    ranked = replay(record.path, evals=record.evals, catalog=record.catalog, choice="rank")
    assert ranked.decisions.loc[0, "after"] == "acme/good:high"


def test_a_task_that_was_never_decided_is_decided_and_has_nothing_to_flip(record: Recorder) -> None:
    record.writer.task("x", id="t", needs=EASY)
    result = replay(record.path, evals=record.evals, catalog=record.catalog)
    row = result.decisions.loc[0]
    assert row["after"] == "acme/small"
    assert row[["before", "flipped"]].isna().all()
    assert (result.summary.compared, result.drifted) == (0, ())
    assert math.isnan(result.summary.flip_rate)
    assert result.decision("t").task_digest == load_recording(record.path).task("t").text_digest


def test_a_tampered_record_drifts_and_says_in_what(record: Recorder) -> None:
    record("t")
    record("u", needs=EASY)
    rows = [json.loads(line) for line in record.path.read_text().splitlines()]
    for row in rows:
        if row["kind"] == "decision" and row["task"] == "t":
            row["decision"]["primary"]["effort"] = "low"
    record.path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    result = replay(record.path, evals=record.evals, catalog=record.catalog)
    assert result.drifted == ("t",)
    row = result.decisions.set_index("task").loc["t"]
    assert row["drift"] == "primary"
    assert "another effort" in row["why"]


def test_costs_and_qualities_come_from_outcomes_then_attempts_then_expected_tokens(
    record: Recorder,
) -> None:
    for task in ("outcome", "attempts", "expected", "nothing"):
        record(task, choice="acme/fair", tokens=() if task == "nothing" else (1_000_000, 100_000))
    writer = record.writer
    writer.outcome("outcome", Outcome(model="acme/fair", effort="high", score=0.5, cost=0.25))
    writer.outcome("outcome", Outcome(model="acme/good", score=0.9, cost=0.75))
    for cost in (0.1, 0.2):
        writer.attempt(
            "attempts", Attempt(candidate=Candidate.of("acme/fair", "high"), kind="ok", cost=cost)
        )
    rows = replay(
        record.path, evals=record.evals, catalog=record.catalog, choice="rank"
    ).decisions.set_index("task")
    assert set(rows["after"]) == {"acme/good:high"}
    # 1M tokens in at $3 and 0.1M out at $15 for good; $1 and $4 for fair
    assert rows["cost_before"].round(9).tolist()[:3] == [0.25, 0.3, 1.4]
    assert rows["cost_after"].round(9).tolist()[:3] == [0.75, 4.5, 4.5]
    assert rows["cost_basis"].tolist() == ["outcome", "expected", "expected", ""]
    assert rows.loc["outcome", ["quality_before", "quality_after"]].tolist() == [0.5, 0.9]
    assert rows["quality_after"].isna().sum() == 3
    summary = replay(record.path, evals=record.evals, catalog=record.catalog, choice="rank").summary
    assert summary.cost_coverage == 0.75
    assert summary.quality_coverage == 0.25
    assert summary.quality_after == 0.9
    assert summary.cost_before == pytest.approx((0.25 + 0.3 + 1.4) / 3)


def test_tasks_with_the_same_inputs_share_one_decision(record: Recorder) -> None:
    for number in range(6):
        record(
            f"t{number}", f"text {number}", needs=EASY if number % 2 else TaskNeeds(work="writing")
        )
    result = replay(record.path, evals=record.evals, catalog=record.catalog)
    assert (len(result), result.distinct) == (6, 2)
    assert result.summary.distinct == 2
    digests = {result.decision(f"t{n}").task_digest for n in range(6)}
    assert len(digests) == 6


def test_the_html_shows_figures_and_changes_and_escapes_everything(record: Recorder) -> None:
    record("<script>alert(1)</script>", choice="acme/fair")
    with record.path.open("a") as file:
        file.write("<b>bad</b>\n")
    html = replay(
        record.path, evals=record.evals, catalog=record.catalog, choice="rank"
    )._repr_html_()
    assert "<script" not in html
    assert "&lt;script&gt;" in html
    assert "1 of 1 (100.0%)" in html
    assert "acme/good:high" in html


def test_an_empty_recording_replays_to_an_empty_frame(record: Recorder) -> None:
    result = replay(record.path, evals=record.evals, catalog=record.catalog)
    assert len(result.decisions) == 0
    assert (result.summary.tasks, result.distinct) == (0, 0)
    assert "routinglab-replay" in result._repr_html_()


NEEDS = st.builds(
    TaskNeeds,
    work=st.sampled_from(WORKS),
    difficulty=st.sampled_from(DIFFICULTIES),
    mistake_cost=st.sampled_from(MISTAKE_COSTS),
    needs_images=st.booleans(),
    long_context=st.booleans(),
    latency_sensitive=st.booleans(),
)
ASKED = st.sets(st.sampled_from(("difficulty", "mistake_cost", "work")))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(NEEDS, ASKED, st.integers(0, 5) | st.none()), min_size=1, max_size=4))
def test_whatever_is_recorded_replays_to_the_same_bytes(
    tasks: list[tuple[TaskNeeds, set[str], int | None]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        record = Recorder(Path(folder) / "r.jsonl")
        made = {}
        for number, (whole, asked, place) in enumerate(tasks):
            stated = whole.stated()
            made[f"t{number}"] = record(
                f"t{number}",
                needs=TaskNeeds(**{k: v for k, v in stated.items() if k not in asked}),
                answers=TaskNeeds(**{k: v for k, v in stated.items() if k in asked}),
                choice=place,
            )
        result = replay(record.path, evals=record.evals, catalog=record.catalog)
        assert result.drifted == ()
        for task, decision in made.items():
            assert result.decision(task).canonical() == decision.canonical()
