"""Answers from a file, no network: for notebooks, reports and tests that need no key.

The file is JSON Lines. A line whose conditions all hold answers a request; the first one does, so the
same request always gets the same answer, in whatever order requests come::

    {"model": "openai/gpt-5.5", "contains": "fix the test", "turn": 0, "reply": {"text": "Done."}}

Conditions, each may be left out: ``model`` (full id), ``contains`` (text in the first user message or
in a classifier's state), ``turn`` (how many assistant turns the conversation already has), ``tool`` (a
tool that is offered), ``digest`` (of the whole request, as :class:`RecordingClient` writes it).
``reply`` holds ``text``, ``toolCalls`` [{``name``, ``arguments``, ``id``}], ``finish``, ``category``,
``usage`` {``inputTokens``, ``outputTokens``}, ``model``; a classifier's holds ``answers`` {question:
key}. ``error`` {``kind``, ``status``, ``message``} fails instead. Blank lines and lines that start with
``//`` are passed over, and so are lines whose ``kind`` is not ``exchange``.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from pydantic import Field

from routinglab.core.value import Value
from routinglab.errors import InvalidInput, ProviderError, RecordingError
from routinglab.providers.chat import ChatClient, ChatReply, ChatRequest, OnText, ToolCall, Usage
from routinglab.providers.classify import ClassifyAnswer, ClassifyReply, ClassifyRequest
from routinglab.providers.failures import FAILURE_KINDS, FailureKind
from routinglab.providers.stream import tell

#: Larger files are refused.
MAX_BYTES = 256 * 2**20


class RecordedCall(Value):
    """A tool call; ``arguments`` is an object, or a text that is given as it is."""

    name: str
    arguments: dict[str, Any] | str = Field(default_factory=dict)
    id: str | None = None


class RecordedUsage(Value):
    """Tokens of one request."""

    input_tokens: int | None = None
    output_tokens: int | None = None


class RecordedReply(Value):
    """What is answered."""

    text: str = ""
    tool_calls: tuple[RecordedCall, ...] = ()
    finish: Literal["stop", "tool_calls", "length", "refusal"] | None = None
    category: str | None = None
    usage: RecordedUsage = RecordedUsage()
    model: str | None = None
    answers: dict[str, str] = Field(default_factory=dict)


class RecordedError(Value):
    """A failure in place of an answer."""

    kind: FailureKind = "provider_unavailable"
    status: int | None = None
    message: str = ""


class Exchange(Value):
    """One line: conditions and what follows when they hold."""

    model: str | None = None
    contains: str | None = None
    turn: int | None = None
    tool: str | None = None
    digest: str | None = None
    reply: RecordedReply | None = None
    error: RecordedError | None = None

    def fits(self, model: str, text: str, turn: int, tools: frozenset[str], digest: str) -> bool:
        """Whether every condition holds."""
        return (
            self.model in (None, model)
            and (self.contains is None or self.contains in text)
            and self.turn in (None, turn)
            and (self.tool is None or self.tool in tools)
            and self.digest in (None, digest)
        )


def load_exchanges(path: Path) -> tuple[Exchange, ...]:
    """The lines of a file; raises RecordingError naming the file and the line that is wrong."""
    try:
        stat = path.stat()
    except OSError as error:
        raise RecordingError(f"{path}: cannot be read ({error.strerror})") from None
    return _load(path, stat.st_mtime_ns, stat.st_size)


@lru_cache(maxsize=32)
def _load(path: Path, _changed: int, size: int) -> tuple[Exchange, ...]:
    if size > MAX_BYTES:
        raise RecordingError(f"{path}: larger than {MAX_BYTES} bytes")
    found: list[Exchange] = []
    # a text may hold other separators that str.splitlines knows
    for number, line in enumerate(path.read_text("utf-8", "replace").split("\n"), 1):
        if not line.strip() or line.lstrip().startswith("//"):
            continue
        try:
            data = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise RecordingError(f"{path}:{number}: is no JSON ({error})") from None
        if not isinstance(data, dict) or data.pop("kind", "exchange") != "exchange":
            continue
        try:
            found.append(Exchange.model_validate(data))
        except InvalidInput as error:
            raise RecordingError(f"{path}:{number}: {error}") from None
    return tuple(found)


def request_digest(model: str, request: ChatRequest | ClassifyRequest) -> str:
    """SHA-256 of everything a request says."""
    text = f"{model}\n{request!r}"
    if isinstance(request, ChatRequest):
        images = [image.data for message in request.messages for image in message.images]
        hidden = [m.reasoning for m in request.messages]
        text += f"\n{[sha256(data).hexdigest() for data in images]!r}\n{hidden!r}"
    return sha256(text.encode("utf-8", "replace")).hexdigest()


class RecordedClient:
    """Chat client and classifier of one provider that answers from a file.

    ``pace`` is the pause in seconds between streamed pieces.
    """

    def __init__(
        self,
        provider: str,
        path: Path | str,
        *,
        pace: float = 0.0,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._provider = provider
        self._path = Path(path)
        self._pace = pace
        self._sleep = sleep

    def __repr__(self) -> str:
        return f"RecordedClient({self._provider!r}, {str(self._path)!r})"

    async def chat(self, request: ChatRequest, *, on_text: OnText | None = None) -> ChatReply:
        model = f"{self._provider}/{request.model}"
        first = next((m.text for m in request.messages if m.role == "user"), "")
        turn = sum(m.role == "assistant" for m in request.messages)
        tools = frozenset(tool.name for tool in request.tools)
        told = self._find(model, first, turn, tools, request_digest(model, request))
        for piece in re.findall(r"\s*\S+|\s+$", told.text) if on_text else ():
            await tell(on_text, piece)
            if self._pace:
                await self._sleep(self._pace)
        calls = tuple(
            ToolCall(call.id or f"call_{turn}_{place}", call.name, _text(call.arguments))
            for place, call in enumerate(told.tool_calls)
        )
        return ChatReply(
            text=told.text,
            tool_calls=calls,
            finish=told.finish or ("tool_calls" if calls else "stop"),
            usage=Usage(told.usage.input_tokens, told.usage.output_tokens),
            model=told.model or request.model,
            category=told.category,
            origin=model,
        )

    async def classify(self, request: ClassifyRequest) -> ClassifyReply:
        model = f"{self._provider}/{request.model}"
        state = request.state if isinstance(request.state, str) else _text(request.state)
        told = self._find(model, state, 0, frozenset(), request_digest(model, request))
        for question in request.questions:
            if told.answers.get(question.id) not in question.criteria:
                raise ProviderError(
                    f"{self._path} has no known key for question {question.id!r}",
                    kind="provider_unavailable",
                    error_type="malformed",
                    provider=self._provider,
                )
        return ClassifyReply(
            {q.id: ClassifyAnswer(told.answers[q.id]) for q in request.questions},
            Usage(told.usage.input_tokens, told.usage.output_tokens),
            told.model or request.model,
        )

    async def aclose(self) -> None:
        """Nothing to close."""

    def _find(
        self, model: str, text: str, turn: int, tools: frozenset[str], digest: str
    ) -> RecordedReply:
        for line in load_exchanges(self._path):
            if not line.fits(model, text, turn, tools, digest):
                continue
            if line.reply is not None:
                return line.reply
            told = line.error or RecordedError()
            raise ProviderError(
                told.message or f"{self._provider} failed, as recorded",
                kind=told.kind,
                status=told.status,
                error_type="recorded",
                provider=self._provider,
            )
        raise ProviderError(
            f"{self._path} has no answer of {model} to this request (turn {turn})",
            kind="config",
            error_type="not_recorded",
            provider=self._provider,
        )


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


class RecordingClient:
    """A chat client that hands requests on and writes each answer, to be answered from later.

    ``redact`` is applied to every text that is written.
    """

    def __init__(
        self,
        provider: str,
        inner: ChatClient,
        path: Path | str,
        *,
        redact: Callable[[str], str] = str,
    ) -> None:
        self._provider = provider
        self._inner = inner
        self._path = Path(path)
        self._redact = redact

    async def chat(self, request: ChatRequest, *, on_text: OnText | None = None) -> ChatReply:
        digest = request_digest(f"{self._provider}/{request.model}", request)
        try:
            reply = await self._inner.chat(request, on_text=on_text)
        except ProviderError as error:
            kind = error.kind if error.kind in FAILURE_KINDS else "unknown"
            told = {"kind": kind, "status": error.status, "message": str(error)}
            self._write(request, digest, {"error": told})
            raise
        calls = [
            {"id": call.id, "name": call.name, "arguments": self._redact(call.arguments)}
            for call in reply.tool_calls
        ]
        usage = {
            "inputTokens": reply.usage.input_tokens,
            "outputTokens": reply.usage.output_tokens,
        }
        said: dict[str, Any] = {
            "text": self._redact(reply.text),
            "toolCalls": calls,
            "finish": reply.finish,
            "category": reply.category,
            "usage": usage,
            "model": reply.model,
        }
        self._write(request, digest, {"reply": said})
        return reply

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _write(self, request: ChatRequest, digest: str, what: Mapping[str, Any]) -> None:
        line = {
            "kind": "exchange",
            "model": f"{self._provider}/{request.model}",
            "digest": digest,
            **what,
        }
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8", errors="replace") as file:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")
