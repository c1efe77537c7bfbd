"""Credential material in text (SPEC 7.9). The keys below are made up."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.core.secrets import HIDDEN, find_secret, redact

PEM = "-----BEGIN RSA PRIVATE KEY-----\nMIIB\n-----END RSA PRIVATE KEY-----"
R = "Zx9" * 12

SECRETS = {
    "anthropic": f"sk-ant-api03-{R}",
    "openai": f"sk-proj-{R}",
    "old openai": f"sk-{R}",
    "openrouter": f"sk-or-v1-{R}",
    "xai": f"xai-{R}",
    "groq": f"gsk_{R}",
    "google": f"AIza{R}",
    "hugging face": f"hf_{R}",
    "github": f"ghp_{R}",
    "fine-grained github": f"github_pat_{R}",
    "gitlab": f"glpat-{R}",
    "aws": "AKIA" + "Z9" * 8,
    "slack": "xoxb-1234567890-abcdef",
    "stripe": f"sk_live_{R}",
    "jwt": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123456",
    "pem": PEM,
    "openssh": PEM.replace("RSA", "OPENSSH"),
    "plain pem": PEM.replace("RSA ", ""),
}


@pytest.mark.parametrize("secret", SECRETS.values(), ids=SECRETS)
def test_a_known_kind_of_key_is_found_and_hidden(secret: str) -> None:
    text = f"before {secret} after"
    found = find_secret(text)
    assert found
    assert secret not in found
    assert redact(text) == f"before {HIDDEN} after"


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abc123def456",
        "authorization: bearer ABCdef123.456-x_y~z==",
        '{"Authorization": "Bearer abcdefghijklmnopqrstuvwxyz"}',
        "curl -H 'x-api-key: 0123456789abcdef'",
        "Authorization: Basic dXNlcjpwYXNzd29yZDE=",
        "Bearer: abc123def456",
        "Bearer\u00a0abc123def456",
    ],
)
def test_a_bearer_token_is_found_and_hidden(text: str) -> None:
    assert find_secret(text) == "a bearer token"
    assert find_secret(redact(text)) is None
    assert HIDDEN in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "Use Bearer authentication for the endpoint.",
        "Authorization: Bearer $TOKEN",
        "Bearer <your token>",
        "sk-learn-based-classification-models",
        "set OPENAI_API_KEY=sk-your-api-key-goes-here",
        "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----",
        "the commit 3f2a9c1d and the id 01J9ZQ",
        "",
    ],
)
def test_prose_and_examples_are_no_secrets(text: str) -> None:
    assert find_secret(text) is None
    assert redact(text) == text


def test_a_configured_value_is_found_wherever_it_stands() -> None:
    value = 'my"pass/word'
    for form in (value, json.dumps(value)[1:-1], quote(value, safe="")):
        text = f"x{form}y"
        assert find_secret(text, [value]) == "the value of a configured key"
        assert redact(text, [value]) == f"x{HIDDEN}y"


def test_a_configured_value_below_eight_characters_is_not_searched_for() -> None:
    assert find_secret("the word secret7 and short77", ["short77"]) is None
    assert find_secret("exactly8 is long enough", ["exactly8"]) is not None


def test_an_unfinished_private_key_is_hidden_to_the_end() -> None:
    assert redact("a -----BEGIN PRIVATE KEY-----\nMIIB\nrest") == f"a {HIDDEN}"


def test_overlapping_hits_are_hidden_once() -> None:
    token = f"sk-ant-api03-{R}"
    assert redact(f"Authorization: Bearer {token}.") == f"Authorization: Bearer {HIDDEN}."


@settings(deadline=None, max_examples=60)
@given(before=st.text(max_size=30), after=st.text(max_size=30), key=st.sampled_from(list(SECRETS)))
def test_no_surroundings_keep_a_separated_key_from_view(before: str, after: str, key: str) -> None:
    secret = SECRETS[key]
    hidden = redact(f"{before} {secret} {after}", ["configured-value"])
    assert secret not in hidden


@settings(deadline=None, max_examples=60)
@given(st.text(max_size=200))
def test_redacting_twice_changes_nothing(text: str) -> None:
    assert redact(redact(text)) == redact(text)
