"""Waits that servers ask for, in every form (SPEC 7.12)."""

from __future__ import annotations

from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.providers.waits import retry_wait

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("headers", "body", "seconds"),
    [
        ({"Retry-After": "5"}, None, 5.0),
        ({"retry-after": "1.5"}, None, 1.5),
        ({"Retry-After": "0"}, None, 0.0),
        ({"Retry-After": "-3"}, None, 0.0),
        ({"Retry-After": "Tue, 14 Nov 2023 22:13:50 GMT"}, None, 30.0),
        ({"Retry-After": "Sat, 14 Nov 2020 22:13:50 GMT"}, None, 0.0),
        ({"Retry-After": "174ms"}, None, 0.174),
        ({"retry-after-ms": "250"}, None, 0.25),
        ({"x-ms-retry-after-ms": "1500"}, None, 1.5),
        ({"retry-after-ms": "250", "retry-after": "9"}, None, 0.25),
        ({"retry-after-ms": "-5"}, None, 0.0),
        ({}, "Please try again in 174ms.", 0.174),
        ({}, {"error": {"message": "Please try again in 9.816s. See the docs"}}, 9.816),
        ({}, {"error": {"message": "Please try again in 9m38.016s."}}, 578.016),
        ({}, {"error": {"message": "Try again in 1 hour 2 minutes."}}, 3720.0),
        ({}, {"error": {"message": "Please retry after 6 seconds."}}, 6.0),
        ({}, {"error": {"details": [{"retryDelay": "34s"}]}}, 34.0),
        ({}, {"error": {"metadata": {"headers": {"X-RateLimit-Reset": "1700000090000"}}}}, 90.0),
        ({}, {"error": {"resets_at": 1700000040}}, 40.0),
        ({}, {"error": {"resets_in_seconds": 12}}, 12.0),
        ({}, {"error": {"retry_after_ms": 750}}, 0.75),
        ({}, {"reset": 1699999995000}, 0.0),
        ({}, "Limit resets at 1700000007000", 7.0),
        ({}, b'{"error": {"message": "try again in 2s"}}', 2.0),
        ({}, {"error": {"message": "Try again later."}}, None),
        ({"Retry-After": "2023-11-14T22:13:50Z"}, None, 30.0),
        ({}, {"error": {"message": "Try again in 1 minute and 30 seconds."}}, 90.0),
        ({}, {"detail": "Request was throttled. Expected available in 8 seconds."}, 8.0),
        ({}, {"error": {"retry_count": 3, "max_retries": 5}}, None),
        ({"Retry-After": "soon"}, None, None),
        ({"Retry-After": "nan"}, None, None),
        ({"Retry-After": "inf"}, None, None),
        ({"Retry-After": "9" * 400}, None, None),
        ({}, None, None),
        (None, {"error": {"message": "Limit 30000, Used 18928, Requested 11159."}}, None),
    ],
)
def test_a_wait_is_read_from_headers_and_bodies(headers: Any, body: Any, seconds: Any) -> None:
    wait = retry_wait(headers, body, now=NOW)
    assert wait == (None if seconds is None else pytest.approx(seconds, abs=1e-6))


def test_the_moment_may_be_an_aware_datetime() -> None:
    date = format_datetime(datetime(2023, 11, 14, 22, 13, 50, tzinfo=UTC), usegmt=True)
    assert retry_wait({"retry-after": date}, now=datetime.fromtimestamp(NOW, UTC)) == 30.0


@settings(deadline=None, max_examples=60)
@given(value=st.text(max_size=30), body=st.text(max_size=80))
def test_no_text_makes_it_fail_or_go_negative(value: str, body: str) -> None:
    wait = retry_wait({"retry-after": value}, body, now=NOW)
    assert wait is None or wait >= 0


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6))
def test_whole_seconds_come_back_as_they_are(seconds: int) -> None:
    assert retry_wait({"retry-after": str(seconds)}, now=NOW) == float(seconds)
