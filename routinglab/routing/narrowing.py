"""Leaving out models that cannot do the task, before ranking (SPEC 6.1)."""

from __future__ import annotations

from collections.abc import Sequence

from routinglab.catalog.model import Model
from routinglab.core.needs import TaskNeeds

#: Tokens of window that a long-context task prefers.
LONG_CONTEXT = 400_000


def narrow(models: Sequence[Model], needs: TaskNeeds) -> tuple[Model, ...]:
    """The models that fit what the task must show and hold.

    A task that needs images keeps only models known to read them, which may be none. A long-context
    task prefers windows of 400,000 tokens or more and keeps all where none is that large.
    """
    kept = tuple(models)
    if needs.wants_images:
        kept = tuple(model for model in kept if "image" in (model.inputs or ()))
    if needs.long_context:
        kept = tuple(m for m in kept if (m.context_window or 0) >= LONG_CONTEXT) or kept
    return kept
