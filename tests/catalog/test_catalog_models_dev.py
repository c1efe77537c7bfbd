"""The models.dev import (SPEC 2.3)."""

from __future__ import annotations

import json
import math
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.catalog.imports.models_dev import import_models_dev
from routinglab.errors import CatalogError


def listing(entry, provider="acme", model="m1"):
    return {provider: {"id": provider, "models": {model: entry}}}


def entry(**changes):
    return {
        "id": "m1",
        "name": "M One",
        "reasoning": True,
        "modalities": {"input": ["text", "image"], "output": ["text"]},
        "limit": {"context": 200_000, "output": 8_000},
        "cost": {"input": 3, "output": 15.5},
        "release_date": "2026-03-05",
        **changes,
    }


def one(data):
    (model,) = import_models_dev(data)
    return model


def test_an_entry_gives_all_its_facts():
    model = one(listing(entry()))
    assert model.full_id == "acme/m1"
    assert (model.name, model.kind, model.inputs) == ("M One", "chat", ("text", "image"))
    assert (model.context_window, model.max_output) == (200_000, 8_000)
    assert (model.input_price, model.output_price, model.billing) == (3.0, 15.5, "metered")
    assert model.released == date(2026, 3, 5)
    assert model.efforts == ()
    assert not model.deprecated


def test_the_source_and_its_day_are_kept():
    (model,) = import_models_dev(listing(entry()), as_of=date(2026, 7, 2))
    assert [(s.name, s.as_of) for s in model.sources] == [("models.dev", date(2026, 7, 2))]


def test_what_is_not_stated_is_unknown_and_not_zero():
    model = one(listing({"modalities": {"output": ["text"]}}))
    assert model.inputs is None
    assert (model.context_window, model.max_output) == (None, None)
    assert (model.input_price, model.output_price) == (None, None)
    assert (model.released, model.billing) == (None, None)


@pytest.mark.parametrize("context", [0, -1])
def test_a_window_of_zero_or_less_is_unknown(context):
    assert one(listing(entry(limit={"context": context, "output": 0}))).context_window is None


def test_zero_is_a_price_and_negative_is_unknown():
    model = one(listing(entry(cost={"input": 0, "output": -1})))
    assert (model.input_price, model.output_price) == (0.0, None)


@pytest.mark.parametrize(("usd", "kept"), [(1000, 1000.0), (1000.01, None), (10**400, None)])
def test_a_price_above_a_thousand_is_kept_out_with_a_warning(usd, kept):
    found = import_models_dev(listing(entry(cost={"input": usd, "output": 1})))
    assert found["acme/m1"].input_price == kept
    assert len(found.warnings) == (kept is None)
    if kept is None:
        assert "acme/m1" in found.warnings[0]


@pytest.mark.parametrize(
    "bad", ["3", True, math.nan, math.inf, [], {}, "per token"], ids=[str(n) for n in range(7)]
)
def test_a_price_that_is_no_number_is_unknown_with_a_warning(bad):
    found = import_models_dev(listing(entry(cost={"input": bad, "output": 1})))
    assert found["acme/m1"].input_price is None
    assert len(found.warnings) == 1
    assert "input cost" in found.warnings[0]


def test_a_tier_holds_for_all_tokens_above_its_size():
    tiers = [{"tier": {"size": 200_000}, "input": 6, "output": 22.5}]
    model = one(listing(entry(cost={"input": 3, "output": 15, "tiers": tiers})))
    assert model.cost(200_000, 1000) == pytest.approx(0.6 + 0.015)
    assert model.cost(200_001, 1000) == pytest.approx(200_001 * 6 / 1e6 + 0.0225)
    assert (model.dearest_input, model.dearest_output) == (6.0, 22.5)


def test_a_tier_without_a_price_leaves_the_dearest_price_unknown():
    tiers = [{"tier": {"size": 200_000}, "input": 6}]
    model = one(listing(entry(cost={"input": 3, "output": 15, "tiers": tiers})))
    assert (model.dearest_input, model.dearest_output) == (6.0, None)


def test_the_older_notation_of_a_tier_is_read():
    cost = {"input": 3, "output": 15, "context_over_200k": {"input": 6, "output": 20}}
    (tier,) = one(listing(entry(cost=cost))).tiers
    assert (tier.above, tier.input_price, tier.output_price) == (200_000, 6.0, 20.0)


def test_efforts_are_ordered_none_is_off_and_null_is_no_level():
    options = [
        {"type": "toggle"},
        {"type": "effort", "values": ["high", None, "none", "low", "null", "high"]},
        {"type": "budget_tokens", "min": 1},
    ]
    found = import_models_dev(listing(entry(reasoning_options=options)))
    assert found["acme/m1"].efforts == ("off", "low", "high")
    assert found.warnings == ()


def test_an_effort_of_another_name_is_listed():
    options = [{"type": "effort", "values": ["default", "low"]}]
    found = import_models_dev(listing(entry(reasoning_options=options)))
    assert found["acme/m1"].efforts == ("low",)
    assert "'default'" in found.warnings[0]


def test_a_fast_mode_is_a_faster_route_with_its_own_price():
    fast = {
        "cost": {"input": 6, "output": 30},
        "provider": {"body": {"service_tier": "priority", "tools": []}, "headers": {"x": "y"}},
    }
    found = import_models_dev(listing(entry(experimental={"modes": {"fast": fast}})))
    assert [model.full_id for model in found] == ["acme/m1", "acme/m1-fast"]
    quick = found["acme/m1-fast"]
    assert quick.base_model == "acme/m1"
    assert (quick.input_price, quick.output_price, quick.tiers) == (6.0, 30.0, ())
    assert quick.context_window == 200_000
    assert quick.request_model == "m1"
    assert quick.request_options == (("service_tier", "priority"),)
    assert found["acme/m1"].base_model is None


def test_a_fast_mode_never_replaces_a_listed_model():
    data = listing(entry(experimental={"modes": {"fast": {"cost": {"input": 6}}}}))
    data["acme"]["models"]["m1-fast"] = entry(name="Real")
    found = import_models_dev(data)
    assert found["acme/m1-fast"].name == "Real"
    assert "is listed before" in found.warnings[0]


def test_deprecated_is_kept():
    assert one(listing(entry(status="deprecated"))).deprecated
    assert not one(listing(entry(status="beta"))).deprecated


@pytest.mark.parametrize(
    ("model", "outputs", "kind"),
    [
        ("draw", ["image"], "image"),
        ("gemini-image", ["text", "image"], "image"),
        ("gpt-5.1", ["text", "image", "audio"], "chat"),
        ("chat", ["text"], "chat"),
    ],
)
def test_a_model_that_makes_images_is_no_chat_model(model, outputs, kind):
    data = listing(entry(modalities={"input": ["text"], "output": outputs}), model=model)
    assert one(data).kind == kind


@pytest.mark.parametrize(
    ("model", "modalities", "reason"),
    [
        ("text-embedding-3", {"input": ["text"], "output": ["text"]}, "embedding"),
        ("bge-reranker", {"input": ["text"], "output": ["text"]}, "embedding"),
        ("llama-guard-4", {"input": ["text"], "output": ["text"]}, "moderation"),
        ("whisper-large", {"input": ["audio"], "output": ["text"]}, "speech"),
        ("film", {"input": ["text"], "output": ["video"]}, "writes video"),
        ("film-reader", {"input": ["video"], "output": ["text"]}, "reads video"),
    ],
)
def test_what_is_left_out_is_listed_with_its_reason(model, modalities, reason):
    found = import_models_dev(listing(entry(modalities=modalities), model=model))
    assert len(found) == 0
    assert found.warnings[0].startswith(f"acme/{model}: left out: ")
    assert reason in found.warnings[0]


def test_a_subscription_route_at_zero_is_paid_by_subscription():
    data = listing(entry(cost={"input": 0, "output": 0}), provider="zai-coding-plan")
    model = one(data)
    assert (model.input_price, model.output_price, model.billing) == (0.0, 0.0, "subscription")


def test_zero_at_another_provider_says_nothing_of_billing_unless_its_id_does():
    cost = {"input": 0, "output": 0}
    assert one(listing(entry(cost=cost))).billing is None
    assert one(listing(entry(cost=cost), model="m1:free")).billing == "free"


def test_a_date_without_a_day_is_unknown_and_counted():
    found = import_models_dev(listing(entry(release_date="2026-01")))
    assert found["acme/m1"].released is None
    assert found.warnings == ("1 release dates name no day and are kept as unknown",)


@pytest.mark.parametrize("root", [[], "x", 3, None, True])
def test_a_root_that_is_no_object_is_a_catalog_error(root, tmp_path):
    file = tmp_path / "api.json"
    file.write_text(json.dumps(root))
    with pytest.raises(CatalogError, match=r"api\.json"):
        import_models_dev(file)


@pytest.mark.parametrize(
    "content", [b"", b"{", b"\xff\xfe", b"[" * 100_000, b'{"a": ' + b"9" * 5000]
)
def test_a_file_that_is_no_json_is_a_catalog_error_naming_it(content, tmp_path):
    file = tmp_path / "api.json"
    file.write_bytes(content)
    with pytest.raises(CatalogError, match=r"api\.json"):
        import_models_dev(file)
    with pytest.raises(CatalogError, match="cannot be read"):
        import_models_dev(tmp_path / "missing.json")


_ANY = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 10**320) | st.floats() | st.text(max_size=6)
    | st.sampled_from(["text", "image", "effort", "2026-02-31", "high"]),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(
            ["models", "modalities", "input", "output", "cost", "tiers", "tier", "size", "limit",
             "context", "reasoning_options", "values", "type", "experimental", "modes", "fast",
             "release_date", "id", "name", "m/1 x"]
        ),
        inner,
        max_size=4,
    ),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(data=_ANY, inner=_ANY, parts=st.dictionaries(st.sampled_from(
    ["modalities", "cost", "limit", "reasoning_options", "experimental", "name", "status"]), _ANY))  # fmt: skip
def test_hostile_input_gives_models_and_warnings_or_a_catalog_error(data, inner, parts):
    for root in (data, listing(inner), listing({**entry(), **parts})):
        if isinstance(root, dict):
            found = import_models_dev(root)
            assert all(model.context_window is None or model.context_window > 0 for model in found)
        else:
            with pytest.raises(CatalogError):
                import_models_dev(root if not isinstance(root, str) else [])


def test_every_real_entry_is_imported_or_listed(shared_data):
    file = shared_data / "models_dev" / "api.json"
    raw = json.loads(file.read_text())
    ids = {f"{p}/{m}" for p, provider in raw.items() for m in provider["models"]}
    assert len(ids) == 5276
    found = import_models_dev(file)
    out = {w.partition(": left out: ")[0] for w in found.warnings if ": left out: " in w}
    routes = {model.full_id for model in found if model.base_model}
    kept = {model.full_id for model in found} - routes
    assert kept | out == ids
    assert not kept & out
    assert len(routes) == 40
    for name in kept:
        provider, _, model_id = name.partition("/")
        cost = raw[provider]["models"][model_id].get("cost")
        assert found[name].input_price == (None if cost is None else cost["input"])
