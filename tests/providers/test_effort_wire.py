"""Which fields carry a reasoning level, on the wire (SPEC 10)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest
from anthropic.types import OutputConfigParam
from openai.types.shared import ReasoningEffort
from support.llm_server import LlmServer, Seen
from support.providers import ask, on_loopback

from routinglab.catalog.providers import presets
from routinglab.core.efforts import EFFORTS
from routinglab.errors import ProviderError
from routinglab.providers.registry import Providers
from routinglab.providers.wire import can_force, effort_fields, effort_rules
from routinglab.settings import Settings

CASES = json.loads((Path(__file__).parent / "fixtures" / "effort_wire.json").read_text("utf-8"))
PLAIN = {"model", "messages"}


async def sent(cases: list[dict[str, Any]]) -> list[Seen]:
    """What each case puts on the wire, with every provider's address moved to loopback."""
    async with LlmServer() as server:
        moved = {}
        for name in {case["provider"] for case in cases}:
            preset = presets().get(name)
            api = preset.api if preset else "openai"
            url = server.anthropic_url if api == "anthropic" else server.openai_url
            moved[name] = {"api": api, "baseUrl": url, "apiKeyEnv": "SOME_KEY"}
        async with Providers(Settings(providers=moved), {"SOME_KEY": "k" * 12}) as providers:
            for case in cases:
                request = ask(model=case["model"], effort=case["effort"])
                await providers.client(case["provider"]).chat(request)
        return server.requests


def test_each_level_is_sent_as_the_provider_documents_it() -> None:
    seen = asyncio.run(sent(CASES["cases"]))
    for case, request in zip(CASES["cases"], seen, strict=True):
        fields = {k: v for k, v in request.json.items() if k not in PLAIN}
        assert fields == case["sends"], case


def test_every_preset_that_chats_has_wire_cases_or_speaks_plain_openai() -> None:
    named = {"openai", "anthropic", "openrouter", "deepseek", "xai", "groq", "mistral", "google"}
    named |= {"ollama", "llama.cpp", "vllm"}
    assert named <= {case["provider"] for case in CASES["cases"]}


def test_a_level_without_a_form_is_incompatible_and_names_those_there_are() -> None:
    with pytest.raises(ProviderError, match=r"it takes off, low, medium, high, xhigh$") as caught:
        effort_fields("xai", "openai", "grok-4.3", "max")
    assert caught.value.kind == "request_incompatible"


def words_of(hint: Any) -> set[str]:
    """Every literal text in a type."""
    if get_origin(hint) is Literal:
        return {word for word in get_args(hint) if isinstance(word, str)}
    return {word for part in get_args(hint) for word in words_of(part)}


def test_words_are_those_of_the_public_packages() -> None:
    openai_words = words_of(ReasoningEffort)
    anthropic_words = words_of(get_type_hints(OutputConfigParam)["effort"])
    assert {"none", "xhigh"} <= openai_words
    assert {"low", "max"} <= anthropic_words
    for effort in EFFORTS:
        fields = effort_fields("openai", "openai", "gpt-5.5", effort)
        assert fields["reasoning_effort"] in openai_words
        if effort not in ("off", "minimal"):
            fields = effort_fields("anthropic", "anthropic", "claude-opus-4-8", effort)
            assert fields["output_config"]["effort"] in anthropic_words


def test_every_rule_names_its_source_and_only_known_levels() -> None:
    for rule in effort_rules():
        assert rule.source
        assert set(rule.levels) <= set(EFFORTS), rule.name
        assert rule.forced in ("always", "never", "unthinking")
        assert bool(rule.providers) != bool(rule.api), rule.name


def test_a_tool_is_forced_only_where_the_api_allows_it() -> None:
    assert can_force("anthropic", "anthropic", "claude-haiku-4-5", None)
    assert not can_force("anthropic", "anthropic", "claude-haiku-4-5", "low")
    assert can_force("anthropic", "anthropic", "claude-opus-4-8", "high")
    assert not can_force("anthropic", "anthropic", "claude-fable-5.1", None)
    assert not can_force("deepseek", "openai", "deepseek-v4-pro", None)
    assert can_force("deepseek", "openai", "deepseek-v4-pro", "off")
    assert can_force("openai", "openai", "gpt-5.5", "high")


def test_asking_changes_no_shared_table() -> None:
    first = effort_fields("anthropic", "anthropic", "claude-haiku-4-5", "low")
    first["thinking"]["budget_tokens"] = 1
    assert effort_fields("anthropic", "anthropic", "claude-haiku-4-5", "low") == {
        "thinking": {"type": "enabled", "budget_tokens": 2048}
    }


@pytest.mark.parametrize("name", ["oai", "ant"])
def test_options_of_a_faster_route_are_sent_beside_the_id(name: str) -> None:
    async def test(server: LlmServer, providers: Providers) -> Seen:
        await providers.client(name).chat(ask(options=(("speed", "fast"),)))
        return server.requests[0]

    seen = on_loopback(test)
    assert seen.json["speed"] == "fast"
    assert ("anthropic-beta" in seen.headers) is (name == "ant")
