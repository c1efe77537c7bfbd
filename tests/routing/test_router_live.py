"""Live routing over real HTTP: which requests are sent, and what they hold."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support import live
from support.llm_server import (
    Choose,
    LlmServer,
    Stall,
    structured,
)
from support.routes import NEEDS, TASK, answers, choose, route, router, until

from routinglab.catalog.model import Model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.errors import (
    InvalidInput,
    NoEligibleModel,
    SettingsError,
)
from routinglab.lab.recording import load_recording
from routinglab.lab.replay import replay
from routinglab.lab.writer import RecordingWriter
from routinglab.routing.decision import Decision
from routinglab.routing.router import Router, RouteRequest


def test_nothing_stated_takes_two_requests(tmp_path: Path) -> None:
    decision, server = route(
        tmp_path,
        lambda s: s.script("chat", [answers(), choose("acme/middle")]),
        lambda r: r.route(TASK),
    )
    assert str(decision.primary) == "acme/middle:high"
    assert decision.chosen_by == "router"
    assert set(decision.answered_by.values()) == {"reader"}
    assert [request.purpose for request in decision.requests] == ["needs", "choice"]
    assert len(server.requests) == 2
    assert TASK in server.requests[0].text
    assert "invoicing" not in server.requests[1].text
    # fallbacks: the next two identities of the ranking, each with its own effort
    assert [str(c) for c in decision.fallbacks] == ["acme/strong:high", "beta/small"]
    assert decision.requests[0].input_tokens == 10
    assert decision.requests[0].cost == pytest.approx((10 * 2.0 + 5 * 4.0) / 1e6)


def test_all_six_stated_takes_one_request(tmp_path: Path) -> None:
    decision, server = route(
        tmp_path,
        lambda s: s.script("chat", [choose("acme/strong")]),
        lambda r: r.route(TASK, needs=NEEDS),
    )
    assert len(server.requests) == 1
    assert set(decision.answered_by.values()) == {"caller"}
    assert decision.reader is None


def test_one_option_takes_no_request(tmp_path: Path) -> None:
    decision, server = route(
        tmp_path,
        lambda s: None,
        lambda r: r.route(TASK, needs=NEEDS, constraints={"allowedModels": ["acme/middle"]}),
    )
    assert server.requests == []
    assert (str(decision.primary), decision.chosen_by) == ("acme/middle:high", "single")


def test_only_open_questions_are_asked_in_the_fixed_order(tmp_path: Path) -> None:
    agent = AgentBrief("worker", "Implements fixes", needs=TaskNeeds(work="coding"))
    decision, server = route(
        tmp_path,
        lambda s: s.script(
            "chat",
            [
                structured(
                    {
                        "difficulty": "easy", "needsImages": False,
                        "longContext": False, "latencySensitive": True,
                    }
                ),
                choose("beta/small"),
            ],
        ),
        lambda r: r.route(TASK, agent=agent, needs={"mistakeCost": "low"}),
    )  # fmt: skip
    tool = server.requests[0].json["tools"][0]["function"]["parameters"]
    assert list(tool["properties"]) == [
        "difficulty", "needsImages", "longContext", "latencySensitive",
    ]  # fmt: skip
    assert '"work":"coding"' in server.requests[0].json["messages"][-1]["content"]
    assert decision.answered_by == {
        "work": "agent",
        "difficulty": "reader",
        "mistake_cost": "caller",
        "needs_images": "reader",
        "long_context": "reader",
        "latency_sensitive": "reader",
    }


def test_the_calls_needs_come_before_the_agents(tmp_path: Path) -> None:
    agent = AgentBrief("worker", needs=TaskNeeds.model_validate({**NEEDS, "work": "writing"}))
    decision, _ = route(
        tmp_path,
        lambda s: s.script("chat", [choose("beta/small")]),
        lambda r: r.route(TASK, agent=agent, needs={"work": "coding"}),
    )
    assert decision.needs.work == "coding"


def test_the_agents_prompt_is_read_only_without_a_task(tmp_path: Path) -> None:
    agent = AgentBrief("nightly", "Nightly job", prompt="PROMPT-TEXT: tidy the changelog")
    for task, seen in ((TASK, False), (None, True), ("  ", True)):
        _, server = route(
            tmp_path,
            lambda s: s.script("chat", [answers(), choose("beta/small")]),
            lambda r, task=task: r.route(task, agent=agent),
        )
        assert ("PROMPT-TEXT" in server.requests[0].text) is seen
        assert "PROMPT-TEXT" not in server.requests[1].text


def test_computer_use_needs_images_unless_the_caller_said_otherwise(tmp_path: Path) -> None:
    rest = {k: v for k, v in NEEDS.items() if k not in ("work", "needsImages")}
    # no model here reads images, so the current model stands in: the rule was applied
    decision, server = route(
        tmp_path, lambda s: None, lambda r: r.route(TASK, needs={**rest, "work": "computer_use"})
    )
    assert server.requests == []
    assert decision.answered_by["needs_images"] == "rule"
    assert decision.needs.needs_images is True
    assert decision.degraded is not None
    assert str(decision.primary) == "acme/chat"
    decision, _ = route(
        tmp_path,
        lambda s: s.script("chat", [choose("beta/small")]),
        lambda r: r.route(TASK, needs={**rest, "work": "computer_use", "needsImages": False}),
    )
    assert decision.needs.needs_images is False


def test_a_classifier_chooses_and_never_receives_the_task(tmp_path: Path) -> None:
    def prepare(s: LlmServer) -> None:
        s.script("chat", [answers()])
        s.script("one", [Choose({"choice": "acme/strong"})])

    decision, server = route(tmp_path, prepare, lambda r: r.route(TASK), routerModel="judge/one")
    assert [r.path for r in server.requests] == ["/v1/chat/completions", "/v1/systemone"]
    asked = server.requests[1]
    assert "invoicing" not in asked.text
    assert "flaky" not in asked.text
    assert asked.json["state"]["needs"]["difficulty"] == "hard"
    assert asked.headers["authorization"] == f"Bearer {live.ENV['JUDGE_KEY']}"
    assert decision.router.kind == "classifier"
    assert (decision.router.requested, str(decision.primary)) == ("judge/one", "acme/strong:high")


def test_a_long_task_is_read_by_the_cheapest_model_that_holds_it(tmp_path: Path) -> None:
    task = "word " * 12_000  # 60,000 bytes: 20,000 + 4,000 tokens, more than acme/chat's 20,000
    decision, server = route(
        tmp_path,
        lambda s: (
            s.script("small", [answers()]),
            s.script("chat", [choose("acme/strong")]),
        ),
        lambda r: r.route(task),
    )
    assert decision.reader == "beta/small"
    assert server.requests[0].path == "/v1/messages"
    assert server.requests[1].model == "chat"
    assert "beta/small reads it" in decision.switches[0]


def test_a_router_model_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="routerModel"):
        route(tmp_path, lambda s: None, lambda r: r.route(TASK), routerModel="nobody/here")


@pytest.mark.parametrize("name", ["auto", "", None])
def test_auto_and_unset_mean_the_current_model(tmp_path: Path, name: str | None) -> None:
    _, server = route(
        tmp_path,
        lambda s: s.script("chat", [choose("beta/small")]),
        lambda r: r.route(TASK, needs=NEEDS),
        routerModel=name,
    )
    assert [r.model for r in server.requests] == ["chat"]


def test_no_eligible_model_stops_before_any_request(tmp_path: Path) -> None:
    servers = []
    with pytest.raises(NoEligibleModel, match="maxInputCost"):
        route(
            tmp_path,
            servers.append,
            lambda r: r.route(TASK, constraints={"maxInputCost": 0.1}),
        )
    assert servers[0].requests == []


@pytest.mark.parametrize(
    "bad", [{"wrk": "coding"}, {"work": "cooking"}, {"needsImages": "yes"}, {"difficulty": 3}]
)
def test_bad_needs_fail_before_any_request(tmp_path: Path, bad: dict[str, Any]) -> None:
    servers = []
    with pytest.raises(InvalidInput):
        route(tmp_path, servers.append, lambda r: r.route(TASK, needs=bad))
    assert servers[0].requests == []


def test_many_tasks_get_a_decision_each_in_order(tmp_path: Path) -> None:
    def prepare(s: LlmServer) -> None:
        def answer(seen: Any) -> Any:
            if "needs" in json.dumps(seen.json["tools"]) and "Options" not in seen.text:
                return answers(difficulty="easy" if "EASY" in seen.text else "hard")
            return choose("beta/small" if '\\"easy\\"' in seen.text else "acme/strong")

        s.always("chat", answer)

    requests = [RouteRequest("EASY one"), RouteRequest("x", needs={"bad": 1}), "a HARD one"]
    results, server = route(tmp_path, prepare, lambda r: r.route_many(requests, limit=2))
    assert [getattr(item, "primary", item).__class__.__name__ for item in results] == [
        "Candidate", "InvalidInput", "Candidate",
    ]  # fmt: skip
    assert (str(results[0].primary), str(results[2].primary)) == ("beta/small", "acme/strong:high")
    assert server.most_open <= 2


def test_routing_changes_no_settings_and_a_record_is_not_rewritten(tmp_path: Path) -> None:
    async def ask(r: Router) -> tuple[str, str, Decision]:
        before = r.settings.to_json()
        decision = await r.route(TASK, needs=NEEDS)
        return before, r.settings.to_json(), decision

    (before, after, decision), _ = route(
        tmp_path, lambda s: s.script("chat", [choose("acme/strong")]), ask
    )
    assert before == after
    assert Decision.model_validate_json(decision.to_json()) == decision


def test_routing_works_in_plain_code_and_inside_a_running_loop(tmp_path: Path) -> None:
    with LlmServer().in_thread() as server:
        server.always("chat", choose("beta/small"))
        one = router(server, tmp_path)
        assert str(one.route_sync(TASK, needs=NEEDS).primary) == "beta/small"

        async def inside() -> Decision:
            return one.route_sync(TASK, needs=NEEDS)

        assert str(asyncio.run(inside()).primary) == "beta/small"


def test_listed_models_are_the_shortlist_whole(tmp_path: Path) -> None:
    limits = ModelConstraints(allowed_models=("acme/strong", "beta/strong", "acme/small"))
    decision, server = route(
        tmp_path,
        lambda s: s.script("chat", [choose("beta/strong")]),
        lambda r: r.route(TASK, needs=NEEDS, constraints=limits),
    )
    assert {o.model for o in decision.shortlist} == {"acme/strong", "beta/strong", "acme/small"}
    asked = server.requests[0].json["tools"][0]["function"]["parameters"]
    assert set(asked["properties"]["choice"]["enum"]) == {o.model for o in decision.shortlist}


def test_image_and_classifier_models_are_never_offered(tmp_path: Path) -> None:
    decision, _ = route(
        tmp_path,
        lambda s: s.script("chat", [choose("beta/small")]),
        lambda r: r.route(TASK, needs=NEEDS),
    )
    assert "judge/one" not in decision.candidates
    assert isinstance(live.catalog()["judge/one"], Model)


def test_a_faster_route_that_reads_is_asked_for_as_its_provider_wants(tmp_path: Path) -> None:
    hasty = Model(
        provider="acme",
        id="chat-fast",
        context_window=20_000,
        input_price=4.0,
        output_price=8.0,
        base_model="acme/chat",
        request_model="chat",
        request_options=(("service_tier", "priority"),),
    )

    async def ask(r: Router) -> Decision:
        r.catalog = live.catalog(hasty)
        return await r.route(TASK)

    decision, server = route(
        tmp_path,
        lambda s: s.script("chat", [answers(), choose("acme/strong")]),
        ask,
        routerModel="acme/chat-fast",
    )
    assert [r.json["service_tier"] for r in server.requests] == ["priority"] * 2
    assert (decision.reader, decision.requests[0].model) == ("acme/chat-fast", "acme/chat-fast")
    assert decision.requests[0].cost == pytest.approx((10 * 4.0 + 5 * 8.0) / 1e6)


def test_a_recording_holds_task_answers_choice_and_decision(tmp_path: Path) -> None:
    path = tmp_path / "routes.jsonl"
    rest = {name: value for name, value in NEEDS.items() if name != "work"}
    with RecordingWriter(path) as record:
        decision, server = route(
            tmp_path,
            lambda s: s.script("chat", [structured(rest), choose("acme/middle")]),
            lambda r: r.route(TASK, needs={"work": "coding"}),
            record=record,
        )
    lines = [json.loads(line) for line in path.read_text().splitlines()]
    assert [line["kind"] for line in lines] == [
        "recording", "task", "answers", "choice", "inputs", "parts", "decision",
    ]  # fmt: skip
    assert (lines[1]["text"], lines[1]["needs"]) == (TASK, {"work": "coding"})
    # only what the reader was asked
    assert "work" not in json.dumps(server.requests[0].json["tools"][0]["function"]["parameters"])
    assert lines[3]["model"] == "acme/middle"
    again = replay(
        load_recording(path),
        evals=live.evals(tmp_path),
        catalog=live.catalog(),
        settings=live.settings(server),
    )
    assert again.drifted == ()
    assert again.decision(lines[1]["id"]).canonical() == decision.canonical()


def test_a_recording_may_be_given_for_one_task(tmp_path: Path) -> None:
    path = tmp_path / "routes.jsonl"
    with RecordingWriter(path) as record:

        async def ask(r: Router) -> None:
            await r.route(TASK, needs=NEEDS)
            await r.route("Another one", needs=NEEDS, record=record)

        route(tmp_path, lambda s: s.always("chat", choose("acme/strong")), ask)
    assert TASK not in path.read_text()
    assert "Another one" in path.read_text()


def test_cancelling_one_of_many_touches_no_other(tmp_path: Path) -> None:
    async def ask(r: Router) -> list[Any]:
        stuck = asyncio.ensure_future(r.route("STUCK", needs={**NEEDS, "work": "writing"}))
        others = asyncio.ensure_future(
            r.route_many([RouteRequest("one", needs=NEEDS), RouteRequest("two", needs=NEEDS)])
        )
        await until(lambda: servers[0].open_now == 1 and others.done())
        stuck.cancel()
        with pytest.raises(asyncio.CancelledError):
            await stuck
        return await others

    servers: list[LlmServer] = []

    def prepare(s: LlmServer) -> None:
        servers.append(s)
        s.always("chat", lambda seen: Stall() if "writing" in seen.text else choose("acme/strong"))

    results, _ = route(tmp_path, prepare, ask)
    assert [str(one.primary) for one in results] == ["acme/strong:high"] * 2


def test_a_limit_below_one_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="limit must be at least 1, not 0"):
        route(tmp_path, lambda s: None, lambda r: r.route_many(["x"], limit=0))
