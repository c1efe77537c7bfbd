"""The public ``api.json`` of models.dev: one object a provider, with its models by id.

Costs there are USD per million tokens; a cost tier holds above ``tier.size`` input tokens.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from typing import Any

from routinglab.catalog.imports import reading
from routinglab.catalog.imports.reading import Data, Entries, Note
from routinglab.catalog.model import Catalog, Kind, PriceTier, Source
from routinglab.catalog.providers import presets

NAME = "models.dev"

#: What a mode may add to a request, and nothing else of it.
_REQUEST_OPTIONS = ("service_tier", "speed")


def import_models_dev(data: Data, *, as_of: date | None = None) -> Catalog:
    """Read ``api.json``: a path or its object. ``as_of`` is the day it was fetched.

    Every entry becomes a model or a line of ``.warnings``. A ``fast`` mode becomes a model of its own,
    ``<id>-fast``, with ``base_model`` set. Raises CatalogError when the root is not that list.
    """
    root = reading.root_object(data, "a models.dev list")
    entries = Entries()
    source = (Source(name=NAME, as_of=as_of),)
    fast: list[tuple[str, dict[str, Any]]] = []
    for provider, described in root.items():
        models = described.get("models") if isinstance(described, Mapping) else None
        if not isinstance(models, Mapping):
            entries.leave_out(str(provider), "it has no object of models")
            continue
        for model_id, entry in models.items():
            full_id = f"{provider}/{model_id}"
            if not isinstance(entry, Mapping):
                entries.leave_out(full_id, "the entry is no object")
                continue
            note = entries.note(full_id)
            facts = _facts(str(provider), str(model_id), entry, note, entries)
            if facts is None:
                continue
            facts["sources"] = source
            entries.add(full_id, **facts)
            if quick := _fast_route(facts, entry, note):
                fast.append((full_id, quick))
    for full_id, quick in fast:
        entries.add(f"{full_id} (fast mode)", **quick)
    return entries.catalog()


def _facts(
    provider: str, model_id: str, entry: Mapping[str, Any], note: Note, entries: Entries
) -> dict[str, Any] | None:
    modalities = reading.part(entry, "modalities", note)
    inputs = reading.texts(modalities.get("input"), note, "modalities.input")
    outputs = reading.texts(modalities.get("output"), note, "modalities.output")
    name = reading.text(entry.get("name"), note, "name")
    family = reading.text(entry.get("family"), note, "family")
    kind, reason = _kind(model_id, family, inputs, outputs)
    if kind is None:
        entries.leave_out(f"{provider}/{model_id}", reason)
        return None
    limit = reading.part(entry, "limit", note)
    cost = reading.part(entry, "cost", note)
    input_price = reading.price(cost.get("input"), note, "input cost")
    output_price = reading.price(cost.get("output"), note, "output cost")
    preset = presets().get(provider)
    return {
        "provider": provider,
        "id": model_id,
        "name": name,
        "kind": kind,
        "inputs": inputs or None,
        "context_window": reading.tokens(limit.get("context"), note, "limit.context"),
        "max_output": reading.tokens(limit.get("output"), note, "limit.output"),
        "input_price": input_price,
        "output_price": output_price,
        "tiers": _tiers(cost, note),
        "efforts": _efforts(entry, note),
        "released": reading.day(
            entry.get("release_date"), note, "release_date", entries.month_only
        ),
        "billing": reading.billing(
            model_id, input_price, output_price, preset.billing if preset else None
        ),
        "deprecated": entry.get("status") == "deprecated",
    }


def _kind(
    model_id: str, family: str, inputs: tuple[str, ...], outputs: tuple[str, ...]
) -> tuple[Kind | None, str]:
    if what := reading.not_chat(model_id, family):
        return None, f"it is {what}"
    draws = any(word in f"{model_id} {family}".lower() for word in ("image", "imagine", "banana"))
    if "image" in outputs and ("text" not in outputs or draws):
        return "image", ""
    if "text" not in outputs:
        made = ", ".join(outputs) or "nothing that is stated"
        return None, f"it writes {made}, not text"
    if inputs and "text" not in inputs:
        return None, f"it reads {', '.join(inputs)}, not text"
    return "chat", ""


def _tiers(cost: Mapping[str, Any], note: Note) -> tuple[PriceTier, ...]:
    found: dict[int, PriceTier] = {}
    listed = cost.get("tiers")
    if listed is not None and not isinstance(listed, list):
        note("cost.tiers is no list")
    older = [{"tier": {"size": 200_000}, **reading.part(cost, "context_over_200k", note)}]
    for tier in [
        *(listed if isinstance(listed, list) else ()),
        *older[: "context_over_200k" in cost],
    ]:
        if not isinstance(tier, Mapping):
            note("a cost tier is no object")
            continue
        size = reading.part(tier, "tier", note)
        above = reading.tokens(size.get("size"), note, "tier.size")
        if above is None or size.get("type", "context") != "context":
            note("a cost tier states no number of input tokens; it is left out")
            continue
        found.setdefault(
            above,
            PriceTier(
                above=above,
                input_price=reading.price(tier.get("input"), note, "tier input cost"),
                output_price=reading.price(tier.get("output"), note, "tier output cost"),
            ),
        )
    return tuple(found[above] for above in sorted(found))


def _efforts(entry: Mapping[str, Any], note: Note) -> tuple[str, ...]:
    options = entry.get("reasoning_options")
    if options is None or entry.get("reasoning") is False:
        return ()
    if not isinstance(options, list):
        note("reasoning_options is no list")
        return ()
    values: list[object] = []
    for option in options:
        listed = option.get("values") if isinstance(option, Mapping) else None
        if isinstance(listed, list) and option.get("type") == "effort":
            values += listed
    return reading.efforts(values, note)


def _fast_route(
    facts: Mapping[str, Any], entry: Mapping[str, Any], note: Note
) -> dict[str, Any] | None:
    modes = reading.part(reading.part(entry, "experimental", note), "modes", note)
    if facts["kind"] != "chat" or "fast" not in modes:
        return None
    mode = reading.part(modes, "fast", note)
    cost = reading.part(mode, "cost", note)
    body = reading.part(reading.part(mode, "provider", note), "body", note)
    options = [(key, body[key]) for key in _REQUEST_OPTIONS if isinstance(body.get(key), str)]
    return {
        **facts,
        "id": f"{facts['id']}-fast",
        "name": f"{facts['name']} (fast)" if facts["name"] else "",
        "input_price": reading.price(cost.get("input"), note, "fast mode input cost"),
        "output_price": reading.price(cost.get("output"), note, "fast mode output cost"),
        "tiers": _tiers(cost, note),
        "base_model": f"{facts['provider']}/{facts['id']}",
        "request_model": facts["id"],
        "request_options": tuple(options),
    }
