"""OpenAI-compatible chat completions.

Source: https://platform.openai.com/docs/api-reference/chat, and for what other servers add:
DeepSeek's ``reasoning_content``, OpenRouter's ``reasoning_details``, Gemini's ``extra_content``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

from routinglab.providers.chat import (
    ChatReply,
    ChatRequest,
    Finish,
    OnText,
    ToolCall,
    Usage,
)
from routinglab.providers.failures import finish_of
from routinglab.providers.http import Answer, Connection
from routinglab.providers.openai_request import chat_body
from routinglab.providers.payload import refusal_category
from routinglab.providers.stream import broken_off, consume, cut_off, joined, nothing_said, tell

PATH = "/chat/completions"
_REASONING = ("reasoning_content", "reasoning")


def _call_id() -> str:
    return f"call_{uuid4().hex[:24]}"


class OpenAiClient:
    """A chat client for one provider that speaks this protocol."""

    def __init__(self, connection: Connection, *, new_id: Callable[[], str] = _call_id) -> None:
        self._connection = connection
        self._new_id = new_id

    def __repr__(self) -> str:
        return f"OpenAiClient({self._connection!r})"

    async def chat(self, request: ChatRequest, *, on_text: OnText | None = None) -> ChatReply:
        provider = self._connection.provider
        body = chat_body(provider, request, stream=on_text is not None)
        origin = f"{provider}/{request.model}"

        async def read(answer: Answer) -> ChatReply:
            reply = _Reply(provider, origin, self._new_id)

            async def take(event: dict[str, Any]) -> None:
                await tell(on_text, reply.take(event))

            if (data := await consume(answer, take, lambda: reply.finish is not None)) is None:
                return reply.finished(answer, ended=reply.finish is not None)
            await tell(on_text, reply.take_whole(data))
            if not reply.answered:
                raise nothing_said(answer, data)
            return reply.finished(answer, ended=True)

        return await self._connection.post(body, read, stream=on_text is not None)

    async def aclose(self) -> None:
        await self._connection.aclose()


class _Reply:
    """A reply put together from a whole answer or from the events of a stream."""

    def __init__(self, provider: str, origin: str, new_id: Callable[[], str]) -> None:
        self._provider = provider
        self._origin = origin
        self._new_id = new_id
        self._text: list[str] = []
        self._refusal: list[str] = []
        self._calls: list[dict[str, Any]] = []
        self._by_index: dict[Any, dict[str, Any]] = {}
        self._thoughts: dict[str, list[str]] = {}
        self._details: list[Any] = []
        self._usage = Usage()
        self._model: str | None = None
        self._category: str | None = None
        self.finish: str | None = None
        self.answered = False

    def take_whole(self, data: dict[str, Any]) -> str:
        """A complete answer; returns its text."""
        choices = data.get("choices")
        if isinstance(choices, list) and choices and isinstance(choices[0], dict):
            first = choices[0]
            message = first.get("message")
            self.answered = isinstance(message, dict)
            return self.take({**data, "choices": [{**first, "delta": message or {}}]})
        return self.take({**data, "choices": []})

    def take(self, event: dict[str, Any]) -> str:
        """One event of a stream; returns its visible text."""
        self._model = _text_of(event.get("model")) or self._model
        groq = event.get("x_groq")
        told = event.get("usage") or (groq.get("usage") if isinstance(groq, dict) else None)
        if isinstance(told, dict):
            self._usage = usage_of(told)
        text = ""
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict) or choice.get("index") not in (0, None):
                continue
            delta = choice.get("delta") or choice.get("message")
            text += self._delta(delta if isinstance(delta, dict) else {})
            if word := _text_of(choice.get("finish_reason")):
                self.finish = finish_of(word)
                self._category = refusal_category(event) or self._category
        return text

    def _delta(self, delta: dict[str, Any]) -> str:
        text = content_text(delta.get("content"))
        if text:
            self._text.append(text)
        if isinstance(refusal := delta.get("refusal"), str):
            self._refusal.append(refusal)
        for name in _REASONING:
            if isinstance(thought := delta.get(name), str) and thought:
                self._thoughts.setdefault(name, []).append(thought)
        if isinstance(details := delta.get("reasoning_details"), list):
            self._details += details
        several = delta.get("tool_calls")
        for place, part in enumerate(several if isinstance(several, list) else ()):
            if isinstance(part, dict):
                self._call(part, place)
        return text

    def _call(self, part: dict[str, Any], place: int) -> None:
        function = part.get("function") if isinstance(part.get("function"), dict) else {}
        assert isinstance(function, dict)
        index = part.get("index", place)
        index = index if isinstance(index, int) else place
        known = self._by_index.get(index)
        given = part.get("id")
        # some servers number every call 0: a new id with a name of its own begins another call
        if known is None or (
            given and known["id"] and given != known["id"] and function.get("name")
        ):
            known = {"id": None, "name": "", "arguments": "", "extra": {}}
            self._by_index[index] = known
            self._calls.append(known)
        known["id"] = known["id"] or given
        known["name"] = known["name"] or _text_of(function.get("name")) or ""
        written = function.get("arguments")
        if isinstance(written, str):
            known["arguments"] += written
        elif written is not None:  # Ollama's own form: an object, not its text
            known["arguments"] += json.dumps(written, ensure_ascii=False)
        if isinstance(extra := part.get("extra_content"), dict):
            known["extra"] = {"extra_content": extra}

    def finished(self, answer: Answer, *, ended: bool) -> ChatReply:
        """The reply; raises ``Unreadable`` where it broke off or the provider says it failed."""
        if not ended:
            raise cut_off(answer)
        if self.finish == "failed":
            raise broken_off(answer)
        calls = tuple(
            ToolCall(
                str(call["id"] or self._new_id()),
                call["name"],
                joined([call["arguments"]]) or "{}",
                json.dumps(call["extra"]) if call["extra"] else "",
            )
            for call in self._calls
        )
        finish: Finish = "refusal" if self._refusal and not calls else _finish(self.finish, calls)
        return ChatReply(
            text=joined(self._text) or joined(self._refusal),
            tool_calls=calls,
            finish=finish,
            usage=self._usage,
            model=self._model,
            request_id=answer.request_id,
            category=self._category,
            reasoning=self._reasoning(),
            origin=self._origin,
        )

    def _reasoning(self) -> str:
        kept: dict[str, Any] = {name: "".join(said) for name, said in self._thoughts.items()}
        if self._details:
            kept["reasoning_details"] = self._details
        return json.dumps(kept, ensure_ascii=False) if kept else ""


def _finish(word: str | None, calls: tuple[ToolCall, ...]) -> Finish:
    if word == "refusal" or word == "length":
        return word  # type: ignore[return-value]
    return "tool_calls" if calls else "stop"


def _text_of(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None


def content_text(content: Any) -> str:
    """The visible text of a content field: a text, or a list of parts (Mistral)."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    texts = (part.get("text") for part in content if isinstance(part, dict))
    return "".join(text for text in texts if isinstance(text, str))


def usage_of(told: dict[str, Any]) -> Usage:
    """``usage`` of an answer or of a stream's last chunk."""
    read = told.get("prompt_tokens_details")
    written = told.get("completion_tokens_details")
    cached = _count(read, "cached_tokens")
    if cached is None:
        cached = _count(told, "prompt_cache_hit_tokens")  # DeepSeek
    return Usage(
        input_tokens=_count(told, "prompt_tokens"),
        output_tokens=_count(told, "completion_tokens"),
        cached_tokens=cached,
        reasoning_tokens=_count(written, "reasoning_tokens"),
    )


def _count(table: Any, name: str) -> int | None:
    value = table.get(name) if isinstance(table, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None
