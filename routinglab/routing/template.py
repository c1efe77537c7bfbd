"""The canonical text of many decisions that differ in their task only."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from routinglab.routing.decision import Decision

#: A digest no task has, so that its place in a canonical text is found for certain.
_PLACE = "\u0000task digest\u0000"


@dataclass(frozen=True, slots=True)
class CanonicalTemplate:
    """``Decision.canonical()`` with a gap where the task's digest goes."""

    head: str
    tail: str
    #: SHA-256 fed with ``head``; copied for each task, never fed itself
    _hashed: Any

    @classmethod
    def of(cls, decision: Decision) -> CanonicalTemplate:
        """The template of a decision, whatever its own task digest."""
        text = decision.model_copy(update={"task_digest": _PLACE}).canonical()
        head, tail = text.split(_quoted(_PLACE))
        return cls(head, tail, hashlib.sha256(_bytes(head)))

    def canonical(self, task_digest: str) -> str:
        """What ``canonical()`` of the decision with this task digest gives."""
        return f"{self.head}{_quoted(task_digest)}{self.tail}"

    def digest(self, task_digest: str) -> str:
        """SHA-256 of :meth:`canonical`, without building it."""
        hashed = self._hashed.copy()
        hashed.update(_bytes(f"{_quoted(task_digest)}{self.tail}"))
        return str(hashed.hexdigest())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")  # as core.text.text_digest


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
