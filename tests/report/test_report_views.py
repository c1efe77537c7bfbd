"""Views: which rows, figures and words they make of small inputs worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from routinglab import Candidate, TaskNeeds, load_catalog, replay
from routinglab.errors import InvalidInput
from routinglab.evals.evals import Evals, load_evals
from routinglab.lab import policies
from routinglab.lab.compare import compare
from routinglab.lab.imports.long import import_long
from routinglab.lab.recording import load_recording
from routinglab.lab.writer import RecordingWriter
from routinglab.report.blocks import Folded
from routinglab.report.plots import Point
from routinglab.report.views import evals as show_evals
from routinglab.report.views import outcomes as show_outcomes
from routinglab.report.views import routing as show_tasks
from routinglab.report.views.alike import alike
from routinglab.report.views.keys import axes_of, shown_keys
from routinglab.routing.plan import Planner
from routinglab.running.attempt import Attempt
from routinglab.settings import Settings

EVALS = """\
## DeepSWE v1.1 (2026-09-03)

| Model [effort] | Pass@1 | $/task |
| --- | --- | --- |
| gpt-6-astra [high] | 70% | $5.00 |
| claude-opus-5 [max] | 72% | $9.00 |
| glm-5.3-flash [max] | 60% | $0.20 |
| grok-4 [high] | 50% | $4.00 |
| kimi-k3 | n/a | $1.00 |
"""


@pytest.fixture
def evals(tmp_path: Path) -> Evals:
    (tmp_path / "mine.md").write_text(EVALS)
    return load_evals(tmp_path / "mine.md")


def test_the_overview_counts_what_was_read(evals: Evals) -> None:
    figures = show_evals.overview(evals).to_dict()["figures"]
    assert (figures["Results"], figures["Sources"], figures["Not read"]) == (9, 1, 0)
    assert figures["Newest"] == "2026-09-03"


def test_the_frontier_is_pointed_out_among_all_rows_measured_together(evals: Evals) -> None:
    frame = show_evals.measured_together(evals, "dswe:usd", "dswe:Pass@1")
    on = dict(zip(frame["label"], frame["frontier"], strict=True))
    assert on == {
        "gpt-6-astra (high)": True,
        "claude-opus-5 (max)": True,
        "glm-5.3-flash (max)": True,
        "grok-4 (high)": False,
    }
    figure = show_evals.pareto_figure(evals, "dswe:usd", "dswe:Pass@1")
    assert "mine.md" in figure.caption
    assert ["grok-4 (high)", 4.0, 50.0] in figure.to_dict()["data"]["rows"]
    rows = show_evals.pareto_table(evals, "dswe:usd", "dswe:Pass@1").to_dict()["rows"]
    assert [row[2:] for row in rows] == [[0.2, 60.0, 7], [5.0, 70.0, 5], [9.0, 72.0, 6]]


def test_standings_are_shares_of_the_other_models(evals: Evals) -> None:
    rows = show_evals.standings_table(evals, "coding").to_dict()["rows"]
    assert [row[1] for row in rows] == pytest.approx([1.0, 2 / 3, 1 / 3, 0.0])
    with pytest.raises(InvalidInput, match="'cooking' is not one of"):
        show_evals.standings_table(evals, "cooking")


def test_axes_are_chosen_from_what_the_file_measured_together(evals: Evals) -> None:
    assert axes_of(evals) == ("dswe:usd", "dswe:Pass@1")
    assert axes_of(load_evals()) == ("aa:usd", "aa:idx")
    assert axes_of(evals, "dswe:usd") == ("dswe:usd", "dswe:Pass@1")
    assert shown_keys(evals) == ("dswe:Pass@1",)
    assert show_evals.pareto_figure(evals).alt == "dswe:Pass@1 against dswe:usd of 4 measured rows"


def test_without_a_cost_beside_a_quality_a_note_says_so(tmp_path: Path) -> None:
    (tmp_path / "scores.md").write_text(
        "## Mine\n\n| slug | GPQA |\n| --- | --- |\n| glm-5 | 40% |\n"
    )
    scores = load_evals(tmp_path / "scores.md")
    assert axes_of(scores) is None
    for shown in (show_evals.pareto_figure(scores), show_evals.pareto_table(scores)):
        assert "No row of scores.md measured" in shown.to_dict()["note"]
    assert "at least 4 models" in show_evals.standings_table(scores, "coding").to_dict()["note"]


def test_what_could_not_be_read_is_pointed_out(tmp_path: Path, evals: Evals) -> None:
    assert show_evals.warnings_notes(evals).to_dict()["blocks"] == []
    rows = "".join(f"| m{i}-1 | soon |\n" for i in range(8))
    (tmp_path / "odd.md").write_text(
        "## Mine\n\n| slug | GPQA |\n| --- | --- |\n| glm-5 | 40% |\n" + rows
    )
    odd = load_evals(tmp_path / "odd.md")
    told = show_evals.warnings_notes(odd, limit=2).to_dict()["blocks"]
    assert len(odd.warnings) == 8
    assert [note["warning"] for note in told] == [True, True, True]
    assert told[0]["note"].startswith("line 6: ")
    assert told[2]["note"].startswith("and 6 more")


def test_every_value_carries_its_line(evals: Evals) -> None:
    rows = show_evals.results_table(evals, "dswe:Pass").to_dict()["rows"]
    assert (rows[0][0], rows[0][3], rows[0][-1]) == ("gpt-6-astra [high]", 70.0, 5)
    assert len(rows) == 4


def test_sources_and_models_are_listed(evals: Evals) -> None:
    (source,) = show_evals.sources_table(evals).to_dict()["rows"]
    assert source[0] == "DeepSWE v1.1 (2026-09-03)"
    assert source[2:4] == [5, 9]
    models = show_evals.models_table(evals, ("dswe:Pass@1", "aa:none")).to_dict()
    assert "dswe:Pass@1" in models["columns"]
    assert 72.0 in [row[3] for row in models["rows"]]


@pytest.fixture
def recorded(tmp_path: Path):
    planner = Planner(load_catalog(), load_evals(), Settings())
    path = tmp_path / "runs.jsonl"
    with RecordingWriter(path) as record:
        record.inputs(planner.catalog, planner.evals.digest, Settings())
        for name, text in (("short", "Fix <b>it</b>"), ("long", "word " * 60)):
            needs = TaskNeeds(
                work="coding", difficulty="very_hard", mistake_cost="severe", needs_images=False,
                long_context=False, latency_sensitive=False,
            )  # fmt: skip
            task = record.task(
                text,
                id=name,
                needs=needs,
                expected_input_tokens=100_000,
                expected_output_tokens=1000,
            )
            by = dict.fromkeys(needs.stated(), "caller")
            record.decision(task, planner.plan(needs).decide(answered_by=by))
    return load_recording(path)


def test_each_task_is_shown_with_its_choice_reason_and_fallbacks(recorded) -> None:
    again = replay(recorded)
    table = show_tasks.decisions_table(again)
    decision = again.decision("short")
    short, long = table.rows
    assert short[:2] == ("short", "Fix <b>it</b>")
    assert short[2] == "coding\nvery hard\nmistakes severe"
    assert short[3] == f"{decision.primary.model}:{decision.primary.effort}"
    assert isinstance(short[4], Folded)
    assert short[4].summary.startswith("ranked first: score ")
    assert short[4].text == decision.explain().text
    assert short[5].split("\n") == [str(fallback) for fallback in decision.fallbacks]
    price = load_catalog()[decision.primary.model]
    assert short[6] == pytest.approx(0.1 * price.input_price + 0.001 * price.output_price)
    assert isinstance(long[1], Folded)
    assert "&lt;b&gt;it&lt;/b&gt;" in table._repr_html_()
    assert show_tasks.chosen_table(again).rows == ((decision.primary.model, 2, "coding 2"),)


def test_a_limit_shows_what_it_flips_and_what_stays_undecided(recorded) -> None:
    again = replay(recorded)
    limited = replay(recorded, also={"maxOutputCost": 1.0}, choice="rank")
    figures = show_tasks.limit_overview(again, limited, "$1 at most").to_dict()["figures"]
    assert figures["Limit"] == "$1 at most"
    assert figures["Went elsewhere"] == "2 of 2"
    rows = show_tasks.flips_table(limited).rows
    assert [row[0] for row in rows] == ["short", "long"]
    assert all(row[1] != row[2] for row in rows)
    assert show_tasks.flips_table(again).rows == ()
    nothing = replay(recorded, also={"maxOutputCost": 0.0, "allowedProviders": ["none"]})
    undecided = show_tasks.decisions_table(nothing)
    assert undecided.rows[0][3] is None
    assert isinstance(undecided.rows[0][4], str)  # why there is no decision
    assert show_tasks.overview(nothing).to_dict()["figures"]["No decision"] == 2


def test_points_that_none_beats_on_both_axes_are_kept() -> None:
    points = [
        Point("a", 1, 10),
        Point("b", 2, 9),
        Point("c", 2, 20),
        Point("d", 3, 20),
        Point("e", 0.5, 1),
    ]
    assert [p.label for p in show_outcomes.undominated(points)] == ["e", "a", "c"]
    assert show_outcomes.undominated([]) == []


def test_policies_stand_side_by_side_with_what_they_cost(recorded) -> None:
    again = replay(recorded)
    others = [replay(recorded, policy=name, choice="rank") for name in ("evidence", "cheapest")]
    rows = show_tasks.policies_table(again, others).rows
    assert [row[0] for row in rows] == ["recorded choices", "policy evidence", "policy cheapest"]
    assert [row[1] for row in rows] == [0, 0, 2]  # the same text and needs: both go alike
    assert rows[2][3] < rows[0][3]
    for row in rows:
        assert row[4] == pytest.approx(2 * row[3])  # two tasks
    option = again.decision("short").shortlist[0]
    assert rows[0][5] == pytest.approx(option.work_standing)
    choices = show_tasks.policy_choices_table(again, others)
    assert choices.rows[0][1:] == tuple(r.result("short").after for r in (again, *others))
    assert choices.marked == frozenset()
    turned = show_tasks.policy_choices_table(again, others[1:])
    assert turned.marked == {0, 1}


def test_captions_name_the_evals_that_were_decided_from(recorded, evals: Evals) -> None:
    other = replay(recorded, evals=evals, choice="rank")
    assert "mine.md" in show_tasks.decisions_table(other).caption
    assert "mine.md" in show_tasks.overview(other).caption


def test_attempts_are_counted_by_how_they_ended(tmp_path: Path, recorded) -> None:
    assert "holds decisions only" in show_tasks.attempts(recorded).to_dict()["note"]
    path = tmp_path / "ran.jsonl"
    with RecordingWriter(path) as record:
        task = record.task("do it", id="one")
        fails = Attempt(
            candidate=Candidate.of("a/x:high"), kind="failed", failure="rate_limit", status=429,
            message="slow down", seconds=0.5,
        )  # fmt: skip
        works = Attempt(
            candidate=Candidate.of("b/y"), kind="ok", input_tokens=1000, output_tokens=50,
            cost=0.25, seconds=4.0,
        )  # fmt: skip
        record.attempt(task, fails)
        record.attempt(task, works)
        record.attempt(record.task("again", id="two"), works)
    shown = show_tasks.attempts(load_recording(path))
    figures, table = shown.to_dict()["blocks"]
    assert figures["figures"] == {
        "Tasks run": 2, "Attempts": 3, "With fallbacks": 1, "Ended failed": 1, "Ended ok": 2,
        "Cost": "$0.500",
    }  # fmt: skip
    first, second, third = table["rows"]
    assert first[:6] == ["one", 1, "a/x:high", "failed", "rate_limit", 429]
    assert first[-1] == "slow down"
    assert second[:4] == ["one", 2, "b/y", "ok"]
    assert second[6:10] == [1000, 50, 0.25, 4.0]
    assert third[:2] == ["two", 1]


def test_models_come_best_first(evals: Evals) -> None:
    rows = show_evals.models_table(evals, ("dswe:Pass@1",)).to_dict()["rows"]
    assert [row[3] for row in rows] == [72.0, 70.0, 60.0, 50.0, None]


LONG = """\
task,model,score,cost
t1,good,1,0.2
t1,poor,0,0.1
t2,good,1,0.4
t2,poor,1,0.1
t3,good,0,0.2
t3,poor,,
"""


@pytest.fixture
def comparison():
    import io

    import pandas as pd

    outcomes = import_long(pd.read_csv(io.StringIO(LONG)), name="three tasks", quiet=True)
    return compare(outcomes, policies.always("good"), policies.oracle("reward"), resamples=200)


def test_policies_that_come_to_the_same_share_a_row(comparison) -> None:
    names = {same.policy: same.others for same in alike(comparison)}
    assert names["always good"] == ("best single",)
    assert names["oracle"] == ("oracle by reward",)
    rows = show_outcomes.comparison_table(comparison).to_dict()["rows"]
    assert len(rows) == len(names)
    best = next(row for row in rows if row[0] == "always good\n= best single")
    assert best[1]["value"] == pytest.approx(2 / 3)
    assert best[1]["low"] <= 2 / 3 <= best[1]["high"]
    assert best[2] == pytest.approx(0.8)
    assert best[4]["value"] == 0.0  # against itself
    points = {row[0] for row in show_outcomes.interval_figure(comparison).to_dict()["data"]["rows"]}
    assert points == set(names)


def test_labels_of_policies_that_share_a_row_keep_their_owner(comparison) -> None:
    (best,) = [same for same in alike(comparison) if same.policy == "always good"]
    assert best.kind == "baseline"
    assert best.labels == "constant\nbest single: good, in-sample"


def test_scores_are_sliced_by_a_part_of_the_tasks(comparison) -> None:
    comparison.outcomes.info["bench"] = ["a", "a", "b"]
    table = show_outcomes.slices_table(comparison, "bench")
    assert [column.label for column in table.columns] == ["Policy", "a (2 tasks)", "b (1 task)"]
    rows = {row[0].partition("\n")[0]: row[1:] for row in table.rows}
    assert rows["always good"][0] == pytest.approx(1.0)
    assert rows["always good"][1] == 0.0
    assert "to" not in f"{rows['always good'][1]:.0%}"  # one task has no interval
    with pytest.raises(InvalidInput, match="the tasks have no 'colour'; they have task"):
        show_outcomes.slices_table(comparison, "colour")


def test_solved_failed_and_missing_are_counted_apart(comparison) -> None:
    data = show_outcomes.single_models_table(comparison.outcomes).to_dict()
    at = {name: data["columns"].index(name) for name in ("Solved", "Failed", "No outcome")}
    rows = {row[0]: [row[at[name]] for name in at] for row in data["rows"]}
    assert rows == {"good": [2, 1, 0], "poor": [1, 1, 1]}
    assert "Partly" not in data["columns"]
