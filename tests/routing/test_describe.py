from __future__ import annotations

import json
from datetime import date

import pytest
from support.cohorts import TableEvidence, ladder, model

from routinglab.catalog.model import Model, PriceTier
from routinglab.core.needs import TaskNeeds
from routinglab.routing.conditions import own_clauses
from routinglab.routing.decision import Option
from routinglab.routing.describe import describe, standing_words
from routinglab.routing.ranking import rank
from routinglab.routing.shortlist import shortlist

CODING = TaskNeeds(work="coding", difficulty="hard")
EVALS = TableEvidence(
    {
        "aa:TB4": ladder("w", "x", "y", "opus-5", "z"),
        "fc:Main": ladder("w", "x", "y", "opus-5"),
        "aa:TB21": ladder("opus-5", "w", "x", "y"),
        "aa:idx": ladder("w", "x", "opus-5", "y", "z"),
        "aa:tps": ladder("opus-5"),
        "aa:ttft": ladder("opus-5", step=2.5),
    },
    units={"aa:idx": "points", "aa:tps": "tokens/s", "aa:ttft": "seconds"},
    effort="max",
    harness="mini-swe-agent",
    reporter="Datacurve",
)
OPUS = model(
    "anthropic/opus-5", (5.0, 25.0), name="Opus 5", released=date(2026, 9, 1),
    billing="subscription", inputs=("text", "image"),
    tiers=(PriceTier(above=200_000, input_price=10.0, output_price=37.5),),
)  # fmt: skip
OTHERS = [
    model("p/w", 0.1, released=date(2026, 9, 22)), model("p/x", 1.0), model("p/y", 20.0),
    model("p/z", 40.0), model("p/dark", None),
]  # fmt: skip


def described(entry: Model = OPUS, needs: TaskNeeds = CODING) -> Option:
    ranked = rank(EVALS, [entry, *(m for m in OTHERS if m != entry)], needs)
    return describe(next(m for m in ranked if m.entry == entry), needs, ranked)


def test_an_option_is_described_by_its_own_facts_and_results() -> None:
    assert described().to_dict() == {
        "model": "anthropic/opus-5",
        "name": "Opus 5",
        "released": "2026-09-01, 21 days older than the newest here",
        "price": "middle third: $5.00 input, $25.00 output per million tokens"
        "; beyond 200,000 input tokens $10.00 and $37.50; billing subscription",
        "speed": "10 tokens/s at max effort",
        "latency": "2.5 seconds to the first token at max effort",
        "images": "read",
        "results": [
            "TB4 40%, top quarter of 5 models (max effort; harness mini-swe-agent; reported by Datacurve)",
            "FrontierCode Main 40%, top 10% of 4 models (max effort; harness mini-swe-agent; reported by Datacurve)",
        ],
        "overall": "idx 30 points, above median of 5 models"
        " (max effort; harness mini-swe-agent; reported by Datacurve)",
    }  # fmt: skip


def test_an_option_keeps_figures_that_explain_its_place() -> None:
    option = described()
    assert option.score == pytest.approx(option.terms.quality * option.terms.quality_weight
                                         + option.terms.cheapness * option.terms.price_weight
                                         + option.terms.recency * 0.1)  # fmt: skip
    assert option.work_standing == pytest.approx((0.75 + 1 + 0) / 3)
    assert option.overall_standing == 0.5
    assert [s.key for s in option.evidence] == ["aa:TB4", "fc:Main", "aa:idx"]


def test_no_evidence_reads_no_published_results_and_never_zero() -> None:
    shown = described(OTHERS[-1]).to_dict()
    assert shown["results"] == ["no published results"]
    assert shown["overall"] == "no published results"
    assert shown["price"] == "unknown; billing unknown"
    assert shown["released"] == shown["images"] == "unknown"
    assert "speed" not in shown
    assert "latency" not in shown
    assert "0" not in json.dumps(shown)


def test_measurement_effort_never_becomes_execution_effort() -> None:
    assert described().effort is None


def test_the_newest_says_so_and_thirds_go_by_price() -> None:
    assert described(OTHERS[0]).to_dict()["released"] == "2026-09-22, the newest here"
    tiers = [described(entry).to_dict()["price"].partition(":")[0] for entry in OTHERS[:4]]
    assert tiers == ["cheapest third", "cheapest third", "middle third", "dearest third"]
    assert described(model("p/free", 0.0)).to_dict()["price"].startswith("cheapest third: $0.00")
    assert "$0.05 input" in described(model("p/little", 0.05)).to_dict()["price"]


def test_text_only_models_do_not_read_images() -> None:
    assert described(model("p/text", inputs=("text",))).to_dict()["images"] == "not read"


@pytest.mark.parametrize(
    ("share", "words"),
    [
        (1.0, "top 10%"), (0.9, "top 10%"), (0.89, "top quarter"), (0.75, "top quarter"),
        (0.74, "above median"), (0.5, "above median"), (0.49, "below median"),
        (0.25, "below median"), (0.24, "bottom quarter"), (0.0, "bottom quarter"),
    ],
)  # fmt: skip
def test_a_standing_has_words(share: float, words: str) -> None:
    assert standing_words(share) == words


def test_own_outcomes_are_shown_before_public_results() -> None:
    evals = TableEvidence(
        {"own:coding": ladder("w", "x", "y", "me"), "aa:TB4": ladder("me", "w", "x", "y")}
    )
    ranked = rank(evals, [model("p/me")], CODING)
    results = describe(ranked[0], CODING, ranked).to_dict()["results"]
    assert results == [
        "own outcomes: coding 40%, top 10% of 4 models",
        "TB4 10%, bottom quarter of 4 models",
    ]


def test_a_result_among_too_few_models_is_shown_without_a_standing() -> None:
    evals = TableEvidence({"aa:TB4": {"me": 40.0, "x": 30.0}})
    ranked = rank(evals, [model("p/me")], CODING)
    option = describe(ranked[0], CODING, ranked)
    assert option.to_dict()["results"] == ["TB4 40%, too few models measured to compare"]
    assert option.evidence == ()


def results_under(setting: str, entry: Model = OPUS) -> str:
    cohort = ladder("claude-opus-5", "claude-opus-5-5", "gpt-6-astra", "gemini-3.8-flash", "opus-5")
    evals = TableEvidence({"aa:TB4": cohort}, setting=setting)
    ranked = rank(evals, [entry], CODING)
    return str(describe(ranked[0], CODING, ranked).to_dict()["results"][0])


ASTRA = model("openai/gpt-6-astra", name="GPT-6 Astra")
CLAUDE = model("anthropic/claude-opus-5", name="Claude Opus 5")


@pytest.mark.parametrize(
    ("setting", "entry", "shown"),
    [
        ("GPT-6 Astra at xhigh; three attempts", ASTRA, "(GPT-6 Astra at xhigh; three attempts)"),
        ("GPT-6 Astra at xhigh; three attempts", CLAUDE, "(three attempts)"),
        ("Opus 5.5 with fallback. Gemini 3.8 Flash at high. Mean of 3", CLAUDE, "(Mean of 3)"),
        ("Opus 5 with fallback; GPT-6 Astra without", CLAUDE, "(Opus 5 with fallback)"),
        ("GPT-6 Astra and Opus 5 at max", CLAUDE, "(GPT-6 Astra and Opus 5 at max)"),
        ("GPT-6 Astra at max", CLAUDE, ""),
        ("Opus 5.7 at max; 1,000 turns", CLAUDE, "(1,000 turns)"),
        ("max effort, gemini-3.8-flash at high", ASTRA, "(max effort)"),
    ],
)
def test_a_clause_of_a_setting_that_names_only_other_models_is_left_out(
    setting: str, entry: Model, shown: str
) -> None:
    text = results_under(setting, entry)
    assert text.partition(" models")[2].strip() == shown


def test_a_setting_of_many_blanks_is_read() -> None:
    assert own_clauses("one" + " " * 100_000 + "two ;three", ("m",), {("m", "9"): frozenset()}) == (
        "one" + " " * 100_000 + "two; three"
    )


def test_a_shortlist_holds_the_best_six_identities() -> None:
    names = [f"m{n}" for n in range(9)]
    evals = TableEvidence({"aa:TB4": ladder(*names)})
    models = [model(f"{p}/{name}") for name in names for p in ("a", "b")]
    ranked = rank(evals, models, CODING)
    assert [m.model for m in shortlist(ranked)] == [f"a/m{n}" for n in (8, 7, 6, 5, 4, 3)]
    assert [m.model for m in shortlist(ranked, size=2)] == ["a/m8", "a/m7"]
    assert shortlist([]) == []
    assert shortlist(ranked[:1], 6) == ranked[:1]


def test_a_shortlist_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="at least one model"):
        shortlist([], 0)
    with pytest.raises(ValueError, match="at least one model"):
        shortlist([], 1.5)  # type: ignore[arg-type]


def test_an_option_may_be_named_by_its_id_or_given_described() -> None:
    evals = TableEvidence({"aa:TB4": ladder("m1", "m2", "m3", "m4")})
    ranked = rank(evals, [model(f"p/m{n}") for n in (1, 2, 3, 4)], CODING)
    option = describe(ranked[1], CODING, ranked)
    assert option.model == "p/m3"
    assert describe("p/m3", CODING, ranked) == option
    assert describe(option, {"work": "coding"}, ranked).to_dict() == option.to_dict()
    with pytest.raises(ValueError, match="'p/m9' is not among"):
        describe("p/m9", CODING, ranked)
