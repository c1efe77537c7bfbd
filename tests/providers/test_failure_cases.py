"""One classifier of failures (SPEC 9.3)."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import tomllib
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import routinglab
from routinglab.errors import InvalidInput, ProviderError, SecretFound, ToolError
from routinglab.providers import failures
from routinglab.providers.failures import FAILURE_KINDS, classify_failure, read_failure

CASES = json.loads((Path(__file__).parent / "fixtures" / "failures.json").read_text("utf-8"))
TABLE = tomllib.loads(Path(failures.__file__).with_name("failures.toml").read_text("utf-8"))


def classified(case: dict[str, Any], body: Any) -> str:
    when = case.get("when", "response")
    return classify_failure(case["status"], body, case.get("headers"), when=when)


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["id"])
def test_each_known_payload_gets_its_kind(case: dict[str, Any]) -> None:
    assert classified(case, case["body"]) == case["kind"]


@pytest.mark.parametrize(
    "case", [c for c in CASES["cases"] if c["body"] is not None], ids=lambda case: case["id"]
)
def test_a_body_as_text_or_bytes_reads_as_the_object(case: dict[str, Any]) -> None:
    body = case["body"]
    text = body if isinstance(body, str) else json.dumps(body)
    assert classified(case, text) == case["kind"]
    assert classified(case, text.encode()) == case["kind"]


def test_every_public_payload_gets_its_kind(shared_data: Path) -> None:
    cases = json.loads((shared_data / "provider_errors" / "cases.json").read_text("utf-8"))["cases"]
    wrong = {c["id"]: classified(c, c["body"]) for c in cases}
    assert len(cases) >= 46
    assert {
        i: k for i, k in wrong.items() if k != next(c["kind"] for c in cases if c["id"] == i)
    } == {}


def test_the_public_name_is_this_function() -> None:
    assert routinglab.classify_failure is classify_failure


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (httpx.ConnectError("x"), "network_timeout"),
        (httpx.ConnectTimeout("x"), "network_timeout"),
        (httpx.PoolTimeout("x"), "network_timeout"),
        (httpx.ReadError("x"), "network_timeout"),
        (httpx.RemoteProtocolError("x"), "network_timeout"),
        (httpx.UnsupportedProtocol("x"), "config"),
        (httpx.InvalidURL("x"), "config"),
        (socket.gaierror(-2, "x"), "network_timeout"),
        (ConnectionResetError(), "network_timeout"),
        (TimeoutError(), "network_timeout"),
        (asyncio.CancelledError(), "cancelled"),
        (KeyboardInterrupt(), "cancelled"),
        (InvalidInput("x"), "validation"),
        (SecretFound("x"), "validation"),
        (ToolError("x"), "task_failure"),
        (ProviderError("x", kind="quota"), "quota"),
        (ZeroDivisionError("rate limit"), "unknown"),
        (KeyError("usage_limit_reached"), "unknown"),
        ("socket hang up", "network_timeout"),
    ],
)
def test_an_exception_gets_the_kind_of_its_class(error: Any, kind: str) -> None:
    assert classify_failure(error=error) == kind


def test_a_stream_that_brought_nothing_is_a_transport_failure() -> None:
    assert classify_failure(200, None, when="stream") == "network_timeout"
    assert classify_failure(200, "", when="stream") == "network_timeout"
    assert classify_failure() == "unknown"


def test_an_sdk_error_is_read_by_its_status_and_body() -> None:
    class ApiStatusError(Exception):
        def __init__(self) -> None:
            super().__init__("429")
            self.status_code = 429
            self.body = {"error": {"code": "insufficient_quota"}}

    assert classify_failure(error=ApiStatusError()) == "quota"


def test_a_refusal_keeps_its_category() -> None:
    anthropic = {"delta": {"stop_reason": "refusal", "stop_details": {"category": "cyber"}}}
    router = {"error": {"code": 403, "metadata": {"reasons": ["violence"], "flagged_input": "x"}}}
    azure = {
        "error": {
            "code": "content_filter",
            "innererror": {
                "content_filter_result": {"hate": {"filtered": True}, "sexual": {"filtered": False}}
            },
        }
    }
    assert read_failure(200, anthropic).category == "cyber"
    assert read_failure(403, router).category == "violence"
    assert read_failure(400, azure).category == "hate"


def test_a_code_outranks_the_status_and_wording_comes_last() -> None:
    assert classify_failure(400, {"error": {"code": "rate_limit_exceeded"}}) == "rate_limit"
    assert classify_failure(503, {"error": {"code": "model_not_found"}}) == "model_unavailable"
    assert (
        classify_failure(503, {"error": {"message": "model x not found"}}) == "provider_unavailable"
    )
    assert classify_failure(400, {"error": {"message": "model x not found"}}) == "model_unavailable"


def test_the_table_holds_only_known_kinds_lower_case_codes_and_patterns() -> None:
    rows = [row for name in ("first", "limit", "quota_id", "text") for row in TABLE[name]]
    kinds = {row["kind"] for row in rows}
    kinds |= {
        *TABLE["codes"].values(),
        *TABLE["weak_codes"].values(),
        *TABLE["shapes"].values(),
        *TABLE["status"].values(),
    }
    kinds |= {*TABLE["exceptions"].values(), TABLE["page"]["kind"]}
    assert kinds <= set(FAILURE_KINDS)
    assert all(code == code.lower() for code in [*TABLE["codes"], *TABLE["weak_codes"]])
    assert {row["on"] for row in TABLE["text"]} <= {"any", "vague"}
    assert all(re.compile(row["pattern"]) for row in rows if "pattern" in row)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["error", "code", "type", "message", "details", "choices", "metadata"])
            | st.text(max_size=5),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@settings(deadline=None, max_examples=60)
@given(
    status=st.none() | st.integers(0, 999),
    body=JSON | st.text(max_size=60) | st.binary(max_size=40),
    when=st.sampled_from(["response", "stream", "tool"]),
)
def test_any_payload_gets_a_known_kind(status: int | None, body: Any, when: str) -> None:
    assert classify_failure(status, body, when=when) in FAILURE_KINDS


def test_a_deep_or_endless_body_is_no_crash() -> None:
    deep: Any = {"code": "insufficient_quota"}
    for _ in range(3000):
        deep = {"error": deep}
    assert classify_failure(429, deep) == "rate_limit"
    assert classify_failure(429, "[" * 100_000) == "rate_limit"
