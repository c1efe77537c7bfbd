"""Screening reads long runs of one character once, not once from each of their places."""

from __future__ import annotations

import pytest

from routinglab.core.secrets import HIDDEN, find_secret, redact

LONG = 300_000


@pytest.mark.parametrize(
    "text",
    [
        "authorization:" + " " * LONG + "!",
        "api-key:" + "\t" * LONG,
        "authorization" + " " * LONG + "is needed",
        "-eyJaaaaaaaa" * (LONG // 12) + ".eyJ",
        "bearer " + "." * LONG,
    ],
    ids=["blanks", "tabs", "no colon", "half a web token", "dots"],
)
def test_a_long_run_without_a_secret_is_passed(text: str) -> None:
    assert find_secret(text) is None
    assert redact(text) == text


def test_blanks_around_a_header_hide_no_token() -> None:
    text = "Authorization :  \n 'Basic  dXNlcjpwYXNzd29yZDEyMw=='"
    assert find_secret(text) == "a bearer token"
    assert redact(text) == f"Authorization :  \n 'Basic  {HIDDEN}'"
