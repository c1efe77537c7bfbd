"""A real HTTP server on loopback that speaks like model providers, well or badly on request.

    async with LlmServer() as server:                       # in async tests
        server.script("m", [rate_limited(1), say("hello")]) # one behaviour a request, in order
        client = ...(base_url=server.openai_url)
    assert server.requests[0].json["model"] == "m"

    with LlmServer().in_thread() as server: ...              # in plain tests, notebooks, browsers

It speaks OpenAI chat completions (``openai_url`` + ``/chat/completions``), Anthropic messages
(``anthropic_url`` + ``/v1/messages``) and System One (``systemone_url`` + ``/v1/systemone``),
streaming and not, and checks requests as the real ones do (keys, message order, tool results).

What happens to a request: the next of ``script(model, [...])``; when that is used up, what
``always(model, behaviour)`` says; else ``default`` (a short text, or each question's first key).
A model of ``"*"`` stands for every model. Instead of a behaviour, a function ``(Seen) -> behaviour``
(plain or async) may stand anywhere. Behaviours: ``llm_server_behaviours``, all importable from here.

``requests`` lists what came in (``Seen``: method, path, headers, json, model, stream);
``open_now`` and ``most_open`` count requests being answered, ``connections`` all ever made. ``refused_url()`` is an address
where nothing listens. ``key``, when set, is the only key accepted.
"""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import json
import socket
import struct
import threading
from collections import defaultdict, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Self

from support import llm_server_wire as wire
from support.llm_server_behaviours import (
    Behaviour,
    Choose,
    Cut,
    ErrorInside,
    Fail,
    Html,
    Huge,
    Raw,
    Redirect,
    Reset,
    Stall,
    Trickle,
    call,
    calls,
    malformed_json,
    out_of_quota,
    overloaded,
    play_reply,
    rate_limited,
    refuse,
    say,
    structured,
    wrong_type,
)
from support.llm_server_checks import complaint
from support.llm_server_wire import Called, Reply

__all__ = [
    "Behaviour", "Called", "Choose", "Cut", "ErrorInside", "Exchange", "Fail", "Html", "Huge",
    "LlmServer", "Raw", "Redirect", "Reply", "Reset", "Seen", "Stall", "Trickle", "call", "calls",
    "malformed_json", "out_of_quota", "overloaded", "rate_limited", "refuse", "refused_url", "say",
    "structured", "wrong_type",
]  # fmt: skip

Step = Reply | Behaviour | Callable[["Seen"], Any]


@dataclass(frozen=True)
class Seen:
    """One request as it came in; header names are lower-case."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes = field(repr=False)
    json: Any = None

    @property
    def model(self) -> str:
        return str(self.json.get("model", "")) if isinstance(self.json, dict) else ""

    @property
    def stream(self) -> bool:
        return isinstance(self.json, dict) and self.json.get("stream") is True

    @property
    def text(self) -> str:
        """Everything the request says, as text: handy for ``in``."""
        return self.body.decode("utf-8", "replace")


class Exchange:
    """One request being answered: what behaviours write with."""

    def __init__(
        self,
        request: Seen,
        dialect: str,
        number: int,
        writer: asyncio.StreamWriter,
        reader: asyncio.StreamReader,
    ):
        self.request, self.dialect, self.number = request, dialect, number
        self._writer, self._reader = writer, reader
        self.closed = False

    async def send_json(
        self, status: int, body: Any, headers: dict[str, str] | None = None
    ) -> None:
        await self.send_bytes(status, json.dumps(body).encode(), "application/json", headers)

    async def send_bytes(
        self, status: int, body: bytes, content_type: str, headers: dict[str, str] | None = None
    ) -> None:
        self._head(status, {"Content-Type": content_type, **(headers or {})}, len(body))
        self._writer.write(body)
        await self._writer.drain()

    async def start_stream(
        self,
        content_type: str = "text/event-stream; charset=utf-8",
        status: int = 200,
        headers: dict[str, str] | None = None,
    ) -> None:
        self._head(status, {"Content-Type": content_type, **(headers or {})}, None)
        await self._writer.drain()

    async def send_piece(self, data: bytes, split: int | None = None) -> None:
        for part in [data[i : i + split] for i in range(0, len(data), split)] if split else [data]:
            self._writer.write(f"{len(part):x}\r\n".encode() + part + b"\r\n")
            await self._writer.drain()
            if split:
                await asyncio.sleep(0)

    async def end_stream(self) -> None:
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()

    async def wait_gone(self, seconds: float) -> None:
        """Wait until the client has closed its side, at most ``seconds``."""
        with contextlib.suppress(TimeoutError, ConnectionError):
            await asyncio.wait_for(self._reader.read(1), seconds)

    def drop(self) -> None:
        """Close the connection as it is."""
        self.closed = True
        self._writer.close()

    def reset(self) -> None:
        """Close the connection with a TCP reset."""
        self.closed = True
        sock = self._writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()

    def _head(self, status: int, headers: dict[str, str], length: int | None) -> None:
        names = {"x-request-id": f"req-{self.number}", "request-id": f"req-{self.number}"}
        how = {"Transfer-Encoding": "chunked"} if length is None else {"Content-Length": length}
        phrase = HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Odd"
        lines = [f"{name}: {value}" for name, value in {**names, **headers, **how}.items()]
        self._writer.write("\r\n".join([f"HTTP/1.1 {status} {phrase}", *lines, "", ""]).encode())


class LlmServer:
    """See the top of this file."""

    def __init__(self, *, key: str | None = None, strict: bool = True) -> None:
        self.key, self.strict = key, strict
        self.requests: list[Seen] = []
        self.default: Step = Reply("ok")
        self.open_now = self.most_open = self.connections = 0
        self.url = ""
        self._scripts: dict[str, deque[Step]] = defaultdict(deque)
        self._always: dict[str, Step] = {}
        self._server: asyncio.Server | None = None
        self._connections: dict[asyncio.Task[None], asyncio.StreamWriter] = {}

    # What to do --------------------------------------------------------------------------------

    def script(self, model: str, steps: list[Step]) -> None:
        """Add behaviours for the next requests of ``model``."""
        self._scripts[model].extend(steps)

    def always(self, model: str, step: Step) -> None:
        """What every further request of ``model`` gets."""
        self._always[model] = step

    def unused(self, model: str) -> int:
        """How many scripted behaviours no request has used yet."""
        return len(self._scripts[model])

    @property
    def openai_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def anthropic_url(self) -> str:
        return self.url

    @property
    def systemone_url(self) -> str:
        return self.url

    def asked(self, model: str) -> list[Seen]:
        """The requests that named ``model``."""
        return [seen for seen in self.requests if seen.model == model]

    # Life --------------------------------------------------------------------------------------

    async def start(self) -> None:
        self._server = await asyncio.start_server(
            self._connection, "127.0.0.1", 0, backlog=1024, limit=2**20
        )
        self.url = f"http://127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
        for task in list(self._connections):
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)

    def hang_up(self) -> None:
        """Close every open connection, as a server does with idle ones."""
        for writer in self._connections.values():
            writer.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    @contextlib.contextmanager
    def in_thread(self) -> Iterator[Self]:
        """Serve from a thread with a loop of its own, for code that is not async."""
        loop = asyncio.new_event_loop()
        thread = threading.Thread(target=loop.run_forever, daemon=True)
        thread.start()
        try:
            asyncio.run_coroutine_threadsafe(self.start(), loop).result(10)
            yield self
        finally:
            asyncio.run_coroutine_threadsafe(self.stop(), loop).result(10)
            loop.call_soon_threadsafe(loop.stop)
            thread.join(10)
            loop.close()

    # One connection ----------------------------------------------------------------------------

    async def _connection(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections[task] = writer
        self.connections += 1
        try:
            while (seen := await _read_request(reader, writer)) is not None:
                exchange = Exchange(seen, dialect_of(seen.path), len(self.requests), writer, reader)
                self.requests.append(seen)
                self.open_now += 1
                self.most_open = max(self.most_open, self.open_now)
                try:
                    await self._answer(exchange)
                finally:
                    self.open_now -= 1
                if exchange.closed or seen.headers.get("connection") == "close":
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._connections.pop(task, None)
            with contextlib.suppress(Exception):
                writer.close()

    async def _answer(self, exchange: Exchange) -> None:
        seen, dialect = exchange.request, exchange.dialect
        if not dialect:
            return await exchange.send_bytes(404, b"404 page not found", "text/plain")
        wrong = complaint(seen.headers, seen.json, dialect, self.key) if self.strict else None
        if wrong is not None:
            status, kind, message = wrong
            return await exchange.send_json(status, wire.error_json(dialect, status, message, kind))
        step = self._next(seen.model)
        if callable(step) and not isinstance(step, Reply) and not hasattr(step, "play"):
            step = step(seen)
            if inspect.isawaitable(step):
                step = await step
        if isinstance(step, Reply):
            return await play_reply(step, exchange)
        return await step.play(exchange)  # type: ignore[union-attr]

    def _next(self, model: str) -> Step:
        for name in (model, "*"):
            if self._scripts[name]:
                return self._scripts[name].popleft()
        return self._always.get(model) or self._always.get("*") or self.default


def dialect_of(path: str) -> str:
    """The dialect spoken at a path; empty where there is nothing."""
    bare = path.partition("?")[0]
    ends = {
        "/chat/completions": "openai",
        "/v1/messages": "anthropic",
        "/v1/systemone": "systemone",
    }
    return next((name for end, name in ends.items() if bare.endswith(end)), "")


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Seen | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ", 2)
    pairs = (line.partition(":") for line in lines)
    headers = {name.strip().lower(): value.strip() for name, _, value in pairs}
    if headers.get("expect") == "100-continue":
        writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
    body = b""
    if "chunked" in headers.get("transfer-encoding", ""):
        while size := int((await reader.readline()).split(b";")[0], 16):
            body += (await reader.readexactly(size + 2))[:-2]
        await reader.readline()
    elif length := int(headers.get("content-length", 0)):
        body = await reader.readexactly(length)
    try:
        data = json.loads(body) if body else None
    except ValueError:
        data = None
    return Seen(method, path, headers, body, data)


def refused_url() -> str:
    """An address on loopback where nothing listens, so that connections are refused."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{sock.getsockname()[1]}"
