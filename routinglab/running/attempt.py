"""What happened to each candidate of a chain, and the result of a run (SPEC 9.4)."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from routinglab.core.efforts import Effort
from routinglab.core.ids import Candidate
from routinglab.core.value import Value
from routinglab.routing.decision import Decision

AttemptKind = Literal["ok", "failed", "skipped"]
RunStatus = Literal["ok", "failed", "cancelled", "out_of_steps"]


class Attempt(Value):
    """One try of one candidate.

    ``model`` is the model that says it answered, else the id that was asked for. ``failure`` is a
    failure kind of SPEC 9.3, and ``message`` says more, also why a candidate was skipped. Tokens are
    those the provider told of; ``cost`` is USD from the catalog, tiers applied, None where a price or
    the usage of any request is unknown, as it is for a turn that broke off. ``partial`` is the text of
    that turn.
    """

    candidate: Candidate
    model: str | None = None
    effort: Effort | None = None
    kind: AttemptKind
    failure: str | None = None
    status: int | None = None
    code: str | None = None
    category: str | None = None
    message: str = ""
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    started: datetime | None = None
    seconds: float | None = None
    steps: int = 0
    partial: str = ""


class RunResult(Value):
    """The outcome of a run: the final answer, who gave it, and everything that was tried.

    ``decision`` keeps the ordered choice apart from ``used``, the candidate that answered. ``text``
    is the final answer, or what had streamed when the run ended early. ``transcript`` is a
    reference (``sa_…``) that a later run can continue or fork. Tokens and cost are those of all
    attempts and of nested children, None where a part is unknown; what deciding cost is in the
    decision. ``truncated`` says the answer met the output limit; ``notes`` are things a
    person should know, such as tools that were asked for and not given.
    """

    status: RunStatus
    text: str = ""
    used: Candidate | None = None
    decision: Decision | None = None
    attempts: tuple[Attempt, ...] = ()
    error: str | None = None
    failure: str | None = None
    switches: tuple[str, ...] = ()
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    seconds: float | None = None
    steps: int = 0
    transcript: str | None = None
    agent: str | None = None
    truncated: bool = False
    notes: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether a candidate answered."""
        return self.status == "ok"

    def _repr_html_(self) -> str:
        from routinglab.running.show import result_html

        return result_html(self)
