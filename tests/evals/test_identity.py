"""Which model a text names (SPEC 3.4)."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.evals.evals import parse_evals
from routinglab.evals.identity import DEPLOYMENTS, model_tokens
from routinglab.evals.names import displayed_name, effort_named

OPUS = ("claude", "opus", "4", "6")


@pytest.mark.parametrize(
    "spelling",
    [
        "claude-opus-4-6",
        "claude-4-6-opus",
        "claude-4.6-opus",
        "claude_opus_4_6",
        "Claude-Opus-4.6",
        "anthropic/claude-opus-4.6",
        "~anthropic/claude-opus-4.6",
        "~claude-opus-4.6",
        "github-copilot/claude-opus-4.6",
        "openrouter/anthropic/claude-opus-4.6:batch",
        "us.anthropic.claude-opus-4-6-v1:0",
        "bedrock/eu.anthropic.claude-opus-4-6-v1",
        "anthropic.claude-opus-4-6-20260205-v1:0",
        "anthropic--claude-4.6-opus",
        "claude-opus-4-6-20260205",
        "claude-opus-4-6-2026-02-05",
        "claude-opus-4-6@20260205",
        "vertex/claude-opus-4-6@default",
    ],
)
def test_every_spelling_of_a_model_has_the_same_tokens(spelling: str) -> None:
    assert model_tokens(spelling) == OPUS


@pytest.mark.parametrize(
    ("model_id", "tokens"),
    [
        ("deepseek/deepseek-v3", ("deepseek", "v3")),
        ("deepseek.v3-v1:0", ("deepseek", "v3")),
        ("openai.gpt-oss-120b-1:0", ("gpt", "oss", "120b")),
        ("qwen3:8b", ("qwen3",)),
        ("gpt-5.4-mini-2026-03-17", ("gpt", "5", "4", "mini")),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", ("claude", "sonnet", "3", "5")),
        ("claude-opus-4-5-20251101-thinking", ("claude", "opus", "4", "5", "reasoning")),
        ("kimi-k2-thinking", ("kimi", "k2", "reasoning")),
        ("qwen3.8-max-0902", ("qwen3", "8", "max", "0902")),
        ("Qwen 3.7 Plus", ("qwen", "3", "7", "plus")),
        ("us.deepseek.r1-v1:0", ("deepseek", "r1")),
        ("us.meta.llama3-3-70b-instruct-v1:0", ("llama3", "3", "70b", "instruct", "v1")),
        ("mimo-v2.5-pro", ("mimo", "v2", "5", "pro")),
        ("command-r-08-2024", ("command", "r", "08", "2024")),
        ("20250101", ("20250101",)),
        ("", ()),
        ("/", ()),
    ],
)
def test_tokens_of_ids_with_dates_revisions_and_tags(
    model_id: str, tokens: tuple[str, ...]
) -> None:
    assert model_tokens(model_id) == tokens


@pytest.mark.parametrize(
    ("shown", "tokens", "core", "effort", "setting"),
    [
        ("Claude Fable 5.1 (max with fallback)", ("claude", "fable", "5", "1"), 4, "max", "with fallback"),
        ("gpt-6-astra [xhigh]", ("gpt", "6", "astra"), 3, "xhigh", None),
        ("Qwen3.8 Max (0902)", ("qwen3", "8", "max"), 3, None, "0902"),
        ("Foo 3 Max", ("foo", "3", "max"), 3, None, None),
        ("Foo 3 Max [high]", ("foo", "3", "max"), 3, "high", None),
        ("foo-3-max", ("foo", "3", "max"), 2, "max", None),
        ("foo-3-max [high]", ("foo", "3", "max"), 3, "high", None),
        ("GPT-5.5 xhigh", ("gpt", "5", "5", "xhigh"), 3, "xhigh", None),
        ("claude-opus-5-xhigh", ("claude", "opus", "5", "xhigh"), 3, "xhigh", None),
        ("DeepSeek V4 Pro 0813 (Reasoning, Max Effort)", ("deepseek", "v4", "pro", "0813"), 3, "max", "Reasoning"),
        ("Fable 5.1 (max, with fallback)", ("claude", "fable", "5", "1"), 4, "max", "with fallback"),
        ("OpenAI: GPT-6 Astra", ("gpt", "6", "astra"), 3, None, None),
        ("xAI Grok 4 Fast", ("grok", "4", "fast"), 3, None, None),
        ("Mistral Medium 3.5", ("mistral", "medium", "3", "5"), 4, None, None),
        ("Step 5 Preview", ("step", "5", "preview"), 2, None, None),
        ("3. GPT\u20116 Astra (high)", ("gpt", "6", "astra"), 3, "high", None),
        ("minimax/MiniMax-M2.7", ("minimax", "m2", "7"), 3, None, None),
        ("Qwen/Qwen3.8-Max:free", ("qwen3", "8", "max"), 3, None, None),
        ("GPT-6 Astra @ high", ("gpt", "6", "astra"), 3, "high", None),
        ("anthropic/claude-opus-5:max", ("claude", "opus", "5"), 3, "max", None),
    ],
)  # fmt: skip
def test_displayed_names_give_tokens_effort_and_setting(
    shown: str, tokens: tuple[str, ...], core: int, effort: str | None, setting: str | None
) -> None:
    found = displayed_name(shown)
    assert (found.tokens, found.core, found.effort, found.setting) == (
        tokens,
        core,
        effort,
        setting,
    )


@pytest.mark.parametrize(
    ("text", "effort"),
    [("Max Effort", "max"), ("x-high", "xhigh"), ("Extra High", "xhigh"), ("med", "medium"),
     ("none", None), ("0.99", None), ("reasoning: low", "low"), ("", None)],
)  # fmt: skip
def test_efforts_as_people_write_them(text: str, effort: str | None) -> None:
    assert effort_named(text) == effort


TABLE = """## Artificial Analysis (2026-09-01)

| slug | Model | TB4 |
|---|---|---|
| grok-4 | Grok 4 | 40 |
| grok-4-fast | Grok 4 Fast | 30 |
| gpt-5-4 | GPT-5.4 (high) | 50 |
| gpt-5-4-xhigh | GPT-5.4 (xhigh) | 55 |
| qwen3-8-max | Qwen3.8 Max (0902) | 45 |
| foo-9-max | Foo 9 Max | 20 |
| kimi-k2-0905 | Kimi K2 0905 | 25 |
| gemini-3-pro-preview | Gemini 3 Pro Preview | 35 |
| claude-opus-4-6-adaptive | Claude Opus 4.6 (Adaptive) | 48 |

## DeepSWE v1.1 (2026-09-03)

| Model | pass@1 |
|---|---|
| grok-4 | 60 |
| foo-9 | 44 |
"""


@pytest.mark.parametrize(
    ("model_id", "value"),
    [
        ("xai/grok-4", 40),
        ("xai/grok-4-fast", 30),
        ("xai/grok-4-fast-reasoning", 30),
        ("openai/gpt-5.4", 55),
        ("openai/gpt-5.4-mini", None),
        ("alibaba/qwen3.8-max-0902", 45),
        ("alibaba/qwen3.8-max", 45),
        ("alibaba/qwen3.8", None),
        ("x/foo-9", None),
        ("x/foo-9-max", 20),
        ("moonshotai/kimi-k2", 25),
        ("moonshotai/kimi-k2-0905", 25),
        ("moonshotai/kimi-k2-0711", None),
        ("moonshotai/kimi-k2-turbo", None),
        ("google/gemini-3-pro", 35),
        ("google/gemini-3-pro-preview", 35),
        ("google/gemini-3", None),
        ("anthropic/claude-opus-4.6", 48),
        ("anthropic/claude-4-6-opus-fast", 48),
        ("anthropic/claude-opus-4.6-thinking", 48),
    ],
)
def test_which_row_describes_a_candidate(model_id: str, value: float | None) -> None:
    row = parse_evals(TABLE).measured(model_id, "aa:TB4")
    assert (row.value if row else None) == value


def test_sections_resolve_independently() -> None:
    evals = parse_evals(TABLE)
    # its own row in one section; the standard model's in the other, which has no row for it
    values = {row.benchmark: row.value for row in evals.rows_for("xai/grok-4-fast")}
    assert values == {"aa:TB4": 30, "dswe:Pass@1": 60}


def test_a_name_that_ends_in_an_effort_word_lends_and_borrows_nothing() -> None:
    evals = parse_evals(TABLE)
    assert {row.benchmark for row in evals.rows_for("x/foo-9-max")} == {"aa:TB4"}
    assert {row.benchmark for row in evals.rows_for("x/foo-9")} == {"dswe:Pass@1"}


words = st.sampled_from(
    ["claude", "opus", "gpt", "grok", "qwen3", "5", "4", "8", "mini", "max", "v3", "fast", "pro", "k2", "0902", "thinking"]
)  # fmt: skip


@given(st.text(max_size=40) | st.lists(words, max_size=7).map("-".join))
@settings(max_examples=300, deadline=None)
def test_identity_is_idempotent_and_never_raises(text: str) -> None:
    once = model_tokens(text)
    assert model_tokens("-".join(once)) == once


@given(
    st.lists(words, min_size=1, max_size=6),
    st.sampled_from(["-", ".", "_"]),
    st.sampled_from(["", "openrouter/", "a/b/", "~"]),
    st.sampled_from(["", ":free", ":batch"]),
    st.booleans(),
)
@settings(max_examples=200, deadline=None)
def test_identity_does_not_depend_on_spelling(
    parts: list[str], joint: str, before: str, after: str, upper: bool
) -> None:
    plain = model_tokens("-".join(parts))
    spelled = before + joint.join(parts) + after
    assert model_tokens(spelled.upper() if upper else spelled) == plain


@pytest.mark.parametrize("prefix", ["", "x/", "a/B/"])
@given(st.lists(words, min_size=1, max_size=6), st.booleans())
@settings(max_examples=100, deadline=None)
def test_an_id_in_a_model_cell_has_the_identity_of_the_id(
    prefix: str, parts: list[str], capital: bool
) -> None:
    written = prefix + "-".join(part.capitalize() if capital else part for part in parts)
    shown = displayed_name(written)
    written_off = model_tokens(written)
    assert written_off[: len(shown.tokens)] == shown.tokens
    assert shown.tokens[: shown.core] == written_off[: shown.core]


@given(st.text(max_size=60))
@settings(max_examples=200, deadline=None)
def test_a_displayed_name_never_raises_and_its_name_is_part_of_its_tokens(text: str) -> None:
    found = displayed_name(text)
    assert 0 <= found.core <= len(found.tokens)


@given(st.sampled_from(sorted(DEPLOYMENTS)))
@settings(max_examples=20, deadline=None)
def test_a_deployment_of_a_measured_model_finds_its_row(word: str) -> None:
    row = parse_evals(TABLE).measured(f"x/claude-opus-4.6-{word}", "aa:TB4")
    assert row is not None
    assert row.value == 48
