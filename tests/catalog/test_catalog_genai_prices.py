"""The genai-prices import (SPEC 2.3)."""

from __future__ import annotations

import csv
import sys
from datetime import UTC, date, datetime, time
from decimal import Decimal

import pytest

from routinglab.catalog.imports.genai_prices import import_genai_prices
from routinglab.errors import CatalogError

types = pytest.importorskip("genai_prices.types")


def provider(model_id="m", provider_id="acme", window=1000, prices=None, **facts):
    model = types.ModelInfo(
        id=model_id, match=types.ClauseEquals(model_id), context_window=window,
        prices=prices if prices is not None else priced(2, 8), **facts,
    )  # fmt: skip
    return types.Provider(id=provider_id, name="Acme", api_pattern="x", models=[model])


def priced(read, write):
    return types.ModelPrice(input_mtok=read, output_mtok=write)


def tiered(base, *tiers):
    return types.TieredPrices(
        base=Decimal(base), tiers=[types.Tier(start=s, price=Decimal(p)) for s, p in tiers]
    )


def one(**facts):
    (model,) = import_genai_prices([provider(**facts)])
    return model


def test_prices_and_window_are_read_and_the_rest_stays_unknown():
    model = one(prices=priced(Decimal("0.25"), Decimal(2)))
    assert (model.full_id, model.input_price, model.output_price) == ("acme/m", 0.25, 2.0)
    assert model.context_window == 1000
    assert (model.inputs, model.efforts, model.released) == (None, (), None)


def test_a_side_without_tiers_keeps_its_price_in_the_others_tiers():
    model = one(prices=types.ModelPrice(input_mtok=tiered(1, (100, 2), (500, 4)),
                                        output_mtok=tiered(3, (500, 9))))  # fmt: skip
    assert [(t.above, t.input_price, t.output_price) for t in model.tiers] == [
        (100, 2.0, 3.0),
        (500, 4.0, 9.0),
    ]


def test_the_price_in_force_on_the_day_counts():
    prices = [
        types.ConditionalPrice(constraint=None, prices=priced(1, 1)),
        types.ConditionalPrice(
            constraint=types.StartDateConstraint(start_date=date(2026, 6, 1)), prices=priced(5, 5)
        ),
    ]
    listed = [provider(prices=prices)]
    before = import_genai_prices(listed, at=datetime(2026, 5, 31, tzinfo=UTC))
    after = import_genai_prices(listed, at=datetime(2026, 6, 1, tzinfo=UTC))
    assert (before["acme/m"].input_price, after["acme/m"].input_price) == (1.0, 5.0)


def test_a_price_by_the_hour_counts_as_the_dearest_and_says_so():
    prices = [
        types.ConditionalPrice(constraint=None, prices=priced(1, 4)),
        types.ConditionalPrice(
            constraint=types.TimeOfDateConstraint(start_time=time(1), end_time=time(2)),
            prices=priced(3, 2),
        ),
    ]
    found = import_genai_prices(
        [provider(prices=prices)], at=datetime(2026, 6, 1, 1, 30, tzinfo=UTC)
    )
    assert (found["acme/m"].input_price, found["acme/m"].output_price) == (3.0, 4.0)
    assert "hour" in found.warnings[0]


def test_an_unknown_price_is_unknown_and_one_that_only_reads_is_no_chat_model():
    assert one(prices=priced(None, None)).input_price is None
    assert one(prices=[]).input_price is None
    found = import_genai_prices([provider(prices=priced(1, None))])
    assert "none for writing" in found.warnings[0]


def test_classifiers_images_and_embeddings_are_no_chat_models():
    classifier = one(provider_id="typesafe", prices=priced(1, None))
    assert (classifier.kind, classifier.input_price, classifier.output_price) == (
        "classifier", 1.0, None,
    )  # fmt: skip
    assert one(model_id="gpt-image-9").kind == "image"
    assert len(import_genai_prices([provider(model_id="text-embedding-9")])) == 0


def test_providers_get_the_names_this_project_uses():
    assert one(provider_id="x-ai").full_id == "xai/m"
    assert one(provider_id="github-copilot").billing == "subscription"


def test_without_the_package_the_error_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "genai_prices.data_snapshot", None)
    with pytest.raises(CatalogError, match=r"routinglab\[prices\]"):
        import_genai_prices()


def test_the_installed_package_agrees_with_a_table_read_from_it(shared_data):
    found = import_genai_prices(at=datetime(2027, 1, 1, tzinfo=UTC))
    assert len(found) > 1000
    checked = 0
    with (shared_data / "genai_prices" / "models.csv").open() as file:
        for row in csv.DictReader(file):
            model = found.get(f"{row['provider']}/{row['id']}")
            if model is None or row["conditional"]:
                continue
            stated = [float(row[f"{s}_usd_per_mtok"] or "nan") for s in ("input", "output")]
            prices = [model.input_price, model.output_price]
            for known, price in zip(stated, prices, strict=True):
                assert price == (None if known != known else known), row
            checked += 1
    assert checked > 500
