"""Both chat protocols over real HTTP on loopback (SPEC 10)."""

from __future__ import annotations

import asyncio
import base64
import json
from dataclasses import dataclass
from typing import Any

import pytest
from support.llm_server import (
    Called,
    Exchange,
    LlmServer,
    Raw,
    Reply,
    Stall,
    Trickle,
    call,
    calls,
    refuse,
    say,
)
from support.llm_server_behaviours import stream_of
from support.llm_server_wire import sse
from support.providers import BOTH, KEY, PNG, READ, answered, ask, on_loopback

from routinglab.errors import ProviderError
from routinglab.providers.chat import (
    ChatReply,
    ChatRequest,
    Message,
    Usage,
)
from routinglab.providers.registry import Providers


@BOTH
@pytest.mark.parametrize("stream", [False, True])
def test_text_usage_model_and_request_id(name: str, stream: bool) -> None:
    reply, heard, body = answered(name, say("Hello, wörld!  Yes", usage=(11, 7)), stream=stream)
    assert (reply.text, reply.finish, reply.model) == ("Hello, wörld!  Yes", "stop", "m")
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (11, 7)
    assert (reply.request_id, reply.origin) == ("req-0", f"{name}/m")
    assert heard == (["Hello,", " wörld!", "  Yes"] if stream else [])
    assert body.get("stream", False) is stream


@BOTH
@pytest.mark.parametrize("stream", [False, True])
def test_parallel_tool_calls(name: str, stream: bool) -> None:
    two = calls(Called("read", {"path": "ä"}, "id-1"), Called("ls", {}, "id-2"), text="Looking")
    reply, _, _ = answered(name, two, ask(tools=(READ,)), stream=stream)
    assert reply.finish == "tool_calls"
    assert reply.text == "Looking"
    assert [(c.id, c.name, json.loads(c.arguments)) for c in reply.tool_calls] == [
        ("id-1", "read", {"path": "ä"}),
        ("id-2", "ls", {}),
    ]


@BOTH
def test_arguments_that_are_no_json_are_kept_as_text(name: str) -> None:
    broken = '{"path": "unfinish'
    reply, _, _ = answered(name, call("read", broken), stream=True)
    assert reply.tool_calls[0].arguments == broken


def test_arguments_that_are_no_json_are_kept_in_a_whole_answer_too() -> None:
    reply, _, _ = answered("oai", call("read", "{not json"))
    assert reply.tool_calls[0].arguments == "{not json"


@BOTH
@pytest.mark.parametrize("stream", [False, True])
def test_a_truncated_answer_says_so(name: str, stream: bool) -> None:
    assert answered(name, say("cut", finish="length"), stream=stream)[0].finish == "length"


@BOTH
@pytest.mark.parametrize("stream", [False, True])
def test_a_refusal_is_no_answer_and_keeps_its_category(name: str, stream: bool) -> None:
    reply, _, _ = answered(name, refuse("cyber"), stream=stream)
    error = reply.refusal()
    assert reply.finish == "refusal"
    assert error is not None
    assert error.kind == "refusal"
    assert error.category == ("cyber" if name == "ant" else None)
    assert answered(name, say("fine"))[0].refusal() is None


def test_a_refusal_field_is_a_refusal() -> None:
    body = {
        "choices": [{"message": {"refusal": "I can't", "content": None}, "finish_reason": "stop"}]
    }
    reply, _, _ = answered("oai", Raw(json.dumps(body).encode()))
    assert (reply.finish, reply.text) == ("refusal", "I can't")


@BOTH
@pytest.mark.parametrize("split", [1, 2, 3, 7])
def test_a_stream_cut_into_any_portions_reads_the_same(name: str, split: int) -> None:
    step = calls(Called("read", {"path": "€😀"}, "a"), text="Grüße 😀", split=split)
    reply, heard, _ = answered(name, step, stream=True)
    assert (reply.text, "".join(heard)) == ("Grüße 😀", "Grüße 😀")
    assert json.loads(reply.tool_calls[0].arguments) == {"path": "€😀"}


@BOTH
@pytest.mark.parametrize("stream", [False, True])
def test_a_trickling_answer_arrives_whole(name: str, stream: bool) -> None:
    assert answered(name, Trickle(say("slow but sure")), stream=stream)[0].text == "slow but sure"


@BOTH
def test_a_stream_without_its_end_mark_is_complete(name: str) -> None:
    assert answered(name, say("ok then", done=False), stream=True)[0].text == "ok then"


@BOTH
def test_a_whole_answer_to_a_streamed_request_is_read(name: str) -> None:
    whole = {
        "choices": [{"message": {"content": "whole"}, "finish_reason": "stop"}],
        "content": [{"type": "text", "text": "whole"}],
        "stop_reason": "end_turn",
    }
    reply, heard, _ = answered(name, Raw(json.dumps(whole).encode()), stream=True)
    assert (reply.text, heard) == ("whole", ["whole"])


def test_a_stream_with_crlf_comments_and_another_type_is_read() -> None:
    delta = {"choices": [{"delta": {"content": "hi"}, "finish_reason": None}]}
    end = {"choices": [{"delta": {}, "finish_reason": "stop"}]}
    text = f": waiting\r\n\r\ndata: {json.dumps(delta)}\r\n\r\ndata: {json.dumps(end)}\r\n\r\n"
    reply, _, _ = answered("oai", Raw(text.encode(), "text/plain", split=5), stream=True)
    assert reply.text == "hi"


def test_calls_without_index_or_with_one_index_for_all_are_told_apart() -> None:
    def part(id: str, name: str, arguments: str, **index: int) -> dict[str, Any]:
        return {**index, "id": id, "function": {"name": name, "arguments": arguments}}

    for index in ({"index": 0}, {}):
        first = {"choices": [{"delta": {"tool_calls": [part("a", "read", '{"n":1}', **index)]}}]}
        second = {"choices": [{"delta": {"tool_calls": [part("b", "read", '{"n":2}', **index)]}}]}
        end = {"choices": [{"delta": {}, "finish_reason": "tool_calls"}]}
        body = b"".join(map(sse, (first, second, end)))
        reply, _, _ = answered("oai", Raw(body, "text/event-stream"), stream=True)
        assert [(c.id, c.arguments) for c in reply.tool_calls] == [
            ("a", '{"n":1}'),
            ("b", '{"n":2}'),
        ]


def test_a_call_without_an_id_gets_one_and_object_arguments_become_text() -> None:
    call = {"function": {"name": "read", "arguments": {"path": "x"}}}
    body = {"choices": [{"message": {"tool_calls": [call, call]}, "finish_reason": "stop"}]}
    reply, _, _ = answered("oai", Raw(json.dumps(body).encode()))
    first, second = reply.tool_calls
    assert first.id
    assert first.id != second.id
    assert json.loads(first.arguments) == {"path": "x"}
    assert reply.finish == "tool_calls"


def test_usage_counts_cached_and_reasoning_tokens() -> None:
    told = {
        "prompt_tokens": 100,
        "completion_tokens": 40,
        "prompt_tokens_details": {"cached_tokens": 60},
        "completion_tokens_details": {"reasoning_tokens": 30},
    }
    body = {"choices": [{"message": {"content": "x"}, "finish_reason": "stop"}], "usage": told}
    assert answered("oai", Raw(json.dumps(body).encode()))[0].usage == Usage(100, 40, 60, 30)
    used = {
        "input_tokens": 10,
        "cache_read_input_tokens": 50,
        "cache_creation_input_tokens": 40,
        "output_tokens": 7,
    }
    message = {"content": [{"type": "text", "text": "x"}], "stop_reason": "end_turn", "usage": used}
    assert answered("ant", Raw(json.dumps(message).encode()))[0].usage == Usage(100, 7, 50, None)


def test_usage_not_told_is_unknown_and_sums_keep_what_is_known() -> None:
    reply, _, body = answered("oai", say("x", usage=None), stream=True)
    assert reply.usage == Usage()
    assert body["stream_options"] == {"include_usage": True}
    assert Usage(1, None) + Usage(2, 3) == Usage(3, 3)


@BOTH
def test_system_tools_images_and_limits_are_sent(name: str) -> None:
    request = ChatRequest(
        "m",
        (Message("user", "look", images=(PNG,)),),
        system="be brief",
        tools=(READ,),
        force_tool="read",
        max_tokens=77,
    )
    _, _, body = answered(name, say("ok"), request)
    data = base64.b64encode(PNG.data).decode()
    assert body["max_tokens"] == 77
    if name == "oai":
        assert body["messages"][0] == {"role": "system", "content": "be brief"}
        assert body["messages"][1]["content"] == [
            {"type": "text", "text": "look"},
            {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{data}"}},
        ]
        assert body["tools"][0]["function"]["parameters"] == dict(READ.schema)
        assert body["tool_choice"] == {"type": "function", "function": {"name": "read"}}
    else:
        assert body["system"] == "be brief"
        source = {"type": "base64", "media_type": "image/png", "data": data}
        assert body["messages"][0]["content"] == [
            {"type": "image", "source": source},
            {"type": "text", "text": "look"},
        ]
        assert body["tools"][0]["input_schema"] == dict(READ.schema)
        assert body["tool_choice"]["name"] == "read"


@BOTH
def test_an_async_listener_is_awaited_and_its_error_is_its_own(name: str) -> None:
    async def test(server: LlmServer, providers: Providers) -> list[str]:
        heard: list[str] = []

        async def listen(text: str) -> None:
            await asyncio.sleep(0)
            heard.append(text)

        await providers.client(name).chat(ask(), on_text=listen)

        def broken(text: str) -> None:
            raise BrokenPipeError("the terminal is gone")

        with pytest.raises(BrokenPipeError):
            await providers.client(name).chat(ask(), on_text=broken)
        return heard

    assert on_loopback(test) == ["ok"]


@BOTH
def test_cancelling_closes_the_connection_at_once(name: str) -> None:
    async def test(server: LlmServer, providers: Providers) -> tuple[list[str], int]:
        server.always("m", Stall(text="first words"))
        heard: list[str] = []
        arrived = asyncio.Event()

        def listen(text: str) -> None:
            heard.append(text)
            arrived.set()

        task = asyncio.ensure_future(providers.client(name).chat(ask(), on_text=listen))
        await asyncio.wait_for(arrived.wait(), 10)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        server.always("m", say("next"))
        assert (await providers.client(name).chat(ask())).text == "next"
        return heard, len(server.requests)

    heard, requests = on_loopback(test)
    assert heard[0] == "first"
    assert requests == 2


@BOTH
def test_a_quiet_server_may_finish_there_is_no_read_timeout(name: str) -> None:
    from routinglab.providers.transport import TIMEOUT

    assert TIMEOUT.read is None
    assert TIMEOUT.write is None
    assert TIMEOUT.connect == 30.0
    assert TIMEOUT.pool == 60.0
    assert answered(name, Reply("late", delay=0.2))[0].text == "late"


def test_a_lone_surrogate_in_a_prompt_is_no_crash() -> None:
    _, _, body = answered("oai", say("ok"), ask("odd \ud800 text"))
    assert body["messages"][0]["content"] == "odd ? text"


def test_five_hundred_requests_at_once_all_answer() -> None:
    async def test(server: LlmServer, providers: Providers) -> tuple[int, int]:
        server.always("m", say("x", delay=0.3))
        client = providers.client("oai")
        replies = await asyncio.gather(*(client.chat(ask(str(n))) for n in range(500)))
        return sum(reply.text == "x" for reply in replies), server.most_open

    answered_, most = on_loopback(test)
    assert answered_ == 500
    assert most > 100


def test_the_key_is_sent_where_each_protocol_wants_it() -> None:
    async def test(server: LlmServer, providers: Providers) -> Any:
        await providers.client("oai").chat(ask())
        await providers.client("ant").chat(ask())
        return [seen.headers for seen in server.requests]

    openai, anthropic = on_loopback(test)
    assert openai["authorization"] == f"Bearer {KEY}"
    assert anthropic["x-api-key"] == KEY
    assert anthropic["anthropic-version"] == "2023-06-01"


def test_a_wrong_key_is_auth() -> None:
    async def test(server: LlmServer, providers: Providers) -> ProviderError:
        with pytest.raises(ProviderError) as caught:
            await providers.client("oai").chat(ask())
        return caught.value

    assert on_loopback(test, key="another").kind == "auth"


def test_connections_of_five_hundred_requests_are_used_again() -> None:
    async def test(server: LlmServer, providers: Providers) -> tuple[int, int]:
        server.always("m", say("x", delay=0.2))
        client = providers.client("oai")
        for _ in range(2):
            await asyncio.gather(*(client.chat(ask(str(n))) for n in range(200)))
        return server.connections, len(server.requests)

    connections, requests = on_loopback(test)
    assert requests == 400
    assert connections <= 220


def streamed(*events: Any, name: str = "oai") -> ChatReply:
    async def test(server: LlmServer, providers: Providers) -> ChatReply:
        body = "".join(f"data: {json.dumps(event)}\n\n" for event in events)
        server.script("m", [Raw(body.encode(), "text/event-stream")])
        return await providers.client(name).chat(ask(), on_text=str.encode)

    return on_loopback(test)


def delta(finish: str | None = None, **said: Any) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": said, "finish_reason": finish}]}


def test_a_character_cut_into_halves_between_events_is_put_together() -> None:
    halves = [delta(content="a\ud83d"), delta("stop", content="\ude00")]
    assert streamed(*halves).text == "a\U0001f600"
    assert streamed(delta("stop", content="a\ud83d")).text == "a\ufffd"


def test_fields_of_odd_types_in_a_stream_are_passed_over() -> None:
    call = {"index": [1], "id": "c", "function": {"name": "f", "arguments": "{}"}}
    reply = streamed({**delta(tool_calls=[call]), "x_groq": "id"}, delta("tool_calls"))
    assert [(c.id, c.name, c.arguments) for c in reply.tool_calls] == [("c", "f", "{}")]


def test_a_block_that_begins_without_a_text_is_read() -> None:
    events = [
        {
            "type": "content_block_start",
            "index": 0,
            "content_block": {"type": "text", "text": None},
        },
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "hello"},
        },
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
    ]
    assert streamed(*events, name="ant").text == "hello"


def test_a_message_in_place_of_a_delta_is_read() -> None:
    whole = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}
    assert streamed(whole).text == "hello"


@dataclass(frozen=True)
class AfterTheEnd:
    """A whole answer whose connection then stays open, or breaks before the end mark."""

    breaks: bool

    async def play(self, exchange: Exchange) -> None:
        await exchange.start_stream()
        events = stream_of(Reply("hello"), exchange)
        for event in events[:-1] if self.breaks else events:
            await exchange.send_piece(event)
        if not self.breaks:
            await exchange.wait_gone(30)
        exchange.drop()


@BOTH
@pytest.mark.parametrize("breaks", [False, True])
def test_an_answer_that_said_why_it_ended_needs_no_end_of_its_connection(
    name: str, breaks: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("routinglab.providers.stream.END_SECONDS", 0.05)

    async def test(server: LlmServer, providers: Providers) -> str:
        server.script("m", [AfterTheEnd(breaks)])
        async with asyncio.timeout(10):
            return (await providers.client(name).chat(ask(), on_text=str.encode)).text

    assert on_loopback(test) == "hello"
