"""Asking a model for a structured answer: the transport of both routing requests (SPEC 7.10-7.12).

An inference is one question to one model with its repairs and retries. How it ends is a value, not
an exception: a failed inference is an ordinary outcome that routing switches away from. Only
cancellation is raised.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from routinglab.core.efforts import Effort
from routinglab.core.ids import split_id
from routinglab.errors import ProviderError
from routinglab.providers.chat import ChatClient, ChatReply, ChatRequest, Message, ToolSpec, Usage
from routinglab.providers.classify import Classifier, ClassifyReply, ClassifyRequest, Question
from routinglab.providers.retry import RetryPolicy
from routinglab.routing.decision import RequestPurpose, RoutingRequest
from routinglab.routing.structured_answer import TOOL, read_answer, validator

TOOL_DESCRIPTION = "Give the answer. Call this exactly once, with every field filled in."
MAX_REPAIRS = 3

Sleep = Callable[[float], Awaitable[None]]
Price = Callable[[int, int], float | None]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Patience:
    """How long and how often an inference tries.

    ``deadline`` is a moment of ``clock`` (seconds) at which everything ends; None is no limit.
    """

    policy: RetryPolicy = field(default_factory=RetryPolicy)
    deadline: float | None = None
    clock: Callable[[], float] = time.monotonic
    sleep: Sleep = asyncio.sleep


@dataclass(frozen=True, slots=True)
class Inference:
    """How one inference ended: ``answer`` is None when it failed, and ``error`` says why.

    ``answer`` is the object a chat model gave, or a classifier's chosen key by question id;
    ``responded`` is the model that says it answered. ``probabilities`` are a classifier's, by question
    and key, where it tells them.
    """

    answer: Mapping[str, Any] | None
    requests: tuple[RoutingRequest, ...]
    error: ProviderError | None = None
    responded: str | None = None
    probabilities: Mapping[str, Mapping[str, float]] | None = None


@dataclass(slots=True)
class _Log:
    """The requests of one inference as they are made."""

    purpose: RequestPurpose
    model: str
    kind: Any
    patience: Patience
    price: Price | None
    entries: list[RoutingRequest] = field(default_factory=list)
    retries: int = 0

    async def send(self, call: Callable[[], Awaitable[T]], usage: Callable[[T], Usage]) -> T:
        """One request with what is left of the retries, each try noted down."""
        policy = self.patience.policy
        while True:
            started = self.patience.clock()
            try:
                reply = await call()
            except ProviderError as error:
                self._note(started, error.kind, error=error)
                delay = policy.delay(self.retries, error)
                if delay is None:
                    raise policy.last_word(error) from None
                self.retries += 1
                await self.patience.sleep(delay)
                continue
            except asyncio.CancelledError:
                self._note(started, "cancelled")
                raise
            self._note(started, "ok", used=usage(reply), request_id=_id_of(reply))
            return reply

    def _note(
        self,
        started: float,
        outcome: str,
        *,
        error: ProviderError | None = None,
        used: Usage | None = None,
        request_id: str | None = None,
    ) -> None:
        used = used or Usage()
        cost = None
        if self.price and used.input_tokens is not None and used.output_tokens is not None:
            cost = self.price(used.input_tokens, used.output_tokens)
        self.entries.append(
            RoutingRequest(
                purpose=self.purpose,
                model=self.model,
                kind=self.kind,
                outcome=outcome,
                status=error.status if error else None if outcome == "cancelled" else 200,
                error_type=error.error_type if error else None,
                input_tokens=used.input_tokens,
                output_tokens=used.output_tokens,
                cost=cost,
                seconds=max(0.0, self.patience.clock() - started),
                request_id=request_id,
            )
        )

    def relabel(self, outcome: str) -> None:
        """Say afterwards what the last request came to."""
        if self.entries:
            self.entries[-1] = self.entries[-1].model_copy(update={"outcome": outcome})


def _id_of(reply: object) -> str | None:
    return reply.request_id if isinstance(reply, (ChatReply, ClassifyReply)) else None


async def ask_chat(
    client: ChatClient,
    model: str,
    *,
    purpose: RequestPurpose,
    system: str,
    prompt: str,
    schema: Mapping[str, Any],
    effort: Effort | None = None,
    patience: Patience | None = None,
    price: Price | None = None,
    served_as: str | None = None,
    options: tuple[tuple[str, str], ...] = (),
) -> Inference:
    """Ask a chat model for one object that fits ``schema`` (a JSON schema).

    ``model`` is a full id; ``served_as`` the id to send where the provider calls it otherwise, with
    ``options`` beside it. One ``structured_output`` call must hold the whole answer, valid without
    coercion. After an answer that does not, the model is told what was wrong, up to three times;
    transient failures are retried up to three times in all, whatever the attempt.
    """
    log = _Log(purpose, model, "chat", patience or Patience(), price)
    return await _within_deadline(
        log,
        _chat(
            client,
            log,
            ChatRequest(
                model=served_as or split_id(model)[1],
                messages=(Message("user", prompt),),
                system=system,
                tools=(ToolSpec(TOOL, TOOL_DESCRIPTION, schema),),
                force_tool=TOOL,
                effort=effort,
                options=options,
            ),
            schema,
        ),
    )


async def _chat(
    client: ChatClient,
    log: _Log,
    request: ChatRequest,
    schema: Mapping[str, Any],
) -> tuple[Mapping[str, Any], str | None]:
    validate = validator(schema)
    problem = ""
    for _ in range(1 + MAX_REPAIRS):
        reply, request = await _send_chat(client, log, request)
        if (refused := reply.refusal()) is not None:
            log.relabel("refusal")
            raise refused
        answer, problem = read_answer(reply, validate)
        if answer is not None:
            return answer, reply.model
        log.relabel("malformed")
        request = _corrected(request, reply, problem)
    raise ProviderError(
        f"{log.model} gave no valid answer in {1 + MAX_REPAIRS} attempts",
        kind="validation",
        error_type="malformed",
        provider=split_id(log.model)[0],
    )


async def _send_chat(
    client: ChatClient, log: _Log, request: ChatRequest
) -> tuple[ChatReply, ChatRequest]:
    """Send, and where the model refuses to be forced, once more with the tool only offered."""
    try:
        return await log.send(lambda: client.chat(request), lambda r: r.usage), request
    except ProviderError as error:
        said = str(error).lower().replace("_", " ")
        if not (request.force_tool and error.kind == "request_incompatible"):
            raise
        if re.search(r"tool choice|\bforc(e|ed|es|ing)\b", said) is None:
            raise
    offered = replace(request, force_tool=None)
    return await log.send(lambda: client.chat(offered), lambda r: r.usage), offered


def _corrected(request: ChatRequest, reply: ChatReply, problem: str) -> ChatRequest:
    """The conversation with the reply and what was wrong with it."""
    told = f"That answer cannot be used: {problem} Call {TOOL} exactly once with a valid answer."
    turns: list[Message] = [reply.message()]
    if reply.tool_calls:
        turns += [
            Message("tool", told, tool_call_id=call.id, is_error=True) for call in reply.tool_calls
        ]
    else:
        turns.append(Message("user", told))
    return replace(request, messages=(*request.messages, *turns))


async def ask_classifier(
    client: Classifier,
    model: str,
    *,
    purpose: RequestPurpose,
    state: Any,
    questions: tuple[Question, ...],
    patience: Patience | None = None,
    price: Price | None = None,
) -> Inference:
    """Ask a classifier for one key a question; nothing is repaired, only transient failures retried."""
    log = _Log(purpose, model, "classifier", patience or Patience(), price)
    request = ClassifyRequest(split_id(model)[1], state, questions)
    told: dict[str, Mapping[str, float]] = {}

    async def ask() -> tuple[Mapping[str, Any], str | None]:
        reply = await log.send(lambda: client.classify(request), lambda r: r.usage)
        told.update({key: answer.probabilities for key, answer in reply.answers.items()})
        return {key: answer.choice for key, answer in reply.answers.items()}, reply.model

    return replace(await _within_deadline(log, ask()), probabilities=told or None)


async def _within_deadline(
    log: _Log, work: Coroutine[Any, Any, tuple[Mapping[str, Any], str | None]]
) -> Inference:
    patience = log.patience
    left = None if patience.deadline is None else patience.deadline - patience.clock()
    if left is not None and left <= 0:
        work.close()
        return Inference(None, (), _late(log.model))
    try:
        async with asyncio.timeout(left) as limit:
            answer, responded = await work
    except ProviderError as error:
        return Inference(None, tuple(log.entries), error)
    except TimeoutError:
        if not limit.expired():
            raise
        if log.entries and log.entries[-1].outcome == "cancelled":
            log.relabel("deadline")
        return Inference(None, tuple(log.entries), _late(log.model))
    return Inference(answer, tuple(log.entries), responded=responded)


def _late(model: str) -> ProviderError:
    return ProviderError(
        f"{model} did not decide before the deadline",
        kind="network_timeout",
        error_type="deadline",
        provider=split_id(model)[0],
    )
