"""Which model a text names, whoever serves it (SPEC 3.4)."""

from __future__ import annotations


def model_tokens(model_id: str) -> tuple[str, ...]:
    """Identity tokens of a model id."""
    raise NotImplementedError
