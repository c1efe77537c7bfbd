"""What a run tells whoever watches it, while it happens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from routinglab.core.ids import Candidate
from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt, RunResult

EventKind = Literal[
    "routing",  # a decision is being made
    "decided",  # ``decision`` holds it
    "attempt",  # ``candidate`` is being tried
    "text",  # ``text`` is the next piece of the answer
    "tool",  # ``tool`` is being called; ``text`` is a short account of its arguments
    "tool_done",  # ``tool`` answered; ``text`` is a short account of the result
    "waiting",  # backing off before a retry; ``text`` says why and how long
    "attempt_done",  # ``attempt`` holds how it ended
    "finished",  # ``result`` holds everything
]


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One step of a run; only the fields that its kind names are set."""

    kind: EventKind
    text: str = ""
    tool: str = ""
    candidate: Candidate | None = None
    decision: Decision | None = None
    attempt: Attempt | None = None
    result: RunResult | None = None
    step: int = 0


#: Called in the event loop, in order; what it raises is logged and never ends a run.
OnEvent = Callable[[RunEvent], None]
