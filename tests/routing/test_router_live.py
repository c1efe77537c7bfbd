"""Live routing over real HTTP: which requests are sent, what they hold, and what becomes of failures."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import live
from support.llm_server import (
    Called,
    Choose,
    Fail,
    LlmServer,
    Raw,
    Stall,
    call,
    calls,
    malformed_json,
    overloaded,
    rate_limited,
    refuse,
    say,
    structured,
)

from routinglab.catalog.model import Catalog, Model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.errors import (
    InvalidInput,
    NoEligibleModel,
    RoutingFailed,
    SecretFound,
    SettingsError,
    StaleCatalog,
)
from routinglab.routing.decision import Decision
from routinglab.routing.router import Router, RouteRequest

TASK = "Fix the flaky retry test in the invoicing service."
NEEDS = live.ALL_NEEDS


def router(server: LlmServer, folder: Path, **keys: Any) -> Router:
    options = {name: keys.pop(name) for name in ("sleep", "log", "env", "record") if name in keys}
    return Router(
        live.settings(server, **keys),
        live.catalog(),
        live.evals(folder),
        env=options.pop("env", live.ENV),
        **options,
    )


def route(tmp_path: Path, prepare: Any, ask: Any, **keys: Any) -> tuple[Any, LlmServer]:
    """Start a server, let ``prepare`` script it, and give what ``ask(router)`` gave."""

    async def main() -> tuple[Any, LlmServer]:
        async with LlmServer() as server:
            prepare(server)
            async with router(server, tmp_path, **keys) as one:
                return await ask(one), server

    return asyncio.run(main())


async def until(condition: Callable[[], bool]) -> None:
    """Let the loop run until the other side of a connection has noticed."""
    async with asyncio.timeout(10):
        while not condition():  # noqa: ASYNC110 - there is no event on the far side of a socket
            await asyncio.sleep(0.005)


def answers(**changes: Any) -> Any:
    return structured({**NEEDS, **changes})


def choose(model: str) -> Any:
    return structured({"choice": model})


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


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param([Fail(500)] * 4, id="server error, after three retries"),
        pytest.param([Fail(401)], id="key refused"),
        pytest.param([Fail(413)], id="too large"),
        pytest.param([malformed_json()], id="malformed"),
        pytest.param([Choose({"choice": "acme/unknown"})], id="unknown key"),
        pytest.param([Raw(b'{"answers": {}, "usage": {}}')], id="question not answered"),
    ],
)
def test_a_failing_classifier_switches_once_to_the_current_model(
    tmp_path: Path, bad: list[Any]
) -> None:
    def prepare(s: LlmServer) -> None:
        s.script("one", bad)
        # the chat model has its whole repair allowance
        s.script("chat", [say("prose"), call("structured_output", {}), choose("beta/small")])

    decision, server = route(
        tmp_path, prepare, lambda r: r.route(TASK, needs=NEEDS), routerModel="judge/one"
    )
    assert str(decision.primary) == "beta/small"
    assert [r.model for r in server.requests] == ["one"] * len(bad) + ["chat"] * 3
    assert len(decision.switches) == 1
    assert "judge/one failed" in decision.switches[0]
    assert (decision.router.kind, decision.degraded) == ("chat", None)


def test_a_classifier_without_its_key_switches_without_a_request(tmp_path: Path) -> None:
    decision, server = route(
        tmp_path,
        lambda s: s.script("chat", [choose("beta/small")]),
        lambda r: r.route(TASK, needs=NEEDS),
        routerModel="judge/one",
        env={"ACME_KEY": live.KEY},
    )
    assert [r.model for r in server.requests] == ["chat"]
    assert decision.requests[0].outcome == "not sent: missing_key"


def test_bad_answers_are_repaired_three_times_and_then_degrade(tmp_path: Path) -> None:
    bad = [
        say("I would pick strong."),
        calls(Called("structured_output", {"choice": "acme/strong"}), Called("structured_output")),
        structured({"choice": "nobody"}),
        structured({"choice": "acme/strong", "why": "x"}),
    ]
    decision, server = route(
        tmp_path, lambda s: s.script("chat", bad), lambda r: r.route(TASK, needs=NEEDS)
    )
    assert len(server.requests) == 4
    assert decision.degraded is not None
    assert (str(decision.primary), decision.chosen_by) == ("acme/chat", "current")
    assert decision.fallbacks == ()


def test_a_valid_answer_stops_repairs(tmp_path: Path) -> None:
    decision, server = route(
        tmp_path,
        lambda s: s.script("chat", [say("prose"), choose("acme/strong"), choose("beta/small")]),
        lambda r: r.route(TASK, needs=NEEDS),
    )
    assert len(server.requests) == 2
    assert str(decision.primary) == "acme/strong:high"
    assert "was not called" in server.requests[1].text


def test_transient_failures_are_retried_three_times_in_all(tmp_path: Path) -> None:
    waits: list[float] = []

    async def sleep(seconds: float) -> None:
        waits.append(seconds)

    decision, server = route(
        tmp_path,
        lambda s: s.script(
            "chat", [rate_limited(7), say("prose"), overloaded(), Fail(503), choose("beta/small")]
        ),
        lambda r: r.route(TASK, needs=NEEDS),
        sleep=sleep,
        retry={"baseDelayMs": 1000},
    )
    assert len(server.requests) == 5
    assert waits == [7.0, 2.0, 4.0]
    assert str(decision.primary) == "beta/small"


def test_a_wait_of_over_a_minute_fails_at_once(tmp_path: Path) -> None:
    decision, server = route(
        tmp_path,
        lambda s: s.script("chat", [rate_limited(61)]),
        lambda r: r.route(TASK, needs=NEEDS),
    )
    assert len(server.requests) == 1
    assert "rate_limit" in str(decision.degraded)


def test_a_reader_that_fails_lets_the_current_model_stand_in(tmp_path: Path) -> None:
    decision, server = route(
        tmp_path, lambda s: s.script("chat", [refuse()]), lambda r: r.route(TASK)
    )
    assert len(server.requests) == 1
    assert str(decision.degraded).startswith("reading the task: acme/chat failed")
    assert str(decision.primary) == "acme/chat"


def test_standing_in_has_to_satisfy_every_constraint(tmp_path: Path) -> None:
    with pytest.raises(RoutingFailed, match="acme/chat does not satisfy the constraints"):
        route(
            tmp_path,
            lambda s: s.script("chat", [refuse()]),
            lambda r: r.route(TASK, constraints={"allowedEfforts": ["high"]}),
        )


def test_without_a_current_model_nothing_stands_in(tmp_path: Path) -> None:
    with pytest.raises(RoutingFailed, match="no current model"):
        route(tmp_path, lambda s: None, lambda r: r.route(TASK), currentModel=None)


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


def test_a_task_that_no_window_holds_degrades(tmp_path: Path) -> None:
    decision, server = route(tmp_path, lambda s: None, lambda r: r.route("x" * 700_000))
    assert server.requests == []
    assert "fits the window of no eligible model" in str(decision.degraded)


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


PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIEpAIBAAKCAQEA75aFZ\n-----END RSA PRIVATE KEY-----"


@pytest.mark.parametrize(
    ("task", "agent"),
    [
        (f"call it with {live.KEY} please", None),
        (f"deploy with this:\n{PEM}", None),
        ("curl -H 'Authorization: Bearer abcdef0123456789abcdef'", None),
        (TASK, AgentBrief("worker", f"uses {live.KEY}")),
    ],
)
def test_secrets_send_nothing_and_are_not_shown(
    tmp_path: Path, task: str, agent: AgentBrief | None
) -> None:
    servers = []
    with pytest.raises(SecretFound, match="remove secrets") as caught:
        route(tmp_path, servers.append, lambda r: r.route(task, agent=agent))
    assert servers[0].requests == []
    assert live.KEY not in str(caught.value)
    assert "MIIE" not in str(caught.value)


def test_a_model_that_goes_away_meanwhile_is_no_longer_eligible(tmp_path: Path) -> None:
    async def ask(r: Router) -> Decision:
        async def take_away(seen: Any) -> Any:
            r.catalog = Catalog(m for m in r.catalog if m.full_id != "acme/strong")
            return choose("acme/strong")

        servers[0].script("chat", [take_away])
        return await r.route(TASK, needs=NEEDS)

    servers: list[LlmServer] = []
    with pytest.raises(StaleCatalog, match="acme/strong:high is no longer eligible"):
        route(tmp_path, servers.append, ask)


def test_a_key_that_goes_away_meanwhile_is_noticed(tmp_path: Path) -> None:
    env = dict(live.ENV)

    async def revoke(seen: Any) -> Any:
        env.clear()
        return choose("acme/strong")

    with pytest.raises((StaleCatalog, NoEligibleModel)):
        route(
            tmp_path,
            lambda s: s.script("chat", [revoke]),
            lambda r: r.route(TASK, needs=NEEDS),
            env=env,
        )


@pytest.mark.parametrize("phase", ["needs", "choice"])
def test_cancelling_stops_at_once_and_leaves_no_request(tmp_path: Path, phase: str) -> None:
    async def ask(r: Router) -> None:
        task = asyncio.ensure_future(r.route(TASK, needs=NEEDS if phase == "choice" else None))
        await until(lambda: servers[0].open_now == 1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await until(lambda: servers[0].open_now == 0)
        assert len(servers[0].requests) == 1
        others = asyncio.all_tasks() - {asyncio.current_task()}
        assert not [t for t in others if "route" in repr(t.get_coro())]

    servers: list[LlmServer] = []

    def prepare(s: LlmServer) -> None:
        servers.append(s)
        s.script("chat", [Stall()])

    route(tmp_path, prepare, ask)


def test_the_deadline_counts_as_a_failed_inference(tmp_path: Path) -> None:
    decision, server = route(
        tmp_path,
        lambda s: s.script("chat", [Stall()]),
        lambda r: r.route(TASK, needs=NEEDS),
        httpIdleTimeoutMs=150,
    )
    assert len(server.requests) == 1
    assert "deadline" in str(decision.degraded)
    assert decision.requests[0].outcome == "deadline"


@pytest.mark.parametrize("debug", [True, False])
def test_switches_are_silent_unless_asked_for(tmp_path: Path, debug: bool) -> None:
    lines: list[str] = []
    env = live.ENV | ({"ATOMIC_MODEL_ROUTING_DEBUG": "1"} if debug else {})
    decision, _ = route(
        tmp_path,
        lambda s: (
            s.script("one", [Fail(401, f"secret provider text {live.KEY}")]),
            s.script("chat", [choose("beta/small")]),
        ),
        lambda r: r.route(TASK, needs=NEEDS),
        routerModel="judge/one",
        env=env,
        log=lines.append,
    )
    expected = "choice: judge/one failed (HTTP 401, auth"
    assert decision.switches[0].startswith(expected)
    if debug:
        assert [line.startswith(f"routinglab: {expected}") for line in lines] == [True]
        assert "secret provider text" not in lines[0]
        assert live.KEY not in lines[0]
    else:
        assert lines == []


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


def test_a_missing_evals_file_lets_the_current_model_stand_in(tmp_path: Path) -> None:
    async def main() -> Decision:
        async with LlmServer() as server:
            one = Router(live.settings(server), live.catalog(), tmp_path / "none.md", env=live.ENV)
            async with one:
                decision = await one.route(TASK)
                assert server.requests == []
                return decision

    decision = asyncio.run(main())
    assert decision.degraded == "evals.md is missing or empty"
    assert str(decision.primary) == "acme/chat"


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
