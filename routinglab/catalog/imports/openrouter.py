"""OpenRouter's ``/api/v1/models``: ``{"data": [...]}``, prices as texts in USD per token."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from routinglab.catalog.imports import reading
from routinglab.catalog.imports.reading import Data, Entries, Note
from routinglab.catalog.model import Catalog, Kind, Source
from routinglab.errors import CatalogError

NAME = "OpenRouter /api/v1/models"
PROVIDER = "openrouter"

_DECIMAL = re.compile(r"[+-]?\d{1,40}(\.\d{1,60})?([eE][+-]?\d{1,3})?")
_PER_MILLION = 1_000_000


def import_openrouter(data: Data, *, as_of: date | None = None) -> Catalog:
    """Read the answer of ``/api/v1/models``: a path or its object. ``as_of`` is the day it was read.

    ``created`` there is the day of listing, so a release date stays unknown. Every entry becomes a
    model or a line of ``.warnings``. Raises CatalogError when the root is not that answer.
    """
    root = reading.root_object(data, "OpenRouter's model list")
    listed = root.get("data")
    if not isinstance(listed, list):
        raise CatalogError("OpenRouter's model list has no list under 'data'")
    entries = Entries()
    for number, entry in enumerate(listed):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("id"), str):
            entries.leave_out(f"data[{number}]", "the entry has no id")
            continue
        full_id = f"{PROVIDER}/{entry['id']}"
        facts = _facts(entry, entries.note(full_id))
        if isinstance(facts, str):
            entries.leave_out(full_id, facts)
        else:
            entries.add(full_id, **facts, sources=(Source(name=NAME, as_of=as_of),))
    return entries.catalog()


def _facts(entry: Mapping[str, Any], note: Note) -> dict[str, Any] | str:
    model_id = entry["id"]
    architecture = reading.part(entry, "architecture", note)
    inputs = reading.texts(architecture.get("input_modalities"), note, "input_modalities")
    outputs = reading.texts(architecture.get("output_modalities"), note, "output_modalities")
    kind = _kind(model_id, outputs)
    if kind not in ("chat", "image"):
        return kind
    pricing = reading.part(entry, "pricing", note)
    input_price = _price(pricing.get("prompt"), note, "pricing.prompt")
    output_price = _price(pricing.get("completion"), note, "pricing.completion")
    top = reading.part(entry, "top_provider", note)
    reasoning = entry.get("reasoning")
    levels = reasoning.get("supported_efforts") if isinstance(reasoning, Mapping) else None
    return {
        "provider": PROVIDER,
        "id": model_id,
        "name": reading.text(entry.get("name"), note, "name"),
        "kind": kind,
        "inputs": inputs or None,
        "context_window": reading.tokens(entry.get("context_length"), note, "context_length"),
        "max_output": reading.tokens(
            top.get("max_completion_tokens"), note, "max_completion_tokens"
        ),
        "input_price": input_price,
        "output_price": output_price,
        "efforts": reading.efforts(levels if isinstance(levels, list) else (), note),
        "billing": reading.billing(model_id, input_price, output_price, None),
    }


def _kind(model_id: str, outputs: tuple[str, ...]) -> Kind | str:
    if what := reading.not_chat(model_id):
        return f"it is {what}"
    if "image" in outputs and ("text" not in outputs or "image" in model_id):
        return "image"
    if outputs and "text" not in outputs:
        return f"it writes {', '.join(outputs)}, not text"
    return "chat"


def _price(value: object, note: Note, what: str) -> float | None:
    """A price per token, as a text or a number, in USD per million."""
    if isinstance(value, str):
        if not _DECIMAL.fullmatch(value.strip()):
            note(f"{what} is no number; kept as unknown")
            return None
        value = Decimal(value.strip())
    return reading.price(value, note, what, scale=_PER_MILLION)
