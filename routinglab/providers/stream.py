"""Telling a stream from a whole answer, and reading either (both chat dialects)."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable
from inspect import isawaitable
from typing import Any

import httpx

from routinglab.providers.chat import OnText
from routinglab.providers.failures import Failure, read_failure
from routinglab.providers.http import MAX_ANSWER, Answer, ListenerError, TooLarge, Unreadable
from routinglab.providers.payload import choice_error
from routinglab.providers.sse import SseParser, SseTooLarge
from routinglab.providers.waits import retry_wait

#: How long a server may take to end a stream after its end mark.
END_SECONDS = 1.0

_FIELDS = (b"data", b"event", b"id", b"retry")


async def whole(answer: Answer, limit: int = MAX_ANSWER) -> dict[str, Any]:
    """A JSON object that is an answer; raises ``Unreadable`` for anything else in a 200."""
    return as_answer(await answer.read(limit), answer)


def as_answer(body: bytes, answer: Answer) -> dict[str, Any]:
    """The object in ``body``, unless it is an error, no JSON, or a page."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        if body.lstrip()[:1] == b"<":
            raise Unreadable(read_failure(answer.status, body, answer.headers)) from None
        what = f"sent {answer.content_type or 'a body without a type'} that is not a JSON answer"
        raise _malformed(answer, what) from None
    if not isinstance(value, dict):
        raise _malformed(answer, "sent JSON that is not an object")
    if has_error(value):
        failure = read_failure(answer.status, value, answer.headers)
        raise Unreadable(failure, retry_after=retry_wait(answer.headers, value))
    return value


def has_error(value: dict[str, Any]) -> bool:
    """Whether an object reports an error, in the forms providers use inside a 200."""
    if value.get("error") or value.get("type") == "error" or value.get("object") == "error":
        return True
    if choice_error(value) is not None:
        return True
    told = value.get("base_resp")
    return isinstance(told, dict) and bool(told.get("status_code"))


async def consume(
    answer: Answer,
    on_event: Callable[[dict[str, Any]], Awaitable[None]],
    finished: Callable[[], bool],
) -> dict[str, Any] | None:
    """Give every event of a stream to ``on_event``; None when it was a stream.

    Whichever was asked for, a server may send the other: a whole JSON answer is returned. The end
    mark of either dialect ends the reading, whether or not the server closes; a connection that
    breaks once the answer has ``finished`` costs nothing. Raises ``Unreadable`` at an error event,
    and at what is neither.
    """
    parser = SseParser()
    head = bytearray()
    streaming: bool | None = None
    pieces = answer.pieces()
    while True:
        try:
            piece = await anext(pieces, None)
        except httpx.TransportError:
            if not (streaming and finished()):
                raise
            break
        if piece is None:
            break
        if not streaming:
            head += piece
            streaming = _is_stream(bytes(head)) if streaming is None else streaming
            if len(head) > MAX_ANSWER:
                raise TooLarge(MAX_ANSWER)
            if not streaming:
                continue
            piece = bytes(head)
        try:
            for event in parser.feed(piece):
                if event.data.strip() == "[DONE]":
                    await _rest(pieces)
                    return None
                said = _object(event.event, event.data, answer)
                await on_event(said)
                if said.get("type") == "message_stop":
                    await _rest(pieces)
                    return None
        except SseTooLarge as error:
            raise _malformed(answer, f"sent {error}") from None
    if not streaming and head.strip():
        return as_answer(bytes(head), answer)
    return None


async def _rest(pieces: AsyncIterator[bytes]) -> None:
    """Read to the end, so that the connection can be used again, but wait for it no longer than this."""
    with contextlib.suppress(httpx.HTTPError, TooLarge, TimeoutError):
        async with asyncio.timeout(END_SECONDS):
            async for _ in pieces:
                pass


def _is_stream(head: bytes) -> bool | None:
    """Whether a body that starts like this is server-sent events; None while that is open."""
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start or b"\xef\xbb\xbf".startswith(start):
        return None
    if start[:1] == b":":
        return True
    if any(start.startswith(name) for name in _FIELDS):
        return True
    return None if any(name.startswith(start) for name in _FIELDS) else False


def _object(name: str, data: str, answer: Answer) -> dict[str, Any]:
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise _malformed(answer, "sent a stream event that is not a JSON object")
    if has_error(value) or name == "error":
        failure = read_failure(None, value, when="stream")
        raise Unreadable(failure, retry_after=retry_wait(None, value))
    return value


def _malformed(answer: Answer, what: str) -> Unreadable:
    failure = Failure("provider_unavailable", answer.status)
    return Unreadable(failure, what, error_type="malformed")


def cut_off(answer: Answer) -> Unreadable:
    """What a stream without a finish reason is: a failure of the transport."""
    failure = Failure("network_timeout", answer.status)
    what = "ended its answer before it was finished"
    return Unreadable(failure, what, error_type="stream_cut")


def nothing_said(answer: Answer, data: dict[str, Any]) -> Unreadable:
    """What a 200 without an answer is: the failure it tells of in some other form, or none at all."""
    failure = read_failure(answer.status, data, answer.headers)
    if failure.kind != "unknown" and (failure.code or failure.text):
        return Unreadable(failure, retry_after=retry_wait(answer.headers, data))
    failure = Failure("provider_unavailable", answer.status)
    return Unreadable(failure, "sent a reply without an answer", error_type="no_answer")


def broken_off(answer: Answer) -> Unreadable:
    """What an answer is whose finish reason is a failure of the provider."""
    failure = Failure("provider_unavailable", answer.status)
    return Unreadable(failure, "broke its answer off with an error", error_type="failed")


def joined(pieces: Iterable[str]) -> str:
    """Pieces of text as one; halves of a character outside the BMP that came apart are put together.

    A half without its other half becomes U+FFFD, since no file or terminal can hold it.
    """
    text = "".join(pieces)
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


async def tell(on_text: OnText | None, text: str) -> None:
    """Give a piece of text to the listener, plain or async."""
    if on_text is not None and text:
        try:
            result = on_text(joined([text]))
            if isawaitable(result):
                await result
        except Exception as error:
            raise ListenerError(error) from error
