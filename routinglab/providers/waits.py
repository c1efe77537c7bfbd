"""How long a server asks to wait, in every form seen in the wild (SPEC 7.12)."""

from __future__ import annotations

import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

#: Headers that hold milliseconds, before the standard one in whole or decimal seconds or a date.
_MS_HEADERS = ("retry-after-ms", "x-ms-retry-after-ms")

_SPAN = r"(?:\d+(?:\.\d+)?\s*(?:milliseconds?|msecs?|ms|hours?|hrs?|h|minutes?|mins?|m|seconds?|secs?|s)(?![A-Za-z])(?:,|\s+and\s)?\s*)+"
_UNIT = re.compile(r"(\d+(?:\.\d+)?)\s*(milliseconds?|msecs?|ms|h|m|s)", re.IGNORECASE)
_IN_TEXT = re.compile(
    rf"(?:try again|retry|wait|reset\w*|available(?: again)?|retry[ _-]?(?:after|delay)\W*)"
    rf"[^.\d]{{0,30}}({_SPAN})",
    re.IGNORECASE,
)
_EPOCH_TEXT = re.compile(r"(?:reset|retry|until|after|again)[^\d]{0,30}(\d{13})\b", re.IGNORECASE)
_SECONDS = {"h": 3600.0, "m": 60.0, "s": 1.0}
_KEY = re.compile(
    r"^(?!.*(?:count|attempt|max|num|left|remaining|limit$)).*(?:retry|reset)", re.IGNORECASE
)
_MAX_NODES = 200


def retry_wait(
    headers: Mapping[str, str] | None = None,
    body: Any = None,
    now: float | datetime | None = None,
) -> float | None:
    """Seconds the server asks to wait before the next try; None when it asks for nothing.

    Read from ``retry-after-ms``, ``x-ms-retry-after-ms``, ``Retry-After`` (seconds or an HTTP
    date), then from the body: fields about retrying or resetting (``"9.816s"``, seconds, an epoch in
    seconds or milliseconds) and wording (``try again in 9m38.016s``). ``now`` is an epoch in seconds
    or an aware datetime. A wait that is past or negative is zero.
    """
    clock = _epoch(now)
    lower = {name.lower(): value for name, value in (headers or {}).items()}
    for name in _MS_HEADERS:
        if (number := _number(lower.get(name))) is not None:
            return max(0.0, number / 1000)
    if (wait := _retry_after(lower.get("retry-after"), clock)) is not None:
        return wait
    return _in_body(body, clock)


def _epoch(now: float | datetime | None) -> float:
    if now is None:
        return time.time()
    return now.timestamp() if isinstance(now, datetime) else float(now)


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return None
    if isinstance(value, str) and not re.fullmatch(r"\s*[+-]?\d{1,18}(\.\d*)?\s*", value):
        return None
    number = float(value)
    return number if math.isfinite(number) else None


def _retry_after(value: str | None, now: float) -> float | None:
    if value is None:
        return None
    if (number := _number(value)) is not None:
        return max(0.0, number)
    if (span := _span(value)) is not None:
        return span
    try:
        date = parsedate_to_datetime(value)
    except (ValueError, IndexError, OverflowError):
        return _until_iso(value, now)
    if date.tzinfo is None:
        date = date.replace(tzinfo=UTC)
    return max(0.0, date.timestamp() - now)


def _until_iso(value: str, now: float) -> float | None:
    try:
        date = datetime.fromisoformat(value.strip())
    except ValueError:
        return None
    return max(0.0, (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp() - now)


def _in_body(body: Any, now: float) -> float | None:
    if isinstance(body, (bytes, bytearray)):
        body = bytes(body).decode("utf-8", "replace")
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            return _in_text(body, now)
    texts: list[str] = []
    for key, value in _leaves(body, [_MAX_NODES]):
        if _KEY.search(key) and (wait := _field(key, value, now)) is not None:
            return wait
        if isinstance(value, str):
            texts.append(value)
    return next((w for text in texts if (w := _in_text(text, now)) is not None), None)


def _leaves(value: Any, left: list[int], key: str = "") -> Iterator[tuple[str, Any]]:
    left[0] -= 1
    if left[0] < 0:
        return
    if isinstance(value, Mapping):
        for name, inner in value.items():
            yield from _leaves(inner, left, str(name))
    elif isinstance(value, (list, tuple)):
        for inner in value:
            yield from _leaves(inner, left, key)
    else:
        yield key, value


def _field(key: str, value: Any, now: float) -> float | None:
    """A field such as ``retryDelay``, ``retry_after_ms``, ``resets_at``, ``X-RateLimit-Reset``."""
    number = _number(value)
    if number is not None:
        if number > 1e11:
            return max(0.0, number / 1000 - now)
        if number > 1e8:
            return max(0.0, number - now)
        return max(0.0, number / 1000 if re.search(r"ms$|milli", key, re.I) else number)
    if isinstance(value, str):
        if (span := _span(value)) is not None:
            return span
        return _until_iso(value, now)
    return None


def _in_text(text: str, now: float) -> float | None:
    if (found := _EPOCH_TEXT.search(text)) is not None:
        return max(0.0, int(found[1]) / 1000 - now)
    found = _IN_TEXT.search(text[:4000])
    return _span(found[1]) if found else None


def _span(text: str) -> float | None:
    """``174ms``, ``9.816s``, ``9m38.016s``, ``1 hour 2 minutes`` as seconds."""
    if not re.fullmatch(rf"\s*-?{_SPAN}\s*", text, re.IGNORECASE):
        return None
    if text.strip().startswith("-"):
        return 0.0
    total = 0.0
    for amount, unit in _UNIT.findall(text):
        short = unit.lower()
        if short.startswith(("ms", "milli")):
            total += float(amount) / 1000
        else:
            total += float(amount) * _SECONDS[short[0]]
    return total
