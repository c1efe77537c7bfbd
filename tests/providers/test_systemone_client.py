"""System One classifiers, on the loopback server and on the public stand-in (SPEC 7.11)."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from support.llm_server import Choose, Fail, Huge, LlmServer, Raw, say
from support.providers import KEY, on_loopback

from routinglab.errors import ProviderError
from routinglab.providers.chat import Usage
from routinglab.providers.classify import ClassifyReply, ClassifyRequest, Question
from routinglab.providers.http import Connection
from routinglab.providers.registry import Providers
from routinglab.providers.systemone import PATH, SystemOneClient

QUESTION = Question("model", "Which model fits?", {"a": "Model A", "b": "Model B"})
REQUEST = ClassifyRequest("jev-1", {"needs": {"work": "coding"}}, (QUESTION,))


def classified(step: Any, request: ClassifyRequest = REQUEST) -> tuple[ClassifyReply, Any]:
    async def test(server: LlmServer, providers: Providers) -> Any:
        server.script("jev-1", [step])
        return await providers.classifier("cls").classify(request), server.requests[0]

    return on_loopback(test)


def failed(step: Any) -> ProviderError:
    async def test(server: LlmServer, providers: Providers) -> ProviderError:
        server.script("jev-1", [step])
        with pytest.raises(ProviderError) as caught:
            await providers.classifier("cls").classify(REQUEST)
        return caught.value

    return on_loopback(test)


def test_one_request_with_path_key_and_body_of_the_contract() -> None:
    reply, seen = classified(Choose({"model": "b"}))
    assert (seen.method, seen.path) == ("POST", "/v1/systemone")
    assert seen.headers["authorization"] == f"Bearer {KEY}"
    assert seen.json == {
        "model": "jev-1",
        "state": {"needs": {"work": "coding"}},
        "questions": {
            "model": {
                "type": "choice",
                "instructions": "Which model fits?",
                "criteria": {"a": "Model A", "b": "Model B"},
            }
        },
    }
    answer = reply.answers["model"]
    assert (answer.choice, answer.confidence) == ("b", 0.8)
    assert answer.probabilities == {"a": 0.2, "b": 0.8}
    assert reply.usage == Usage(20, 3)
    assert reply.model == "jev-1"


def body(**answer: Any) -> Raw:
    return Raw(json.dumps({"answers": {"model": answer}, "meta": {"engine": "x"}}).encode())


def test_unknown_extra_fields_are_passed_over() -> None:
    reply, _ = classified(body(type="choice", choice="a", why="because", probabilities={"z": 1}))
    assert reply.answers["model"].choice == "a"
    assert reply.answers["model"].probabilities == {}
    assert reply.usage == Usage()


@pytest.mark.parametrize(
    "step",
    [
        body(type="choice", choice="c"),
        body(type="choice", choice=None),
        body(type="choice"),
        body(type="score", score=1.0),
        Raw(b'{"answers": {}}'),
        Raw(b'{"answers": []}'),
        Raw(b"{}"),
        Raw(b"[]"),
        Raw(b"not json"),
        Huge(2**20 + 10),
    ],
    ids=lambda step: repr(step)[:60],
)
def test_a_malformed_or_too_large_answer_fails(step: Any) -> None:
    error = failed(step)
    assert error.kind == "provider_unavailable"
    assert error.error_type in ("malformed", "too_large")


def test_errors_of_the_endpoint_keep_status_and_kind() -> None:
    for status, kind in [
        (400, "request_incompatible"),
        (401, "auth"),
        (413, "request_incompatible"),
    ]:
        error = failed(Fail(status))
        assert (error.status, error.kind) == (status, kind)


def test_a_request_above_one_mebibyte_is_not_sent() -> None:
    async def test(server: LlmServer, providers: Providers) -> tuple[ProviderError, int]:
        request = ClassifyRequest("jev-1", "x" * 2**20, (QUESTION,))
        with pytest.raises(ProviderError) as caught:
            await providers.classifier("cls").classify(request)
        return caught.value, len(server.requests)

    error, sent = on_loopback(test)
    assert sent == 0
    assert (error.kind, error.error_type) == ("request_incompatible", "too_large")


def test_a_chat_answer_is_no_classifier_answer() -> None:
    chat = {"choices": [{"message": {"content": "a"}, "finish_reason": "stop"}]}
    assert failed(Raw(json.dumps(chat).encode())).error_type == "malformed"
    assert say("x").text == "x"


@pytest.fixture(scope="module")
def stand_in() -> Iterator[str]:
    """The public ``dev-double`` server with its mock engine."""
    pytest.importorskip("dev_double")
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        port = sock.getsockname()[1]
    command = [sys.executable, "-c", "from dev_double.apps.cli.main import main; main()"]
    process = subprocess.Popen(
        [*command, "serve", "--engine", "mock", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            try:
                httpx.get(url, trust_env=False)
                break
            except httpx.ConnectError:
                assert process.poll() is None, "dev-double ended"
                time.sleep(0.05)
        yield url
    finally:
        process.terminate()
        process.wait(10)


def test_the_public_stand_in_answers(stand_in: str) -> None:
    questions = (QUESTION, Question("effort", "How hard?", {"low": "easy", "high": "hard"}))

    async def main() -> ClassifyReply:
        client = SystemOneClient(Connection("double", stand_in, PATH))
        try:
            return await client.classify(ClassifyRequest("any", "a task", questions))
        finally:
            await client.aclose()

    reply = asyncio.run(main())
    assert set(reply.answers) == {"model", "effort"}
    assert reply.answers["model"].choice in ("a", "b")
    assert sum(reply.answers["model"].probabilities.values()) == pytest.approx(1, abs=0.01)
    assert reply.model == "any"


def test_the_public_stand_in_refuses_a_question_with_one_option(stand_in: str) -> None:
    async def main() -> ProviderError:
        client = SystemOneClient(Connection("double", stand_in, PATH))
        request = ClassifyRequest("any", "a task", (Question("q", "one?", {"only": "x"}),))
        with pytest.raises(ProviderError) as caught:
            await client.classify(request)
        await client.aclose()
        return caught.value

    error = asyncio.run(main())
    assert (error.status, error.kind) == (400, "request_incompatible")
