"""Settings and clients for the loopback server, as tests of several rooms need them."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

import pytest

from routinglab.providers.chat import ChatReply, ChatRequest, Image, Message, ToolSpec
from routinglab.providers.registry import Providers
from routinglab.settings import Settings
from support.llm_server import LlmServer

KEY = "loopback-key-0123456789"
ENV = {"LOOPBACK_KEY": KEY}

T = TypeVar("T")

#: A test of both chat protocols.
BOTH = pytest.mark.parametrize("name", ["oai", "ant"])
PNG = Image("image/png", b"\x89PNG\r\n")
READ = ToolSpec(
    "read", "Read a file", {"type": "object", "properties": {"path": {"type": "string"}}}
)


def settings_for(server: LlmServer, **more: Any) -> Settings:
    """Providers ``oai``, ``ant`` and ``cls`` of the server, one for each protocol."""
    urls = {
        "oai": ("openai", server.openai_url),
        "ant": ("anthropic", server.anthropic_url),
        "cls": ("systemone", server.systemone_url),
    }
    providers = {
        name: {"api": api, "baseUrl": url, "apiKeyEnv": "LOOPBACK_KEY"}
        for name, (api, url) in urls.items()
    }
    return Settings(providers=providers, **more)


def ask(text: str = "hi", model: str = "m", **more: Any) -> ChatRequest:
    """A request of one user turn."""
    return ChatRequest(model, (Message("user", text),), **more)


def on_loopback(
    test: Callable[[LlmServer, Providers], Awaitable[T]], *, key: str | None = KEY
) -> T:
    """Run ``test`` with a server that takes only ``key`` and clients for it."""

    async def run() -> T:
        async with LlmServer(key=key) as server, Providers(settings_for(server), ENV) as providers:
            return await test(server, providers)

    return asyncio.run(run())


def run(work: Coroutine[Any, Any, T]) -> T:
    """``asyncio.run`` by a shorter name."""
    return asyncio.run(work)


def answered(
    name: str,
    step: Any,
    request: ChatRequest | None = None,
    *,
    stream: bool = False,
) -> tuple[ChatReply, list[str], dict[str, Any]]:
    """The reply, the pieces that were streamed and the body that was sent."""

    async def test(server: LlmServer, providers: Providers) -> Any:
        server.script("m", [step])
        heard: list[str] = []
        on_text = heard.append if stream else None
        reply = await providers.client(name).chat(request or ask(), on_text=on_text)
        return reply, heard, server.requests[-1].json

    return on_loopback(test)
