"""One short request to each model that would be tried: whether its key and address work."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Iterable
from typing import TYPE_CHECKING, Any

from routinglab.core.ids import Candidate, split_id
from routinglab.errors import ProviderError

if TYPE_CHECKING:
    from routinglab.catalog.model import Catalog, Model
    from routinglab.providers.registry import Providers
    from routinglab.settings import Settings

#: Seconds until a model that has not answered counts as failed, and tokens it may answer with.
SECONDS = 30.0
TOKENS = 16


def ping(
    chat: Iterable[Candidate],
    classifiers: Iterable[Candidate],
    catalog: Catalog,
    settings: Settings,
) -> list[dict[str, Any]]:
    """What each model answers to a request of a few words: ``ok``, or the failure's kind.

    A model is asked once, without a reasoning effort; what that costs is a few tokens each.
    """
    return asyncio.run(_ping(chat, classifiers, catalog, settings))


async def _ping(
    chat: Iterable[Candidate],
    classifiers: Iterable[Candidate],
    catalog: Catalog,
    settings: Settings,
) -> list[dict[str, Any]]:
    from routinglab.providers.registry import Providers

    models = dict.fromkeys(candidate.model for candidate in chat)
    judges = dict.fromkeys(candidate.model for candidate in classifiers)
    async with Providers(settings) as providers:
        return await asyncio.gather(
            *(_one(model, "chat", _chat(providers, model, catalog.get(model))) for model in models),
            *(_one(model, "classifier", _classify(providers, model)) for model in judges),
        )


async def _one(model: str, kind: str, asked: Awaitable[None]) -> dict[str, Any]:
    started = time.monotonic()
    outcome, message = "ok", ""
    try:
        async with asyncio.timeout(SECONDS):
            await asked
    except ProviderError as error:
        outcome, message = error.kind, str(error)
    except TimeoutError:
        outcome, message = "network_timeout", f"no answer within {SECONDS:g} s"
    return {
        "model": model,
        "kind": kind,
        "outcome": outcome,
        "seconds": round(time.monotonic() - started, 3),
        "message": message,
    }


async def _chat(providers: Providers, model: str, entry: Model | None) -> None:
    from routinglab.providers.chat import ChatRequest, Message

    provider, id = split_id(model)
    request = ChatRequest(
        model=(entry.request_model if entry else None) or id,
        messages=(Message("user", "Reply with OK."),),
        max_tokens=TOKENS,
        options=entry.request_options if entry else (),
    )
    await providers.client(provider).chat(request)


async def _classify(providers: Providers, model: str) -> None:
    from routinglab.providers.classify import ClassifyRequest, Question

    provider, id = split_id(model)
    question = Question("ping", "Choose ok.", {"ok": "it works", "no": "it does not"})
    request = ClassifyRequest(id, {"ping": True}, (question,))
    await providers.classifier(provider).classify(request)
