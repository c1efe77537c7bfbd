"""What a model name means (SPEC 9.2)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from routinglab.catalog.model import Catalog, Model
from routinglab.catalog.names import as_effort, parse_fallbacks, resolve_fallbacks, resolve_model
from routinglab.core.efforts import EFFORTS
from routinglab.errors import InvalidInput, ModelNameError
from routinglab.settings import Settings

CATALOG = Catalog(
    Model(provider=provider, id=model)
    for provider, model in [
        ("nanogpt", "coding-router:low"),
        ("nanogpt", "coding-router"),
        ("openrouter", "anthropic/claude-opus-4.8"),
        ("openrouter", "meta-llama/llama-3.3:free"),
        ("openrouter", "auto"),
        ("anthropic", "claude-opus-4-8"),
        ("github-copilot", "gpt-5.5"),
        ("openai", "gpt-5.5"),
        ("deepseek", "deepseek-v4-pro"),
        ("ollama", "qwen3:8b"),
    ]
)
SETTINGS = Settings(
    model_aliases={
        "deepseek-pro": "deepseek/deepseek-v4-pro:max",
        "pro": "deepseek-pro",
        "smart": "auto",
        "gpt-5.5": "openai/gpt-5.5",
        "loop": "pool",
        "pool": "loop",
        "openai/gpt-5.5": "ollama/qwen3:8b",
    },
    providers={"mine": {"baseUrl": "http://localhost:9"}},
)


def means(name, settings=SETTINGS, **more):
    found = resolve_model(name, CATALOG, settings, **more)
    return found.mode if found.candidate is None else str(found.candidate)


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        # an id as written wins, also over an alias of the same name
        ("nanogpt/coding-router:low", "nanogpt/coding-router:low"),
        ("openai/gpt-5.5", "openai/gpt-5.5"),
        # a suffix is an effort where what precedes it is an id
        ("nanogpt/coding-router:high", "nanogpt/coding-router:high"),
        ("openai/gpt-5.5:xhigh", "openai/gpt-5.5:xhigh"),
        ("openrouter/anthropic/claude-opus-4.8:off", "openrouter/anthropic/claude-opus-4.8:off"),
        # other suffixes belong to the id
        ("openrouter/meta-llama/llama-3.3:free", "openrouter/meta-llama/llama-3.3:free"),
        ("qwen3:8b", "ollama/qwen3:8b"),
        ("qwen3:8b:low", "ollama/qwen3:8b:low"),
        # at a provider of the catalog, an effort word after an unknown id belongs to the id
        ("openai/gpt-99:high", "openai/gpt-99:high"),
        # aliases, through aliases
        ("deepseek-pro", "deepseek/deepseek-v4-pro:max"),
        ("pro", "deepseek/deepseek-v4-pro:max"),
        ("pro:low", "deepseek/deepseek-v4-pro:low"),
        ("gpt-5.5", "openai/gpt-5.5"),
        ("gpt-5.5:low", "openai/gpt-5.5:low"),
        # a bare id at its only provider
        ("claude-opus-4-8", "anthropic/claude-opus-4-8"),
        ("meta-llama/llama-3.3:free", "openrouter/meta-llama/llama-3.3:free"),
        # an unlisted id at a provider with an address
        ("mine/anything:7b", "mine/anything:7b"),
        ("  openai/gpt-5.5 ", "openai/gpt-5.5"),
        # words of their own
        ("auto", "auto"),
        ("smart", "auto"),
        ("openrouter/auto", "openrouter/auto"),
        ("inherit", "inherit"),
        ("", "inherit"),
        ("  ", "inherit"),
        (None, "inherit"),
    ],
)
def test_a_name_means(name, meaning):
    assert means(name) == meaning


def test_an_effort_word_after_an_id_the_catalog_lacks_at_its_provider_is_no_effort():
    found = resolve_model("openai/gpt-99:high", CATALOG, SETTINGS)
    assert found.candidate is not None
    assert (found.candidate.model, found.candidate.effort, found.known) == (
        "openai/gpt-99:high", None, False,
    )  # fmt: skip


def test_an_effort_word_at_a_provider_the_catalog_does_not_know_is_an_effort():
    found = resolve_model("mine/llama:high", CATALOG, SETTINGS)
    assert found.candidate is not None
    assert (found.candidate.model, found.candidate.effort) == ("mine/llama", "high")
    assert not found.known


def test_a_suffix_beats_the_stated_effort_which_beats_an_aliass_suffix():
    assert means("deepseek-pro:low", effort="high") == "deepseek/deepseek-v4-pro:low"
    assert means("deepseek-pro", effort="high") == "deepseek/deepseek-v4-pro:high"
    assert means("deepseek-pro") == "deepseek/deepseek-v4-pro:max"
    assert means("openai/gpt-5.5", effort="high") == "openai/gpt-5.5:high"


def test_without_a_stated_effort_none_is_pinned():
    assert not resolve_model("openai/gpt-5.5", CATALOG, SETTINGS).pinned
    assert resolve_model("openai/gpt-5.5:off", CATALOG, SETTINGS).pinned


def test_under_auto_an_effort_is_kept_to_restrict_routing():
    assert resolve_model("auto", CATALOG, effort="low").effort == "low"
    assert resolve_model("auto:high", CATALOG, effort="low").effort == "high"
    assert resolve_model("auto", CATALOG).effort is None


def test_a_bare_id_at_several_providers_needs_a_preference():
    bare = Settings()
    with pytest.raises(ModelNameError, match="served by 2 providers") as caught:
        resolve_model("gpt-5.5", CATALOG, bare, env={"OPENAI_API_KEY": "k"})
    assert caught.value.nearest == ("openai/gpt-5.5", "github-copilot/gpt-5.5")
    preferred = Settings(preferred_provider="github-copilot")
    assert means("gpt-5.5", preferred) == "github-copilot/gpt-5.5"
    with pytest.raises(ModelNameError):
        means("gpt-5.5", Settings(preferred_provider="anthropic"))


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("claude-opus-48", "anthropic/claude-opus-4-8"),
        ("deepseek-prp", "deepseek-pro"),
        ("deepsek/deepseek-v4-pro", "deepseek/deepseek-v4-pro"),
        ("Openai/gpt-5.5", "openai/gpt-5.5"),
    ],
)
def test_matching_is_exact_and_the_error_lists_the_nearest(name, near):
    with pytest.raises(ModelNameError) as caught:
        means(name)
    assert near in caught.value.nearest
    assert near in str(caught.value)


@pytest.mark.parametrize("name", ["gpt", "openai/", "/gpt-5.5", "open ai/gpt", ":high/", "x:free"])
def test_a_name_that_means_nothing_is_an_error(name):
    with pytest.raises(ModelNameError):
        means(name)


def test_aliases_in_a_circle_are_an_error():
    with pytest.raises(ModelNameError, match="circle: loop → pool → loop"):
        means("loop")


def test_an_unknown_effort_lists_the_levels():
    with pytest.raises(InvalidInput, match="off, minimal, low"):
        means("openai/gpt-5.5", effort="hgih")


def test_fallbacks_are_a_list_or_a_comma_string():
    wanted = ("openai/gpt-5:medium", "anthropic/claude-haiku-4-5:off")
    assert parse_fallbacks("openai/gpt-5:medium, anthropic/claude-haiku-4-5:off") == wanted
    assert parse_fallbacks(list(wanted)) == wanted
    assert parse_fallbacks(" , ") == parse_fallbacks(None) == parse_fallbacks([]) == ()
    with pytest.raises(InvalidInput, match="fallbackModels"):
        parse_fallbacks([3])  # type: ignore[list-item]


def test_a_fallbacks_suffix_beats_its_level_which_beats_the_legacy_thinking():
    found = resolve_fallbacks(
        ["openai/gpt-5.5:low", "claude-opus-4-8", "deepseek/deepseek-v4-pro", "ollama/qwen3:8b"],
        CATALOG, SETTINGS, thinking="high", thinking_levels=["max", "minimal", None],
    )  # fmt: skip
    assert [str(one.candidate) for one in found] == [
        "openai/gpt-5.5:low",
        "anthropic/claude-opus-4-8:minimal",
        "deepseek/deepseek-v4-pro:high",
        "ollama/qwen3:8b:high",
    ]


def test_levels_align_by_index_with_entries_as_written():
    found = resolve_fallbacks(
        "openai/gpt-5.5,,claude-opus-4-8", CATALOG, SETTINGS, thinking_levels="low,max,high"
    )
    assert [str(one.candidate) for one in found] == [
        "openai/gpt-5.5:low",
        "anthropic/claude-opus-4-8:high",
    ]


def test_a_cleared_thinking_states_no_effort():
    for cleared in ("", False, None):
        (one,) = resolve_fallbacks("openai/gpt-5.5", CATALOG, SETTINGS, thinking=cleared)
        assert not one.pinned


def test_a_fallback_without_an_endpoint_is_kept_with_its_problem():
    with pytest.raises(ModelNameError, match="has no address"):
        resolve_model("nowhere/model", CATALOG, SETTINGS)
    (one,) = resolve_fallbacks("nowhere/model:high", CATALOG, SETTINGS)
    assert str(one.candidate) == "nowhere/model:high"
    assert one.problem is not None
    (two,) = resolve_fallbacks("mine/model", CATALOG, SETTINGS)
    assert two.problem is None


def test_auto_is_no_fallback():
    with pytest.raises(InvalidInput, match="'auto' cannot be a fallback"):
        resolve_fallbacks("openai/gpt-5.5, auto", CATALOG, SETTINGS)


@hypothesis_settings(max_examples=100, deadline=None)
@given(
    model=st.sampled_from(list(CATALOG)),
    suffix=st.none() | st.sampled_from(EFFORTS),
    effort=st.none() | st.sampled_from(EFFORTS),
)
def test_every_id_of_the_catalog_resolves_to_itself(model, suffix, effort):
    name = model.full_id + (f":{suffix}" if suffix else "")
    found = resolve_model(name, CATALOG, Settings(), effort=effort)
    assert found.candidate is not None
    if name in CATALOG:
        assert (found.candidate.model, found.candidate.effort) == (name, effort)
    else:
        assert (found.candidate.model, found.candidate.effort) == (model.full_id, suffix or effort)


@hypothesis_settings(max_examples=200, deadline=None)
@given(st.text(alphabet="ab/:.- oplwgt5", max_size=12))
def test_any_text_resolves_or_is_a_name_error(name):
    try:
        found = resolve_model(name, CATALOG, SETTINGS)
    except ModelNameError:
        return
    assert found.mode in ("model", "inherit", "auto")


def test_an_error_about_a_long_name_stays_short():
    catalog = Catalog([Model(provider="openai", id="gpt-5")])
    for name in ("x" * 100_000, "nowhere/" + "x" * 100_000):
        with pytest.raises(ModelNameError) as caught:
            resolve_model(name, catalog, env={})
        assert len(str(caught.value)) < 400


@pytest.mark.parametrize("blank", ["", " ", "\t", None, False])
def test_a_blank_effort_states_none(blank):
    assert as_effort(blank) is None
