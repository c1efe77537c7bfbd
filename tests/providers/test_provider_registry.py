"""Clients by provider id, and what happens without a key or an address (SPEC 10)."""

from __future__ import annotations

import asyncio

import pytest
from support.providers import KEY, ask

from routinglab.catalog.providers import presets
from routinglab.errors import ProviderError
from routinglab.providers.anthropic import AnthropicClient
from routinglab.providers.openai import OpenAiClient
from routinglab.providers.recorded import RecordedClient
from routinglab.providers.registry import Providers, known_secrets
from routinglab.providers.systemone import SystemOneClient
from routinglab.settings import Settings


def refused(providers: Providers, name: str, *, classifier: bool = False) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        (providers.classifier if classifier else providers.client)(name)
    return caught.value


def test_each_preset_gets_the_client_of_its_protocol() -> None:
    kinds = {"openai": OpenAiClient, "anthropic": AnthropicClient, "systemone": SystemOneClient}
    env = {info.key_env: KEY for info in presets().values() if info.key_env}

    async def main() -> None:
        async with Providers(Settings(), env) as providers:
            for name in (
                "openai",
                "anthropic",
                "google",
                "ollama",
                "llama.cpp",
                "vllm",
                "typesafe",
            ):
                info = presets()[name]
                get = providers.classifier if info.api == "systemone" else providers.client
                assert type(get(name)) is kinds[info.api]
                assert get(name) is get(name)

    asyncio.run(main())


def test_a_missing_or_blank_key_is_auth_and_names_the_variable() -> None:
    for env in ({}, {"OPENAI_API_KEY": "  "}):
        error = refused(Providers(Settings(), env), "openai")
        assert (error.kind, error.error_type) == ("auth", "missing_key")
        assert "OPENAI_API_KEY" in str(error)


def test_the_process_environment_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    assert isinstance(Providers(Settings()).client("openai"), OpenAiClient)


def test_an_unknown_provider_is_config_and_names_the_nearest() -> None:
    error = refused(Providers(Settings(), {}), "opnai")
    assert error.kind == "config"
    assert "Did you mean 'openai'?" in str(error)
    assert "providers.opnai.baseUrl" in str(error)


def test_a_described_provider_without_an_address_is_config() -> None:
    settings = Settings(providers={"mine": {"apiKeyEnv": "MINE"}})
    error = refused(Providers(settings, {"MINE": KEY}), "mine")
    assert error.kind == "config"
    assert "baseUrl" in str(error)


def test_a_classifier_cannot_chat_nor_a_chat_provider_classify() -> None:
    providers = Providers(Settings(), {"TYPESAFE_API_KEY": KEY, "OPENAI_API_KEY": KEY})
    assert "cannot chat" in str(refused(providers, "typesafe"))
    assert "cannot classify" in str(refused(providers, "openai", classifier=True))


@pytest.mark.parametrize("key", ["two words", "line\nend", "schlüssel", "tab\tkey"])
def test_a_key_no_header_can_carry_is_auth_and_is_not_shown(key: str) -> None:
    error = refused(Providers(Settings(), {"OPENAI_API_KEY": key}), "openai")
    assert (error.kind, error.error_type) == ("auth", "invalid_key")
    assert key not in str(error)


def test_reprs_show_no_key_and_no_private_header() -> None:
    header = "private-header-value"
    provider = {"baseUrl": "https://x.test/v1", "apiKeyEnv": "MINE", "headers": {"X-Key": header}}
    settings = Settings(providers={"mine": provider})
    providers = Providers(settings, {"MINE": KEY})
    client = providers.client("mine")
    assert isinstance(client, OpenAiClient)
    assert "x.test/v1/chat/completions" in repr(client)
    assert header not in f"{client!r} {providers!r}"
    assert KEY not in f"{client!r} {providers!r}"
    assert KEY not in repr(client._connection._client.headers)


def test_known_secrets_are_all_configured_keys_and_private_headers() -> None:
    headers = {"Authorization": "Bearer header-token-1", "X-Title": "not a secret"}
    settings = Settings(
        providers={"mine": {"baseUrl": "https://x.test", "apiKeyEnv": "MINE", "headers": headers}}
    )
    env = {"MINE": "mine-secret-1", "OPENAI_API_KEY": " openai-secret-1 ", "OTHER": "no"}
    found = known_secrets(settings, env)
    assert set(found) == {"mine-secret-1", "openai-secret-1", "header-token-1"}
    assert Providers(settings, env).secrets == found


def test_a_recording_answers_for_every_provider(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "answers.jsonl"
    file.write_text("")
    providers = Providers(Settings(), {}, recorded=file)
    assert isinstance(providers.client("openai"), RecordedClient)
    assert isinstance(providers.classifier("typesafe"), RecordedClient)


def test_closing_closes_every_client_and_new_ones_can_be_made() -> None:
    async def main() -> None:
        providers = Providers(Settings(), {})
        first = providers.client("ollama")
        assert isinstance(first, OpenAiClient)
        await providers.aclose()
        assert first._connection._client.is_closed
        assert providers.client("ollama") is not first
        await providers.aclose()

    asyncio.run(main())


def test_an_address_or_header_that_cannot_be_sent_is_the_settings_fault() -> None:
    unreadable = Settings(providers={"p": {"baseUrl": "http://xn--a.test"}})
    assert refused(Providers(unreadable, {}), "p").kind == "config"
    odd = {"baseUrl": "http://127.0.0.1:1/v1", "headers": {"X": "\u00e4"}}

    async def main() -> ProviderError:
        async with Providers(Settings(providers={"p": odd}), {}) as providers:
            with pytest.raises(ProviderError) as caught:
                await providers.client("p").chat(ask())
            return caught.value

    error = asyncio.run(main())
    assert error.kind == "config"
    assert "odd letters" in str(error)
