"""Model files: the curated catalog, a user's own, and the public lists (SPEC 2.3).

Our own format is a JSON object: ``schema``, the ``sources`` by a short key, and ``models``, one a line,
whose ``sources`` say which facts came from which source.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from routinglab.catalog.imports.litellm import import_litellm
from routinglab.catalog.imports.models_dev import import_models_dev
from routinglab.catalog.imports.openrouter import import_openrouter
from routinglab.catalog.imports.reading import read_json
from routinglab.catalog.model import Catalog, Model, Source
from routinglab.core.files import write_whole
from routinglab.core.text import did_you_mean
from routinglab.core.value import known_fields
from routinglab.errors import CatalogError, InvalidInput

SCHEMA = "routinglab-catalog/1"
CURATED = Path(__file__).with_name("curated.json")

_ROOT_KEYS = ("schema", "sources", "models")
_MODEL_KEYS = tuple(known_fields(Model))
_SOURCE_KEYS = tuple(known_fields(Source))


def load_catalog(*paths: str | Path, curated: bool = True) -> Catalog:
    """The curated catalog with the models of ``paths`` over it, later files over earlier ones.

    A file may be in this project's own format or a public list (models.dev, OpenRouter, LiteLLM),
    which is recognised by its shape. Raises CatalogError naming the file and the entry.
    """
    catalogs = [curated_catalog()] if curated else []
    catalogs += [read_catalog(path) for path in paths]
    if len(catalogs) == 1:
        return catalogs[0]
    return Catalog(
        [model for catalog in catalogs for model in catalog],
        [warning for catalog in catalogs for warning in catalog.warnings],
    )


@cache
def curated_catalog() -> Catalog:
    """The models this package ships, with a source and a date for every fact."""
    return read_catalog(CURATED)


def read_catalog(path: str | Path) -> Catalog:
    """The models of one file, whichever of the known formats it has."""
    file = Path(path)
    data = read_json(file)
    if not isinstance(data, Mapping):
        raise CatalogError(
            f"{file}: holds {type(data).__name__}, not a JSON object; it is no model list"
        )
    if "schema" in data or isinstance(data.get("models"), list):
        return _own(data, str(file))
    if isinstance(data.get("data"), list):
        found = import_openrouter(data)
    elif "sample_spec" in data or _some(data, "litellm_provider", "alias_of"):
        found = import_litellm(data)
    elif _some(data, "models"):
        found = import_models_dev(data)
    else:
        raise CatalogError(
            f"{file}: is no model list this project knows (its own, models.dev api.json, "
            f"OpenRouter /api/v1/models, LiteLLM prices).{_hint(data)}"
        )
    return Catalog(found, [f"{file}: {warning}" for warning in found.warnings])


def _some(data: Mapping[str, Any], *keys: str) -> bool:
    return any(isinstance(v, Mapping) and any(k in v for k in keys) for v in data.values())


def _hint(data: Mapping[str, Any]) -> str:
    for key in data:
        if hint := did_you_mean(str(key), _ROOT_KEYS):
            return f" Key {key!r}:{hint}"
    return ""


def _own(data: Mapping[str, Any], where: str) -> Catalog:
    for key in data:
        if key not in _ROOT_KEYS:
            raise CatalogError(
                f"{where}: unknown key {key!r}.{did_you_mean(str(key), _ROOT_KEYS)} "
                f"Known: {', '.join(_ROOT_KEYS)}"
            )
    schema = data.get("schema", SCHEMA)
    if schema != SCHEMA:
        raise CatalogError(f"{where}: schema {str(schema)[:60]!r} is not {SCHEMA!r}")
    listed = data.get("models")
    if not isinstance(listed, list):
        raise CatalogError(f"{where}: 'models' must be a list")
    sources = _sources(data.get("sources"), where)
    models: dict[str, Model] = {}
    for number, entry in enumerate(listed):
        model = _model(entry, sources, f"{where}: models[{number}]")
        if model.full_id in models:
            raise CatalogError(f"{where}: models[{number}]: {model.full_id} is listed twice")
        models[model.full_id] = model
    return Catalog(models.values())


def _sources(data: object, where: str) -> dict[str, Mapping[str, Any]]:
    if data is None:
        return {}
    if not isinstance(data, Mapping):
        raise CatalogError(f"{where}: 'sources' must be an object")
    found = {}
    for key, value in data.items():
        try:
            Source.model_validate(value)
        except InvalidInput as error:
            raise CatalogError(f"{where}: sources.{key}: {error}") from None
        found[str(key)] = value
    return found


def _model(entry: object, sources: Mapping[str, Mapping[str, Any]], where: str) -> Model:
    if not isinstance(entry, Mapping):
        raise CatalogError(f"{where} must be an object")
    name = f"{where} ({entry.get('provider')}/{entry.get('id')})"
    facts = dict(entry)
    if isinstance(facts.get("sources"), Mapping):
        listed = []
        for key, of in facts["sources"].items():
            if key not in sources:
                raise CatalogError(
                    f"{name}: source {key!r} is not defined.{did_you_mean(key, sources)}"
                )
            listed.append({**sources[key], "facts": of})
        facts["sources"] = listed
    for key in facts:
        if key not in _MODEL_KEYS:
            raise CatalogError(
                f"{name}: unknown key {key!r}.{did_you_mean(str(key), _MODEL_KEYS)} "
                f"Known: {', '.join(_MODEL_KEYS)}"
            )
    try:
        return Model.model_validate(facts)
    except InvalidInput as error:
        raise CatalogError(f"{name}: {error}") from None


def write_catalog(catalog: Catalog, path: str | Path) -> None:
    """Write a model file that :func:`load_catalog` reads back to the same models.

    One model a line, in the catalog's order; the file is replaced as a whole or not at all.
    """
    keys: dict[str, str] = {}
    lines = []
    for model in catalog:
        facts = model.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        if model.sources:
            facts["sources"] = _keyed(model.sources, keys)
        lines.append(json.dumps(facts, ensure_ascii=False, separators=(", ", ": ")))
    named = {key: json.loads(text) for text, key in keys.items()}
    text = (
        f'{{\n"schema": {json.dumps(SCHEMA)},\n"sources": '
        f"{json.dumps(named, ensure_ascii=False, indent=1)},\n"
        '"models": [\n' + ",\n".join(lines) + "\n]\n}\n"
    )
    try:
        write_whole(Path(path), text.encode("utf-8"), mode=0o644)
    except OSError as error:
        raise CatalogError(f"{path}: cannot be written ({error.strerror})") from None


def _keyed(sources: tuple[Source, ...], keys: dict[str, str]) -> object:
    """Sources by a short key where each is named once, else as a plain list."""
    found: dict[str, list[str]] = {}
    for source in sources:
        bare = source.model_dump(mode="json", by_alias=True, exclude={"facts"}, exclude_none=True)
        key = keys.setdefault(json.dumps(bare, sort_keys=True), f"s{len(keys) + 1}")
        if key in found:
            return [one.model_dump(mode="json", by_alias=True) for one in sources]
        found[key] = list(source.facts)
    return found
