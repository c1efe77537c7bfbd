"""Model ids and candidates: ``provider/id`` and ``provider/id:effort``."""

from __future__ import annotations

from typing import Annotated, Self

from pydantic import AfterValidator

from routinglab.core.efforts import EFFORTS, Effort
from routinglab.core.value import Value
from routinglab.errors import InvalidInput


def split_id(full_id: str) -> tuple[str, str]:
    """Split ``provider/id`` at the first ``/``: ``("openrouter", "anthropic/claude-opus-4.8")``."""
    provider, _, model = full_id.partition("/")
    if not (provider and model):
        raise InvalidInput(f"{full_id!r} is not a model id; write it as provider/id")
    return provider, model


def _is_id(full_id: str) -> str:
    split_id(full_id)
    return full_id


class Candidate(Value):
    """A model id with an effort; ``effort=None`` means the model has no configurable reasoning."""

    model: Annotated[str, AfterValidator(_is_id)]
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

    @classmethod
    def parse(cls, written: str) -> Self:
        """Read ``provider/id:effort`` or ``provider/id``, as ``str`` writes them.

        A last part that is no effort belongs to the id (``ollama/qwen3:8b``). Where an id may itself
        end like an effort, the catalog decides: see ``catalog.names.resolve_model``.
        """
        base, _, last = written.rpartition(":")
        return cls(model=base, effort=last) if last in EFFORTS else cls(model=written)
