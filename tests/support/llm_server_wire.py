"""How the loopback server writes an answer in each dialect, as the public APIs document it.

Sources: OpenAI API reference "Chat completions" and its streaming page, Anthropic API reference
"Messages" and "Streaming messages", the System One contract (SPEC 7.11).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Called:
    """A tool call; ``arguments`` may be a dict or any text, valid JSON or not."""

    name: str
    arguments: Any = field(default_factory=dict)
    id: str | None = None

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)


@dataclass(frozen=True)
class Reply:
    """An answer of a chat model. ``finish`` None follows from the rest.

    ``finish`` is one of ``stop``, ``tool_calls``, ``length``, ``refusal``, or a dialect's own word.
    ``usage`` is (input, output) tokens, None to leave it out. ``delay`` seconds pass before the
    answer, ``gap`` between streamed pieces; ``split`` cuts the stream into writes of that many bytes.
    """

    text: str = ""
    calls: tuple[Called, ...] = ()
    finish: str | None = None
    usage: tuple[int, int] | None = (10, 5)
    reasoning: str = ""
    category: str | None = None
    model: str | None = None
    delay: float = 0.0
    gap: float = 0.0
    split: int | None = None
    done: bool = True

    @property
    def ending(self) -> str:
        return self.finish or ("tool_calls" if self.calls else "stop")


_OPENAI_FINISH = {"refusal": "content_filter"}
_ANTHROPIC_FINISH = {"stop": "end_turn", "tool_calls": "tool_use", "length": "max_tokens"}


def pieces(text: str) -> list[str]:
    """The text in the portions it is streamed in: words with the space before them."""
    return re.findall(r"\s*\S+|\s+$", text) or ([text] if text else [])


def openai_json(reply: Reply, model: str, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
    if reply.reasoning:
        message["reasoning_content"] = reply.reasoning
    if reply.calls:
        message["tool_calls"] = [
            {
                "id": call.id or f"call_{number}_{index}",
                "type": "function",
                "function": {"name": call.name, "arguments": call.text},
            }
            for index, call in enumerate(reply.calls)
        ]
    body: dict[str, Any] = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": reply.model or model,
        "choices": [
            {
                "index": 0,
                "message": message,
                "logprobs": None,
                "finish_reason": _OPENAI_FINISH.get(reply.ending, reply.ending),
            }
        ],
    }
    if reply.usage:
        body["usage"] = _openai_usage(reply.usage)
    return body


def _openai_usage(usage: tuple[int, int]) -> dict[str, int]:
    return {
        "prompt_tokens": usage[0],
        "completion_tokens": usage[1],
        "total_tokens": sum(usage),
    }


def openai_events(reply: Reply, model: str, number: int, *, usage: bool) -> Iterator[bytes]:
    base = {
        "id": f"chatcmpl-{number}",
        "object": "chat.completion.chunk",
        "created": 1_700_000_000,
        "model": reply.model or model,
    }

    def chunk(delta: dict[str, Any], finish: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return sse({**base, "choices": [choice]})

    yield chunk({"role": "assistant", "content": ""})
    for piece in pieces(reply.reasoning):
        yield chunk({"reasoning_content": piece})
    for piece in pieces(reply.text):
        yield chunk({"content": piece})
    for index, call in enumerate(reply.calls):
        head = {"name": call.name, "arguments": ""}
        start = {"id": call.id or f"call_{number}_{index}", "type": "function", "function": head}
        yield chunk({"tool_calls": [{"index": index, **start}]})
        for part in parts(call.text):
            yield chunk({"tool_calls": [{"index": index, "function": {"arguments": part}}]})
    yield chunk({}, _OPENAI_FINISH.get(reply.ending, reply.ending))
    if usage and reply.usage:
        yield sse({**base, "choices": [], "usage": _openai_usage(reply.usage)})
    if reply.done:
        yield b"data: [DONE]\n\n"


def anthropic_json(reply: Reply, model: str, number: int) -> dict[str, Any]:
    content: list[dict[str, Any]] = []
    if reply.reasoning:
        content.append({"type": "thinking", "thinking": reply.reasoning, "signature": "c2lnbmVk"})
    if reply.text:
        content.append({"type": "text", "text": reply.text})
    for index, call in enumerate(reply.calls):
        content.append(
            {
                "type": "tool_use",
                "id": call.id or f"toolu_{number}_{index}",
                "name": call.name,
                "input": call.arguments,
            }
        )
    used = reply.usage or (0, 0)
    return {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": reply.model or model,
        "content": content,
        "stop_reason": _ANTHROPIC_FINISH.get(reply.ending, reply.ending),
        "stop_sequence": None,
        **_stop_details(reply),
        "usage": {"input_tokens": used[0], "output_tokens": used[1]},
    }


def _stop_details(reply: Reply) -> dict[str, Any]:
    if reply.ending != "refusal":
        return {}
    details = {"type": "refusal", "category": reply.category, "explanation": "not this"}
    return {"stop_details": details}


def anthropic_events(reply: Reply, model: str, number: int) -> Iterator[bytes]:
    used = reply.usage or (0, 0)
    start = {
        **anthropic_json(Reply(usage=used), model, number),
        "model": reply.model or model,
        "stop_reason": None,
        "usage": {"input_tokens": used[0], "output_tokens": 1},
    }
    yield sse({"type": "message_start", "message": start}, "message_start")
    yield sse({"type": "ping"}, "ping")
    index = -1

    def block(content: dict[str, Any], deltas: list[dict[str, Any]]) -> Iterator[bytes]:
        nonlocal index
        index += 1
        opening = {"type": "content_block_start", "index": index, "content_block": content}
        yield sse(opening, "content_block_start")
        for delta in deltas:
            body = {"type": "content_block_delta", "index": index, "delta": delta}
            yield sse(body, "content_block_delta")
        yield sse({"type": "content_block_stop", "index": index}, "content_block_stop")

    if reply.reasoning:
        thought = [{"type": "thinking_delta", "thinking": p} for p in pieces(reply.reasoning)]
        signed = {"type": "signature_delta", "signature": "c2lnbmVk"}
        yield from block({"type": "thinking", "thinking": "", "signature": ""}, [*thought, signed])
    if reply.text:
        said = [{"type": "text_delta", "text": p} for p in pieces(reply.text)]
        yield from block({"type": "text", "text": ""}, said)
    for place, call in enumerate(reply.calls):
        opening = {
            "type": "tool_use",
            "id": call.id or f"toolu_{number}_{place}",
            "name": call.name,
            "input": {},
        }
        written = [{"type": "input_json_delta", "partial_json": p} for p in ["", *parts(call.text)]]
        yield from block(opening, written)
    delta = {
        "stop_reason": _ANTHROPIC_FINISH.get(reply.ending, reply.ending),
        "stop_sequence": None,
        **_stop_details(reply),
    }
    ending = {"type": "message_delta", "delta": delta, "usage": {"output_tokens": used[1]}}
    yield sse(ending, "message_delta")
    if reply.done:
        yield sse({"type": "message_stop"}, "message_stop")


def systemone_json(
    questions: dict[str, Any], chosen: dict[str, str], usage: tuple[int, int], model: str
) -> dict[str, Any]:
    answers = {}
    for name, question in questions.items():
        keys = list(question["criteria"])
        choice = chosen.get(name, keys[0])
        rest = 0.2 / max(1, len(keys) - 1)
        odds = {key: 0.8 if key == choice else rest for key in keys}
        answers[name] = {
            "type": "choice",
            "choice": choice,
            "probabilities": odds,
            "confidence": 0.8,
        }
    tokens = {"input_tokens": usage[0], "output_tokens": usage[1]}
    return {"model": model, "answers": answers, "usage": tokens}


def parts(text: str, size: int = 7) -> list[str]:
    return [text[i : i + size] for i in range(0, len(text), size)]


def sse(data: Any, event: str | None = None) -> bytes:
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def error_json(dialect: str, status: int, message: str, kind: str, code: Any = None) -> Any:
    """An error body as the dialect writes it."""
    if dialect == "anthropic":
        error = {"type": kind, "message": message}
        return {"type": "error", "error": error, "request_id": "req_test"}
    if dialect == "systemone":
        return {"error": message}
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}
