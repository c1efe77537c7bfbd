"""``routinglab models``: list the catalog, or import a public list."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from routinglab.cli import options
from routinglab.cli.output import note, print_json, print_table

verbs = typer.Typer(no_args_is_help=True, help="List models, or import a public list of them.")


class ImportFrom(StrEnum):
    """The lists that can be imported."""

    models_dev = "models-dev"
    openrouter = "openrouter"
    litellm = "litellm"
    genai_prices = "genai-prices"


def add_to(app: typer.Typer) -> None:
    """Register the verb."""
    app.add_typer(verbs, name="models")


@verbs.command("list")
def list_(
    provider: Annotated[str | None, typer.Option("--provider", help="Only this provider.")] = None,
    catalog: options.CatalogFiles = None,
    project: options.Project = None,
    configured: Annotated[
        bool, typer.Option("--configured", help="Only models of configured providers.")
    ] = False,
    json: options.Json = False,
) -> None:
    """List models with prices in USD per million tokens, windows in tokens and efforts."""
    from routinglab.catalog.available import available
    from routinglab.core.text import did_you_mean
    from routinglab.errors import InvalidInput

    settings = options.settings_of(project)
    found = options.catalog_of(catalog, settings)
    if configured:
        found = available(found, settings)
    if provider is not None and provider not in found.providers:
        hint = did_you_mean(provider, found.providers)
        raise InvalidInput(f"no provider {provider!r} in the catalog.{hint}", where="--provider")
    models = sorted(
        (m for m in found if provider in (None, m.provider)), key=lambda model: model.full_id
    )
    if json:
        print_json(models)
        return
    print_table(
        ("model", "kind", "input", "output", "window", "released", "efforts"),
        [
            (
                model.full_id, model.kind, model.input_price, model.output_price,
                model.context_window, model.released, " ".join(model.efforts) or None,
            )
            for model in models
        ],
    )  # fmt: skip


@verbs.command("import")
def import_(
    source: Annotated[ImportFrom, typer.Argument(help="Which list it is.")],
    path: Annotated[
        Path | None, typer.Argument(help="The downloaded file; none for genai-prices.")
    ] = None,
    out: Annotated[Path, typer.Option("-o", "--out", help="The model file to write.")] = Path(
        "models.json"
    ),
) -> None:
    """Turn a downloaded public list into a model file that --catalog and settings take.

    Entries that are left out are named on stderr, with the reason.
    """
    from importlib import import_module

    from routinglab.catalog.files import write_catalog
    from routinglab.errors import InvalidInput

    name = source.replace("-", "_")
    if path is None and source is not ImportFrom.genai_prices:
        raise InvalidInput(f"name the downloaded file of {source}", where="import")
    read = getattr(import_module(f"routinglab.catalog.imports.{name}"), f"import_{name}")
    catalog = read(path) if path is not None else read()
    for warning in catalog.warnings:
        note(f"warning: {warning}")
    write_catalog(catalog, out)
    note(f"wrote {len(catalog)} models to {out}")
