"""The loopback server speaks as the real ones do: the vendors' own packages understand it."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import anthropic
import httpx
import openai
import pytest
from support.llm_server import (
    Called,
    Choose,
    LlmServer,
    Seen,
    calls,
    overloaded,
    rate_limited,
    refuse,
    refused_url,
    say,
    structured,
)

USER: Any = [{"role": "user", "content": "hi"}]
TOOL: Any = {"type": "function", "function": {"name": "read", "parameters": {"type": "object"}}}
TWO = calls(
    Called("read", {"path": "ä"}, "a"), Called("read", {"path": "b"}, "b"), text="Let me see"
)


def with_server(test: Any) -> Any:
    async def main() -> Any:
        async with LlmServer() as server:
            return await test(server)

    return asyncio.run(main())


def test_the_openai_package_reads_whole_answers_and_streams() -> None:
    async def test(server: LlmServer) -> None:
        client = openai.AsyncOpenAI(base_url=server.openai_url, api_key="k", max_retries=0)
        chat = client.chat.completions
        server.script("m", [say("Hello there"), TWO, say("Hello there"), TWO])
        whole = await chat.create(model="m", messages=USER)
        assert whole.choices[0].message.content == "Hello there"
        assert whole.usage is not None
        assert whole.usage.total_tokens == 15
        tools = await chat.create(model="m", messages=USER, tools=[TOOL])
        found = tools.choices[0].message.tool_calls or []
        assert [c.function.arguments for c in found] == ['{"path": "\\u00e4"}', '{"path": "b"}']
        assert tools.choices[0].finish_reason == "tool_calls"
        text = ""
        usage = None
        options: Any = {"include_usage": True}
        stream = await chat.create(model="m", messages=USER, stream=True, stream_options=options)
        async for chunk in stream:
            text += (chunk.choices[0].delta.content or "") if chunk.choices else ""
            usage = chunk.usage or usage
        assert text == "Hello there"
        assert usage is not None
        async with chat.stream(model="m", messages=USER, tools=[TOOL]) as events:
            final = await events.get_final_completion()
        last = final.choices[0].message.tool_calls or []
        assert [json.loads(c.function.arguments) for c in last] == [{"path": "ä"}, {"path": "b"}]
        await client.close()

    with_server(test)


def test_the_anthropic_package_reads_whole_answers_and_streams() -> None:
    async def test(server: LlmServer) -> None:
        client = anthropic.AsyncAnthropic(base_url=server.anthropic_url, api_key="k", max_retries=0)
        tools: Any = [{"name": "read", "input_schema": {"type": "object"}}]
        server.script("m", [say("Hello", reasoning="hm"), TWO, refuse("cyber")])
        whole = await client.messages.create(model="m", max_tokens=9, messages=USER)
        assert [block.type for block in whole.content] == ["thinking", "text"]
        assert whole.usage.output_tokens == 5
        async with client.messages.stream(
            model="m", max_tokens=9, messages=USER, tools=tools
        ) as stream:
            final = await stream.get_final_message()
        assert final.stop_reason == "tool_use"
        uses = [b for b in final.content if b.type == "tool_use"]
        assert [b.input for b in uses] == [{"path": "ä"}, {"path": "b"}]
        refused = await client.messages.create(model="m", max_tokens=9, messages=USER)
        assert refused.stop_reason == "refusal"
        assert refused.stop_details is not None
        assert refused.stop_details.category == "cyber"
        await client.close()

    with_server(test)


def test_both_packages_raise_their_own_errors() -> None:
    async def test(server: LlmServer) -> None:
        one = openai.AsyncOpenAI(base_url=server.openai_url, api_key="k", max_retries=0)
        other = anthropic.AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0)
        server.script("m", [rate_limited(3), overloaded()])
        with pytest.raises(openai.RateLimitError) as limited:
            await one.chat.completions.create(model="m", messages=USER)
        assert limited.value.response.headers["retry-after"] == "3"
        with pytest.raises(anthropic.APIStatusError) as busy:
            await other.messages.create(model="m", max_tokens=9, messages=USER)
        assert busy.value.status_code == 529
        await one.close()
        await other.close()

    with_server(test)


def test_a_request_the_real_api_refuses_is_refused() -> None:
    async def test(server: LlmServer) -> None:
        client = openai.AsyncOpenAI(base_url=server.openai_url, api_key="k", max_retries=0)
        orphan: Any = [*USER, {"role": "tool", "tool_call_id": "x", "content": "y"}]
        with pytest.raises(openai.BadRequestError, match="preceding"):
            await client.chat.completions.create(model="m", messages=orphan)
        other = anthropic.AsyncAnthropic(base_url=server.url, api_key="k", max_retries=0)
        with pytest.raises(anthropic.BadRequestError, match="alternate"):
            await other.messages.create(model="m", max_tokens=9, messages=[*USER, *USER])
        await client.close()
        await other.close()

    with_server(test)


def test_scripts_come_first_then_always_then_functions_and_all_is_logged() -> None:
    async def later(seen: Seen) -> Any:
        await asyncio.sleep(0)
        return say(f"you said {seen.json['messages'][0]['content']}")

    with LlmServer().in_thread() as server, httpx.Client(trust_env=False) as client:
        server.script("m", [say("first"), lambda seen: say(seen.path)])
        server.always("m", later)

        def ask() -> str:
            url = f"{server.openai_url}/chat/completions"
            answer = client.post(url, json={"model": "m", "messages": USER}).json()
            return str(answer["choices"][0]["message"]["content"])

        assert [ask(), ask(), ask()] == ["first", "/v1/chat/completions", "you said hi"]
        assert [seen.model for seen in server.requests] == ["m", "m", "m"]
        assert (server.unused("m"), server.connections, len(server.asked("m"))) == (0, 1, 3)
        url = f"{server.systemone_url}/v1/systemone"
        question = {"type": "choice", "instructions": "?", "criteria": {"a": "A", "b": "B"}}
        body = {"model": "c", "state": "s", "questions": {"q": question}}
        server.script("c", [Choose({"q": "b"})])
        choices = [client.post(url, json=body).json()["answers"]["q"]["choice"] for _ in range(2)]
        assert choices == ["b", "a"]
        assert client.get(f"{server.url}/nowhere").text == "404 page not found"
        assert structured({"x": 1}).calls[0].name == "structured_output"


def test_a_refused_address_refuses() -> None:
    with pytest.raises(httpx.ConnectError):
        httpx.get(refused_url(), trust_env=False)
