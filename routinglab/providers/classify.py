"""What is asked of a System One classifier and what comes back (SPEC 7.11)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from routinglab.providers.chat import Usage


@dataclass(frozen=True, slots=True)
class Question:
    """A choice: ``criteria`` maps each key that may be answered to what it stands for."""

    id: str
    instructions: str
    criteria: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ClassifyRequest:
    """Questions about one ``state`` (a text or JSON data). ``model`` is without ``provider/``."""

    model: str
    state: Any
    questions: tuple[Question, ...]


@dataclass(frozen=True, slots=True)
class ClassifyAnswer:
    """The key chosen for one question, with probabilities (0..1) where told."""

    choice: str
    probabilities: Mapping[str, float] = field(default_factory=dict)
    confidence: float | None = None


@dataclass(frozen=True, slots=True)
class ClassifyReply:
    """An answer with a known key for every question asked."""

    answers: Mapping[str, ClassifyAnswer]
    usage: Usage = field(default_factory=Usage)
    model: str | None = None
    request_id: str | None = None


class Classifier(Protocol):
    """Talks to one classifier endpoint. Every failure raises ``ProviderError``."""

    async def classify(self, request: ClassifyRequest) -> ClassifyReply:
        """Send one request; there is no read timeout, see :class:`~..chat.ChatClient`."""
        ...

    async def aclose(self) -> None:
        """Close the connections."""
        ...
