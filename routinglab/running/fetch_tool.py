"""The ``fetch`` tool, only where the host allows the network."""

from __future__ import annotations

import asyncio
import ipaddress
import socket
from collections.abc import Mapping
from typing import Any
from urllib.parse import urljoin, urlsplit

from routinglab.errors import ToolError
from routinglab.running.arguments import Argument, tool
from routinglab.running.bounded import bounded
from routinglab.skills.tools import HostTool

#: Bytes of a page that are read, seconds without any answer, and redirects followed.
BODY_LIMIT = 2_000_000
SECONDS = 60.0
REDIRECTS = 5


def fetch_tool(*, allow_private: bool = False) -> HostTool:
    """Get a page by http or https and return its text.

    Addresses of this machine and of private networks are refused unless ``allow_private``, for
    each redirect again, so that a page cannot point a child at an internal service. The request goes
    to the very address that was looked at, whatever the name means a moment later.
    """

    async def run(given: Mapping[str, Any]) -> str:
        import httpx

        url = given["url"]
        async with httpx.AsyncClient(timeout=SECONDS, follow_redirects=False) as client:
            for _ in range(REDIRECTS + 1):
                address = await _check(url, allow_private)
                try:
                    target = httpx.URL(url)
                except httpx.InvalidURL:
                    raise ToolError("fetch: that is not an address") from None
                named = {"Host": target.netloc.decode("ascii"), "Accept-Encoding": "gzip, deflate"}
                try:
                    async with client.stream(
                        "GET",
                        target.copy_with(host=address),
                        headers=named,
                        extensions={"sni_hostname": target.raw_host.decode("ascii")},
                    ) as response:
                        if response.is_redirect and "location" in response.headers:
                            url = urljoin(url, response.headers["location"])
                            continue
                        return await _shown(response)
                except httpx.HTTPError as error:
                    raise ToolError(f"fetch: {type(error).__name__} at {_host(url)}") from None
        raise ToolError(f"fetch: more than {REDIRECTS} redirects")

    return tool(
        "fetch",
        "Get a web page by http or https; gives its status and text.",
        (Argument("url", "string", "The address."),),
        run,
    )


async def _shown(response: Any) -> str:
    from routinglab.providers.decoding import decoded

    body = bytearray()
    async for piece in decoded(response):
        body += piece
        if len(body) > BODY_LIMIT:
            break
    kind = response.headers.get("content-type", "")
    if b"\0" in body[:8192]:
        return f"[HTTP {response.status_code}, {kind or 'unknown type'}: binary content]"
    text = bytes(body[:BODY_LIMIT]).decode(response.encoding or "utf-8", "replace")
    return bounded(f"[HTTP {response.status_code}, {kind or 'unknown type'}]\n{text}")


async def _check(url: str, allow_private: bool) -> str:
    """The IP address to go to; ToolError where that is not allowed."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        raise ToolError("fetch: that is not an address") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ToolError("fetch: only http and https addresses are fetched")
    loop = asyncio.get_running_loop()
    try:
        found = await loop.getaddrinfo(host, port or 443, type=socket.SOCK_STREAM)
    except OSError:
        raise ToolError(f"fetch: no address is known for {host}") from None
    addresses = [str(place[0]) for *_, place in found]
    for address in addresses:
        if not allow_private and not ipaddress.ip_address(address.partition("%")[0]).is_global:
            raise ToolError(f"fetch: {host} is an address of this machine or a private network")
    return addresses[0]


def _host(url: str) -> str:
    return urlsplit(url).hostname or "?"
