from __future__ import annotations

import json
from datetime import UTC, date, datetime
from html.parser import HTMLParser

import pytest
from support.cohorts import TableEvidence, ladder, model

from routinglab.catalog.model import Catalog
from routinglab.core.ids import Candidate
from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput
from routinglab.routing.decision import Decision, RouterInfo, RoutingRequest
from routinglab.routing.plan import Planner

NEEDS = TaskNeeds(work="coding", difficulty="hard", mistake_cost="low", latency_sensitive=True)
EVALS = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d"), "aa:idx": ladder("d", "c", "b", "a")})
MODELS = [
    model("p/d", (0.1, 0.7), efforts=("low", "high"), released=date(2026, 9, 1), name="<b>D</b>"),
    model("p/c", 0.0), model("p/b", None), model("p/d-fast", 3.0, base_model="p/d"),
]  # fmt: skip


def decided(**parts: object) -> Decision:
    plan = Planner(Catalog(MODELS), EVALS).plan(NEEDS)
    return plan.decide(task_digest="abc", **parts)  # type: ignore[arg-type]


def full() -> Decision:
    return decided(
        agent="worker",
        answered_by={"work": "caller", "difficulty": "reader"},
        router=RouterInfo(requested="p/r", responded="p/r-2", kind="classifier"),
        reader="p/c",
        requests=[
            RoutingRequest(purpose="needs", model="p/c", input_tokens=10, cost=0.5, seconds=1.25),
            RoutingRequest(purpose="choice", model="p/r", kind="classifier", request_id="req_1"),
        ],
        switches=["p/r: http 503 overloaded; p/c chose"],
        created=datetime(2026, 12, 1, 12, 30, tzinfo=UTC),
    )


def test_a_decision_survives_json_without_loss() -> None:
    decision = full()
    again = Decision.model_validate_json(decision.to_json())
    assert again == decision
    assert again.to_json() == decision.to_json()
    assert again.explain() == decision.explain()
    assert again.chain == decision.chain
    assert again.scoring is not None
    assert again.scoring.input_prices[again.candidates.index("p/d")] == 0.1
    assert again.scoring.faster == (again.candidates.index("p/d-fast"),)


def test_a_record_uses_camel_case_and_names_its_schema() -> None:
    data = json.loads(full().to_json())
    assert data["schemaVersion"] == 1
    assert data["primary"] == {"model": "p/d", "effort": "low"}
    assert {"taskDigest", "chosenBy", "answeredBy", "shortlist", "candidates"} <= set(data)
    assert set(data["candidates"]) == {entry.full_id for entry in MODELS}


def test_the_canonical_text_leaves_out_what_differs_from_run_to_run() -> None:
    decision = full()
    later = decision.model_copy(
        update={
            "created": datetime(2027, 1, 1, tzinfo=UTC),
            "requests": tuple(
                r.model_copy(update={"seconds": 9.0, "request_id": "x"}) for r in decision.requests
            ),
        }
    )
    assert later != decision
    assert later.canonical() == decision.canonical()
    assert later.digest == decision.digest
    other = decision.model_copy(update={"reader": "p/d"})
    assert other.digest != decision.digest
    text = decision.canonical()
    assert not any(key in text for key in ('"created"', '"seconds"', '"requestId"'))
    assert text == json.dumps(
        json.loads(text), sort_keys=True, ensure_ascii=False, separators=(",", ":")
    )


def test_a_recorded_decision_restores_order_and_efforts() -> None:
    chain = Decision.model_validate_json(full().to_json()).chain
    # high one lower for speed is medium, and low and high are equally near
    assert chain[0] == Candidate.of("p/d", "low")
    assert [c.model for c in chain] == ["p/d", "p/c", "p/b"]


def test_more_than_two_fallbacks_are_refused() -> None:
    three = [Candidate.of(f"p/{name}") for name in "abc"]
    with pytest.raises(InvalidInput, match="fallbacks"):
        Decision(primary=Candidate.of("p/x"), fallbacks=tuple(three))


class _Text(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data + "\n"


def shown(html: str) -> _Text:
    parsed = _Text()
    parsed.feed(html)
    return parsed


def test_a_decision_shows_as_escaped_html() -> None:
    decision = full().model_copy(update={"degraded": "<script>alert(1)</script>"})
    page = shown(decision._repr_html_())
    assert "script" not in page.tags
    assert "<script>alert(1)</script>" in page.text
    assert "p/d:low" in page.text
    assert "ranking (p/r-2)" in page.text
    assert "not measured" not in page.text.split("p/b")[0]
    assert {"table", "td", "th"} <= set(page.tags)


def test_an_explanation_shows_as_escaped_html() -> None:
    sly = model("p/<i>d</i>", 1.0)
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c")})
    decision = Planner(Catalog([sly, model("p/a", 2.0)]), evals).plan(NEEDS).decide()
    page = shown(decision.explain()._repr_html_())
    assert "i" not in page.tags
    assert "p/<i>d</i>" in page.text
    assert "quality" in page.text


def test_a_bare_decision_can_be_shown_and_explained() -> None:
    bare = Decision(primary=Candidate.of("p/x", "low"))
    assert bare.explain().text == "p/x:low was chosen; the record holds no ranking."
    assert "p/x:low" in shown(bare._repr_html_()).text


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"schemaVersion": 99}, "newer than this package reads"),
        ({"candidates": []}, "one entry for each of 0 candidates"),
        ({"candidates": ["x/y"]}, "one entry for each of 1 candidates"),
        ({"primary": {"model": "x/y"}}, "'x/y' is not among the candidates"),
        ({"fallbacks": [{"model": "p/d", "effort": "high"}]}, "one model id twice"),
        ({"shortlist": [{"model": "x/y", "score": 1}]}, "'x/y' is not among the candidates"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(change: dict[str, object], says: str) -> None:
    record = decided().to_dict()
    assert record["primary"]["model"] == "p/d"
    with pytest.raises(InvalidInput, match=says):
        Decision.model_validate({**record, **change})


def test_columns_that_speak_of_no_candidate_are_refused() -> None:
    record = decided().to_dict()
    record["scoring"]["faster"] = [len(record["candidates"])]
    with pytest.raises(InvalidInput, match="beyond"):
        Decision.model_validate(record)
