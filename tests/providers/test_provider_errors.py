"""Everything that goes wrong becomes one safe ``ProviderError`` (SPEC 10)."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import traceback
import tracemalloc
import zlib
from dataclasses import dataclass
from typing import Any

import pytest
from support.llm_server import (
    Cut,
    ErrorInside,
    Exchange,
    Fail,
    Html,
    Huge,
    LlmServer,
    Raw,
    Redirect,
    Reset,
    malformed_json,
    out_of_quota,
    overloaded,
    rate_limited,
    refused_url,
    say,
    wrong_type,
)
from support.providers import ENV, KEY, ask, on_loopback, run, settings_for

from routinglab.errors import ProviderError
from routinglab.providers import http
from routinglab.providers.addresses import is_loopback, join, shown
from routinglab.providers.http import Connection
from routinglab.providers.openai import OpenAiClient
from routinglab.providers.registry import Providers

BOTH = pytest.mark.parametrize("name", ["oai", "ant"])
STREAM = pytest.mark.parametrize("stream", [False, True])


def failed(name: str, step: Any, *, stream: bool = False) -> ProviderError:
    async def test(server: LlmServer, providers: Providers) -> ProviderError:
        server.script("m", [step])
        with pytest.raises(ProviderError) as caught:
            await providers.client(name).chat(ask(), on_text=(lambda _: None) if stream else None)
        assert len(server.requests) == 1
        return caught.value

    return on_loopback(test)


@BOTH
@STREAM
@pytest.mark.parametrize(
    ("step", "kind", "status"),
    [
        (rate_limited(7), "rate_limit", 429),
        (out_of_quota(), "quota", 429),
        (overloaded(), "provider_unavailable", 529),
        (Fail(503), "provider_unavailable", 503),
        (Fail(401), "auth", 401),
        (Fail(400), "request_incompatible", 400),
        (Html(502), "provider_unavailable", 502),
        (Html(403), "auth", 403),
        (Html(404), "config", 404),
        (Html(200), "config", 200),
        (Fail(404, "404 page not found"), "config", 404),
        (Redirect("/elsewhere"), "config", 307),
        (ErrorInside(502), "provider_unavailable", 502),
        (malformed_json(), "provider_unavailable", 200),
        (wrong_type(), "provider_unavailable", 200),
        (Raw(b'{"choices": null, "content": null}'), "provider_unavailable", 200),
        (Raw(b"[]"), "provider_unavailable", 200),
        (Raw(b'{"code": "InvalidApiKey", "message": "Invalid API-key provided."}'), "auth", 200),
        (Raw(b'{"detail": "Your credit balance is too low"}'), "quota", 200),
        (Raw(b""), "network_timeout", 200),
        (Reset(), "network_timeout", None),
        (Cut(), "network_timeout", 200),
        (Cut(clean=False), "network_timeout", 200),
    ],
    ids=lambda value: repr(value)[:40],
)
def test_each_misbehaviour_has_its_kind_and_status(
    name: str, stream: bool, step: Any, kind: str, status: int | None
) -> None:
    error = failed(name, step, stream=stream)
    assert (error.kind, error.status, error.provider) == (kind, status, name)
    assert error.error_type
    assert error.__cause__ is None
    assert error.__context__ is None


@BOTH
def test_an_error_in_the_middle_of_a_stream_is_the_providers(name: str) -> None:
    code = "overloaded_error" if name == "ant" else 529
    error = failed(name, ErrorInside(code, "Overloaded", text="half an"), stream=True)
    assert error.kind == "provider_unavailable"


def test_a_finish_reason_error_is_a_failure_of_the_provider() -> None:
    error = failed("oai", say("half", finish="error"), stream=True)
    assert (error.kind, error.error_type) == ("provider_unavailable", "failed")


def test_an_error_inside_a_choice_has_its_own_kind() -> None:
    inside = {"error": {"code": 429, "message": "slow"}, "finish_reason": "error", "index": 0}
    body = {"id": "x", "choices": [inside]}
    whole = Raw(json.dumps(body).encode(), "application/json")
    event = Raw(b"data: " + json.dumps(body).encode() + b"\n\n", "text/event-stream")
    assert failed("oai", whole).kind == "rate_limit"
    assert failed("oai", event, stream=True).kind == "rate_limit"


def test_a_server_that_refuses_connections_is_named_by_host_and_path() -> None:
    url = refused_url()

    async def test() -> ProviderError:
        client = OpenAiClient(Connection("p", f"{url}/v1", "/chat/completions"))
        with pytest.raises(ProviderError) as caught:
            await client.chat(ask())
        await client.aclose()
        return caught.value

    error = run(test())
    assert (error.kind, error.status, error.error_type) == ("network_timeout", None, "ConnectError")
    assert (
        str(error) == f"p could not be reached at {url.removeprefix('http://')}/v1/chat/completions"
    )


def test_a_wrong_address_names_host_and_path_without_query_or_user() -> None:
    async def test() -> ProviderError:
        async with LlmServer() as server:
            base = server.url.replace("http://", "http://user:pass@") + "/nowhere?key=hidden"
            client = OpenAiClient(Connection("p", base, "/completions"))
            with pytest.raises(ProviderError) as caught:
                await client.chat(ask())
            await client.aclose()
            return caught.value

    error = run(test())
    assert error.kind == "config"
    assert "/nowhere/completions" in str(error)
    assert "127.0.0.1" in str(error)
    assert not any(word in str(error) for word in ("hidden", "user", "pass"))


def test_no_redirect_is_followed_and_its_target_is_named_without_secrets() -> None:
    async def test() -> tuple[ProviderError, int]:
        async with LlmServer() as other, LlmServer() as server:
            server.script("m", [Redirect(f"{other.url}/v1/chat/completions?token=abc")])
            async with Providers(settings_for(server), ENV) as providers:
                with pytest.raises(ProviderError) as caught:
                    await providers.client("oai").chat(ask())
            return caught.value, len(other.requests)

    error, seen = run(test())
    assert seen == 0
    assert error.kind == "config"
    assert "token" not in str(error)
    assert "redirects" in str(error)


@pytest.mark.parametrize("stream", [False, True])
def test_a_body_beyond_the_limit_is_refused_and_not_read_to_its_end(
    stream: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("routinglab.providers.stream.MAX_ANSWER", 200_000)
    error = failed("oai", Huge(20 * 2**20), stream=stream)
    assert error.kind == "provider_unavailable"
    assert error.error_type in ("too_large", "malformed")


@pytest.mark.parametrize(("layers", "kind"), [(1, "too_large"), (2, "DecodingError")])
def test_a_packed_body_is_never_unpacked_beyond_the_limit(
    layers: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("routinglab.providers.http.MAX_STREAM", 2**20)
    monkeypatch.setattr("routinglab.providers.stream.MAX_ANSWER", 2**20)
    body = bytes(64 * 2**20)
    for _ in range(layers):
        body = gzip.compress(body)
    packed = Raw(body, headers={"content-encoding": ", ".join(["gzip"] * layers)})
    tracemalloc.start()
    try:
        assert failed("oai", packed).error_type == kind
        assert tracemalloc.get_traced_memory()[1] < 16 * 2**20
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize(("packing", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
def test_a_proxy_that_compresses_unasked_is_understood(packing: str, pack: Any) -> None:
    async def test(server: LlmServer, providers: Providers) -> str:
        text = {"choices": [{"message": {"content": "hello"}, "finish_reason": "stop"}]}
        body = pack(json.dumps(text).encode())
        server.script("m", [Raw(body, headers={"content-encoding": packing})])
        return (await providers.client("oai").chat(ask())).text

    assert on_loopback(test) == "hello"


@dataclass(frozen=True)
class HalfAnError:
    """A status, the beginning of a body, and then nothing."""

    async def play(self, exchange: Exchange) -> None:
        await exchange.start_stream("application/json", 429)
        await exchange.send_piece(b'{"error": {"code": "insuff')
        await exchange.wait_gone(30)
        exchange.drop()


def test_an_error_whose_body_never_ends_is_told_by_its_status(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("routinglab.providers.http.ERROR_SECONDS", 0.05)
    error = failed("oai", HalfAnError())
    assert (error.kind, error.status) == ("rate_limit", 429)


def test_an_error_body_is_read_up_to_its_limit() -> None:
    assert failed("oai", Huge(5 * 2**20, status=500)).kind == "provider_unavailable"


def test_provider_text_is_one_short_line_without_the_key() -> None:
    text = f"bad\n\x1b[31mkey {KEY} and Bearer {KEY} and sk-ant-api03-{'Zx9' * 9} " + "x" * 5000
    error = failed("oai", Fail(400, message=text))
    assert KEY not in str(error)
    assert "Zx9Zx9" not in str(error)
    assert "\n" not in str(error)
    assert "\x1b" not in str(error)
    assert len(str(error)) < 450


def test_a_key_in_a_code_is_hidden_too() -> None:
    error = failed("oai", Fail(400, {"error": {"code": f"bad-{KEY}", "message": "m"}}))
    assert KEY.lower() not in f"{error.code} {error.error_type}".lower()


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [({"Retry-After": "7"}, 7.0), ({"retry-after-ms": "250"}, 0.25), ({"Retry-After": "-1"}, 0.0)],
)
def test_the_servers_wait_is_told(headers: dict[str, str], seconds: float) -> None:
    assert failed("oai", Fail(429, headers=headers)).retry_after == seconds


@pytest.mark.parametrize("step", [Fail(500), Reset(), Html(404)], ids=["500", "reset", "404"])
def test_no_traceback_with_local_values_shows_the_key(step: Any) -> None:
    async def test(server: LlmServer, providers: Providers) -> str:
        server.script("m", [step])
        try:
            await providers.client("ant").chat(ask())
        except ProviderError as error:
            shown = traceback.TracebackException.from_exception(error, capture_locals=True)
            lines = [line for line in shown.format() if "on_loopback" not in line]
            return "".join(lines)
        raise AssertionError("it did not fail")

    assert KEY not in on_loopback(test, key=None)


def test_logs_at_every_level_hold_no_key_and_no_query(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)

    async def test() -> None:
        async with LlmServer() as server:
            base = f"{server.openai_url}?api-key=hidden-in-query"
            auth = {"authorization": f"Bearer {KEY}"}
            client = OpenAiClient(Connection("p", base, "/chat/completions", auth=auth))
            await client.chat(ask())
            await client.aclose()
            assert server.requests[0].path.endswith("?api-key=hidden-in-query")
            assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"

    run(test())
    logged = "\n".join(record.getMessage() for record in caplog.records)
    assert "HTTP Request: POST" in logged
    assert KEY not in logged
    assert "hidden-in-query" not in logged


def test_other_peoples_requests_are_logged_as_ever(caplog: pytest.LogCaptureFixture) -> None:
    import httpx

    caplog.set_level(logging.INFO, logger="httpx")

    async def test() -> None:
        async with LlmServer() as server, httpx.AsyncClient(trust_env=False) as client:
            await Connection("p", server.url, "/x").aclose()
            await client.get(f"{server.url}/other?q=1")

    run(test())
    assert "other?q=1" in caplog.text


def test_a_key_with_a_line_end_inside_never_reaches_a_message() -> None:
    async def test() -> ProviderError:
        async with LlmServer() as server:
            auth = {"authorization": f"Bearer {KEY}\nX: y"}
            client = OpenAiClient(
                Connection("p", server.openai_url, "/chat/completions", auth=auth)
            )
            with pytest.raises(ProviderError) as caught:
                await client.chat(ask())
            await client.aclose()
            return caught.value

    error = run(test())
    assert error.kind == "config"
    assert KEY not in "".join(traceback.format_exception(error))


def test_loopback_needs_no_proxy_and_other_hosts_take_the_environments(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def test() -> tuple[str, int, int]:
        async with LlmServer() as proxy, LlmServer() as local:
            for name in ("HTTP_PROXY", "http_proxy"):
                monkeypatch.setenv(name, proxy.url)
            for name in ("NO_PROXY", "no_proxy"):
                monkeypatch.delenv(name, raising=False)
            near = OpenAiClient(Connection("near", local.openai_url, "/chat/completions"))
            far = OpenAiClient(Connection("far", "http://provider.invalid/v1", "/chat/completions"))
            assert (await near.chat(ask())).text == "ok"
            assert (await far.chat(ask())).text == "ok"
            direct = Connection(
                "d", "http://provider.invalid/v1", "/chat/completions", proxies=False
            )
            with pytest.raises(ProviderError):
                await OpenAiClient(direct).chat(ask())
            for client in (near, far, direct):
                await client.aclose()
            return proxy.requests[0].path, len(proxy.requests), len(local.requests)

    assert run(test()) == ("http://provider.invalid/v1/chat/completions", 1, 1)


@pytest.mark.parametrize(
    ("base", "path", "url"),
    [
        ("https://a.test/v1", "/chat/completions", "https://a.test/v1/chat/completions"),
        ("https://a.test/v1/", "/chat/completions", "https://a.test/v1/chat/completions"),
        ("https://a.test", "/v1/messages", "https://a.test/v1/messages"),
        ("https://a.test/v1", "/v1/messages", "https://a.test/v1/messages"),
        ("https://a.test/anthropic", "/v1/messages", "https://a.test/anthropic/v1/messages"),
        ("https://a.test/v1/systemone", "/v1/systemone", "https://a.test/v1/systemone"),
        ("https://a.test/v1?v=2", "/chat/completions", "https://a.test/v1/chat/completions?v=2"),
        (
            "https://a.test/a%20b/v1",
            "/chat/completions",
            "https://a.test/a%20b/v1/chat/completions",
        ),
    ],
)
def test_an_endpoint_is_the_path_under_the_base_address(base: str, path: str, url: str) -> None:
    assert str(join(base, path)) == url


def test_loopback_addresses_are_recognised() -> None:
    near = ["localhost", "127.0.0.1", "127.8.8.8", "::1", "api.localhost"]
    assert all(is_loopback(host) for host in near)
    assert not any(is_loopback(host) for host in ["example.com", "10.0.0.1", "localhost.evil.test"])
    assert shown(join("https://u:p@h.test:8443/x?k=1", "/y")) == "h.test:8443/x/y"
    assert shown(join("http://[::1]:8080/v1", "/y")) == "[::1]:8080/v1/y"


def test_a_base_address_without_its_version_is_hinted_at() -> None:
    async def test() -> str:
        async with LlmServer() as server:
            server.always("m", Fail(404, "404 page not found"))
            connection = Connection("oai", server.url, "/chat/completions")
            with pytest.raises(ProviderError) as caught:
                await OpenAiClient(connection).chat(ask())
            await connection.aclose()
            return str(caught.value)

    assert "check its baseUrl, which often ends in /v1" in run(test())


def test_limits_are_those_documented() -> None:
    assert (http.MAX_ERROR_BODY, http.MAX_ANSWER, http.MAX_STREAM) == (65536, 2**25, 2**28)


def test_a_connection_is_used_again() -> None:
    async def test(server: LlmServer, providers: Providers) -> int:
        for _ in range(5):
            await providers.client("oai").chat(ask())
        return server.connections

    assert on_loopback(test) == 1


def test_a_closed_idle_connection_is_replaced() -> None:
    async def test(server: LlmServer, providers: Providers) -> str:
        await providers.client("oai").chat(ask())
        server.hang_up()
        await asyncio.sleep(0.05)
        return (await providers.client("oai").chat(ask())).text

    assert on_loopback(test) == "ok"
