"""What is said to a chat model and what comes back, whatever the wire protocol."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from routinglab.core.efforts import Effort
from routinglab.errors import ProviderError

Role = Literal["user", "assistant", "tool"]
Finish = Literal["stop", "tool_calls", "length", "refusal"]

#: Called with each piece of visible text as it streams; may be a plain or an async function.
OnText = Callable[[str], Awaitable[None] | None]


@dataclass(frozen=True, slots=True)
class Image:
    """An image as bytes with its type, such as ``image/png``."""

    media_type: str
    data: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool a model may call; ``schema`` is the JSON schema of its arguments, an object."""

    name: str
    description: str
    schema: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call as the model wrote it: ``arguments`` is its text, which may be no valid JSON.

    ``extra`` is opaque JSON that the provider wants back with the call (Gemini's thought signature).
    """

    id: str
    name: str
    arguments: str
    extra: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Message:
    """One turn. A ``tool`` message answers the call ``tool_call_id``.

    ``reasoning`` is an assistant's opaque reasoning state as JSON text, and ``origin`` the
    ``provider/id`` that wrote it. It goes back to that model only; every other one gets the turn
    without it, so a conversation moves between providers as it is.
    """

    role: Role
    text: str = ""
    images: tuple[Image, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    tool_call_id: str | None = None
    is_error: bool = False
    reasoning: str = field(default="", repr=False)
    origin: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one request; None is "not told".

    ``input_tokens`` counts everything read, cached parts included, and ``output_tokens``
    everything written, reasoning included, whichever way the provider splits them.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            _sum(self.input_tokens, other.input_tokens),
            _sum(self.output_tokens, other.output_tokens),
            _sum(self.cached_tokens, other.cached_tokens),
            _sum(self.reasoning_tokens, other.reasoning_tokens),
        )


def _sum(one: int | None, other: int | None) -> int | None:
    return other if one is None else one if other is None else one + other


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """One request. ``model`` is the provider's own id, without ``provider/``.

    ``force_tool`` names the tool that must be called; where the API cannot force it (Anthropic
    while thinking), it is offered only. ``effort`` None sends no reasoning parameter at all.
    ``max_tokens`` None leaves the limit to the provider. ``options`` are further fields of the body,
    such as ``("service_tier", "priority")`` of a faster route.
    """

    model: str
    messages: tuple[Message, ...]
    system: str = ""
    tools: tuple[ToolSpec, ...] = ()
    force_tool: str | None = None
    effort: Effort | None = None
    max_tokens: int | None = None
    options: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class ChatReply:
    """A complete answer. ``finish`` ``refusal`` is an answer the provider withheld.

    ``model`` is the model that says it answered, ``category`` a refusal's category where told.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    request_id: str | None = None
    category: str | None = None
    reasoning: str = field(default="", repr=False)
    origin: str = ""

    def message(self) -> Message:
        """This answer as the assistant turn of the next request."""
        return Message(
            "assistant",
            self.text,
            tool_calls=self.tool_calls,
            reasoning=self.reasoning,
            origin=self.origin,
        )

    def refusal(self) -> ProviderError | None:
        """The error a refused answer stands for, with its category; None for any other answer."""
        if self.finish != "refusal":
            return None
        about = f" ({self.category})" if self.category else ""
        return ProviderError(
            f"{self.origin or 'the provider'} refused to answer{about}",
            kind="refusal",
            category=self.category,
            error_type="refusal",
            provider=self.origin.partition("/")[0] or None,
        )


class ChatClient(Protocol):
    """Talks to one provider. Every failure raises :class:`~routinglab.errors.ProviderError`.

    There is no read timeout: a caller that has a deadline sets it around the call
    (``asyncio.timeout``), and cancelling the call closes its connection.
    """

    async def chat(self, request: ChatRequest, *, on_text: OnText | None = None) -> ChatReply:
        """Send one request; with ``on_text`` it is streamed."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
