"""The decision record: what was chosen, from what, by whom and why (SPEC 8)."""

from __future__ import annotations

import json
from datetime import date, datetime
from typing import TYPE_CHECKING, Any, Literal, Self

from pydantic import Field, model_validator

from routinglab.core.ids import Candidate
from routinglab.core.needs import TaskNeeds
from routinglab.core.standing import Standing
from routinglab.core.text import text_digest
from routinglab.core.value import Value
from routinglab.errors import InvalidInput

if TYPE_CHECKING:
    from routinglab.routing.explain import Explanation
    from routinglab.routing.scoring import Weights

SCHEMA_VERSION = 1

#: What may differ between two runs that decided the same, by JSON key.
RUN_ONLY_KEYS = ("created", "seconds", "requestId")

AnsweredBy = Literal["caller", "agent", "reader", "rule", "recording", "default"]
ChosenBy = Literal["router", "single", "ranking", "recorded", "current"]
RequestPurpose = Literal["needs", "choice"]


class ScoreTerms(Value):
    """The parts of a score; ``quality``, ``cheapness`` and ``recency`` are 0..1 before weights."""

    demand: float
    quality: float
    cheapness: float
    recency: float
    faster_route: bool = False
    quality_weight: float
    price_weight: float
    recency_weight: float
    route_bonus: float = 0.0


def score_terms(
    by: Weights, quality: float, cheapness: float, recency: float, *, faster: bool
) -> ScoreTerms:
    """The terms of a score at these weights."""
    return ScoreTerms(
        demand=by.demand,
        quality=quality,
        cheapness=cheapness,
        recency=recency,
        faster_route=faster,
        quality_weight=by.quality,
        price_weight=by.price,
        recency_weight=by.recency,
        route_bonus=by.route_bonus if faster else 0.0,
    )


class Option(Value):
    """One contender of the shortlist and what the router is told of it (SPEC 6.4).

    ``reason`` is what the policy said of its place; the standard policy says it in ``terms``.
    """

    model: str
    effort: str | None = None
    name: str = ""
    score: float
    terms: ScoreTerms | None = None
    work_standing: float | None = None
    overall_standing: float | None = None
    evidence: tuple[Standing, ...] = ()
    reason: str = ""
    description: dict[str, Any] = Field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """What the router sees of this option."""
        return dict(self.description)


class Scoring(Value):
    """What the ranking of a decision rested on, by column; entry ``i`` is ``candidates[i]``.

    With the needs this gives every score again, so a decision explains itself without the evals and
    the catalog it was made from. ``standings`` are what quality rests on (None: not measured) and
    ``sources`` where they come from; ``faster`` lists the entries that are a faster route of another
    model; ``identities`` is for each entry the first one that is the same model elsewhere.
    """

    input_prices: tuple[float | None, ...]
    output_prices: tuple[float | None, ...]
    released: tuple[date | None, ...]
    standings: tuple[float | None, ...]
    sources: tuple[Literal["own", "work", "overall"] | None, ...]
    faster: tuple[int, ...] = ()
    identities: tuple[int, ...]

    def check(self, count: int) -> None:
        """Raise :class:`InvalidInput` unless these are the columns of ``count`` candidates."""
        columns = (
            self.input_prices, self.output_prices, self.released, self.standings, self.sources,
            self.identities,
        )  # fmt: skip
        places = (*self.faster, *self.identities)
        if {len(column) for column in columns} != {count} or not count:
            raise InvalidInput(f"scoring does not have one entry for each of {count} candidates")
        if min(places) < 0 or max(places) >= count:
            raise InvalidInput(f"scoring speaks of a candidate beyond the {count} there are")


class RouterInfo(Value):
    """Which model made the choice: as asked for, as answered, and its kind."""

    requested: str | None = None
    responded: str | None = None
    kind: Literal["chat", "classifier", "none"] = "none"


class RoutingRequest(Value):
    """One request that routing sent, with what it used."""

    purpose: RequestPurpose
    model: str
    kind: Literal["chat", "classifier"] = "chat"
    outcome: str = "ok"
    status: int | None = None
    error_type: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    request_id: str | None = None


class Digests(Value):
    """SHA-256 of the inputs a decision rests on; None where there was no such input."""

    catalog: str | None = None
    evals: str | None = None
    settings: str | None = None


class Decision(Value):
    """The recorded outcome of routing one task.

    ``candidates`` is every model the router could choose from, in the order of the ranking, and
    ``scoring`` what that order rests on. ``removed`` counts candidates by the restriction that
    ruled them out. ``answered_by`` says for each need who answered it. ``switches`` are the silent
    changes of model on the way (SPEC 7.7); ``degraded`` is why the current model stands in.
    """

    schema_version: int = SCHEMA_VERSION
    created: datetime | None = None
    task_digest: str = ""
    agent: str | None = None
    policy: str = "evidence"
    primary: Candidate
    fallbacks: tuple[Candidate, ...] = Field(default=(), max_length=2)
    candidates: tuple[str, ...] = ()
    shortlist: tuple[Option, ...] = ()
    scoring: Scoring | None = None
    needs: TaskNeeds = Field(default_factory=TaskNeeds)
    answered_by: dict[str, AnsweredBy] = Field(default_factory=dict)
    removed: dict[str, int] = Field(default_factory=dict)
    chosen_by: ChosenBy = "ranking"
    router: RouterInfo = Field(default_factory=RouterInfo)
    reader: str | None = None
    requests: tuple[RoutingRequest, ...] = ()
    switches: tuple[str, ...] = ()
    degraded: str | None = None
    digests: Digests = Field(default_factory=Digests)

    @model_validator(mode="after")
    def _agrees_with_itself(self) -> Self:
        if self.schema_version > SCHEMA_VERSION:
            raise InvalidInput(
                f"schemaVersion {self.schema_version} is newer than this package reads "
                f"({SCHEMA_VERSION}); update it"
            )
        if len({candidate.model for candidate in self.chain}) < len(self.chain):
            raise InvalidInput("primary and fallbacks name one model id twice")
        if self.scoring is not None:
            self.scoring.check(len(self.candidates))
            named = {option.model for option in self.shortlist}
            if self.degraded is None:
                named.add(self.primary.model)
            if other := sorted(named.difference(self.candidates)):
                raise InvalidInput(f"{other[0]!r} is not among the candidates that were scored")
        return self

    def canonical(self) -> str:
        """JSON without what differs from run to run (times, seconds, request ids)."""
        return json.dumps(
            _without_run_only(self.to_dict()),
            sort_keys=True,
            ensure_ascii=False,
            separators=(",", ":"),
        )

    def explain(self) -> Explanation:
        """Why this model: terms, what the runner-up lacks, and what would have changed it."""
        from routinglab.routing.explain import explain

        return explain(self)

    def _repr_html_(self) -> str:
        from routinglab.routing.show import decision_html

        return decision_html(self)

    @property
    def digest(self) -> str:
        """SHA-256 of :meth:`canonical`."""
        return text_digest(self.canonical())

    @property
    def chain(self) -> tuple[Candidate, ...]:
        """The ranked candidates in the order they are tried."""
        return (self.primary, *self.fallbacks)


def _without_run_only(value: Any) -> Any:
    if isinstance(value, dict):
        return {k: _without_run_only(v) for k, v in value.items() if k not in RUN_ONLY_KEYS}
    if isinstance(value, list):
        return [_without_run_only(item) for item in value]
    return value
