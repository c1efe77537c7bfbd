"""One model in a ranking."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import NamedTuple

from routinglab.catalog.model import Model
from routinglab.evals.identity import model_tokens
from routinglab.routing.decision import ScoreTerms, score_terms
from routinglab.routing.evidence import Evidence, Quality
from routinglab.routing.scoring import Weights


@dataclass(frozen=True)
class Facts:
    """What a ranking knows of a model for one kind of work, whatever the other models are."""

    model: str
    entry: Model
    quality: Quality
    released: date | None
    evals: Evidence | None

    @cached_property
    def identity(self) -> tuple[str, ...]:
        """Identity tokens; a faster route has its base model's."""
        return model_tokens(self.entry.base_model or self.model)


class RankedModel(NamedTuple):
    """A model with its score; a list of these is best first.

    ``cheapness`` and ``recency`` are 0..1, before weights. ``reason`` is what a policy says of the
    place it gave; the standard policy leaves it empty, for the terms say it.
    """

    facts: Facts
    score: float
    cheapness: float
    recency: float
    weights: Weights
    reason: str = ""

    @property
    def model(self) -> str:
        """The full id, ``provider/id``."""
        return self.facts.model

    @property
    def entry(self) -> Model:
        """The catalog's model."""
        return self.facts.entry

    @property
    def quality(self) -> float:
        """The quality term, 0..1 before its weight."""
        return self.facts.quality.value

    @property
    def work_standing(self) -> float | None:
        """Mean standing for this kind of work, one's own outcomes first; None if unmeasured."""
        return self.facts.quality.work_standing

    @property
    def overall_standing(self) -> float | None:
        """Standing on the overall index; None if unmeasured."""
        return self.facts.quality.overall_standing

    @property
    def measured(self) -> bool:
        """Whether any standing backs the quality."""
        return self.facts.quality.source is not None

    @property
    def released(self) -> date | None:
        """Release date, None if unknown."""
        return self.facts.released

    @property
    def identity(self) -> tuple[str, ...]:
        """Provider-independent identity; a faster route has its base model's."""
        return self.facts.identity

    @property
    def terms(self) -> ScoreTerms:
        """The parts of the score."""
        faster = self.facts.entry.base_model is not None
        return score_terms(self.weights, self.quality, self.cheapness, self.recency, faster=faster)

    def because(self, reason: str) -> RankedModel:
        """The same model with a policy's reason for its place."""
        return self._replace(reason=reason)

    def __repr__(self) -> str:
        return f"RankedModel({self.model!r}, score={self.score:.4f})"
