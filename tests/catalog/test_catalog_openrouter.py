"""The OpenRouter import (SPEC 2.3)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.catalog.imports.openrouter import import_openrouter
from routinglab.errors import CatalogError

ENTRY = {
    "id": "anthropic/claude-opus-4.8",
    "name": "Anthropic: Claude Opus 4.8",
    "created": 1748000000,
    "context_length": 1000000,
    "architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]},
    "pricing": {"prompt": "0.000005", "completion": "0.000025", "request": "0"},
    "top_provider": {"context_length": 1000000, "max_completion_tokens": 128000},
    "supported_parameters": ["tools", "reasoning"],
}


def one(**changes):
    (model,) = import_openrouter({"data": [{**ENTRY, **changes}]})
    return model


def test_an_entry_gives_its_facts_with_prices_per_million():
    model = one()
    assert model.full_id == "openrouter/anthropic/claude-opus-4.8"
    assert (model.input_price, model.output_price, model.billing) == (5.0, 25.0, "metered")
    assert (model.context_window, model.max_output) == (1_000_000, 128_000)
    assert model.inputs == ("text", "image")
    assert model.efforts == ()


def test_the_day_of_listing_is_no_release_date():
    assert one().released is None


def test_stated_efforts_are_read():
    assert one(reasoning={"supported_efforts": ["high", "none"]}).efforts == ("off", "high")


@pytest.mark.parametrize(
    ("prompt", "price"),
    [("0", 0.0), ("-1", None), (None, None), ("0.0000001", 0.1), (1e-6, 1.0), ("1E-6", 1.0)],
)
def test_zero_is_a_price_and_negative_is_unknown(prompt, price):
    assert one(pricing={"prompt": prompt, "completion": "0"}).input_price == price


@pytest.mark.parametrize("prompt", ["", "free", "nan", "inf", "1e999", "0.01", True, [], "٣"])
def test_an_unusable_price_is_unknown_with_a_warning(prompt):
    found = import_openrouter({"data": [{**ENTRY, "pricing": {"prompt": prompt}}]})
    (model,) = found
    assert model.input_price is None
    assert len(found.warnings) == 1


def test_a_free_route_is_free():
    model = one(id="a/b:free", pricing={"prompt": "0", "completion": "0"})
    assert (model.billing, model.input_price) == ("free", 0.0)


def test_image_and_embedding_models_are_no_chat_models():
    images = {"input_modalities": ["text"], "output_modalities": ["image"]}
    assert one(architecture=images).kind == "image"
    found = import_openrouter({"data": [{**ENTRY, "id": "a/embed-1"}, 3, {"id": 4}]})
    assert len(found) == 0
    assert [w.partition(":")[0] for w in found.warnings] == [
        "openrouter/a/embed-1", "data[1]", "data[2]",
    ]  # fmt: skip


def test_an_id_listed_twice_counts_once_and_is_said():
    found = import_openrouter({"data": [ENTRY, {**ENTRY, "name": "Again"}]})
    assert [model.name for model in found] == ["Anthropic: Claude Opus 4.8"]
    assert "listed before" in found.warnings[0]


@pytest.mark.parametrize("root", [[], {}, {"data": {}}, {"data": "x"}])
def test_another_shape_is_a_catalog_error(root):
    with pytest.raises(CatalogError):
        import_openrouter(root)


_ANY = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(
    st.none() | st.text(max_size=4) | st.integers(), max_size=3
) | st.dictionaries(st.sampled_from(["prompt", "input_modalities", "supported_efforts"]),
                    st.none() | st.floats() | st.text(max_size=5) | st.lists(st.none()))  # fmt: skip


@settings(max_examples=120, deadline=None)
@given(st.dictionaries(st.sampled_from([*ENTRY, "reasoning"]), _ANY))
def test_hostile_entries_never_raise(changes):
    import_openrouter({"data": [{**ENTRY, **changes}]})
