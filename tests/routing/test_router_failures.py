"""Live routing over real HTTP: what becomes of failures, secrets, cancelling and silence."""

from __future__ import annotations

import asyncio
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
from support.routes import NEEDS, TASK, choose, route, until

from routinglab.catalog.model import Catalog
from routinglab.core.agent import AgentBrief
from routinglab.errors import (
    NoEligibleModel,
    RoutingFailed,
    SecretFound,
    StaleCatalog,
)
from routinglab.routing.decision import Decision
from routinglab.routing.router import Router


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
    assert (
        "judge/one failed: judge has no key: set the environment variable" in decision.switches[0]
    )


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


def test_a_task_that_no_window_holds_degrades(tmp_path: Path) -> None:
    decision, server = route(tmp_path, lambda s: None, lambda r: r.route("x" * 700_000))
    assert server.requests == []
    assert "fits the window of no eligible model" in str(decision.degraded)


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
