"""What a failure means: one classifier for routing, chains and stages (SPEC 9.3).

The knowledge is in ``failures.toml``; this file only applies it. A provider's own code, reason and
details outrank the HTTP status, and wording decides only where nothing else does.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal

from routinglab.errors import ProviderError
from routinglab.providers.payload import Facts, answer_facts, read_payload

FailureKind = Literal[
    "rate_limit", "quota", "auth", "model_unavailable", "request_incompatible",
    "provider_unavailable", "network_timeout", "refusal", "task_failure", "validation", "config",
    "cancelled", "unknown",
]  # fmt: skip
FAILURE_KINDS: tuple[FailureKind, ...] = FailureKind.__args__  # type: ignore[attr-defined]

#: Kinds after which the next candidate of a chain is tried; the others end it.
ADVANCING: frozenset[str] = frozenset(
    {
        "rate_limit", "quota", "auth", "model_unavailable", "request_incompatible",
        "provider_unavailable", "network_timeout",
    }
)  # fmt: skip

_VAGUE = frozenset({None, 200, 400, 403, 404, 409, 422, 500})


@dataclass(frozen=True, slots=True)
class Failure:
    """A failure as read: ``code`` and ``category`` are the provider's own, ``text`` its words."""

    kind: str
    status: int | None = None
    code: str | None = None
    category: str | None = None
    text: str = ""


@dataclass(frozen=True, slots=True)
class _Table:
    first: Mapping[int, str]
    limits: tuple[tuple[re.Pattern[str], str], ...]
    shapes: Mapping[str, str]
    codes: Mapping[str, str]
    general: Mapping[str, frozenset[str]]
    weak_codes: Mapping[str, str]
    quota_ids: tuple[tuple[re.Pattern[str], str], ...]
    texts: tuple[tuple[re.Pattern[str], str, bool], ...]
    status: Mapping[int, str]
    page_status: frozenset[int]
    page_kind: str
    exceptions: Mapping[str, str]
    finish: Mapping[str, str]


@cache
def _table() -> _Table:
    data = tomllib.loads(Path(__file__).with_name("failures.toml").read_text("utf-8"))
    status: dict[int, str] = {}
    for span, kind in data["status"].items():
        low, _, high = span.partition("-")
        status.update(dict.fromkeys(range(int(low), int(high or low) + 1), kind))
    return _Table(
        first={row["status"]: row["kind"] for row in data["first"]},
        limits=tuple((re.compile(row["pattern"]), row["kind"]) for row in data["limit"]),
        shapes=data["shapes"],
        codes=data["codes"],
        general={code: frozenset(kinds) for code, kinds in data["general"].items()},
        weak_codes=data["weak_codes"],
        quota_ids=tuple((re.compile(row["pattern"]), row["kind"]) for row in data["quota_id"]),
        texts=tuple(
            (re.compile(row["pattern"]), row["kind"], row["on"] == "any") for row in data["text"]
        ),
        status=status,
        page_status=frozenset(data["page"]["status"]),
        page_kind=data["page"]["kind"],
        exceptions=data["exceptions"],
        finish={word: made for made, words in data["finish"].items() for word in words},
    )


def finish_of(word: str | None) -> str | None:
    """A provider's finish reason as ``stop``, ``tool_calls``, ``length``, ``refusal`` or ``failed``.

    None stays None: the answer has not ended.
    """
    return None if not word else _table().finish.get(word.lower(), "stop")


def classify_failure(
    status: int | None = None,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    error: BaseException | str | None = None,
    when: str = "response",
) -> str:
    """The failure kind of SPEC 9.3 for one failure.

    ``body`` is an object or text (JSON, server-sent events or a page), ``error`` an exception or its
    text. ``when`` is ``response``, ``stream`` (a 200 whose stream went wrong) or ``tool``, whose
    output never says anything about a provider. What nothing decides is ``unknown``.
    """
    return read_failure(status, body, headers, error, when).kind


def read_failure(
    status: int | None = None,
    body: Any = None,
    headers: Mapping[str, str] | None = None,
    error: BaseException | str | None = None,
    when: str = "response",
) -> Failure:
    """:func:`classify_failure` with what else the body tells."""
    if when == "tool":
        return Failure("task_failure", status)
    if isinstance(error, BaseException):
        if isinstance(error, ProviderError):
            return Failure(error.kind, error.status, error.code, error.category, str(error))
        if (kind := _of_exception(error)) is not None:
            return Failure(kind, status)
        status = status if status is not None else _number(getattr(error, "status_code", None))
        body = getattr(error, "body", None) if body is None else body
    elif isinstance(error, str) and body is None:
        body = error
    if body is None and (status is None or (when == "stream" and _fine(status))):
        return Failure("unknown" if when != "stream" else "network_timeout", status)
    payload = read_payload(body, headers)
    if payload.events is not None:
        return _of_stream(status, payload.events)
    facts = payload.facts
    if when == "stream" and payload.is_text and _fine(status):
        return Failure("network_timeout", status)
    if payload.is_page or (payload.is_text and status in _table().page_status):
        kind = _of_text(status, facts) if payload.is_text else None
        return Failure(kind or _of_page(status), status)
    kind = _decide(status, facts)
    if kind is None and when == "stream" and status in (None, 200) and not facts.ended:
        kind = "network_timeout"
    shown = status if not _fine(status) else facts.number or status
    return Failure(kind or "unknown", shown, facts.code, facts.category, facts.text)


def _of_stream(status: int | None, events: list[Any]) -> Failure:
    """The first event that fails decides; a stream that never ended is a transport failure."""
    ended = False
    for event in events:
        facts = answer_facts(event)
        ended = ended or facts.ended
        if facts.is_error or _ends_as(facts, "refusal") or _ends_as(facts, "failed"):
            kind = _decide(None if _fine(status) else status, facts) or "unknown"
            return Failure(kind, facts.number, facts.code, facts.category, facts.text)
    return Failure("unknown" if ended else "network_timeout", status)


def _decide(status: int | None, facts: Facts) -> str | None:
    table = _table()
    if facts.number is not None:
        status = facts.number
    if _ends_as(facts, "refusal"):
        return "refusal"
    if status is not None and status in table.first:
        return table.first[status]
    for pattern, kind in table.limits:
        if (m := pattern.search(facts.text.lower())) and _int(m["requested"]) > _int(m["limit"]):
            return kind
    for shape, kind in table.shapes.items():
        if shape in facts.keys:
            return kind
    for pattern, kind in table.quota_ids:
        if any(pattern.search(quota_id.lower()) for quota_id in facts.quota_ids):
            return kind
    if (found := _of_code(status, facts)) is not None:
        return found
    if (found := _of_text(status, facts)) is not None:
        return found
    if (facts.empty_answer or _ends_as(facts, "failed")) and _fine(status):
        return "provider_unavailable"
    if status is not None and status in table.status:
        return table.status[status]
    if not _fine(status):
        return None
    weak = next((table.weak_codes[code] for code in facts.codes if code in table.weak_codes), None)
    return weak or ("provider_unavailable" if facts.is_error and status is not None else None)


def _ends_as(facts: Facts, finish: str) -> bool:
    return any(finish_of(word) == finish for word in facts.finishes)


def _of_code(status: int | None, facts: Facts) -> str | None:
    table = _table()
    for code in sorted(facts.codes, key=table.general.__contains__):
        kind = table.codes.get(code)
        if kind is None or _only_echo(kind, status, facts):
            continue
        told = _of_text(status, facts) if code in table.general else None
        return told if told is not None and told in table.general[code] else kind
    return None


def _only_echo(kind: str, status: int | None, facts: Facts) -> bool:
    """Whether a code of the type "too fast" or "no permission" leaves money to the wording.

    Providers file spent budgets under their general rate-limit and permission types.
    """
    if kind not in ("rate_limit", "auth"):
        return False
    return _of_text(status, facts, only_any=True) is not None


def _of_text(status: int | None, facts: Facts, *, only_any: bool = False) -> str | None:
    table = _table()
    unknown = [c for c in facts.codes if c not in table.codes and c not in table.weak_codes]
    text = "\n".join([facts.text.lower(), *(facts.spelled.get(c, c) for c in unknown)]).strip()
    if not text:
        return None
    for pattern, kind, everywhere in table.texts:
        if (everywhere or (not only_any and status in _VAGUE)) and pattern.search(text):
            return kind
    return None


def _of_page(status: int | None) -> str:
    table = _table()
    if status in table.page_status:
        return table.page_kind
    if status is None:
        return "unknown"
    return table.first.get(status) or table.status.get(status, "unknown")


def _of_exception(error: BaseException) -> str | None:
    names = _table().exceptions
    for base in _bases(error):
        if base in names:
            return names[base]
    return None


def _bases(error: BaseException) -> Iterator[str]:
    for cls in type(error).__mro__:
        yield f"{cls.__module__.partition('.')[0]}.{cls.__name__}"
        yield cls.__name__


def _fine(status: int | None) -> bool:
    return status is None or 200 <= status < 300


def _int(text: str) -> int:
    return int(text.replace(",", ""))


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
