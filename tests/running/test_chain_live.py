"""The fallback chain over real HTTP: what advances it, what ends it, what each attempt records."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import live
from support.llm_server import (
    Called,
    Fail,
    Html,
    Reset,
    calls,
    out_of_quota,
    overloaded,
    rate_limited,
    refuse,
    refused_url,
    say,
)
from support.runs import Scene, agent, scene

from routinglab.errors import InvalidInput, RunFailed
from routinglab.running.runner import Runner
from routinglab.running.summary import final_answer
from routinglab.running.toolbox import python_tool

TOO_LONG = Fail(
    400,
    {
        "error": {
            "message": "This model's maximum context length is 8192 tokens.",
            "code": "context_length_exceeded",
        }
    },
)


def test_quota_then_context_length_then_an_answer(tmp_path: Path) -> None:
    ran: list[str] = []

    def note(text: str) -> str:
        """Write a note."""
        ran.append(text)
        return "noted"

    async def act(s: Scene) -> None:
        s.server.script("strong", [out_of_quota()])
        s.server.script("middle", [TOO_LONG])
        s.server.script("small", [calls(Called("note", {"text": "a"})), say("done")])
        chosen = agent(
            "acme/strong:high",
            tools=("note",),
            fallback_models=("acme/middle:low", "beta/small"),
        )
        result = await s.run(chosen)
        assert (result.status, result.text) == ("ok", "done")
        assert str(result.used) == "beta/small"
        assert [(str(a.candidate), a.kind, a.failure, a.effort) for a in result.attempts] == [
            ("acme/strong:high", "failed", "quota", "high"),
            ("acme/middle:low", "failed", "request_incompatible", "low"),
            ("beta/small", "ok", None, None),
        ]
        assert [a.status for a in result.attempts] == [429, 400, None]
        assert result.attempts[0].code == "insufficient_quota"
        assert s.asked() == ["strong", "middle", "small", "small"]
        assert s.server.requests[0].json["reasoning_effort"] == "high"
        assert s.server.requests[1].json["reasoning_effort"] == "low"
        # quota moves on at once
        assert s.waits == []

    scene(tmp_path, act, runner={"tools": [python_tool(note)]})
    assert ran == ["a"]


ADVANCES: dict[str, Any] = {
    "quota": out_of_quota(),
    "auth": Fail(401),
    "model_unavailable": Fail(404, {"error": {"message": "x", "code": "model_not_found"}}),
    "request_incompatible": TOO_LONG,
    "provider_unavailable": overloaded(),
    "network_timeout": Reset(),
}


@pytest.mark.parametrize("kind", ADVANCES)
def test_these_kinds_advance_at_once(tmp_path: Path, kind: str) -> None:
    async def act(s: Scene) -> None:
        s.server.always("strong", ADVANCES[kind])
        s.server.always("middle", say("second"))
        result = await s.run(agent(fallback_models=("acme/middle",)))
        assert [(a.kind, a.failure) for a in result.attempts] == [("failed", kind), ("ok", None)]
        assert (result.text, str(result.used)) == ("second", "acme/middle")
        assert s.asked() == ["strong", "middle"]
        assert s.waits == []
        assert result.switches == (f"acme/strong: {kind}",)

    scene(tmp_path, act)


STOPS: dict[str, tuple[Any, str]] = {
    "refusal": (refuse("cyber"), "refusal"),
    "filtered": (Fail(400, {"error": {"message": "x", "code": "content_filter"}}), "refusal"),
    "config": (Html(404, "Not Found"), "config"),
    "unknown": (Fail(418, {"error": {"message": "teapot"}}), "unknown"),
}


@pytest.mark.parametrize("case", STOPS)
def test_these_failures_end_the_chain(tmp_path: Path, case: str) -> None:
    behaviour, kind = STOPS[case]

    async def act(s: Scene) -> None:
        s.server.always("strong", behaviour)
        result = await s.run(agent(fallback_models=("acme/middle",)))
        assert [a.failure for a in result.attempts] == [kind]
        assert (result.status, result.failure, result.used) == ("failed", kind, None)
        assert s.asked() == ["strong"]
        with pytest.raises(RunFailed, match="acme/strong failed: "):
            final_answer(result)

    scene(tmp_path, act)


def test_a_refusal_keeps_its_category_and_what_was_said(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("small", refuse("bio", text="I will not"))
        result = await s.run(agent("beta/small", fallback_models=("acme/middle",)))
        [attempt] = result.attempts
        assert (attempt.failure, attempt.category, attempt.partial) == (
            "refusal", "bio", "I will not",
        )  # fmt: skip
        # the refused answer was paid for
        assert (attempt.input_tokens, attempt.output_tokens, attempt.steps) == (10, 5, 1)

    scene(tmp_path, act)


def test_a_page_instead_of_an_api_names_host_and_path(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("strong", Html(404, "Not Found"))
        result = await s.run(agent())
        host = s.server.url.removeprefix("http://")
        assert f"{host}/v1/chat/completions" in (result.error or "")

    scene(tmp_path, act)


def test_a_rate_limit_waits_then_retries_then_advances(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("strong", rate_limited(7))
        s.server.always("middle", say("second"))
        result = await s.run(agent(fallback_models=("acme/middle",)))
        assert [(a.kind, a.failure) for a in result.attempts] == [
            ("failed", "rate_limit"), ("ok", None),
        ]  # fmt: skip
        # one try and maxRetries more, each after the wait the server asked for
        assert s.asked() == ["strong"] * 3 + ["middle"]
        assert s.waits == [7.0, 7.0]
        assert "rate_limit: asking acme/strong again in 7.0 s" in s.told("waiting")[0].text

    scene(tmp_path, act, retry={"maxRetries": 2, "baseDelayMs": 0})


def test_a_rate_limit_that_passes_costs_no_attempt(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [rate_limited(), rate_limited(), say("there")])
        result = await s.run(agent(fallback_models=("acme/middle",)))
        assert [a.kind for a in result.attempts] == ["ok"]
        assert result.text == "there"
        # no wait was asked for: the base delay, doubled each time
        assert s.waits == [0.5, 1.0]

    scene(tmp_path, act, retry={"baseDelayMs": 500})


def test_a_wait_beyond_the_limit_advances_at_once_and_is_named(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("strong", rate_limited(3600))
        s.server.always("middle", say("second"))
        result = await s.run(agent(fallback_models=("acme/middle",)))
        assert s.asked() == ["strong", "middle"]
        assert s.waits == []
        assert "3,600 s" in result.attempts[0].message

    scene(tmp_path, act)


def test_retries_can_be_switched_off(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("*", rate_limited(1))
        result = await s.run(agent(fallback_models=("acme/middle",)))
        assert s.asked() == ["strong", "middle", "chat"]
        assert result.status == "failed"

    scene(tmp_path, act, retry={"enabled": False})


def test_only_the_last_candidate_waits_for_an_outage(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("strong", overloaded())
        s.server.script("chat", [overloaded(), say("at last")])
        result = await s.run(agent())
        assert s.asked() == ["strong", "chat", "chat"]
        assert [a.failure for a in result.attempts] == ["provider_unavailable", None]
        assert result.text == "at last"

    scene(tmp_path, act)


def test_nobody_answers(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("*", Fail(401, message="bad key"))
        result = await s.run(agent(fallback_models=("acme/middle",)))
        assert (result.status, result.failure, result.text) == ("failed", "auth", "")
        assert result.error is not None
        assert result.error.startswith("acme/chat failed (after 2 others failed): acme refused ")
        assert (result.cost, result.input_tokens) == (None, None)
        assert [a.cost for a in result.attempts] == [None, None, None]
        with pytest.raises(RunFailed) as raised:
            final_answer(result)
        assert len(raised.value.attempts) == 3

    scene(tmp_path, act)


def test_steps_run_out_with_a_clear_outcome(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("strong", calls(Called("ls"), text="still looking"))
        result = await s.run(agent(tools=("ls",), max_steps=3))
        assert (result.status, result.text) == ("out_of_steps", "still looking")
        assert len(s.server.requests) == 3
        assert result.error == (
            "the child used all its 3 steps without a final answer; raise max-steps, or go on from "
            "its transcript"
        )
        with pytest.raises(RunFailed, match="all its 3 steps"):
            final_answer(result)

    scene(tmp_path, act)


def test_steps_are_counted_over_candidates(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("ls")), calls(Called("ls")), Fail(401)])
        s.server.always("middle", calls(Called("ls")))
        result = await s.run(agent(tools=("ls",), max_steps=3, fallback_models=("acme/middle",)))
        assert result.status == "out_of_steps"
        assert s.asked() == ["strong"] * 3 + ["middle"]
        assert [a.steps for a in result.attempts] == [2, 1]

    scene(tmp_path, act)


def test_an_unreachable_provider_advances(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.always("chat", say("from chat"))
        result = await s.run(agent("nowhere/model"))
        assert [(a.kind, a.failure) for a in result.attempts] == [
            ("failed", "network_timeout"), ("ok", None),
        ]  # fmt: skip

    async def with_nowhere(s: Scene) -> None:
        providers = s.runner.router.settings.to_dict()["providers"]
        keyed = {k: {n: v for n, v in p.items() if v} for k, p in providers.items()}
        keyed["nowhere"] = {"baseUrl": refused_url()}
        settings = live.settings(s.server, providers=keyed)
        router = type(s.runner.router)(settings, live.catalog(), live.evals(s.folder), env=live.ENV)
        async with Runner(router, workspace=s.folder, transcripts=None) as runner:
            await act(Scene(s.server, runner, s.folder))

    scene(tmp_path, with_nowhere)


def test_an_unsupported_effort_on_the_requested_model_lists_the_levels(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        with pytest.raises(InvalidInput, match="effort 'max'; it has low, medium, high"):
            await s.run(agent("acme/strong:max"))
        with pytest.raises(InvalidInput, match="'high'; it has no configurable effort"):
            await s.run(agent("acme/small"), effort="high")
        assert s.server.requests == []

    scene(tmp_path, act)


def test_switches_are_printed_only_where_asked_for(tmp_path: Path) -> None:
    lines: list[str] = []

    async def act(s: Scene) -> None:
        s.server.always("strong", out_of_quota())
        await s.run(agent("acme/strong", fallback_models=("beta/strong:max",)))

    scene(tmp_path, act, router={"log": lines.append})
    assert lines == []
    env = {**live.ENV, "ATOMIC_MODEL_ROUTING_DEBUG": "1"}
    scene(tmp_path, act, router={"log": lines.append}, env=env)
    assert lines == [
        "routinglab: run: acme/strong failed (HTTP 429, quota)",
        "routinglab: run: beta/strong:max skipped (it does not support effort max; it has low, medium, high)",
    ]
