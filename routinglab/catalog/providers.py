"""What is known of each provider: its protocol, address and key variable.

Presets are in ``providers.toml``; a user's settings override each value or describe a new provider.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

from routinglab.catalog.model import Billing
from routinglab.core.text import did_you_mean
from routinglab.errors import SettingsError
from routinglab.settings import Settings
from routinglab.settings.model import Api

PRESETS = Path(__file__).with_name("providers.toml")
_KEY_HEADERS = frozenset({"authorization", "x-api-key", "api-key"})


@dataclass(frozen=True, slots=True)
class ProviderInfo:
    """One provider as it will be called.

    A client adds ``/chat/completions`` (api ``openai``), ``/v1/messages`` (``anthropic``) or
    ``/v1/systemone`` (``systemone``) to ``base_url``. ``key_env`` names the environment variable of
    the key. ``headers`` may hold secrets and are left out of the repr. ``billing`` is how all its
    models are paid for, None where that differs or is not known.
    """

    id: str
    name: str
    api: Api
    base_url: str
    key_env: str | None = None
    needs_key: bool = True
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    billing: Billing | None = None
    source: str = ""


@cache
def presets() -> Mapping[str, ProviderInfo]:
    """The providers of ``providers.toml`` by id."""
    tables: dict[str, dict[str, Any]] = tomllib.loads(PRESETS.read_text(encoding="utf-8"))
    return MappingProxyType(
        {
            provider: ProviderInfo(id=provider, needs_key="key_env" in table, **table)
            for provider, table in tables.items()
        }
    )


def provider_info(provider_id: str, settings: Settings | None = None) -> ProviderInfo | None:
    """The preset of ``provider_id`` with the settings' values over it; None when neither exists.

    A provider that only the settings describe speaks the OpenAI protocol unless they say otherwise,
    and needs a key when they name a variable. Raises SettingsError when they give no address.
    """
    preset = presets().get(provider_id)
    stated = settings.providers.get(provider_id) if settings else None
    if stated is None:
        return preset
    base_url = stated.base_url or (preset.base_url if preset else None)
    if base_url is None:
        raise SettingsError(
            f"providers.{provider_id}: baseUrl is required, because no preset has this name."
            + did_you_mean(provider_id, presets()),
            field=f"providers.{provider_id}.baseUrl",
        )
    headers = dict(stated.headers)
    carries_key = any(name.lower() in _KEY_HEADERS for name in headers)
    key_env = stated.api_key_env or (preset.key_env if preset and not carries_key else None)
    return ProviderInfo(
        id=provider_id,
        name=preset.name if preset else provider_id,
        api=stated.api or (preset.api if preset else "openai"),
        base_url=base_url,
        key_env=key_env,
        needs_key=key_env is not None,
        headers=headers,
        billing=preset.billing if preset else None,
        source=f"{preset.source}, settings" if preset else "settings",
    )
