"""Settings: values, files, merge, trust, environment. The three names below load on first use."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from routinglab.settings.load import load_settings
    from routinglab.settings.model import AgentOverride, ProviderSettings, Settings

__all__ = ["AgentOverride", "ProviderSettings", "Settings", "load_settings"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module 'routinglab.settings' has no attribute {name!r}")
    home = "load" if name == "load_settings" else "model"
    value = getattr(import_module(f"routinglab.settings.{home}"), name)
    globals()[name] = value
    return value
