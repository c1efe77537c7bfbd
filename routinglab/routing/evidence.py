"""What is measured of a model for one kind of work: the quality part of a score (SPEC 6.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from math import fsum
from typing import TYPE_CHECKING, Literal, Protocol

from routinglab.core.standing import Standing
from routinglab.routing.cohorts import cohorts

if TYPE_CHECKING:
    from routinglab.catalog.model import Model
    from routinglab.evals.row import Row

#: Where a quality comes from: one's own outcomes, this kind of work, the overall index.
QualitySource = Literal["own", "work", "overall"]

#: What the overall index counts for where this kind of work is not measured.
OVERALL_FACTOR = 0.8

#: The quality of a model nobody measured.
UNMEASURED_QUALITY = 0.2


class Evidence(Protocol):
    """What routing asks of an evals file; ``routinglab.Evals`` answers it."""

    @property
    def digest(self) -> str: ...
    @property
    def rows(self) -> Sequence[Row]: ...
    def __hash__(self) -> int: ...
    def cohort_keys(self, prefix: str) -> tuple[str, ...]: ...
    def own_keys(self, work: str) -> tuple[str, ...]: ...
    def standing(self, model_id: str, key: str) -> Standing | None: ...
    def measured(self, model_id: str, key: str) -> Row | None: ...
    def released(self, model_id: str) -> date | None: ...


@dataclass(frozen=True, slots=True)
class Quality:
    """How good a model is at one kind of work, and what that rests on.

    ``work_standing`` is the mean over one's own outcomes where there are any, else over the public
    cohorts of the work; ``source`` is None for a model without any standing.
    """

    value: float
    source: QualitySource | None
    work_standing: float | None
    overall_standing: float | None

    @property
    def standing(self) -> float | None:
        """The standing that ``value`` rests on."""
        return self.overall_standing if self.source == "overall" else self.work_standing


def quality_from(source: QualitySource | None, standing: float | None) -> float:
    """The quality that a standing of this source gives."""
    if source is None or standing is None:
        return UNMEASURED_QUALITY
    return OVERALL_FACTOR * standing if source == "overall" else standing


@dataclass(frozen=True, slots=True)
class WorkKeys:
    """The cohorts of one evals file that speak of a kind of work, best match first.

    One benchmark can be several cohorts (``pub:OSW2@OpenAI``, one a reporter).
    """

    own: tuple[str, ...] = ()
    work: tuple[str, ...] = ()
    overall: tuple[str, ...] = ()

    @classmethod
    def of(cls, evals: Evidence | None, work: str | None) -> WorkKeys:
        """What ``evals`` has for ``work``."""
        if evals is None:
            return cls()
        table = cohorts()
        return cls(
            own=evals.own_keys(work) if work is not None else (),
            work=tuple(key for name in table.of(work) for key in evals.cohort_keys(name)),
            overall=evals.cohort_keys(table.overall),
        )


def quality(evals: Evidence | None, model: Model, keys: WorkKeys) -> Quality:
    """The quality of ``model`` for the kind of work that ``keys`` are about."""
    if evals is None:
        return Quality(UNMEASURED_QUALITY, None, None, None)
    overall = _share(standings(evals, model, keys.overall))
    source: QualitySource | None = "own"
    at_work = _share(standings(evals, model, keys.own)) if keys.own else None
    if at_work is None:
        source, at_work = "work", _share(standings(evals, model, keys.work))
    if at_work is None:
        source = "overall" if overall is not None else None
    basis = overall if source == "overall" else at_work
    return Quality(quality_from(source, basis), source, at_work, overall)


def standings(evals: Evidence, model: Model, keys: Sequence[str]) -> list[Standing]:
    """A model's standings in these cohorts; a faster route has its base model's where it lacks one.

    Only the catalog's ``base_model`` makes a faster route, never a likeness of names.
    """
    name, base, standing = model.full_id, model.base_model, evals.standing
    found = []
    for key in keys:
        mine = standing(name, key)
        if mine is None and base is not None:
            mine = standing(base, key)
        if mine is not None:
            found.append(mine)
    return found


def measured(evals: Evidence, model: Model, key: str) -> Row | None:
    """The row that measures a model, whatever the size of its cohort."""
    row = evals.measured(model.full_id, key)
    if row is None and model.base_model is not None:
        row = evals.measured(model.base_model, key)
    return row


def released(evals: Evidence | None, model: Model) -> date | None:
    """The catalog's release date, else the one the evals file states."""
    if model.released is not None or evals is None:
        return model.released
    return evals.released(model.full_id)


def _share(found: Sequence[Standing]) -> float | None:
    # fsum: equal standings give an equal mean in whatever order the cohorts stand
    return fsum(s.share for s in found) / len(found) if found else None
