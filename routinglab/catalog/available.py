"""Which models are configured (SPEC 2.4): that a key is set, never that it is valid."""

from __future__ import annotations

from collections.abc import Mapping

from routinglab.catalog.model import Catalog
from routinglab.settings import Settings


def is_configured(
    provider_id: str, settings: Settings | None = None, env: Mapping[str, str] | None = None
) -> bool:
    """Whether the provider's key variable is set and not blank, or it needs none."""
    raise NotImplementedError


def available(
    catalog: Catalog, settings: Settings | None = None, env: Mapping[str, str] | None = None
) -> Catalog:
    """The models of configured providers."""
    raise NotImplementedError
