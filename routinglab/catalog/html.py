"""A catalog as a bounded HTML table for notebooks; all text is escaped (SPEC 14.3)."""

from __future__ import annotations

from html import escape

from routinglab.catalog.model import Catalog, Model

ROWS = 20
_HEADINGS = (
    "model", "name", "kind", "reads", "window", "USD in /M", "USD out /M", "efforts", "released", "billing",
)  # fmt: skip


def catalog_html(catalog: Catalog, rows: int = ROWS) -> str:
    """The first ``rows`` models, and in words how many there are and how many warnings."""
    shown = list(catalog)[:rows]
    counts = f"{len(catalog):,} models at {len(catalog.providers):,} providers"
    if len(shown) < len(catalog):
        counts += f", the first {len(shown)} shown"
    if catalog.warnings:
        counts += f"; {len(catalog.warnings):,} warnings (see .warnings)"
    head = "".join(f"<th>{escape(heading)}</th>" for heading in _HEADINGS)
    body = "".join(_row(model) for model in shown)
    return (
        f"<table><caption>{escape(counts)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{body}</tbody></table>"
    )


def _row(model: Model) -> str:
    cells = (
        _short(model.full_id),
        _short(model.name) + (" (deprecated)" if model.deprecated else ""),
        model.kind,
        "unknown" if model.inputs is None else _short(", ".join(model.inputs)),
        "unknown" if model.context_window is None else f"{model.context_window:,}",
        _price(model.input_price, len(model.tiers)),
        _price(model.output_price, len(model.tiers)),
        ", ".join(model.efforts) or "none",
        "unknown" if model.released is None else model.released.isoformat(),
        model.billing or "unknown",
    )
    return "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"


def _price(price: float | None, tiers: int) -> str:
    if price is None:
        return "unknown"
    return f"{price:g}" + (f" (+{tiers} tier{'s' * (tiers > 1)})" if tiers else "")


def _short(text: str, limit: int = 80) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
