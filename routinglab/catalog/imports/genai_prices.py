"""The installed ``genai-prices`` package (the ``prices`` extra): prices and windows by provider.

Prices there are USD per million tokens; above a tier's start all tokens cost its price. The package
states no kinds, input types, efforts or release dates, so those stay unknown here.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from routinglab.catalog.imports import reading
from routinglab.catalog.imports.names import our_provider
from routinglab.catalog.imports.reading import Entries, Note
from routinglab.catalog.model import Catalog, PriceTier, Source
from routinglab.catalog.providers import presets
from routinglab.errors import CatalogError

PACKAGE = "genai-prices"


def import_genai_prices(
    data: Iterable[Any] | None = None, *, at: datetime | None = None, as_of: date | None = None
) -> Catalog:
    """Read the package's own data, or ``data``, a list of its ``Provider`` objects.

    Where a price changes from a date on, the one in force ``at`` (default: now) counts; where it
    changes with the hour, the dearest does. Raises CatalogError when the package is not installed.
    """
    providers = _installed() if data is None else data
    moment = at or datetime.now(UTC)
    entries = Entries()
    source = (Source(name=_source_name(), as_of=as_of),)
    for provider in providers:
        ours = our_provider(str(provider.id), "genai_prices")
        for model in provider.models:
            full_id = f"{ours}/{model.id}"
            facts = _facts(ours, model, moment, entries.note(full_id))
            if isinstance(facts, str):
                entries.leave_out(full_id, facts)
            else:
                entries.add(full_id, **facts, sources=source)
    return entries.catalog()


def _installed() -> Iterable[Any]:
    try:
        snapshot = import_module("genai_prices.data_snapshot").get_snapshot()
        providers: Iterable[Any] = snapshot.providers
    except ImportError:
        raise CatalogError(
            f"{PACKAGE} is not installed; add it with: pip install 'routinglab[prices]'"
        ) from None
    except AttributeError:
        raise CatalogError(f"this version of {PACKAGE} keeps its data elsewhere") from None
    return providers


def _source_name() -> str:
    try:
        return f"{PACKAGE} {version(PACKAGE)}"
    except PackageNotFoundError:
        return PACKAGE


def _facts(provider: str, model: Any, at: datetime, note: Note) -> dict[str, Any] | str:
    preset = presets().get(provider)
    classifies = preset is not None and preset.api == "systemone"
    if what := reading.not_chat(model.id, model.name or ""):
        return f"it is {what}"
    prices = _prices(model, at, note)
    if not classifies and prices["input"][0] is not None and prices["output"][0] is None:
        return "it has a price for reading and none for writing, so it may be no chat model"
    draws = any(word in model.id for word in ("image", "banana"))
    input_price, output_price = prices["input"][0], prices["output"][0]
    return {
        "provider": provider,
        "id": model.id,
        "name": model.name or "",
        "kind": "classifier" if classifies else "image" if draws else "chat",
        "context_window": reading.tokens(model.context_window, note, "context_window"),
        "input_price": input_price,
        "output_price": output_price,
        "tiers": _tiers(prices),
        "billing": reading.billing(
            model.id, input_price, output_price, preset.billing if preset else None
        ),
        "deprecated": bool(model.deprecated),
    }


#: A base price and the prices from each number of input tokens on.
_Side = tuple[float | None, dict[int, float | None]]


def _prices(model: Any, at: datetime, note: Note) -> dict[str, _Side]:
    listed = model.prices
    if not isinstance(listed, list):
        return _sides(listed, note)
    hourly = [one for one in listed if hasattr(one.constraint, "start_time")]
    if not hourly:
        return (
            _sides(model.get_prices(at), note)
            if listed
            else {"input": (None, {}), "output": (None, {})}
        )
    note("its price changes with the hour; the dearest is taken")
    dated = [one for one in listed if one not in hourly and _in_force(one.constraint, at)]
    found = [_sides(one.prices, note) for one in [*dated[-1:], *hourly]]
    return {
        side: max((prices[side] for prices in found), key=lambda one: one[0] or 0.0)
        for side in ("input", "output")
    }


def _in_force(constraint: Any, at: datetime) -> bool:
    return constraint is None or bool(constraint.active(at))


def _sides(prices: Any, note: Note) -> dict[str, _Side]:
    found: dict[str, _Side] = {}
    for side in ("input", "output"):
        value = getattr(prices, f"{side}_mtok", None)
        base, tiers = getattr(value, "base", value), getattr(value, "tiers", ())
        found[side] = (
            reading.price(base, note, f"{side} price"),
            {tier.start: reading.price(tier.price, note, f"{side} tier price") for tier in tiers},
        )
    return found


def _tiers(prices: dict[str, _Side]) -> tuple[PriceTier, ...]:
    starts = sorted({*prices["input"][1], *prices["output"][1]})

    def at(side: str, start: int) -> float | None:
        base, tiers = prices[side]
        below = [begin for begin in tiers if begin <= start]
        return tiers[max(below)] if below else base

    return tuple(
        PriceTier(above=start, input_price=at("input", start), output_price=at("output", start))
        for start in starts
    )
