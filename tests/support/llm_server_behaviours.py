"""What the loopback server can be told to do with one request: answer well, or misbehave.

A behaviour is an object with ``async def play(exchange)``; anything with that method works, so a
test can write its own. ``when=None`` fields and the like are explained where they are.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from support import llm_server_wire as wire
from support.llm_server_wire import Called, Reply

if TYPE_CHECKING:
    from support.llm_server import Exchange


class Behaviour(Protocol):
    async def play(self, exchange: Exchange) -> None: ...


# Good answers ---------------------------------------------------------------------------------


def say(text: str, **more: Any) -> Reply:
    """A plain text answer; more fields of ``Reply`` by name."""
    return Reply(text=text, **more)


def call(name: str, arguments: Any = None, *, id: str | None = None, **more: Any) -> Reply:
    """One tool call; ``arguments`` is a dict, or a text sent as it is (valid JSON or not)."""
    return Reply(calls=(Called(name, {} if arguments is None else arguments, id),), **more)


def calls(*several: Called, **more: Any) -> Reply:
    """Several tool calls in one answer."""
    return Reply(calls=several, **more)


def structured(value: Any, **more: Any) -> Reply:
    """The answer of a structured decision: one ``structured_output`` call."""
    return call("structured_output", value, **more)


def refuse(category: str | None = None, text: str = "", **more: Any) -> Reply:
    """The provider withholds the answer (``content_filter``, or Anthropic's ``refusal``)."""
    return Reply(text=text, finish="refusal", category=category, **more)


@dataclass(frozen=True)
class Choose:
    """A classifier's answer: question id to key; questions left out get their first key."""

    answers: dict[str, str] = field(default_factory=dict)
    usage: tuple[int, int] = (20, 3)
    delay: float = 0.0

    async def play(self, exchange: Exchange) -> None:
        await asyncio.sleep(self.delay)
        request = exchange.request
        body = wire.systemone_json(
            request.json["questions"], self.answers, self.usage, request.model
        )
        await exchange.send_json(200, body)


async def play_reply(reply: Reply, exchange: Exchange) -> None:
    """Send a good answer in the dialect and form the client asked for."""
    if reply.delay:
        await asyncio.sleep(reply.delay)
    request, number = exchange.request, exchange.number
    if exchange.dialect == "systemone":
        return await Choose().play(exchange)
    if not request.stream:
        write = wire.anthropic_json if exchange.dialect == "anthropic" else wire.openai_json
        return await exchange.send_json(200, write(reply, request.model, number))
    await exchange.start_stream()
    for event in stream_of(reply, exchange):
        await exchange.send_piece(event, reply.split)
        if reply.gap:
            await asyncio.sleep(reply.gap)
    return await exchange.end_stream()


def stream_of(reply: Reply, exchange: Exchange) -> list[bytes]:
    request = exchange.request
    if exchange.dialect == "anthropic":
        return list(wire.anthropic_events(reply, request.model, exchange.number))
    usage = bool((request.json.get("stream_options") or {}).get("include_usage"))
    return list(wire.openai_events(reply, request.model, exchange.number, usage=usage))


# Bad ones -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Fail:
    """An HTTP error. Without a ``body`` it is the dialect's own for that status."""

    status: int = 500
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    message: str = "Something went wrong."
    kind: str | None = None
    code: Any = None

    async def play(self, exchange: Exchange) -> None:
        body = self.body
        if body is None:
            kind = self.kind or _KINDS.get(self.status, "api_error")
            body = wire.error_json(exchange.dialect, self.status, self.message, kind, self.code)
        if isinstance(body, str):
            await exchange.send_bytes(self.status, body.encode(), "text/plain", self.headers)
        else:
            await exchange.send_json(self.status, body, self.headers)


_KINDS = {
    400: "invalid_request_error",
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def rate_limited(retry_after: str | int | float | None = None, **headers: str) -> Fail:
    """429; ``retry_after`` is a number of seconds or an HTTP date."""
    if retry_after is not None:
        headers["Retry-After"] = str(retry_after)
    return Fail(429, headers=headers, message="Slow down.")


def out_of_quota() -> Fail:
    return Fail(429, message="No quota left.", kind="insufficient_quota", code="insufficient_quota")


def overloaded() -> Fail:
    return Fail(529, message="Overloaded")


@dataclass(frozen=True)
class Html:
    """A proxy's or web site's page instead of an API answer."""

    status: int = 502
    title: str = "Bad Gateway"

    async def play(self, exchange: Exchange) -> None:
        page = f"<html><head><title>{self.title}</title></head><body></body></html>".encode()
        await exchange.send_bytes(self.status, page, "text/html; charset=utf-8")


@dataclass(frozen=True)
class ErrorInside:
    """An error body, or an error event after ``text``, inside a 200."""

    code: Any = 502
    message: str = "Upstream error from provider"
    text: str = ""

    async def play(self, exchange: Exchange) -> None:
        error: dict[str, Any] = {"message": self.message, "code": self.code}
        if exchange.dialect == "anthropic":
            error = {"message": self.message, "type": self.code}
        if not exchange.request.stream:
            return await exchange.send_json(200, {"error": error})
        await exchange.start_stream()
        if self.text:
            for event in unfinished(Reply(self.text), exchange):
                await exchange.send_piece(event)
        event_name = "error" if exchange.dialect == "anthropic" else None
        await exchange.send_piece(wire.sse({"type": "error", "error": error}, event_name))
        return await exchange.end_stream()


@dataclass(frozen=True)
class Cut:
    """A stream that stops after ``text``, before the finish reason.

    ``clean`` ends the HTTP body properly; otherwise the connection breaks in the middle of it.
    """

    text: str = "half of the"
    clean: bool = True

    async def play(self, exchange: Exchange) -> None:
        await exchange.start_stream()
        for event in unfinished(Reply(self.text), exchange):
            await exchange.send_piece(event)
        if self.clean:
            await exchange.end_stream()
        else:
            exchange.drop()


def unfinished(reply: Reply, exchange: Exchange) -> list[bytes]:
    """The stream of ``reply`` up to its last piece of text."""
    events = stream_of(replace(reply, usage=reply.usage), exchange)
    ends = (b'"finish_reason": "', b"message_delta", b"content_block_stop")
    stop = next(i for i, event in enumerate(events) if any(end in event for end in ends))
    return events[:stop]


@dataclass(frozen=True)
class Reset:
    """The connection is reset before any answer."""

    async def play(self, exchange: Exchange) -> None:
        exchange.reset()


@dataclass(frozen=True)
class Stall:
    """Nothing happens for ``seconds`` or until the client goes; ``text`` is streamed first where the client streams."""

    seconds: float = 30.0
    text: str = ""

    async def play(self, exchange: Exchange) -> None:
        if self.text and exchange.request.stream:
            await exchange.start_stream()
            for event in unfinished(Reply(self.text), exchange):
                await exchange.send_piece(event)
        await exchange.wait_gone(self.seconds)
        exchange.drop()


@dataclass(frozen=True)
class Trickle:
    """A good answer, one byte at a time with ``gap`` seconds between."""

    reply: Reply = field(default_factory=lambda: Reply("ok"))
    gap: float = 0.0

    async def play(self, exchange: Exchange) -> None:
        if not exchange.request.stream:
            write = wire.anthropic_json if exchange.dialect == "anthropic" else wire.openai_json
            body = json.dumps(write(self.reply, exchange.request.model, exchange.number)).encode()
            await exchange.start_stream("application/json")
            stream = [body]
        else:
            await exchange.start_stream()
            stream = stream_of(self.reply, exchange)
        for event in stream:
            for index in range(len(event)):
                await exchange.send_piece(event[index : index + 1])
                await asyncio.sleep(self.gap)
        await exchange.end_stream()


@dataclass(frozen=True)
class Raw:
    """Any bytes as the body of a 200, of any type: malformed JSON, wrong type, odd streams."""

    body: bytes
    content_type: str = "application/json"
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    split: int | None = None

    async def play(self, exchange: Exchange) -> None:
        if self.split is None:
            return await exchange.send_bytes(
                self.status, self.body, self.content_type, self.headers
            )
        await exchange.start_stream(self.content_type, self.status, self.headers)
        await exchange.send_piece(self.body, self.split)
        return await exchange.end_stream()


def malformed_json() -> Raw:
    return Raw(b'{"choices": [{"message": ')


def wrong_type() -> Raw:
    return Raw(b"\x89PNG\r\n\x1a\n", "image/png")


@dataclass(frozen=True)
class Huge:
    """A body (or one event of a stream) of ``size`` bytes that never becomes an answer."""

    size: int
    status: int = 200

    async def play(self, exchange: Exchange) -> None:
        streaming = exchange.request.stream and self.status == 200
        await exchange.start_stream(
            "text/event-stream" if streaming else "application/json", self.status
        )
        await exchange.send_piece(b'data: {"filler": "' if streaming else b'{"filler": "')
        sent, block = 0, b"x" * 65536
        while sent < self.size:
            await exchange.send_piece(block)
            sent += len(block)
        await exchange.send_piece(b'"}\n\n')
        await exchange.end_stream()


@dataclass(frozen=True)
class Redirect:
    """A redirect to ``to``, an absolute URL or a path."""

    to: str
    status: int = 307

    async def play(self, exchange: Exchange) -> None:
        await exchange.send_bytes(self.status, b"", "text/plain", {"Location": self.to})
