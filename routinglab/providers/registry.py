"""The clients of all configured providers, one each, made when first asked for."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Self

from routinglab.providers.chat import ChatClient
from routinglab.providers.classify import Classifier

if TYPE_CHECKING:
    from routinglab.settings import Settings


class Providers:
    """Clients by provider id. ``env`` holds the keys (default: the process environment).

    Use it as an async context manager, or call :meth:`aclose`. Asking for an unknown provider
    without an endpoint raises ``ProviderError`` of kind ``config``, a missing key one of kind
    ``auth``.
    """

    def __init__(self, settings: Settings, env: Mapping[str, str] | None = None) -> None:
        self.settings = settings
        self.env = env

    def client(self, provider_id: str) -> ChatClient:
        """The chat client of a provider."""
        raise NotImplementedError

    def classifier(self, provider_id: str) -> Classifier:
        """The classifier client of a provider whose ``api`` is ``systemone``."""
        raise NotImplementedError

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every configured key value, for screening and redaction."""
        raise NotImplementedError

    async def aclose(self) -> None:
        """Close every client."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()
