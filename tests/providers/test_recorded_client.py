"""Answers from a file, without any network (SPEC 10)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support.llm_server import Fail, LlmServer, call, say
from support.providers import ask, on_loopback

from routinglab.errors import ProviderError, RecordingError
from routinglab.providers.chat import ChatRequest, Message, ToolSpec
from routinglab.providers.classify import ClassifyRequest, Question
from routinglab.providers.recorded import RecordedClient, RecordingClient, load_exchanges
from routinglab.providers.registry import Providers


def file(folder: Path, *lines: dict[str, Any] | str) -> Path:
    path = folder / "answers.jsonl"
    path.write_text("".join(f"{x if isinstance(x, str) else json.dumps(x)}\n" for x in lines))
    return path


def chat(path: Path, request: ChatRequest, provider: str = "p", **more: Any) -> Any:
    return asyncio.run(RecordedClient(provider, path).chat(request, **more))


def test_the_first_line_whose_conditions_hold_answers(tmp_path: Path) -> None:
    path = file(
        tmp_path,
        "// a comment",
        "",
        {"kind": "task", "text": "a line of another record"},
        {"model": "p/other", "reply": {"text": "other"}},
        {"contains": "zebra", "turn": 1, "reply": {"text": "second turn"}},
        {"contains": "zebra", "reply": {"text": "about zebras"}},
        {"tool": "structured_output", "reply": {"toolCalls": [{"name": "structured_output"}]}},
        {"kind": "exchange", "reply": {"text": "anything", "usage": {"inputTokens": 3}}},
    )
    assert chat(path, ask("a zebra")).text == "about zebras"
    turns = (Message("user", "a zebra"), Message("assistant", "x"), Message("user", "more"))
    assert chat(path, ChatRequest("m", turns)).text == "second turn"
    assert chat(path, ask("hi", "other")).text == "other"
    tool = ToolSpec("structured_output", "", {"type": "object"})
    forced = chat(path, ask("hi", tools=(tool,)))
    assert (forced.finish, forced.tool_calls[0].arguments) == ("tool_calls", "{}")
    plain = chat(path, ask("hi"))
    assert (plain.text, plain.usage.input_tokens, plain.origin) == ("anything", 3, "p/m")


def test_text_streams_in_pieces_at_the_stated_pace(tmp_path: Path) -> None:
    path = file(tmp_path, {"reply": {"text": "one two  three"}})
    heard: list[str] = []
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    client = RecordedClient("p", path, pace=0.5, sleep=sleep)
    asyncio.run(client.chat(ask(), on_text=heard.append))
    assert heard == ["one", " two", "  three"]
    assert slept == [0.5, 0.5, 0.5]


def test_a_recorded_failure_fails(tmp_path: Path) -> None:
    path = file(tmp_path, {"error": {"kind": "rate_limit", "status": 429, "message": "slow down"}})
    with pytest.raises(ProviderError, match="slow down") as caught:
        chat(path, ask())
    assert (caught.value.kind, caught.value.status) == ("rate_limit", 429)


def test_a_request_nobody_recorded_says_which(tmp_path: Path) -> None:
    with pytest.raises(ProviderError, match="no answer of p/m") as caught:
        chat(file(tmp_path, {"model": "p/x", "reply": {}}), ask())
    assert caught.value.error_type == "not_recorded"


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{broken", ":1: is no JSON"),
        ({"reply": {"txt": "x"}}, "unknown key"),
        ({"reply": {"finish": "done"}}, "finish"),
        ({"error": {"kind": "bad"}}, "kind"),
    ],
)
def test_a_wrong_line_is_named(tmp_path: Path, line: Any, said: str) -> None:
    with pytest.raises(RecordingError, match=r"answers\.jsonl:1") as caught:
        load_exchanges(file(tmp_path, line))
    assert said in str(caught.value)


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecordingError, match=r"nowhere\.jsonl"):
        load_exchanges(tmp_path / "nowhere.jsonl")


def test_a_classifier_answers_from_the_file(tmp_path: Path) -> None:
    path = file(tmp_path, {"contains": "coding", "reply": {"answers": {"model": "b"}}})
    question = Question("model", "which", {"a": "A", "b": "B"})
    request = ClassifyRequest("c", {"work": "coding"}, (question,))
    reply = asyncio.run(RecordedClient("p", path).classify(request))
    assert reply.answers["model"].choice == "b"
    other = ClassifyRequest(
        "c", {"work": "coding"}, (Question("q", "which", {"a": "A", "c": "C"}),)
    )
    with pytest.raises(ProviderError, match="no known key"):
        asyncio.run(RecordedClient("p", path).classify(other))


def test_what_a_live_client_said_is_answered_again_without_it(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "live.jsonl"
    first, second, third = ask("one"), ask("two"), ask("three")

    async def test(server: LlmServer, providers: Providers) -> list[Any]:
        steps = [call("read", {"path": "x"}), say("sk-ant-api03-hidden1234567890"), Fail(529)]
        server.script("m", steps)
        from routinglab.core.secrets import redact

        live = RecordingClient("oai", providers.client("oai"), path, redact=redact)
        with pytest.raises(ProviderError):
            return [await live.chat(request) for request in (first, second, third)]
        return []

    on_loopback(test)
    client = RecordedClient("oai", path)
    again = asyncio.run(client.chat(first))
    assert (again.tool_calls[0].name, again.tool_calls[0].arguments) == ("read", '{"path": "x"}')
    assert again.usage.input_tokens == 10
    assert asyncio.run(client.chat(second)).text == "[redacted]"
    with pytest.raises(ProviderError) as caught:
        asyncio.run(client.chat(third))
    assert (caught.value.kind, caught.value.status) == ("provider_unavailable", 529)
    with pytest.raises(ProviderError, match="no answer"):
        asyncio.run(client.chat(ask("never asked")))


def test_an_answer_with_other_line_separators_is_read_back(tmp_path: Path) -> None:
    path = tmp_path / "answers.jsonl"
    text = "one\u2028two\x85three\x0cfour\r\nfive"

    async def test(server: LlmServer, providers: Providers) -> None:
        server.script("m", [say(text)])
        live = RecordingClient("oai", providers.client("oai"), path)
        await live.chat(ask())

    on_loopback(test)
    assert chat(path, ask(), provider="oai").text == text
