"""What is known of each provider: its protocol, address and key variable."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from routinglab.settings import Settings

Api = Literal["openai", "anthropic", "systemone"]


@dataclass(frozen=True, slots=True)
class ProviderInfo:
    """One provider as it will be called.

    ``base_url`` is None where the provider has no fixed address; ``key_env`` names the environment
    variable of the key. ``headers`` may hold secrets and are left out of the repr.
    """

    id: str
    name: str
    api: Api
    base_url: str | None = None
    key_env: str | None = None
    needs_key: bool = True
    headers: dict[str, str] = field(default_factory=dict, repr=False)


def provider_info(provider_id: str, settings: Settings | None = None) -> ProviderInfo | None:
    """The preset of ``provider_id`` with the settings' values over it; None when neither exists."""
    raise NotImplementedError
