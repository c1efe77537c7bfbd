"""Views: which rows, figures and words they make of small inputs worked out by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from routinglab import TaskNeeds, load_catalog, replay
from routinglab.errors import InvalidInput
from routinglab.evals.evals import Evals, load_evals
from routinglab.lab.recording import load_recording
from routinglab.lab.writer import RecordingWriter
from routinglab.report.blocks import Folded
from routinglab.report.plots import Point
from routinglab.report.views import evals as show_evals
from routinglab.report.views import outcomes as show_outcomes
from routinglab.report.views import routing as show_tasks
from routinglab.routing.plan import Planner
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
    assert [row[3:] for row in rows] == [[0.2, 60.0, 7], [5.0, 70.0, 5], [9.0, 72.0, 6]]


def test_standings_are_shares_of_the_other_models(evals: Evals) -> None:
    rows = show_evals.standings_table(evals, "coding").to_dict()["rows"]
    assert [row[1] for row in rows] == pytest.approx([1.0, 2 / 3, 1 / 3, 0.0])
    with pytest.raises(InvalidInput, match="'cooking' is not one of"):
        show_evals.standings_table(evals, "cooking")


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
    assert short[:4] == ("short", "Fix <b>it</b>", decision.primary.model, decision.primary.effort)
    assert isinstance(short[4], Folded)
    assert short[4].summary.startswith("ranked first: score ")
    assert short[4].text == decision.explain().text
    assert short[5].split("\n") == [str(fallback) for fallback in decision.fallbacks]
    assert short[7:] == ("coding", "very hard", "severe")
    assert isinstance(long[1], Folded)
    assert "&lt;b&gt;it&lt;/b&gt;" in table._repr_html_()
    assert show_tasks.chosen_table(again).rows == ((decision.primary.model, 2, "coding 2"),)


def test_a_limit_shows_what_it_flips_and_what_stays_undecided(recorded) -> None:
    again = replay(recorded)
    limited = replay(recorded, also={"maxOutputCost": 1.0}, choice="rank")
    figures = show_tasks.limit_overview(again, limited).to_dict()["figures"]
    assert figures["Flipped"] == "2 of 2"
    rows = show_tasks.flips_table(limited).rows
    assert [row[0] for row in rows] == ["short", "long"]
    assert all(row[1] != row[2] for row in rows)
    assert show_tasks.flips_table(again).rows == ()
    nothing = replay(recorded, also={"maxOutputCost": 0.0, "allowedProviders": ["none"]})
    undecided = show_tasks.decisions_table(nothing)
    assert undecided.rows[0][2:4] == (None, None)
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
