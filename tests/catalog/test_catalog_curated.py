"""The catalog this package ships (SPEC 2.3)."""

from __future__ import annotations

import csv
import json
import re

import pytest

from routinglab.catalog.files import CURATED, load_catalog
from routinglab.catalog.imports.models_dev import import_models_dev
from routinglab.catalog.imports.names import our_provider

CATALOG = load_catalog()
CHAT = [model for model in CATALOG if model.kind == "chat"]
FACTS = {
    "name": "name", "inputs": "inputs", "contextWindow": "context_window",
    "maxOutput": "max_output", "inputPrice": "input_price", "outputPrice": "output_price",
    "tiers": "tiers", "efforts": "efforts", "released": "released", "baseModel": "base_model",
    "requestModel": "request_model", "requestOptions": "request_options",
}  # fmt: skip


def test_it_is_large_enough_and_covers_every_sort_of_entry():
    assert len(CHAT) >= 60
    assert len({model.provider for model in CHAT}) >= 8
    assert {model.kind for model in CATALOG} == {"chat", "image", "classifier"}
    assert {model.billing for model in CATALOG} == {"metered", "subscription", "free", None}
    assert any(model.input_price is None for model in CHAT)
    assert any(model.input_price == 0 for model in CHAT)
    assert any(model.tiers for model in CHAT)


def test_it_is_one_model_a_line():
    lines = CURATED.read_text(encoding="utf-8").splitlines()
    assert sum(line.startswith('{"provider"') for line in lines) == len(CATALOG)


@pytest.mark.parametrize("model", CATALOG, ids=[model.full_id for model in CATALOG])
def test_every_fact_has_a_dated_source(model):
    sourced = {fact for source in model.sources for fact in source.facts}
    assert all(source.as_of for source in model.sources)
    for fact, attribute in FACTS.items():
        value = getattr(model, attribute)
        if value is not None and value != () and value != "":
            assert fact in sourced, fact
        elif fact in sourced:
            pytest.fail(f"{fact} has a source and no value")


def test_faster_routes_name_a_base_model_of_the_same_provider():
    routes = [model for model in CATALOG if model.base_model]
    assert len(routes) >= 5
    for route in routes:
        base = CATALOG[route.base_model]
        assert base.provider == route.provider
        assert base.base_model is None
        assert base.kind == "chat"


def test_prices_are_those_of_the_serving_provider_in_the_table(shared_data):
    rows = {}
    with (shared_data / "genai_prices" / "models.csv").open() as file:
        for row in csv.DictReader(file):
            rows[our_provider(row["provider"], "genai_prices"), row["id"].lower()] = row
    checked = 0
    for model in CATALOG:
        row = rows.get((model.provider, model.id.lower()))
        if row is None or not row["input_usd_per_mtok"] or model.provider == "ollama":
            continue
        assert model.input_price == float(row["input_usd_per_mtok"]), model.full_id
        assert model.output_price == (
            float(row["output_usd_per_mtok"]) if row["output_usd_per_mtok"] else None
        )
        tiers = [t.split(":") for t in row["input_tiers"].split()]
        assert [(t.above, t.input_price) for t in model.tiers] == [
            (int(start), float(price)) for start, price in tiers
        ]
        if row["context_window"]:
            assert model.context_window == int(row["context_window"])
        checked += 1
    assert checked > 100


def test_release_dates_are_those_of_the_sources(shared_data):
    listed = import_models_dev(shared_data / "models_dev" / "api.json")
    stated = {"anthropic/claude-opus-5-5": "2026-09-22", "openai/gpt-6-astra": "2026-09-03"}
    for model in CATALOG:
        if model.full_id in stated:
            assert str(model.released) == stated[model.full_id]
        else:
            known = listed.get(model.full_id)
            assert model.released == (known.released if known else None), model.full_id


def test_every_model_of_the_results_tables_is_there(shared_data):
    def key(name):
        words = re.sub(r"[\(\[].*", "", name).strip().lower()
        return re.sub(r"[\s_.-]+", "", words)

    #: as tables write a name, as the maker or a server calls the same model
    other = {
        "mistral35medium": "mistralmedium35", "kimik27": "kimik27code",
        "museglimmer": "museglimmer30b", "nemotron3ultra": "nemotron3ultra550ba55b",
        "deepseekv4flash0731": "deepseekv4flash", "deepseekv4pro0813": "deepseekv4pro",
    }  # fmt: skip
    have = {key(model.name) for model in CATALOG}
    have |= {key(model.id.rpartition("/")[2]) for model in CATALOG}
    names = set()
    for file in (shared_data / "evals").glob("*.csv"):
        if "coding-agent" in file.name:
            continue
        with file.open() as opened:
            names |= {r.get("Model") or r["AA configuration"] if "Model" in r or "AA configuration" in r
                      else r["Model [effort]"] for r in csv.DictReader(opened)}  # fmt: skip
    assert len(names) > 50
    assert [name for name in sorted(names) if other.get(key(name), key(name)) not in have] == []


def test_the_file_is_plain_json_of_known_keys():
    data = json.loads(CURATED.read_text(encoding="utf-8"))
    assert list(data) == ["schema", "sources", "models"]
