"""Reading what a provider sent when it failed: where codes, reasons and words are kept."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from routinglab.providers.sse import SseParser

#: Keys that hold a code, words, or something to look into, in the order they are trusted.
CODE_KEYS = ("code", "type", "reason", "status", "error_code", "errorCode", "error_type", "__type")
TEXT_KEYS = ("message", "msg", "detail", "error", "error_description", "status_msg", "title", "raw")
INSIDE = (
    "error", "innererror", "inner_error", "details", "metadata", "errors", "base_resp", "response",
    "raw", "fault", "violations", "promptFeedback", "error_details",
)  # fmt: skip

_MAX_TEXT = 4000
_MAX_DEPTH = 6
_MAX_NODES = 200
_HTML = re.compile(
    r"^\s*(<!--.*?-->\s*)*<(!doctype|html|head|body|\?xml|title|center|h1)", re.I | re.S
)
_CAPITAL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


@dataclass(slots=True)
class Facts:
    """What a body says: codes lower-case, most trusted first; ``number`` an HTTP status in it.

    ``spelled`` holds the codes as words, ``finishes`` the lower-case reasons an answer ended with.
    """

    codes: list[str] = field(default_factory=list)
    spelled: dict[str, str] = field(default_factory=dict)
    code: str | None = None
    number: int | None = None
    text: str = ""
    keys: set[str] = field(default_factory=set)
    quota_ids: list[str] = field(default_factory=list)
    category: str | None = None
    is_error: bool = False
    finishes: list[str] = field(default_factory=list)
    empty_answer: bool = False

    @property
    def ended(self) -> bool:
        """Whether the answer says why it ended."""
        return bool(self.finishes)


@dataclass(frozen=True, slots=True)
class Payload:
    """A body: its facts, or the events of a stream, or a page of text."""

    facts: Facts
    events: list[Any] | None = None
    is_page: bool = False
    is_text: bool = False


def read_payload(body: Any, headers: Mapping[str, str] | None = None) -> Payload:
    """Tell an object, JSON text, server-sent events, a page and plain text apart."""
    if isinstance(body, (bytes, bytearray)):
        body = bytes(body).decode("utf-8", "replace")
    if not isinstance(body, str):
        return Payload(answer_facts(body))
    kind = next((v for k, v in (headers or {}).items() if k.lower() == "content-type"), "")
    try:
        return Payload(answer_facts(json.loads(body)))
    except (ValueError, RecursionError):
        pass
    if re.search(r"^data:", body, re.M):
        return Payload(Facts(), events=list(_events(body)))
    if "html" in kind.lower() or _HTML.match(body):
        return Payload(Facts(), is_page=True)
    return Payload(Facts(text=body[:_MAX_TEXT]), is_text=True)


def _events(text: str) -> Iterator[Any]:
    for event in SseParser().feed(text.encode("utf-8", "replace") + b"\n\n"):
        try:
            value = json.loads(event.data)
        except (ValueError, RecursionError):
            continue
        named = event.event == "error" and isinstance(value, dict) and not value.get("error")
        yield {"error": value} if named else value


def answer_facts(body: Any) -> Facts:
    """The facts of one object: an error body, an answer, or one event of a stream."""
    facts = Facts()
    if isinstance(body, list) and body and isinstance(body[0], dict):
        body = body[0]  # Google's OpenAI-compatible endpoint wraps its errors in a list
    if isinstance(body, str):
        facts.text = body[:_MAX_TEXT]
        return facts
    if not isinstance(body, dict):
        facts.empty_answer = True
        return facts
    _read_answer(body, facts)
    if (inner := choice_error(body)) is not None and not body.get("error"):
        body = {**body, "error": inner}
    facts.is_error = _is_error(body)
    if facts.is_error or not (facts.ended or _is_answer(body)):
        texts: list[str] = []
        _walk(body, facts, texts, 0, [_MAX_NODES])
        facts.text = "\n".join(dict.fromkeys(texts))[:_MAX_TEXT]
        facts.code = next(iter(facts.codes), None)
    return facts


def choice_error(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The error that a choice of an answer holds in place of its text, as gateways send it."""
    choices = body.get("choices")
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict) and isinstance(error := choice.get("error"), dict) and error:
            return error
    return None


def _is_error(body: Mapping[str, Any]) -> bool:
    if body.get("error") or body.get("type") in ("error", "response.failed"):
        return True
    if any(_is_exception(key, value) for key, value in body.items()):
        return True
    return body.get("object") == "error" or isinstance(body.get("base_resp"), dict)


def _is_exception(key: Any, value: Any) -> bool:
    """Whether a field is an error under its own name, as in Bedrock's streams."""
    return isinstance(value, dict) and str(key).lower().endswith("exception")


def _is_answer(body: Mapping[str, Any]) -> bool:
    return any(body.get(key) for key in ("choices", "content", "answers", "delta", "candidates"))


def _read_answer(body: Mapping[str, Any], facts: Facts) -> None:
    """Finish reasons, refusals, and answers without an answer in them."""
    words: list[Any] = [body.get("stop_reason")]
    delta = body.get("delta")
    if isinstance(delta, dict):
        words.append(delta.get("stop_reason"))
    response = body.get("response")
    cut_short = response.get("incomplete_details") if isinstance(response, dict) else None
    if isinstance(cut_short, dict):
        words.append(cut_short.get("reason"))
    choices = body.get("choices")
    if "choices" in body and not choices and not body.get("usage"):
        facts.empty_answer = True
    for choice in choices if isinstance(choices, list) else ():
        if isinstance(choice, dict):
            words.append(choice.get("finish_reason"))
    candidates = body.get("candidates")
    for candidate in candidates if isinstance(candidates, list) else ():
        if isinstance(candidate, dict):
            words.append(candidate.get("finishReason"))
    facts.finishes = [str(word).lower() for word in words if word]
    if facts.ended:
        facts.category = refusal_category(body)


def refusal_category(body: Mapping[str, Any]) -> str | None:
    """What a refusal is about, where the provider says so.

    Anthropic's ``stop_details.category``, OpenRouter's ``metadata.reasons``, Azure's filter results.
    """
    for node in _nodes(body, 0, [_MAX_NODES]):
        details = node.get("stop_details")
        if isinstance(details, dict) and details.get("category"):
            return _label(details["category"])
        reasons = node.get("reasons")
        if isinstance(reasons, list) and reasons:
            return _label(", ".join(str(reason) for reason in reasons[:5]))
        for key in ("content_filter_result", "content_filter_results"):
            found = node.get(key)
            if isinstance(found, dict):
                hits = [n for n, v in found.items() if isinstance(v, dict) and v.get("filtered")]
                if hits:
                    return _label(", ".join(hits[:5]))
    return None


def _label(value: Any) -> str:
    return re.sub(r"[^\w ,./-]", "", str(value))[:80]


def _nodes(value: Any, depth: int, left: list[int]) -> Iterator[dict[str, Any]]:
    if depth > _MAX_DEPTH or left[0] <= 0:
        return
    left[0] -= 1
    if isinstance(value, dict):
        yield value
        for child in value.values():
            yield from _nodes(child, depth + 1, left)
    elif isinstance(value, list):
        for child in value[:20]:
            yield from _nodes(child, depth + 1, left)


def _walk(
    node: Mapping[str, Any], facts: Facts, texts: list[str], depth: int, left: list[int]
) -> None:
    if depth > _MAX_DEPTH or left[0] <= 0:
        return
    left[0] -= 1
    facts.keys.update(node)
    for key in CODE_KEYS:
        _read_code(node.get(key), facts, texts)
    for name, value in node.items():
        if _is_exception(name, value):
            _read_code(str(name), facts, texts)
            _walk(value, facts, texts, depth + 1, left)
    for key in TEXT_KEYS:
        if isinstance(value := node.get(key), str) and not value.lstrip().startswith("{"):
            texts.append(value)
    if isinstance(quota_id := node.get("quotaId"), str):
        facts.quota_ids.append(quota_id)
    if facts.category is None:
        facts.category = refusal_category(node)
    for key in INSIDE:
        value = node.get(key)
        if isinstance(value, str) and value.lstrip().startswith("{"):
            try:
                value = json.loads(value)  # OpenRouter passes the upstream's body on as text
            except (ValueError, RecursionError):
                continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, dict):
                _walk(child, facts, texts, depth + 1, left)


def _read_code(value: Any, facts: Facts, texts: list[str]) -> None:
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int) or (isinstance(value, str) and value.isdigit() and len(value) <= 4):
        number = int(value)
        if 400 <= number <= 599:
            facts.number = facts.number or number
            return
    text = str(value).strip()
    if " " in text:
        texts.append(text)  # xAI puts a sentence there
    elif text.lower() not in ("", "error") and len(text) <= 100:
        code = text.rpartition("#")[2]
        facts.codes.append(code.lower())
        facts.spelled[code.lower()] = re.sub(r"[_\W]+", " ", _CAPITAL.sub(" ", code)).lower()
