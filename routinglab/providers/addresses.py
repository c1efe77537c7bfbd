"""Addresses of endpoints: built, shown without secrets, told to be this machine."""

from __future__ import annotations

import ipaddress

import httpx


def join(base_url: str, path: str) -> httpx.URL:
    """The address of an endpoint: ``path`` under ``base_url``, whose own ``/v1`` is not doubled."""
    base = httpx.URL(base_url)
    below = base.raw_path.decode("ascii").partition("?")[0].rstrip("/")  # as it is sent, escaped
    if below.endswith("/v1") and path.startswith("/v1/"):
        path = path.removeprefix("/v1")
    if not below.endswith(path):
        below += path
    query = f"?{base.query.decode()}" if base.query else ""
    return base.copy_with(raw_path=(below + query).encode(), fragment=None)


def shown(url: httpx.URL) -> str:
    """Host and path of an address, without what may hold a secret."""
    host = f"[{url.host}]" if ":" in url.host else url.host
    port = f":{url.port}" if url.port else ""
    return f"{host}{port}{url.path}"


def target(url: httpx.URL, location: str) -> str:
    """Where a redirect of ``url`` leads, as :func:`shown`."""
    try:
        return shown(url.join(location))[:200]
    except (httpx.InvalidURL, ValueError):
        return "an address that cannot be read"


def is_loopback(host: str) -> bool:
    """Whether an address is this machine itself."""
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
