"""Model files: the curated catalog, a user's own, and the public lists (SPEC 2.3)."""

from __future__ import annotations

from pathlib import Path

from routinglab.catalog.model import Catalog


def load_catalog(*paths: str | Path, curated: bool = True) -> Catalog:
    """The curated catalog with the models of ``paths`` over it, later files over earlier ones."""
    raise NotImplementedError


def write_catalog(catalog: Catalog, path: str | Path) -> None:
    """Write a model file that :func:`load_catalog` reads back to the same models."""
    raise NotImplementedError
