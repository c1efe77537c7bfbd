"""Models under other names: aliases in public tables, and the catalog ids of their models."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _data() -> dict[str, dict[str, dict[str, str]]]:
    text = files("routinglab.lab").joinpath("names.toml").read_text("utf-8")
    return tomllib.loads(text)


def aliases_of(source: str) -> dict[str, str]:
    """Names in a public table's logs that are another name of one of its models."""
    return dict(_data()["aliases"].get(source, {}))


def catalog_ids(source: str) -> dict[str, str]:
    """The catalog id under which each model of a public table is routed to."""
    return dict(_data()["catalog"].get(source, {}))
