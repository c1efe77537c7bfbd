"""The httpx client of one provider: pool, proxies, dead peers, keys and logs.

Connecting may take 30 s and waiting for a free connection 60 s; reading and writing have no limit
(SPEC 9.5), but TCP keep-alive finds a peer that is gone. Redirects are never followed, so a key goes
to the configured host alone. A proxy from the environment is used, but never for a loopback address.
"""

from __future__ import annotations

import logging
import socket
import ssl
import urllib.request
from collections.abc import AsyncIterator, Generator, Mapping
from contextvars import ContextVar
from functools import cache

import httpx

from routinglab.providers.addresses import is_loopback

TIMEOUT = httpx.Timeout(None, connect=30.0, pool=60.0)
#: Pools and connections in each; with the environment's proxies, httpx's one pool has all of them.
POOLS, POOL_SIZE = 32, 32
LIMITS = httpx.Limits(
    max_connections=POOLS * POOL_SIZE, max_keepalive_connections=32, keepalive_expiry=15.0
)
_POOL_LIMITS = httpx.Limits(
    max_connections=POOL_SIZE, max_keepalive_connections=POOL_SIZE, keepalive_expiry=15.0
)


#: Set while a request of this package is under way.
OURS: ContextVar[bool] = ContextVar("routinglab_request", default=False)


def new_client(url: httpx.URL, private: Mapping[str, str], *, proxies: bool) -> httpx.AsyncClient:
    """A client for one address; ``private`` are the headers that carry keys."""
    _hide_addresses_in_logs()
    return httpx.AsyncClient(
        auth=_KeyAuth(private),
        headers={"accept-encoding": "identity", "user-agent": "routinglab"},
        timeout=TIMEOUT,
        limits=LIMITS,
        follow_redirects=False,
        trust_env=proxies and not is_loopback(url.host),
        verify=_tls(),
        mounts=_kept_alive(),
    )


class _KeyAuth(httpx.Auth):
    """Adds the key at the last moment, so that no client, request or header repr holds it."""

    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = dict(headers)

    def auth_flow(self, request: httpx.Request) -> Generator[httpx.Request, httpx.Response, None]:
        request.headers.update(self._headers)
        yield request


class _Pools(httpx.AsyncBaseTransport):
    """Several pools as one transport; a request takes the least busy, the first among equals.

    A pool looks at every connection it has for every request, so that 500 requests at once cost one
    pool seconds of its own time; many small ones cost it little, and keep connections for all.
    """

    def __init__(self, options: list[tuple[int, int, int]]) -> None:
        self._pools = [
            httpx.AsyncHTTPTransport(verify=_tls(), limits=_POOL_LIMITS, socket_options=options)
            for _ in range(POOLS)
        ]
        self._busy = [0] * POOLS

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        place = self._busy.index(min(self._busy))
        self._busy[place] += 1
        try:
            response = await self._pools[place].handle_async_request(request)
        except BaseException:
            self._busy[place] -= 1
            raise
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Counted(response.stream, self._busy, place)
        return response

    async def aclose(self) -> None:
        for pool in self._pools:
            await pool.aclose()


class _Counted(httpx.AsyncByteStream):
    """A response's body that says when it is done with."""

    def __init__(self, stream: httpx.AsyncByteStream, busy: list[int], place: int) -> None:
        self._stream, self._busy, self._place = stream, busy, place
        self._open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in self._stream:
            yield piece

    async def aclose(self) -> None:
        if self._open:
            self._open = False
            self._busy[self._place] -= 1
        await self._stream.aclose()


@cache
def _tls() -> ssl.SSLContext:
    """One context for all: loading the certificates takes longer than the rest of a client."""
    return httpx.create_ssl_context()


def _kept_alive() -> dict[str, httpx.AsyncBaseTransport] | None:
    """Transports whose sockets notice a dead peer; none where a proxy serves every address."""
    if "all" in urllib.request.getproxies():
        return None
    options: list[tuple[int, int, int]] = [(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    for name, value in (("TCP_KEEPIDLE", 60), ("TCP_KEEPINTVL", 30), ("TCP_KEEPCNT", 6)):
        if hasattr(socket, name):
            options.append((socket.IPPROTO_TCP, getattr(socket, name), value))
    return {"all://": _Pools(options)}


class _NoSecretAddress(logging.Filter):
    """Takes query and user from the addresses that httpx logs for this package's requests."""

    def filter(self, record: logging.LogRecord) -> bool:
        if OURS.get() and isinstance(record.args, tuple):
            record.args = tuple(
                arg.copy_with(query=None, userinfo=b"") if isinstance(arg, httpx.URL) else arg
                for arg in record.args
            )
        return True


def _hide_addresses_in_logs() -> None:
    logger = logging.getLogger("httpx")
    if not any(isinstance(known, _NoSecretAddress) for known in logger.filters):
        logger.addFilter(_NoSecretAddress())
