"""Model ids and candidates: ``provider/id`` and ``provider/id:effort``."""

from __future__ import annotations

from typing import Self

from routinglab.core.efforts import Effort
from routinglab.core.value import Value
from routinglab.errors import InvalidInput


def split_id(full_id: str) -> tuple[str, str]:
    """Split ``provider/id`` at the first ``/``: ``("openrouter", "anthropic/claude-opus-4.8")``."""
    provider, slash, model = full_id.partition("/")
    if not (provider and slash and model):
        raise InvalidInput(f"{full_id!r} is not a model id; write it as provider/id")
    return provider, model


class Candidate(Value):
    """A model id with an effort; ``effort=None`` means the model has no configurable reasoning."""

    model: str
    effort: Effort | None = None

    @property
    def provider(self) -> str:
        return split_id(self.model)[0]

    def __str__(self) -> str:
        return self.model if self.effort is None else f"{self.model}:{self.effort}"

    @classmethod
    def of(cls, model: str, effort: Effort | None = None) -> Self:
        """Build without naming the fields."""
        return cls(model=model, effort=effort)
