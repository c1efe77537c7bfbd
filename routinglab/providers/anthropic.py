"""Anthropic messages.

Source: https://docs.anthropic.com/en/api/messages and .../messages-streaming.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from typing import Any

from routinglab.providers.chat import (
    ChatReply,
    ChatRequest,
    Finish,
    Message,
    OnText,
    ToolCall,
    Usage,
)
from routinglab.providers.failures import finish_of
from routinglab.providers.http import Answer, Connection
from routinglab.providers.openai_request import sound_arguments
from routinglab.providers.payload import refusal_category
from routinglab.providers.stream import broken_off, consume, cut_off, joined, nothing_said, tell
from routinglab.providers.wire import can_force, default_max_tokens, effort_fields, fitting_id

PATH = "/v1/messages"
VERSION = "2023-06-01"
#: What a request with ``speed`` must say as well (models.dev, experimental modes, 2026-11).
FAST_MODE = {"anthropic-beta": "fast-mode-2026-02-01"}
_ROOM = 4096
_IDS = re.compile(r"[a-zA-Z0-9_-]{1,128}")


class AnthropicClient:
    """A chat client for one provider that speaks this protocol."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __repr__(self) -> str:
        return f"AnthropicClient({self._connection!r})"

    async def chat(self, request: ChatRequest, *, on_text: OnText | None = None) -> ChatReply:
        provider = self._connection.provider
        body = messages_body(provider, request, stream=on_text is not None)
        origin = f"{provider}/{request.model}"

        async def read(answer: Answer) -> ChatReply:
            reply = _Reply(origin)

            async def take(event: dict[str, Any]) -> None:
                await tell(on_text, reply.take(event))

            if (data := await consume(answer, take, lambda: reply.has_finished)) is None:
                return reply.finished(answer)
            done = _complete(reply, data, answer)
            await tell(on_text, done.text)
            return done

        hurry = FAST_MODE if "speed" in dict(request.options) else None
        return await self._connection.post(body, read, stream=on_text is not None, headers=hurry)

    async def aclose(self) -> None:
        await self._connection.aclose()


def _complete(reply: _Reply, data: dict[str, Any], answer: Answer) -> ChatReply:
    if not isinstance(data.get("content"), list):
        raise nothing_said(answer, data)
    reply.take_whole(data)
    return reply.finished(answer)


# Requests -------------------------------------------------------------------------------------


def messages_body(provider: str, request: ChatRequest, *, stream: bool) -> dict[str, Any]:
    """The JSON body of a request to ``provider``."""
    origin = f"{provider}/{request.model}"
    fields = effort_fields(provider, "anthropic", request.model, request.effort)
    if fields.get("thinking", {}).get("type") == "enabled" and _joins_a_loop(request, origin):
        # with a fixed budget, a turn with tool calls must begin with this model's own thoughts
        fields = {"thinking": {"type": "disabled"}}
    thinking = fields.get("thinking", {})
    asked = request.max_tokens or default_max_tokens(request.model)
    if "budget_tokens" in thinking and request.max_tokens is None:
        asked = max(asked, thinking["budget_tokens"] + _ROOM)
    elif "budget_tokens" in thinking and thinking["budget_tokens"] >= asked:
        # the budget counts towards the limit a caller stated; below 1,024 there is none to give
        if asked < 2048:
            del fields["thinking"]
        else:
            thinking["budget_tokens"] = asked // 2
    body: dict[str, Any] = {
        "model": request.model,
        "max_tokens": asked,
        "messages": _turns(request, origin),
    }
    if request.system:
        body["system"] = request.system
    if request.tools:
        body["tools"] = [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": dict(tool.schema),
            }
            for tool in request.tools
        ]
    if request.force_tool:
        if can_force(provider, "anthropic", request.model, request.effort):
            choice: dict[str, Any] = {"type": "tool", "name": request.force_tool}
        else:
            choice = {"type": "auto"}
        body["tool_choice"] = {**choice, "disable_parallel_tool_use": True}
    if stream:
        body["stream"] = True
    return {**body, **fields, **dict(request.options)}


def _joins_a_loop(request: ChatRequest, origin: str) -> bool:
    """Whether the conversation stands in the middle of tool calls that another model made."""
    last = next((m for m in reversed(request.messages) if m.role == "assistant"), None)
    waiting = bool(request.messages) and request.messages[-1].role == "tool"
    ours = last is not None and last.origin == origin and bool(last.reasoning)
    return waiting and not ours


def _turns(request: ChatRequest, origin: str) -> list[dict[str, Any]]:
    """Messages in strict alternation: tool results and what follows them share a user turn."""
    turns: list[dict[str, Any]] = []
    for message in request.messages:
        role = "assistant" if message.role == "assistant" else "user"
        blocks = _assistant(message, origin) if role == "assistant" else _user(message)
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _user(message: Message) -> list[dict[str, Any]]:
    said = [{"type": "text", "text": message.text}] if message.text.strip() else []
    images = [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": image.media_type,
                "data": b64encode(image.data).decode(),
            },
        }
        for image in message.images
    ]
    if message.role != "tool":
        return [*images, *said] or [{"type": "text", "text": "(no text)"}]
    result: dict[str, Any] = {
        "type": "tool_result",
        "tool_use_id": fitting_id(message.tool_call_id or "", _IDS),
    }
    if said or images:
        result["content"] = [*said, *images]
    if message.is_error:
        result["is_error"] = True
    return [result]


def _assistant(message: Message, origin: str) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if message.reasoning and message.origin == origin:
        blocks += json.loads(message.reasoning)
    if message.text.strip():
        # trailing white space is refused where the turn ends the conversation
        blocks.append({"type": "text", "text": message.text.rstrip()})
    blocks += [
        {
            "type": "tool_use",
            "id": fitting_id(call.id, _IDS),
            "name": call.name,
            "input": json.loads(sound_arguments(call.arguments)),
        }
        for call in message.tool_calls
    ]
    return blocks or [{"type": "text", "text": "(no text)"}]


# Replies --------------------------------------------------------------------------------------


class _Reply:
    """A reply put together from a whole message or from the events of a stream."""

    def __init__(self, origin: str) -> None:
        self._origin = origin
        self._blocks: dict[int, dict[str, Any]] = {}
        self._json: dict[int, list[str]] = {}
        self._model: str | None = None
        self._used: dict[str, Any] = {}
        self._finish: str | None = None
        self._category: str | None = None

    @property
    def has_finished(self) -> bool:
        """Whether the answer has said why it ended."""
        return self._finish is not None

    def take_whole(self, data: dict[str, Any]) -> None:
        """A complete message."""
        self._blocks = {i: b for i, b in enumerate(data["content"]) if isinstance(b, dict)}
        self._start(data)
        self._finish = self._finish or "end_turn"

    def _start(self, message: dict[str, Any]) -> None:
        model = message.get("model")
        self._model = model if isinstance(model, str) else None
        self._end(message, message)

    def _end(self, delta: dict[str, Any], event: dict[str, Any]) -> None:
        if isinstance(used := event.get("usage"), dict):
            self._used |= {name: value for name, value in used.items() if value is not None}
        if isinstance(word := delta.get("stop_reason"), str):
            self._finish = word
            self._category = refusal_category(delta)

    def take(self, event: dict[str, Any]) -> str:
        """One event of a stream; returns its visible text."""
        kind = event.get("type")
        index = event.get("index")
        place = index if isinstance(index, int) else 0
        if kind == "message_start" and isinstance(message := event.get("message"), dict):
            self._start(message)
        elif kind == "message_delta" and isinstance(delta := event.get("delta"), dict):
            self._end(delta, event)
        elif kind == "content_block_start" and isinstance(
            block := event.get("content_block"), dict
        ):
            self._blocks[place] = dict(block)
            text = block.get("text")
            return text if block.get("type") == "text" and isinstance(text, str) else ""
        elif kind == "content_block_delta" and isinstance(delta := event.get("delta"), dict):
            return self._delta(place, delta)
        return ""

    def _delta(self, place: int, delta: dict[str, Any]) -> str:
        names = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}
        kind = delta.get("type")
        if kind == "input_json_delta":
            self._json.setdefault(place, []).append(str(delta.get("partial_json", "")))
        elif (name := names.get(str(kind))) and isinstance(part := delta.get(name), str):
            block = self._blocks.setdefault(place, {"type": "text"})
            begun = block.get(name)
            block[name] = begun + part if isinstance(begun, str) else part
            return part if name == "text" else ""
        return ""

    def finished(self, answer: Answer) -> ChatReply:
        """The reply; raises ``Unreadable`` where the stream broke off."""
        if self._finish is None:
            raise cut_off(answer)
        blocks = [self._blocks[place] for place in sorted(self._blocks)]
        calls = tuple(
            ToolCall(str(b.get("id", "")), str(b.get("name", "")), self._arguments(place, b))
            for place, b in sorted(self._blocks.items())
            if b.get("type") == "tool_use"
        )
        thought = [b for b in blocks if b.get("type") in ("thinking", "redacted_thinking")]
        return ChatReply(
            text=joined(str(b.get("text", "")) for b in blocks if b.get("type") == "text"),
            tool_calls=calls,
            finish=self._finish_word(answer, calls),
            usage=usage_of(self._used),
            model=self._model,
            request_id=answer.request_id,
            category=self._category,
            reasoning=json.dumps(thought, ensure_ascii=False) if thought else "",
            origin=self._origin,
        )

    def _arguments(self, place: int, block: dict[str, Any]) -> str:
        streamed = joined(self._json.get(place, ()))
        given = block.get("input")
        if streamed or given is None:
            return streamed or "{}"
        return given if isinstance(given, str) else json.dumps(given, ensure_ascii=False)

    def _finish_word(self, answer: Answer, calls: tuple[ToolCall, ...]) -> Finish:
        word = finish_of(self._finish)
        if word == "failed":
            raise broken_off(answer)
        if word == "refusal" or word == "length":
            return word  # type: ignore[return-value]
        return "tool_calls" if calls else "stop"


def usage_of(told: dict[str, Any]) -> Usage:
    """``usage`` of a message; cached parts are counted apart there and belong to the input here."""

    def count(name: str) -> int | None:
        value = told.get(name)
        whole_number = isinstance(value, int) and not isinstance(value, bool) and value >= 0
        return value if whole_number else None

    read, made = count("cache_read_input_tokens"), count("cache_creation_input_tokens")
    fresh = count("input_tokens")
    return Usage(
        input_tokens=None if fresh is None else fresh + (read or 0) + (made or 0),
        output_tokens=count("output_tokens"),
        cached_tokens=read,
    )
