"""Which models are configured (SPEC 2.4): that a key is set, never that it is valid."""

from __future__ import annotations

import os
from collections.abc import Mapping

from routinglab.catalog.model import Catalog
from routinglab.catalog.providers import provider_info
from routinglab.settings import Settings


def is_configured(
    provider_id: str, settings: Settings | None = None, env: Mapping[str, str] | None = None
) -> bool:
    """Whether the provider has an address, and a key that is set and not blank where it needs one."""
    return why_not_configured(provider_id, settings, env) is None


def why_not_configured(
    provider_id: str, settings: Settings | None = None, env: Mapping[str, str] | None = None
) -> str | None:
    """What a provider lacks to be called, in words that name the variable; None for nothing."""
    info = provider_info(provider_id, settings)
    if info is None:
        return f"provider {provider_id} has no address"
    variables = os.environ if env is None else env
    if info.needs_key and not (info.key_env and variables.get(info.key_env, "").strip()):
        return f"provider {provider_id} is not configured: {info.key_env} is not set"
    return None


def available(
    catalog: Catalog, settings: Settings | None = None, env: Mapping[str, str] | None = None
) -> Catalog:
    """The models of configured providers, in the catalog's order."""
    configured = {name for name in catalog.providers if is_configured(name, settings, env)}
    return Catalog((model for model in catalog if model.provider in configured), catalog.warnings)
