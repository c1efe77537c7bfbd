"""What other lists call the providers this project knows (``provider_names.toml``)."""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path

NAMES = Path(__file__).with_name("provider_names.toml")


@cache
def _tables() -> dict[str, dict[str, str]]:
    tables: dict[str, dict[str, str]] = tomllib.loads(NAMES.read_text(encoding="utf-8"))
    return tables


def our_provider(name: str, source: str) -> str:
    """This project's id of the provider that ``source`` (a table of the file) calls ``name``."""
    table = _tables()[source]
    # LiteLLM splits one provider by the maker it serves: vertex_ai-anthropic_models
    return table.get(name) or table.get(name.partition("-")[0]) or name


def our_providers(source: str) -> set[str]:
    """The ids that ``source``'s names lead to."""
    return {*_tables()[source].values(), *_tables()[source]}
