"""Requests of OpenAI-compatible chat completions, fitted to each provider's ways.

Source: https://platform.openai.com/docs/api-reference/chat/create, and ``wire.toml``.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator
from typing import Any

from routinglab.providers.chat import ChatRequest, Message
from routinglab.providers.wire import Dialect, can_force, dialect, effort_fields, fitting_id


def chat_body(provider: str, request: ChatRequest, *, stream: bool) -> dict[str, Any]:
    """The JSON body of a request to ``provider``."""
    ways = dialect(provider)
    body: dict[str, Any] = {"model": request.model, "messages": list(_messages(provider, request))}
    if request.tools:
        body["tools"] = [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.schema),
                },
            }
            for tool in request.tools
        ]
    fields = effort_fields(provider, "openai", request.model, request.effort)
    forcible = can_force(provider, "openai", request.model, request.effort)
    if request.force_tool and forcible:
        named = {"type": "function", "function": {"name": request.force_tool}}
        body["tool_choice"] = named if ways.forced_tool == "named" else "required"
    if request.max_tokens is not None:
        body[ways.max_tokens] = request.max_tokens
    if stream:
        body["stream"] = True
        if ways.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return {**body, **fields, **dict(request.options)}


def _messages(provider: str, request: ChatRequest) -> Iterator[dict[str, Any]]:
    ways = dialect(provider)
    origin = f"{provider}/{request.model}"
    if request.system:
        yield {"role": "system", "content": request.system}
    shown: list[Message] = []
    for place, message in enumerate(request.messages):
        if message.role == "tool":
            yield {
                "role": "tool",
                "tool_call_id": fitting_id(message.tool_call_id or "", ways.call_ids),
                "content": message.text,
            }
            if message.images:
                shown.append(message)
            following = request.messages[place + 1 : place + 2]
            if shown and not (following and following[0].role == "tool"):
                # a tool message holds text only, so its images follow in the user's name
                yield {"role": "user", "content": [p for m in shown for p in _pictures(m)]}
                shown = []
        elif message.role == "assistant":
            yield _assistant(message, ways, origin, thinking=request.effort != "off")
        else:
            text = [{"type": "text", "text": message.text}] if message.text else []
            parts = [*text, *_image_parts(message)]
            yield {"role": "user", "content": parts if message.images else message.text or " "}


def _assistant(message: Message, ways: Dialect, origin: str, *, thinking: bool) -> dict[str, Any]:
    ours = message.origin == origin
    turn: dict[str, Any] = {"role": "assistant", "content": message.text or None}
    if ours and message.reasoning:
        saved = json.loads(message.reasoning)
        turn |= {name: value for name, value in saved.items() if name in ways.keep_reasoning}
    if message.tool_calls:
        turn["tool_calls"] = [
            {
                "id": fitting_id(call.id, ways.call_ids),
                "type": "function",
                "function": {"name": call.name, "arguments": sound_arguments(call.arguments)},
                **(json.loads(call.extra) if ours and call.extra else {}),
                **({} if ours else ways.foreign_call),
            }
            for call in message.tool_calls
        ]
        if ways.need_reasoning and thinking:
            turn.setdefault(ways.need_reasoning, "")
    elif not message.text:
        turn["content"] = "(no text)"
    return turn


def sound_arguments(text: str) -> str:
    """Arguments as a provider takes them back: a JSON object, in which broken text is quoted."""
    try:
        if isinstance(json.loads(text), dict):
            return text
    except (ValueError, RecursionError):
        pass
    return json.dumps({"invalid_arguments": text}) if text.strip() else "{}"


def _pictures(message: Message) -> list[dict[str, Any]]:
    about = f"Images returned by tool call {message.tool_call_id}:"
    return [{"type": "text", "text": about}, *_image_parts(message)]


def _image_parts(message: Message) -> list[dict[str, Any]]:
    return [
        {
            "type": "image_url",
            "image_url": {
                "url": f"data:{image.media_type};base64,{b64encode(image.data).decode()}"
            },
        }
        for image in message.images
    ]
