"""What the real APIs refuse in a request, so that a client that is wrong fails here too."""

from __future__ import annotations

import re
from typing import Any

Wrong = tuple[int, str, str]


def complaint(headers: dict[str, str], body: Any, dialect: str, key: str | None) -> Wrong | None:
    """(status, error type, message) of the first thing wrong with a request, or None."""
    given = headers.get("x-api-key") or headers.get("authorization", "").removeprefix("Bearer ")
    if key is not None and given != key:
        return 401, "authentication_error", "invalid key"
    if not isinstance(body, dict):
        return 400, "invalid_request_error", "the body is not a JSON object"
    if not body.get("model"):
        return 400, "invalid_request_error", "model: Field required"
    check = {"openai": _openai, "anthropic": _anthropic, "systemone": _systemone}[dialect]
    wrong = check(headers, body)
    return (400, "invalid_request_error", wrong) if wrong else None


def _openai(headers: dict[str, str], body: dict[str, Any]) -> str | None:
    messages = body.get("messages")
    if not isinstance(messages, list) or not messages:
        return "messages: must be a non-empty list"
    waiting: set[str] = set()
    for message in messages:
        role = message.get("role")
        if role not in ("system", "developer", "user", "assistant", "tool"):
            return f"messages: invalid role {role!r}"
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                return "messages with role 'tool' must respond to a preceding 'tool_calls' message"
            waiting.discard(message["tool_call_id"])
            if not isinstance(message.get("content"), str):
                return "tool content must be text"
            continue
        if waiting:
            return f"tool_call_ids did not have response messages: {sorted(waiting)}"
        if role == "assistant":
            waiting = {call["id"] for call in message.get("tool_calls") or ()}
            if not waiting and not message.get("content"):
                return "assistant message must have content or tool_calls"
        elif message.get("content") in (None, "", []):
            return f"{role} message must have content"
    if waiting:
        return "an assistant message with 'tool_calls' must be followed by tool messages"
    return _tools([tool["function"] for tool in body.get("tools") or ()], "parameters", body)


def _anthropic(headers: dict[str, str], body: dict[str, Any]) -> str | None:
    if "anthropic-version" not in headers:
        return "anthropic-version: header is required"
    if not isinstance(body.get("max_tokens"), int) or body["max_tokens"] < 1:
        return "max_tokens: Field required"
    thinking = body.get("thinking") or {}
    if thinking.get("type") == "enabled":
        if thinking.get("budget_tokens", 0) < 1024:
            return "thinking.budget_tokens: must be at least 1024"
        if thinking["budget_tokens"] >= body["max_tokens"]:
            return "max_tokens must be greater than thinking.budget_tokens"
    forced = (body.get("tool_choice") or {}).get("type") in ("any", "tool")
    if forced and thinking.get("type") == "enabled":
        return "Thinking may not be enabled when tool_choice forces tool use."
    waiting: list[str] = []
    last = None
    for message in body.get("messages") or ():
        role, content = message.get("role"), message.get("content")
        if role == last:
            return "messages: roles must alternate between user and assistant"
        last = role
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if not blocks:
            return "messages: content must be non-empty"
        if any(b["type"] == "text" and not b["text"].strip() for b in blocks):
            return "messages: text content blocks must be non-empty"
        results = [b["tool_use_id"] for b in blocks if b["type"] == "tool_result"]
        if role == "user" and sorted(results) != sorted(waiting):
            return "tool_use ids need tool_result blocks immediately after"
        uses = [b for b in blocks if b["type"] == "tool_use"]
        if any(not re.fullmatch(r"[a-zA-Z0-9_-]+", b["id"]) for b in uses):
            return "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
        if any(not isinstance(b["input"], dict) for b in uses):
            return "tool_use.input: Input should be a valid dictionary"
        waiting = [b["id"] for b in uses] if role == "assistant" else []
        last_but_one = message is body["messages"][-2:][0]
        if waiting and thinking.get("type") == "enabled" and last_but_one:
            first = blocks[0]["type"]
            if first not in ("thinking", "redacted_thinking"):
                return f"Expected `thinking` or `redacted_thinking`, but found `{first}`"
    if last is None:
        return "messages: at least one message is required"
    return _tools(body.get("tools") or (), "input_schema", body)


def _tools(tools: Any, schema: str, body: dict[str, Any]) -> str | None:
    for tool in tools:
        if not re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", tool.get("name", "")):
            return "tool name must match ^[a-zA-Z0-9_-]{1,64}$"
        if (tool.get(schema) or {}).get("type") != "object":
            return f"{schema}: schema must be of type 'object'"
    choice = body.get("tool_choice")
    if isinstance(choice, dict):
        wanted = choice.get("name") or (choice.get("function") or {}).get("name")
        if wanted and wanted not in [tool["name"] for tool in tools]:
            return f"tool_choice: tool {wanted!r} not found in tools"
    return None


def _systemone(headers: dict[str, str], body: dict[str, Any]) -> str | None:
    if not body.get("state"):
        return "state: must not be blank"
    questions = body.get("questions")
    if not isinstance(questions, dict) or not questions:
        return "questions: at least one is required"
    for name, question in questions.items():
        if question.get("type") != "choice" or not question.get("instructions"):
            return f"questions.{name}: type and instructions are required"
        if len(question.get("criteria") or ()) < 2:
            return f"questions.{name}.criteria: at least two are required"
    return None
