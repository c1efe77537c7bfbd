"""A model server on loopback in a process of its own, for benchmarks: it always answers the same.

with serving(delay=0.0) as url: ...      # url + "/v1/chat/completions"
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import subprocess
import sys
from collections.abc import Iterator

TEXT = "The retry test is flaky because it sleeps for a fixed time instead of waiting."


def _chunk(delta: dict[str, str], finish: str | None = None) -> str:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return f"data: {json.dumps({'id': 'x', 'model': 'm', 'choices': [choice]})}\n\n"


def _answer() -> bytes:
    usage = {"prompt_tokens": 900, "completion_tokens": 20, "total_tokens": 920}
    events = [_chunk({"role": "assistant", "content": ""})]
    events += [_chunk({"content": f"{word} "}) for word in TEXT.split()]
    events += [_chunk({}, "stop"), f"data: {json.dumps({'choices': [], 'usage': usage})}\n\n"]
    body = "".join([*events, "data: [DONE]\n\n"]).encode()
    head = (
        f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: {len(body)}\r\n\r\n"
    )
    return head.encode() + body


class _Connection(asyncio.Protocol):
    """Answers each request once its body is there, ``delay`` seconds later."""

    def __init__(self, delay: float) -> None:
        self._delay = delay
        self._seen = b""
        self._answer = _answer()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._seen += data
        head, end, body = self._seen.partition(b"\r\n\r\n")
        length = int(head.lower().split(b"content-length:")[1].split(b"\r\n")[0]) if end else 0
        if end and len(body) >= length:
            self._seen = b""
            loop = asyncio.get_running_loop()
            loop.call_later(self._delay, self._transport.write, self._answer)


async def _serve(delay: float) -> None:
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: _Connection(delay), "127.0.0.1", 0, backlog=2048)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def serving(delay: float = 0.0) -> Iterator[str]:
    """The address of a server that lives as long as the block."""
    process = subprocess.Popen(
        [sys.executable, __file__, str(delay)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert process.stdout is not None
        yield f"http://127.0.0.1:{int(process.stdout.readline())}/v1"
    finally:
        process.terminate()
        process.wait()


if __name__ == "__main__":
    asyncio.run(_serve(float(sys.argv[1]) if len(sys.argv) > 1 else 0.0))
