"""The clients of all configured providers, one each, made when first asked for."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from routinglab.catalog.providers import ProviderInfo, presets, provider_info
from routinglab.core.text import did_you_mean
from routinglab.errors import ProviderError, SettingsError
from routinglab.providers.chat import ChatClient
from routinglab.providers.classify import Classifier

if TYPE_CHECKING:
    from routinglab.providers.http import Connection
    from routinglab.settings import Settings

#: Headers of a user's own that carry credentials, by a part of their name.
_PRIVATE_HEADERS = ("auth", "key", "token", "secret", "cookie", "password")


class Providers:
    """Clients by provider id. ``env`` holds the keys (default: the process environment).

    Use it as an async context manager, or call :meth:`aclose`. Asking for an unknown provider
    without an endpoint raises ``ProviderError`` of kind ``config``, a missing key one of kind
    ``auth``. With ``recorded``, a file of :mod:`routinglab.providers.recorded`, every answer comes
    from there and nothing is sent. ``proxies`` says whether the environment's proxies are used.
    """

    def __init__(
        self,
        settings: Settings,
        env: Mapping[str, str] | None = None,
        *,
        recorded: Path | str | None = None,
        proxies: bool = True,
    ) -> None:
        self.settings = settings
        self._env = env
        self._recorded = Path(recorded) if recorded is not None else None
        self._proxies = proxies
        self._chat: dict[str, ChatClient] = {}
        self._classifiers: dict[str, Classifier] = {}

    def __repr__(self) -> str:
        made = sorted({*self._chat, *self._classifiers})
        return f"Providers({', '.join(made) or 'none used yet'})"

    @property
    def recorded(self) -> Path | None:
        """The file that every answer comes from, None where providers are asked."""
        return self._recorded

    def client(self, provider_id: str) -> ChatClient:
        """The chat client of a provider."""
        if provider_id not in self._chat:
            self._chat[provider_id] = self._new_chat(provider_id)
        return self._chat[provider_id]

    def classifier(self, provider_id: str) -> Classifier:
        """The classifier client of a provider whose ``api`` is ``systemone``."""
        if provider_id not in self._classifiers:
            self._classifiers[provider_id] = self._new_classifier(provider_id)
        return self._classifiers[provider_id]

    @property
    def secrets(self) -> tuple[str, ...]:
        """Every configured key value, for screening and redaction."""
        return known_secrets(self.settings, self._env)

    def _new_chat(self, provider_id: str) -> ChatClient:
        if self._recorded is not None:
            from routinglab.providers.recorded import RecordedClient

            return RecordedClient(provider_id, self._recorded)
        info = self._info(provider_id)
        if info.api == "systemone":
            raise _config(provider_id, "is a classifier and cannot chat")
        if info.api == "anthropic":
            from routinglab.providers import anthropic

            auth = {"anthropic-version": anthropic.VERSION}
            connection = self._connection(info, anthropic.PATH, "x-api-key", auth)
            return anthropic.AnthropicClient(connection)
        from routinglab.providers import openai

        return openai.OpenAiClient(self._connection(info, openai.PATH, "authorization", {}))

    def _new_classifier(self, provider_id: str) -> Classifier:
        if self._recorded is not None:
            from routinglab.providers.recorded import RecordedClient

            return RecordedClient(provider_id, self._recorded)
        from routinglab.providers import systemone

        info = self._info(provider_id)
        if info.api != "systemone":
            raise _config(provider_id, f"speaks the {info.api} protocol and cannot classify")
        connection = self._connection(info, systemone.PATH, "authorization", {})
        return systemone.SystemOneClient(connection)

    def _info(self, provider_id: str) -> ProviderInfo:
        try:
            info = provider_info(provider_id, self.settings)
        except SettingsError as error:
            raise _config(provider_id, f"has no address: {error}") from None
        if info is None or not info.base_url:
            hint = did_you_mean(provider_id, presets())
            raise _config(
                provider_id,
                f"is unknown.{hint} Describe it in the settings: providers.{provider_id}.baseUrl",
            )
        return info

    def _connection(
        self, info: ProviderInfo, path: str, header: str, auth: Mapping[str, str]
    ) -> Connection:
        import httpx

        from routinglab.providers.http import Connection as New

        key = self._key(info)
        private = dict(auth)
        if key is not None:
            private[header] = f"Bearer {key}" if header == "authorization" else key
        try:
            return New(
                info.id,
                info.base_url,
                path,
                auth=private,
                headers=info.headers,
                secrets=self.secrets,
                proxies=self._proxies,
            )
        except (ValueError, httpx.InvalidURL):  # a host name that no resolver takes
            pass
        raise _config(info.id, "has an address that cannot be read; check its baseUrl")

    def _key(self, info: ProviderInfo) -> str | None:
        """The key, checked for what no header can carry; its value is in no message."""
        key = _variables(self._env).get(info.key_env, "").strip() if info.key_env else ""
        if not key:
            if info.needs_key:
                raise ProviderError(
                    f"{info.id} has no key: set the environment variable {info.key_env}",
                    kind="auth",
                    error_type="missing_key",
                    provider=info.id,
                )
            return None
        if not (key.isascii() and key.isprintable()) or " " in key:
            key = ""  # a traceback that shows local values must not show it
            raise ProviderError(
                f"the key in {info.key_env} holds spaces, line ends or letters that no key has",
                kind="auth",
                error_type="invalid_key",
                provider=info.id,
            )
        return key

    async def aclose(self) -> None:
        """Close every client."""
        for chat in self._chat.values():
            await chat.aclose()
        for classifier in self._classifiers.values():
            await classifier.aclose()
        self._chat.clear()
        self._classifiers.clear()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.aclose()


def _variables(env: Mapping[str, str] | None) -> Mapping[str, str]:
    return os.environ if env is None else env


def _config(provider_id: str, what: str) -> ProviderError:
    return ProviderError(
        f"provider {provider_id!r} {what}",
        kind="config",
        error_type="unknown_provider",
        provider=provider_id,
    )


@cache
def _preset_keys() -> frozenset[str]:
    return frozenset(info.key_env for info in presets().values() if info.key_env)


def known_secrets(settings: Settings, env: Mapping[str, str] | None = None) -> tuple[str, ...]:
    """The values of all configured key variables and private headers, in a fixed order."""
    variables = _variables(env)
    names = {one.api_key_env for one in settings.providers.values() if one.api_key_env}
    # asking os.environ for one that it lacks takes longer than listing the ones it has
    held = (_preset_keys() | names).intersection(variables)
    values = [variables.get(name, "").strip() for name in sorted(held)]
    for _, provider in sorted(settings.providers.items()):
        for name, value in sorted(provider.headers.items()):
            if any(part in name.lower() for part in _PRIVATE_HEADERS):
                values.append(value.strip().rpartition(" ")[2])
    return tuple(dict.fromkeys(value for value in values if value))
