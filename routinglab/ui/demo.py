"""A runner that answers from a shipped recording, so that launching works without any key."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from routinglab.catalog.files import load_catalog
from routinglab.catalog.model import Catalog
from routinglab.catalog.providers import presets
from routinglab.evals.evals import Evals
from routinglab.providers.chat import ChatClient, ChatReply, ChatRequest, OnText, ToolCall, ToolSpec
from routinglab.providers.recorded import RecordedClient
from routinglab.providers.registry import Providers
from routinglab.resources import shipped
from routinglab.routing.router import Router
from routinglab.running.runner import Runner
from routinglab.settings import Settings
from routinglab.skills.store import SkillStore

#: The current model of the demonstration: it reads tasks, chooses, and stands in.
CURRENT = "openai/gpt-5.4-mini"
#: Providers whose catalog models take part; all of their prices are known and above zero.
PROVIDERS = ("anthropic", "deepseek", "google", "groq", "mistral", "openai", "xai")
#: Seconds between two streamed words.
PACE = 0.03

#: Shorter than what is searched for in texts, so it stands in for a key and hides no word.
_NO_KEY = "none"


@dataclass(frozen=True, slots=True)
class Example:
    """A task that the recording answers, and who does it."""

    label: str
    agent: str
    task: str


EXAMPLES = (
    Example(
        "a provider fails, the next one answers",
        "explore",
        "Which skills and agents does this folder hold?",
    ),
    Example(
        "a long answer, to be cancelled half way",
        "planner",
        "Plan the move of a small web service from one database to another without downtime.",
    ),
    Example(
        "a short answer",
        "research",
        "Why does a retry delay need a random part?",
    ),
)


def demo_runner(
    recording: Path | str | None = None, *, evals: Evals | None = None, pace: float = PACE
) -> Runner:
    """A runner over the curated catalog whose every answer comes from ``recording``.

    Nothing is sent, no key is used, and no transcript is kept. Children may read the folder of
    shipped skills. ``pace`` is the pause in seconds between streamed words.
    """
    path = Path(recording) if recording is not None else shipped("evals", "launch-demo.jsonl")
    settings = Settings(current_model=CURRENT)
    env = {**os.environ, **{p.key_env: _NO_KEY for p in presets().values() if p.key_env}}
    catalog = Catalog(model for model in load_catalog() if model.provider in PROVIDERS)
    router = Router(
        settings,
        catalog,
        evals,
        env=env,
        providers=RecordedProviders(settings, env, path, pace=pace),
    )
    folder = shipped("skills")
    skills = SkillStore(project=folder, home=folder, settings=settings)
    return Runner(router, skills=skills, workspace=folder, transcripts=None)


class RecordedProviders(Providers):
    """Providers that answer from a file, word by word, and fit recorded decisions to what is asked.

    A recorded decision names more than one request may ask: needs that were stated already, or
    models that limits took away. Of the arguments of a forced tool only those that its schema
    knows are given, and of a list where one of several values is wanted the first that is offered.
    """

    def __init__(
        self, settings: Settings, env: Mapping[str, str], path: Path, *, pace: float = PACE
    ) -> None:
        super().__init__(settings, env, recorded=path)
        self._path, self._pace = path, pace
        self._fitted: dict[str, ChatClient] = {}

    def client(self, provider_id: str) -> ChatClient:
        """The client that answers for a provider."""
        if provider_id not in self._fitted:
            inner = RecordedClient(provider_id, self._path, pace=self._pace)
            self._fitted[provider_id] = _Fitted(inner)
        return self._fitted[provider_id]


class _Fitted:
    def __init__(self, inner: ChatClient) -> None:
        self._inner = inner

    async def chat(self, request: ChatRequest, *, on_text: OnText | None = None) -> ChatReply:
        reply = await self._inner.chat(request, on_text=on_text)
        tools = {tool.name: tool for tool in request.tools if tool.name == request.force_tool}
        calls = tuple(
            fitted(call, tools[call.name]) if call.name in tools else call
            for call in reply.tool_calls
        )
        return replace(reply, tool_calls=calls)

    async def aclose(self) -> None:
        await self._inner.aclose()


def fitted(call: ToolCall, tool: ToolSpec) -> ToolCall:
    """``call`` with the arguments that ``tool`` asks for."""
    given: dict[str, Any] = json.loads(call.arguments)
    asked: Mapping[str, Any] = tool.schema["properties"]
    kept = {name: _offered(value, asked[name]) for name, value in given.items() if name in asked}
    return replace(call, arguments=json.dumps(kept, ensure_ascii=False))


def _offered(value: Any, schema: Mapping[str, Any]) -> Any:
    """Of several recorded values the first that is offered, else the first offer of all."""
    if not isinstance(value, list) or "enum" not in schema:
        return value
    return next((one for one in value if one in schema["enum"]), schema["enum"][0])
