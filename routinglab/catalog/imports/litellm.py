"""LiteLLM's ``model_prices_and_context_window.json``: an object by model name, USD per token.

``sample_spec`` documents the fields and is no model; ``alias_of`` names the entry that holds the facts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import Any

from routinglab.catalog.imports import reading
from routinglab.catalog.imports.names import our_provider, our_providers
from routinglab.catalog.imports.reading import Data, Entries, Note
from routinglab.catalog.model import Catalog, Kind, PriceTier, Source
from routinglab.catalog.providers import presets

NAME = "LiteLLM model_prices_and_context_window.json"

_PER_MILLION = 1_000_000
_KINDS: dict[str, Kind] = {
    "chat": "chat",
    "responses": "chat",
    "image_generation": "image",
    "image_edit": "image",
}
_ABOVE = re.compile(r"(input|output)_cost_per_token_above_(\d{1,9})(k?)_tokens")
_INPUTS = (
    ("image", "supports_vision"),
    ("pdf", "supports_pdf_input"),
    ("audio", "supports_audio_input"),
    ("video", "supports_video_input"),
)
_PRICES = ("cost_per_token", "tiered_pricing")


def import_litellm(data: Data, *, as_of: date | None = None) -> Catalog:
    """Read the file: a path or its object. ``as_of`` is the day it was fetched (default: today).

    The file states which models reason but no complete list of levels, so efforts stay unknown.
    Every entry becomes a model or a line of ``.warnings``; CatalogError when the root is no object.
    """
    root = reading.root_object(data, "a LiteLLM price list")
    entries = Entries()
    source = (Source(name=NAME, as_of=as_of),)
    known = _known_providers(root)
    for key, entry in root.items():
        if key == "sample_spec":
            continue
        note = entries.note(str(key))
        followed = _followed(str(key), entry, root, known, note)
        facts = followed if isinstance(followed, str) else _facts(str(key), followed, note, as_of)
        if isinstance(facts, str):
            entries.leave_out(str(key), facts)
        else:
            entries.add(str(key), **facts, sources=source)
    return entries.catalog()


def _known_providers(root: Mapping[str, Any]) -> frozenset[str]:
    """Providers the list itself names, and those there are presets for."""
    named = (_provider(entry) for entry in root.values() if isinstance(entry, Mapping))
    table = our_providers("litellm")
    return frozenset({name for name in named if name} | set(presets()) | table)


def _followed(
    key: str, entry: object, root: Mapping[str, Any], known: frozenset[str], note: Note
) -> Mapping[str, Any] | str:
    """The entry with the facts of what it is an alias of below its own, or why there is none."""
    seen = {key}
    chain: list[Mapping[str, Any]] = []
    while True:
        if not isinstance(entry, Mapping):
            return "the entry is no object"
        chain.append(entry)
        target = entry.get("alias_of")
        if target is None:
            break
        if not isinstance(target, str) or target not in root or target == "sample_spec":
            return f"it is an alias of {str(target)[:80]!r}, which is not in the list"
        if target in seen:
            return "its aliases run in a circle"
        seen.add(target)
        entry = root[target]
    facts: dict[str, Any] = {}
    for one in reversed(chain):
        facts.update(one)
    first = our_provider(key.partition("/")[0], "litellm") if "/" in key else ""
    own = _provider(chain[0]) or (first if first in known else None)
    if own is not None:
        facts["litellm_provider"] = own
    if own is not None and len(chain) > 1 and own != _provider(chain[-1]):
        # a price belongs to the provider that serves the model
        note("an alias of another provider's model; its price is kept as unknown")
        facts = {name: v for name, v in facts.items() if not any(p in name for p in _PRICES)}
        facts.update({name: v for name, v in chain[0].items() if any(p in name for p in _PRICES)})
    return facts


def _provider(entry: Mapping[str, Any]) -> str | None:
    named = entry.get("litellm_provider")
    if isinstance(named, str) and named.strip():
        return our_provider(named.strip(), "litellm")
    return None


def _facts(
    key: str, entry: Mapping[str, Any], note: Note, as_of: date | None
) -> dict[str, Any] | str:
    provider = _provider(entry)
    if provider is None:
        return "it names no provider (litellm_provider)"
    mode = entry.get("mode")
    kind = _KINDS.get(mode) if isinstance(mode, str) else None
    if kind is None:
        return f"its mode is {mode[:40]!r}" if isinstance(mode, str) else "it states no mode"
    first, _, rest = key.partition("/")
    model_id = rest if rest and our_provider(first, "litellm") == provider else key
    if kind == "chat" and (what := reading.not_chat(model_id)):
        return f"it is {what}"
    input_price = _price(entry, "input_cost_per_token", note)
    output_price = _price(entry, "output_cost_per_token", note)
    tiers = _tiers(entry, input_price, output_price, note)
    if tiers and tiers[0].above == 0:
        # a list of ranges from 0 up holds the base price too
        input_price = tiers[0].input_price if input_price is None else input_price
        output_price = tiers[0].output_price if output_price is None else output_price
        tiers = tiers[1:]
    preset = presets().get(provider)
    return {
        "provider": provider,
        "id": model_id,
        "kind": kind,
        "inputs": _inputs(entry, note),
        "context_window": reading.tokens(entry.get("max_input_tokens"), note, "max_input_tokens"),
        "max_output": reading.tokens(entry.get("max_output_tokens"), note, "max_output_tokens"),
        "input_price": input_price,
        "output_price": output_price,
        "tiers": tiers,
        "billing": reading.billing(
            model_id, input_price, output_price, preset.billing if preset else None
        ),
        "deprecated": _is_past(entry.get("deprecation_date"), as_of or date.today()),
    }


def _price(entry: Mapping[str, Any], name: str, note: Note) -> float | None:
    return reading.price(entry.get(name), note, name, scale=_PER_MILLION)


def _inputs(entry: Mapping[str, Any], note: Note) -> tuple[str, ...]:
    stated = reading.texts(entry.get("supported_modalities"), note, "supported_modalities")
    if stated:
        return stated
    return ("text", *(name for name, flag in _INPUTS if entry.get(flag) is True))


def _tiers(
    entry: Mapping[str, Any], input_price: float | None, output_price: float | None, note: Note
) -> tuple[PriceTier, ...]:
    """The tiers of both notations; a price that a tier does not restate stays the base price."""
    found: dict[int, dict[str, float | None]] = {}
    for name in entry:
        if match := _ABOVE.fullmatch(str(name)):
            side, digits, thousand = match.groups()
            above = int(digits) * (1000 if thousand else 1)
            found.setdefault(above, {})[side] = _price(entry, name, note)
    ranges = entry.get("tiered_pricing")
    for one in ranges if isinstance(ranges, list) else ():
        limits = one.get("range") if isinstance(one, Mapping) else None
        start = limits[0] if isinstance(limits, list) and limits else None
        if isinstance(start, bool) or not isinstance(start, int | float) or not 0 <= start < 1e9:
            note("a range of tiered_pricing has no start; it is left out")
            continue
        found[int(start)] = {side: _price(one, f"{side}_cost_per_token", note) for side in _SIDES}
    return tuple(
        PriceTier(
            above=above,
            input_price=found[above].get("input", input_price),
            output_price=found[above].get("output", output_price),
        )
        for above in sorted(found)
    )


_SIDES = ("input", "output")


def _is_past(value: object, today: date) -> bool:
    try:
        return isinstance(value, str) and date.fromisoformat(value) <= today
    except ValueError:
        return False
