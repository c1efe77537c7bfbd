"""The word lists of ``identity.toml`` and ``columns.toml``, in the form the code asks them."""

from __future__ import annotations

import re
import tomllib
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

_HERE = Path(__file__).parent
_BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
_NOT_ALNUM = re.compile(r"(?:[^\w@%$]|_)+")
_GREEK = str.maketrans({"τ": "tau", "δ": "delta", "Δ": "delta", "μ": "mu", "±": "", "‐": "-"})


def table(name: str) -> dict[str, Any]:
    """The parsed TOML file ``name`` that lies beside this module."""
    return tomllib.loads((_HERE / name).read_text(encoding="utf-8"))


@cache
def plain(label: str, *, bracketed: bool = True) -> str:
    """A label reduced to what is compared: lower-case letters, digits, ``@``, ``%`` and ``$``.

    Without ``bracketed``, what stands in brackets is left out; a label that is nothing else keeps it.
    """
    text = unicodedata.normalize("NFKC", label)
    if not bracketed:
        text = _BRACKETED.sub(" ", text)
    return _NOT_ALNUM.sub("", text.translate(_GREEK).lower()).replace("$", "usd")


IDENTITY = table("identity.toml")
COLUMNS: dict[str, list[str]] = table("columns.toml")

_NOT_ROLES = frozenset(
    (
        "missing",
        "key_name",
        "key_meaning",
        "row_id",
        "model_fallback",
        "not_models",
        "reporters",
        "topics",
    )
)
MISSING = frozenset(COLUMNS["missing"])
ROLES: dict[str, str] = {
    plain(label): role
    for role, labels in COLUMNS.items()
    if role not in _NOT_ROLES
    for label in labels
}
ROW_ID = frozenset(plain(label) or label for label in COLUMNS["row_id"])
MODEL_FALLBACK = tuple(plain(label) for label in COLUMNS["model_fallback"])
KEY_NAME = frozenset(plain(label) for label in COLUMNS["key_name"])
KEY_MEANING = frozenset(plain(label) for label in COLUMNS["key_meaning"])
TOPICS = frozenset(COLUMNS["topics"])
NOT_MODELS = frozenset(COLUMNS["not_models"])
REPORTERS: dict[str, str] = {name.casefold(): name for name in COLUMNS["reporters"]}


def may_be_reporter(text: str) -> bool:
    """Whether a heading reads as somebody's name: up to three capitalised words, none of a topic."""
    words = re.findall(r"[\w.&-]+", text)
    return 0 < len(words) <= 3 and all(
        not word[0].islower() and word.casefold() not in TOPICS for word in words
    )


def reporter_in(text: str) -> str | None:
    """The known reporter a text names, the longest name first."""
    folded = text.casefold()
    for name in sorted(REPORTERS, key=len, reverse=True):
        at = folded.find(name)
        if at >= 0:
            before, after = folded[at - 1 : at], folded[at + len(name) : at + len(name) + 1]
            if not before.isalnum() and not after.isalnum():
                return REPORTERS[name]
    return None
