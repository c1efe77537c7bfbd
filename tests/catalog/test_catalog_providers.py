"""Presets, overrides and what is configured (SPEC 2.4, 10)."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest

from routinglab.catalog.available import available, is_configured, why_not_configured
from routinglab.catalog.model import Catalog, Model
from routinglab.catalog.providers import presets, provider_info
from routinglab.errors import SettingsError
from routinglab.settings import Settings


def having(**providers):
    return Settings(providers=providers)


def test_the_presets_of_the_specification_exist_with_their_protocol():
    wanted = {
        "openai": "openai", "anthropic": "anthropic", "openrouter": "openai", "deepseek": "openai",
        "xai": "openai", "groq": "openai", "mistral": "openai", "google": "openai",
        "ollama": "openai", "llama.cpp": "openai", "vllm": "openai", "typesafe": "systemone",
    }  # fmt: skip
    assert {name: presets()[name].api for name in wanted} == wanted


@pytest.mark.parametrize("name", sorted(presets()))
def test_every_preset_is_complete(name):
    info = presets()[name]
    address = urlsplit(info.base_url)
    assert info.id == name
    assert info.name
    assert info.source
    assert info.api in ("openai", "anthropic", "systemone")
    assert address.hostname
    assert not info.base_url.endswith("/")
    assert info.billing in (None, "metered", "subscription", "free")
    assert info.needs_key == (info.key_env is not None)
    # a key leaves this machine only encrypted
    assert address.scheme == "https" or address.hostname == "127.0.0.1"
    if not info.needs_key:
        assert address.hostname == "127.0.0.1"
    # an address a client adds its own path to
    if info.api == "anthropic":
        assert not info.base_url.endswith("/v1")


def test_no_preset_takes_a_key_that_other_tools_leave_lying_about():
    assert not {"GITHUB_TOKEN", "AWS_ACCESS_KEY_ID"} & {info.key_env for info in presets().values()}


def test_a_provider_is_configured_when_its_key_is_set_and_not_blank():
    assert is_configured("openai", env={"OPENAI_API_KEY": "sk-1"})
    assert not is_configured("openai", env={"OPENAI_API_KEY": "  "})
    assert not is_configured("openai", env={})
    assert is_configured("ollama", env={})
    assert not is_configured("nobody", env={"NOBODY_API_KEY": "x"})


def test_what_a_provider_lacks_is_said_with_the_variable_to_set():
    assert why_not_configured("openai", env={"OPENAI_API_KEY": "sk-1"}) is None
    mine = having(openai={"apiKeyEnv": "MINE"})
    said = "provider openai is not configured: MINE is not set"
    assert why_not_configured("openai", mine, {"OPENAI_API_KEY": "k", "MINE": " "}) == said
    assert why_not_configured("nobody", env={}) == "provider nobody has no address"


def test_settings_override_each_value_of_a_preset():
    found = provider_info("openai", having(openai={"baseUrl": "http://h/v1", "apiKeyEnv": "MINE"}))
    assert found is not None
    assert (found.api, found.base_url, found.key_env) == ("openai", "http://h/v1", "MINE")
    assert is_configured("openai", having(openai={"apiKeyEnv": "MINE"}), {"MINE": "k"})
    assert not is_configured(
        "openai", having(openai={"apiKeyEnv": "MINE"}), {"OPENAI_API_KEY": "k"}
    )


def test_a_provider_of_the_settings_alone_speaks_openai_and_needs_a_key_only_if_it_names_one():
    found = provider_info("mine", having(mine={"baseUrl": "http://h/v1"}))
    assert found is not None
    assert (found.api, found.needs_key) == ("openai", False)
    assert is_configured("mine", having(mine={"baseUrl": "http://h/v1"}), {})
    assert not is_configured("mine", having(mine={"baseUrl": "http://h/v1", "apiKeyEnv": "K"}), {})


def test_a_header_that_carries_the_key_replaces_the_variable():
    settings = having(openai={"headers": {"authorization": "Bearer secret-value"}})
    found = provider_info("openai", settings)
    assert found is not None
    assert is_configured("openai", settings, {})
    assert found.headers == {"authorization": "Bearer secret-value"}
    assert "secret-value" not in repr(found)


def test_a_provider_without_an_address_is_an_error_with_the_nearest_preset():
    with pytest.raises(SettingsError, match=r"providers\.opnai: baseUrl is required.*'openai'"):
        provider_info("opnai", having(opnai={"apiKeyEnv": "K"}))


def test_available_keeps_the_models_of_configured_providers():
    models = [Model(provider=p, id="m") for p in ("openai", "anthropic", "ollama", "nobody")]
    found = available(Catalog(models, ["w"]), Settings(), {"ANTHROPIC_API_KEY": "k"})
    assert [model.provider for model in found] == ["anthropic", "ollama"]
    assert found.warnings == ("w",)
