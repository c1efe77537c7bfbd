"""Structured answers: repairs, retries, waits, deadlines, cancellation (SPEC 7.10-7.12)."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from support.llm_server import (
    Called,
    Choose,
    Cut,
    Fail,
    Html,
    LlmServer,
    Raw,
    Reset,
    Seen,
    Stall,
    call,
    calls,
    malformed_json,
    out_of_quota,
    overloaded,
    rate_limited,
    refuse,
    say,
    structured,
)
from support.providers import on_loopback

from routinglab.providers.chat import ChatReply, ToolCall
from routinglab.providers.classify import Question
from routinglab.providers.registry import Providers
from routinglab.providers.retry import RetryPolicy
from routinglab.routing.structured import (
    Inference,
    Patience,
    ask_chat,
    ask_classifier,
)
from routinglab.routing.structured_answer import read_answer
from routinglab.settings import Settings

SCHEMA = {
    "type": "object",
    "properties": {
        "work": {"enum": ["coding", "writing"]},
        "needsImages": {"type": "boolean"},
    },
    "required": ["work", "needsImages"],
    "additionalProperties": False,
}
GOOD = {"work": "coding", "needsImages": False}
QUESTION = Question("model", "Which?", {"a": "A", "b": "B"})


class Naps:
    """A sleep that only notes how long it was asked for."""

    def __init__(self) -> None:
        self.taken: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.taken.append(seconds)


def asked(
    steps: list[Any], *, name: str = "oai", policy: RetryPolicy | None = None, effort: Any = None
) -> tuple[Inference, list[float], list[Any]]:
    """How the inference ended, how long it slept, and what was sent."""

    async def test(server: LlmServer, providers: Providers) -> Any:
        server.script("m", steps)
        server.always("m", Fail(418))
        naps = Naps()
        inference = await ask_chat(
            providers.client(name),
            f"{name}/m",
            purpose="needs",
            system="Answer the questions.",
            prompt="the task",
            schema=SCHEMA,
            effort=effort,
            patience=Patience(policy=policy or RetryPolicy(), sleep=naps),
            price=lambda read, written: read * 1e-6 + written * 2e-6,
        )
        return inference, naps.taken, [seen.json for seen in server.requests]

    return on_loopback(test)


@pytest.mark.parametrize("name", ["oai", "ant"])
def test_one_forced_tool_with_the_schema_and_a_valid_answer_stops(name: str) -> None:
    inference, naps, sent = asked([structured(GOOD, usage=(100, 10))], name=name)
    assert inference.answer == GOOD
    assert inference.error is None
    assert inference.responded == "m"
    assert naps == []
    (body,) = sent
    (tool,) = body["tools"]
    given = tool["function"]["parameters"] if name == "oai" else tool["input_schema"]
    assert given == SCHEMA
    choice = body["tool_choice"]
    assert (choice.get("name") or choice["function"]["name"]) == "structured_output"
    (request,) = inference.requests
    assert (request.purpose, request.model, request.kind) == ("needs", f"{name}/m", "chat")
    assert (request.outcome, request.status, request.error_type) == ("ok", 200, None)
    assert (request.input_tokens, request.output_tokens) == (100, 10)
    assert request.cost == pytest.approx(0.00012)
    assert request.seconds is not None
    assert request.request_id == "req-0"


TWICE = calls(Called("structured_output", GOOD), Called("structured_output", GOOD))
BAD = {
    "prose": say("I think it is coding."),
    "two calls": TWICE,
    "another tool": call("other", GOOD),
    "wrong value": structured({**GOOD, "work": "poetry"}),
    "coercible": structured({**GOOD, "needsImages": "false"}),
    "number for flag": structured({**GOOD, "needsImages": 0}),
    "missing field": structured({"work": "coding"}),
    "extra field": structured({**GOOD, "why": "x"}),
    "not an object": structured("[1]"),
    "no json": structured('{"work": "coding", '),
    "key twice": structured('{"work": "coding", "work": "writing", "needsImages": true}'),
    "NaN": structured('{"work": "coding", "needsImages": NaN}'),
    "truncated": structured(GOOD, finish="length"),
}


#: Anthropic's unstreamed answers hold objects, so broken JSON cannot come from there.
WAYS = [
    (name, what)
    for what, bad in BAD.items()
    for name in ("oai", "ant")
    if name == "oai" or not (bad.calls and isinstance(bad.calls[0].arguments, str))
]


@pytest.mark.parametrize(("name", "what"), WAYS)
def test_a_malformed_answer_is_corrected(name: str, what: str) -> None:
    inference, naps, sent = asked([BAD[what], structured(GOOD)], name=name)
    assert inference.answer == GOOD
    assert [request.outcome for request in inference.requests] == ["malformed", "ok"]
    assert naps == []
    assert len(sent[1]["messages"]) > len(sent[0]["messages"])
    assert "cannot be used" in json.dumps(sent[1])


def test_the_model_is_told_what_was_wrong() -> None:
    _, _, sent = asked([structured({**GOOD, "work": "poetry"}), say("hm"), structured(GOOD)])
    told = json.dumps(sent[1]["messages"][-1])
    assert "work" in told
    assert "poetry" in told
    assert "was not called" in json.dumps(sent[2]["messages"][-1])


def test_three_corrections_and_no_more() -> None:
    inference, _, sent = asked([say("no")] * 4 + [structured(GOOD)])
    assert inference.answer is None
    assert inference.error is not None
    assert inference.error.kind == "validation"
    assert len(sent) == len(inference.requests) == 4
    third = asked([say("no")] * 3 + [structured(GOOD)])
    assert third[0].answer == GOOD


@pytest.mark.parametrize(
    "failure",
    [rate_limited(), overloaded(), Fail(500), Fail(408), Html(502), Reset(), Cut(clean=False)],
    ids=repr,
)
def test_a_transient_failure_is_retried_with_doubling_waits(failure: Any) -> None:
    inference, naps, _ = asked([failure, failure, failure, structured(GOOD)])
    assert inference.answer == GOOD
    assert naps == [2.0, 4.0, 8.0]
    assert len(inference.requests) == 4
    assert inference.requests[-1].outcome == "ok"


def test_three_retries_in_all_whatever_the_attempt() -> None:
    steps = [Fail(500), say("prose"), Fail(500), Fail(500), Fail(500), structured(GOOD)]
    inference, naps, sent = asked(steps)
    assert inference.answer is None
    assert naps == [2.0, 4.0, 8.0]
    assert len(sent) == 5
    outcomes = [request.outcome for request in inference.requests]
    assert outcomes == ["provider_unavailable", "malformed", *["provider_unavailable"] * 3]
    assert inference.requests[0].status == 500
    assert inference.requests[0].error_type == "api_error"


@pytest.mark.parametrize(
    ("failure", "kind"),
    [
        (out_of_quota(), "quota"),
        (Fail(401), "auth"),
        (Fail(400), "request_incompatible"),
        (Html(404), "config"),
        (malformed_json(), "provider_unavailable"),
    ],
)
def test_other_failures_are_not_retried(failure: Any, kind: str) -> None:
    inference, naps, sent = asked([failure, structured(GOOD)])
    assert inference.answer is None
    assert inference.error is not None
    assert inference.error.kind == kind
    assert (naps, len(sent)) == ([], 1)


def test_a_refusal_is_neither_repaired_nor_retried() -> None:
    inference, _, sent = asked([refuse("cyber"), structured(GOOD)], name="ant")
    assert inference.error is not None
    assert (inference.error.kind, inference.error.category) == ("refusal", "cyber")
    assert len(sent) == 1
    assert inference.requests[0].outcome == "refusal"


@pytest.mark.parametrize(
    ("asks", "waited"),
    [
        ("5", 5.0),
        ("1.5", 1.5),
        ("0", 0.0),
        ("-9", 0.0),
        ("60", 60.0),
        ("Sat, 14 Nov 2020 22:13:50 GMT", 0.0),
    ],
)
def test_a_servers_wait_is_honoured(asks: str, waited: float) -> None:
    inference, naps, _ = asked([rate_limited(asks), structured(GOOD)])
    assert inference.answer == GOOD
    assert naps == [waited]


def test_a_wait_beyond_the_limit_fails_at_once_with_the_time_named() -> None:
    inference, naps, sent = asked([rate_limited("61"), structured(GOOD)])
    assert inference.answer is None
    assert (naps, len(sent)) == ([], 1)
    assert "asks to wait 61 s, longer than 60 s" in str(inference.error)


def test_the_settings_state_the_policy() -> None:
    retry = {"enabled": True, "maxRetries": 1, "baseDelayMs": 100, "maxRetryDelayMs": 150}
    policy = RetryPolicy.of(Settings(retry=retry))
    assert policy == RetryPolicy(1, 0.1, 0.15)
    inference, naps, _ = asked([Fail(500)] * 2 + [structured(GOOD)], policy=policy)
    assert (inference.answer, naps) == (None, [0.1])
    assert RetryPolicy.of(Settings(retry={"enabled": False})).max_retries == 0
    assert RetryPolicy.of(Settings()) == RetryPolicy(3, 2.0, 60.0)


def test_a_model_that_refuses_to_be_forced_is_offered_the_tool() -> None:
    refused = Fail(400, message="Thinking mode does not support this tool_choice")
    inference, _, sent = asked([refused, structured(GOOD)])
    assert inference.answer == GOOD
    assert "tool_choice" in sent[0]
    assert "tool_choice" not in sent[1]
    assert [request.outcome for request in inference.requests] == ["request_incompatible", "ok"]


def test_a_request_refused_for_another_reason_is_not_sent_again() -> None:
    inference, _, sent = asked(
        [Fail(400, message="The schema is not enforceable"), structured(GOOD)]
    )
    assert inference.answer is None
    assert len(sent) == 1


def test_an_inference_ends_at_its_deadline() -> None:
    async def test(server: LlmServer, providers: Providers) -> Any:
        server.script("m", [say("prose"), Stall()])
        loop = asyncio.get_running_loop()
        patience = Patience(deadline=loop.time() + 0.3, clock=loop.time)
        return await ask_chat(
            providers.client("oai"),
            "oai/m",
            purpose="choice",
            system="",
            prompt="p",
            schema=SCHEMA,
            patience=patience,
        )

    inference = on_loopback(test)
    assert inference.answer is None
    assert (inference.error.kind, inference.error.error_type) == ("network_timeout", "deadline")
    assert [request.outcome for request in inference.requests] == ["malformed", "deadline"]


def test_a_deadline_that_is_past_sends_nothing_more() -> None:
    async def test(server: LlmServer, providers: Providers) -> Any:
        server.always("m", Stall())
        patience = Patience(deadline=5.0, clock=lambda: 9.0)
        client = providers.client("oai")
        inference = await ask_chat(
            client,
            "oai/m",
            purpose="needs",
            system="",
            prompt="p",
            schema=SCHEMA,
            patience=patience,
        )
        return inference, len(server.requests)

    inference, sent = on_loopback(test)
    assert (inference.error.error_type, inference.requests, sent) == ("deadline", (), 0)


@pytest.mark.parametrize("where", ["request", "wait"])
def test_cancelling_stops_at_once_and_nothing_is_retried(where: str) -> None:
    async def test(server: LlmServer, providers: Providers) -> int:
        reached = asyncio.Event()

        def stall(seen: Seen) -> Stall:
            reached.set()
            return Stall()

        server.always("m", stall if where == "request" else Fail(500))

        async def long_nap(seconds: float) -> None:
            reached.set()
            await asyncio.sleep(3600)

        async def ask() -> Inference:
            return await ask_chat(
                providers.client("oai"),
                "oai/m",
                purpose="needs",
                system="",
                prompt="p",
                schema=SCHEMA,
                patience=Patience(sleep=long_nap),
            )

        task = asyncio.ensure_future(ask())
        await reached.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.sleep(0)
        return len(server.requests)

    assert on_loopback(test) == 1


def classified(steps: list[Any]) -> tuple[Inference, list[float], int]:
    async def test(server: LlmServer, providers: Providers) -> Any:
        server.script("m", steps)
        server.always("m", Fail(418))
        naps = Naps()
        inference = await ask_classifier(
            providers.classifier("cls"),
            "cls/m",
            purpose="choice",
            state={"agent": "worker"},
            questions=(QUESTION,),
            patience=Patience(sleep=naps),
        )
        return inference, naps.taken, len(server.requests)

    return on_loopback(test)


def test_a_classifier_is_asked_once() -> None:
    inference, _, sent = classified([Choose({"model": "b"})])
    assert inference.answer == {"model": "b"}
    assert sent == 1
    assert (inference.requests[0].kind, inference.requests[0].input_tokens) == ("classifier", 20)


@pytest.mark.parametrize(
    "step",
    [
        Choose({"model": "z"}),
        Raw(b'{"answers": {}}'),
        malformed_json(),
        Fail(413),
        Fail(401),
        Html(404),
    ],
    ids=repr,
)
def test_a_classifiers_answer_is_never_repaired(step: Any) -> None:
    inference, naps, sent = classified([step, Choose()])
    assert inference.answer is None
    assert inference.error is not None
    assert (naps, sent) == ([], 1)


def test_a_classifiers_transient_failures_are_retried_three_times() -> None:
    inference, naps, sent = classified([Fail(503), Reset(), rate_limited("7"), Choose()])
    assert inference.answer == {"model": "a"}
    assert naps == [2.0, 4.0, 7.0]
    assert sent == 4
    worn_out, naps, sent = classified([Fail(503)] * 4 + [Choose()])
    assert worn_out.answer is None
    assert (len(naps), sent) == (3, 4)


def test_a_valid_call_beside_some_prose_counts() -> None:
    reply = ChatReply(
        "Sure.", (ToolCall("a", "structured_output", json.dumps(GOOD)),), "tool_calls"
    )
    assert read_answer(reply, lambda _: "") == (GOOD, "")


def test_deeply_nested_arguments_are_malformed() -> None:
    reply = ChatReply("", (ToolCall("a", "structured_output", "[" * 100_000),), "tool_calls")
    assert read_answer(reply, lambda _: "")[0] is None
