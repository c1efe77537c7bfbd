"""The LiteLLM import (SPEC 2.3)."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.catalog.imports.litellm import import_litellm
from routinglab.errors import CatalogError

ENTRY = {
    "litellm_provider": "openai",
    "mode": "chat",
    "max_input_tokens": 128000,
    "max_output_tokens": 16384,
    "max_tokens": 16384,
    "input_cost_per_token": 2.5e-06,
    "output_cost_per_token": 1e-05,
    "supports_vision": True,
}


def one(key="gpt-4o", **changes):
    (model,) = import_litellm({"sample_spec": {"mode": "one of"}, key: {**ENTRY, **changes}})
    return model


def test_figures_are_per_token_and_sample_spec_is_no_model():
    model = one()
    assert model.full_id == "openai/gpt-4o"
    assert (model.input_price, model.output_price) == (2.5, 10.0)
    assert (model.context_window, model.max_output) == (128_000, 16_384)
    assert model.inputs == ("text", "image")
    assert model.billing == "metered"


@pytest.mark.parametrize(
    ("key", "provider", "full_id"),
    [
        ("azure/gpt-4o", "azure", "azure/gpt-4o"),
        ("gemini/gemini-2.5-pro", "gemini", "google/gemini-2.5-pro"),
        ("together_ai/meta/llama", "together_ai", "togetherai/meta/llama"),
        ("us.anthropic.claude-v1:0", "bedrock_converse", "amazon-bedrock/us.anthropic.claude-v1:0"),
        ("vertex_ai/claude-x", "vertex_ai-anthropic_models", "google-vertex/claude-x"),
        ("openrouter/a/b", "openrouter", "openrouter/a/b"),
        ("deepinfra/a/b", "deepinfra", "deepinfra/a/b"),
    ],
)
def test_the_serving_provider_gives_the_id(key, provider, full_id):
    assert one(key, litellm_provider=provider).full_id == full_id


def test_tiers_are_cliffs_and_what_a_tier_does_not_restate_stays():
    model = one(
        input_cost_per_token_above_200k_tokens=5e-06,
        output_cost_per_token_above_272000_tokens=3e-05,
    )
    assert [(t.above, t.input_price, t.output_price) for t in model.tiers] == [
        (200_000, 5.0, 10.0),
        (272_000, 2.5, 30.0),
    ]


def test_ranges_from_zero_give_the_base_price_and_the_tiers():
    ranges = [
        {"range": [0, 32000], "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06},
        {"range": [32000, 128000], "input_cost_per_token": 3e-06, "output_cost_per_token": 4e-06},
    ]
    model = one(input_cost_per_token=None, output_cost_per_token=None, tiered_pricing=ranges)
    assert (model.input_price, model.output_price) == (1.0, 2.0)
    assert [(t.above, t.input_price, t.output_price) for t in model.tiers] == [(32_000, 3.0, 4.0)]


def test_a_missing_price_is_unknown_zero_is_a_price_negative_is_unknown():
    data = {"input_cost_per_token": 0, "output_cost_per_token": -1e-06}
    model = one(**data)
    assert (model.input_price, model.output_price) == (0.0, None)
    entry = {k: v for k, v in ENTRY.items() if k != "input_cost_per_token"}
    (model,) = import_litellm({"x": entry})
    assert model.input_price is None


def test_a_price_per_thousand_written_as_per_token_is_not_believed():
    found = import_litellm({"x": {**ENTRY, "input_cost_per_token": 0.003}})
    assert found["openai/x"].input_price is None
    assert "3,000 USD" in found.warnings[0]


def test_an_alias_takes_the_facts_of_what_it_names():
    data = {"gpt-4o": ENTRY, "best": {"alias_of": "mid", "litellm_provider": "openai"},
            "mid": {"alias_of": "gpt-4o", "max_output_tokens": 1}}  # fmt: skip
    found = import_litellm(data)
    assert found["openai/best"].input_price == 2.5
    assert found["openai/best"].max_output == 1
    assert found["openai/mid"].context_window == 128_000


def test_an_alias_at_another_provider_borrows_no_price():
    found = import_litellm({"gpt-4o": ENTRY, "azure/gpt-4o": {"alias_of": "gpt-4o"}})
    model = found["azure/gpt-4o"]
    assert (model.input_price, model.output_price) == (None, None)
    assert model.context_window == 128_000
    assert any("azure/gpt-4o" in w and "price" in w for w in found.warnings)


@pytest.mark.parametrize("target", ["nowhere", "loop", 3, "sample_spec"])
def test_an_alias_that_leads_nowhere_is_left_out(target):
    found = import_litellm({"sample_spec": ENTRY, "loop": {"alias_of": target}})
    assert len(found) == 0
    assert found.warnings[0].startswith("loop: left out: ")


@pytest.mark.parametrize(
    ("mode", "kind"),
    [("chat", "chat"), ("responses", "chat"), ("image_generation", "image"), ("embedding", None),
     ("audio_transcription", None), ("moderation", None), ("rerank", None), ("completion", None),
     (None, None), (7, None)],
)  # fmt: skip
def test_only_chat_modes_are_chat_models_and_others_are_listed(mode, kind):
    found = import_litellm({"x": {**ENTRY, "mode": mode}})
    assert [model.kind for model in found] == ([kind] if kind else [])
    assert len(found.warnings) == (kind is None)


def test_a_past_deprecation_date_marks_the_model():
    data = {"x": {**ENTRY, "deprecation_date": "2026-06-01"}}
    assert import_litellm(data, as_of=date(2026, 6, 1))["openai/x"].deprecated
    assert not import_litellm(data, as_of=date(2026, 5, 31))["openai/x"].deprecated


def test_a_flag_that_is_not_set_leaves_the_input_out():
    assert one(supports_vision=None).inputs == ("text",)
    assert one(supports_vision="true").inputs == ("text",)
    assert one(supports_pdf_input=True).inputs == ("text", "image", "pdf")


def test_local_and_subscription_providers_set_the_billing():
    free = one("ollama/llama3", litellm_provider="ollama", input_cost_per_token=0,
               output_cost_per_token=0)  # fmt: skip
    assert (free.full_id, free.billing) == ("ollama/llama3", "free")
    copilot = one("github_copilot/gpt-5", litellm_provider="github_copilot")
    assert (copilot.full_id, copilot.billing) == ("github-copilot/gpt-5", "subscription")


def test_an_entry_without_a_provider_is_left_out():
    found = import_litellm({"x": {**ENTRY, "litellm_provider": None}})
    assert "names no provider" in found.warnings[0]


def test_a_root_that_is_no_object_is_a_catalog_error():
    with pytest.raises(CatalogError, match="LiteLLM"):
        import_litellm([ENTRY])  # type: ignore[arg-type]


_ANY = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    | st.lists(st.none() | st.dictionaries(st.just("range"), st.lists(st.floats(), max_size=2)),
               max_size=2)
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(
    st.dictionaries(
        st.sampled_from(
            [*ENTRY, "alias_of", "tiered_pricing", "deprecation_date", "supported_modalities",
             "input_cost_per_token_above_128k_tokens"]
        ),
        _ANY,
    ),
    st.text(max_size=6),
)  # fmt: skip
def test_hostile_entries_never_raise(changes, key):
    import_litellm({key: {**ENTRY, **changes}, "other": changes.get("mode")})
