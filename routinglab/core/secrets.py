"""Credential material in text: finding it before something is sent, hiding it in what is kept.

SPEC 7.9: values of configured keys wherever they appear, bearer tokens, PEM private keys and the
well-known prefixes of keys. Sources of the prefixes: each vendor's documentation of its key format
and GitHub's published list of secret-scanning patterns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from urllib.parse import quote

#: Values shorter than this are too common to search for.
MIN_KNOWN = 8
HIDDEN = "[redacted]"

_WORD = r"[A-Za-z0-9_-]"


def _sign(parts: Iterable[str]) -> str:
    return next((sign for sign in "-_" if all(sign in part for part in parts)), "")


#: The name a message may use for a key, plain texts one of which every such key holds, and its form.
#: Looking for the plain texts first is several times faster than the forms alone.
_PATTERNS: tuple[tuple[str, tuple[str, ...], re.Pattern[str]], ...] = tuple(
    (name, tuple(parts.split()), re.compile(pattern))
    for name, parts, pattern in (
        ("an Anthropic key", "sk-ant-", rf"\bsk-ant-{_WORD}{{16,}}"),
        ("an OpenRouter key", "sk-or-", rf"\bsk-or-{_WORD}{{16,}}"),
        (
            "an OpenAI key",
            "sk-proj- sk-svcacct- sk-admin- sk-None-",
            rf"\bsk-(?:proj|svcacct|admin|None)-{_WORD}{{16,}}",
        ),
        ("an API key", "sk-", rf"\bsk-{_WORD}{{20,}}"),
        ("an xAI key", "xai-", rf"\bxai-{_WORD}{{20,}}"),
        ("a Groq key", "gsk_", r"\bgsk_[A-Za-z0-9]{20,}"),
        ("a Google key", "AIza", rf"\bAIza{_WORD}{{30,}}"),
        ("a Google OAuth token", "ya29.", rf"\bya29\.{_WORD}{{20,}}"),
        ("a Perplexity key", "pplx-", r"\bpplx-[A-Za-z0-9]{20,}"),
        ("an NVIDIA key", "nvapi-", rf"\bnvapi-{_WORD}{{20,}}"),
        ("a Cerebras key", "csk-", r"\bcsk-[a-z0-9]{20,}"),
        ("a Fireworks key", "fw_", r"\bfw_[A-Za-z0-9]{20,}"),
        ("a Replicate key", "r8_", r"\br8_[A-Za-z0-9]{20,}"),
        ("a Hugging Face token", "hf_", r"\bhf_[A-Za-z0-9]{20,}"),
        ("a Tavily key", "tvly-", rf"\btvly-{_WORD}{{20,}}"),
        (
            "a GitHub token",
            "gho_ ghp_ ghr_ ghs_ ghu_ github_pat_",
            r"\bgh[oprsu]_[A-Za-z0-9]{20,}|\bgithub_pat_[A-Za-z0-9_]{20,}",
        ),
        (
            "a GitLab token",
            "glpat- gldt- glrt- glptt- gloas- glsoat-",
            rf"\bgl(?:pat|dt|rt|ptt|oas|soat)-{_WORD}{{16,}}",
        ),
        ("an AWS key", "AKIA ASIA", r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b"),
        (
            "a Slack token",
            "xox xapp-",
            r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}|\bxapp-[A-Za-z0-9-]{10,}",
        ),
        (
            "a Stripe key",
            "k_live_ k_test_ whsec_",
            r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}|\bwhsec_[A-Za-z0-9+/=]{16,}",
        ),
        ("an npm token", "npm_", r"\bnpm_[A-Za-z0-9]{30,}"),
        ("a PyPI token", "pypi-", rf"\bpypi-{_WORD}{{30,}}"),
        ("a Docker token", "dckr_pat_", rf"\bdckr_pat_{_WORD}{{20,}}"),
        ("a SendGrid key", "SG.", rf"\bSG\.{_WORD}{{16,}}\.{_WORD}{{16,}}"),
        ("a DigitalOcean token", "doo_v1_ dop_v1_ dor_v1_ dot_v1_", r"\bdo[oprt]_v1_[a-f0-9]{40,}"),
        ("a Databricks token", "dapi", r"\bdapi[a-f0-9]{32}\b"),
        ("a Linear key", "lin_api_", r"\blin_api_[A-Za-z0-9]{20,}"),
        ("a JSON web token", ".eyJ", rf"\beyJ{_WORD}{{8,4000}}\.eyJ{_WORD}{{8,}}\.{_WORD}{{8,}}"),
    )
)
#: The same by a sign that all their parts hold, blank where they have none in common.
_BY_SIGN = tuple(
    (sign, tuple(p for p in _PATTERNS if _sign(p[1]) == sign)) for sign in ("-", "_", "")
)
_BEARER = re.compile(
    r"\bbearer(?:[ \t\xa0]++|[ \t]*+[:=][ \t]*+)([A-Za-z0-9._~+/-]{7,}[A-Za-z0-9_~+/-]=*)",
    re.IGNORECASE,
)
_HEADER = re.compile(
    # possessive, so that a long run of blanks is read once
    r"\b(?:authorization|x-api-key|api-key)[\"']?\s*+[:=]\s*+[\"']?(?:bearer|basic|token)?[ \t]*+"
    r"([A-Za-z0-9._~+/-]{11,}[A-Za-z0-9_~+/-]=*)",
    re.IGNORECASE,
)
_PEM = re.compile(
    r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----"
    r"(?:.*?-----END (?:[A-Z0-9]+ )*PRIVATE KEY(?: BLOCK)?-----|.*)",
    re.DOTALL,
)


def find_secret(text: str, known: Iterable[str] = ()) -> str | None:
    """What kind of credential ``text`` holds, as words that do not show it; None without one.

    ``known`` are configured key values; one shorter than 8 characters is not searched for.
    """
    if any(form in text for form in _forms(tuple(known))):
        return "the value of a configured key"
    return next((name for name, _, _ in _spans(text)), None)


def redact(text: str, known: Iterable[str] = ()) -> str:
    """``text`` with everything :func:`find_secret` knows replaced by ``[redacted]``."""
    for form in _forms(tuple(known)):
        text = text.replace(form, HIDDEN)
    kept: list[str] = []
    place = 0
    for _, start, end in sorted(_spans(text), key=lambda span: span[1]):
        if end > place:
            if start >= place:
                kept += [text[place:start], HIDDEN]
            place = end
    return "".join([*kept, text[place:]])


@lru_cache(maxsize=16)
def _forms(known: tuple[str, ...]) -> tuple[str, ...]:
    """Each value as it is, as it stands in JSON text and in an address; the longest first."""
    forms: set[str] = set()
    for value in known:
        if len(value := value.strip()) >= MIN_KNOWN:
            forms |= {value, json.dumps(value)[1:-1], quote(value, safe="")}
    return tuple(sorted(forms, key=lambda form: (-len(form), form)))


def _spans(text: str) -> Iterator[tuple[str, int, int]]:
    if "PRIVATE KEY" in text:
        for match in _PEM.finditer(text):
            yield "a private key", match.start(), match.end()
    for sign, patterns in _BY_SIGN:
        if sign not in text:
            continue
        for name, parts, pattern in patterns:
            for part in parts:  # twice as fast as any(...), and run on everything that is sent
                if part in text:
                    for match in pattern.finditer(text):
                        if _is_random(match.group()):
                            yield name, match.start(), match.end()
                    break
    lower = text.lower()
    for part, pattern in (("bearer", _BEARER), ("authorization", _HEADER), ("api-key", _HEADER)):
        if part in lower:
            for match in pattern.finditer(text):
                if _is_random(match.group(1)):
                    yield "a bearer token", match.start(1), match.end(1)


def _is_random(token: str) -> bool:
    """Whether this can be a key, and is no example or prose such as ``sk-learn-based-models``."""
    return any(c.isdigit() for c in token) or re.search(r"[A-Za-z]{20,}", token) is not None
