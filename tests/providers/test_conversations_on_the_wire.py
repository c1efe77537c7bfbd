"""Conversations that move between providers and models, on the wire (SPEC 9.6, 10)."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest
from support.llm_server import (
    LlmServer,
    Raw,
    call,
    say,
)
from support.providers import BOTH, PNG, READ, answered, ask, on_loopback

from routinglab.providers.chat import (
    ChatRequest,
    Message,
    ToolCall,
)
from routinglab.providers.registry import Providers

CONVERSATION = (
    Message("user", "start"),
    Message(
        "assistant",
        "calling ",
        tool_calls=(
            ToolCall("call:1/weird id", "read", '{"path": "a"}'),
            ToolCall("c2", "read", "{bad"),
        ),
        reasoning='{"reasoning_content": "secret thoughts"}',
        origin="elsewhere/other",
    ),
    Message("tool", "content of a", tool_call_id="call:1/weird id", images=(PNG,)),
    Message("tool", "broken arguments", tool_call_id="c2", is_error=True),
    Message("user", "and now?"),
)


@BOTH
def test_a_conversation_of_another_provider_is_taken_as_it_is(name: str) -> None:
    _, _, body = answered(name, say("ok"), ChatRequest("m", CONVERSATION, tools=(READ,)))
    text = json.dumps(body)
    assert "secret thoughts" not in text
    assert "{bad" in text
    assert base64.b64encode(PNG.data).decode() in text
    if name == "ant":
        roles = [turn["role"] for turn in body["messages"]]
        assert roles == ["user", "assistant", "user"]
        result = body["messages"][2]["content"][1]
        assert result["is_error"] is True
    else:
        roles = [turn["role"] for turn in body["messages"]]
        assert roles == ["user", "assistant", "tool", "tool", "user", "user"]
        assert json.loads(body["messages"][1]["tool_calls"][1]["function"]["arguments"]) == {
            "invalid_arguments": "{bad"
        }


@BOTH
def test_turns_without_text_are_still_turns(name: str) -> None:
    turns = (
        Message("user"),
        Message("assistant", "  " if name == "ant" else ""),
        Message("user", "x"),
    )
    assert answered(name, say("ok"), ChatRequest("m", turns))[0].text == "ok"


@BOTH
@pytest.mark.parametrize("stream", [False, True])
def test_reasoning_goes_back_to_the_model_that_wrote_it(name: str, stream: bool) -> None:
    async def test(server: LlmServer, providers: Providers) -> Any:
        client = providers.client(name)
        server.script("m", [call("read", {}, reasoning="thinking hard"), say("done")])
        heard: list[str] = []
        first = await client.chat(ask(tools=(READ,)), on_text=heard.append if stream else None)
        turns = (
            Message("user", "hi"),
            first.message(),
            Message("tool", "x", tool_call_id=first.tool_calls[0].id),
        )
        await client.chat(ChatRequest("m", turns, tools=(READ,)))
        await client.chat(ChatRequest("other", turns, tools=(READ,)))
        return heard, server.requests[1].json["messages"][1], server.requests[2].text

    heard, turn, elsewhere = on_loopback(test)
    assert heard == []
    assert "thinking hard" not in elsewhere
    if name == "ant":
        thought = {"type": "thinking", "thinking": "thinking hard", "signature": "c2lnbmVk"}
        assert turn["content"][0] == thought
    else:
        assert turn["reasoning_content"] == "thinking hard"


def test_anthropic_with_a_budget_joins_a_loop_of_another_model_without_thinking() -> None:
    turns = CONVERSATION[:-1]
    request = ChatRequest("claude-haiku-4-5", turns, tools=(READ,), effort="low")

    async def test(server: LlmServer, providers: Providers) -> Any:
        await providers.client("ant").chat(request)
        return server.requests[-1].json

    assert on_loopback(test)["thinking"] == {"type": "disabled"}


def test_a_stated_limit_bounds_the_thinking_budget() -> None:
    async def test(server: LlmServer, providers: Providers) -> Any:
        for limit in (8000, 500):
            request = ask(model="claude-haiku-4-5", effort="high", max_tokens=limit)
            await providers.client("ant").chat(request)
        return [seen.json for seen in server.requests]

    roomy, tight = on_loopback(test)
    assert (roomy["max_tokens"], roomy["thinking"]["budget_tokens"]) == (8000, 4000)
    assert "thinking" not in tight


def test_mistral_ids_and_fields_and_a_server_that_forces_any_tool() -> None:
    from routinglab.providers.openai_request import chat_body

    turns = CONVERSATION[:-1]
    body = chat_body("mistral", ChatRequest("m", turns, tools=(READ,)), stream=True)
    ids = [c["id"] for c in body["messages"][1]["tool_calls"]]
    assert all(len(i) == 9 and i.isalnum() for i in ids)
    assert [body["messages"][2]["tool_call_id"], body["messages"][3]["tool_call_id"]] == ids
    assert "stream_options" not in body
    forced = ask(tools=(READ,), force_tool="read")
    assert chat_body("llama.cpp", forced, stream=False)["tool_choice"] == "required"
    assert "tool_choice" not in chat_body("deepseek", forced, stream=False)


def test_turns_of_other_models_are_fitted_to_deepseek_and_gemini() -> None:
    from routinglab.providers.openai_request import chat_body

    turns = CONVERSATION[:-1]
    deepseek = chat_body("deepseek", ChatRequest("deepseek-v4-pro", turns), stream=False)
    assert deepseek["messages"][1]["reasoning_content"] == ""
    gemini = chat_body("google", ChatRequest("gemini-3-pro", turns), stream=False)
    extra = gemini["messages"][1]["tool_calls"][0]["extra_content"]
    assert extra == {"google": {"thought_signature": "skip_thought_signature_validator"}}


def test_a_thought_signature_goes_back_with_its_call() -> None:
    extra = {"extra_content": {"google": {"thought_signature": "abc"}}}
    one = {"id": "a", "function": {"name": "read", "arguments": "{}"}, **extra}
    body = {"choices": [{"message": {"tool_calls": [one]}, "finish_reason": "tool_calls"}]}

    async def test(server: LlmServer, providers: Providers) -> Any:
        server.script("m", [Raw(json.dumps(body).encode())])
        first = await providers.client("oai").chat(ask(tools=(READ,)))
        turns = (Message("user", "hi"), first.message(), Message("tool", "x", tool_call_id="a"))
        await providers.client("oai").chat(ChatRequest("m", turns, tools=(READ,)))
        return server.requests[1].json["messages"][1]["tool_calls"][0]

    assert on_loopback(test)["extra_content"] == extra["extra_content"]
