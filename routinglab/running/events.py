"""What a run tells whoever watches it, while it happens."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from routinglab.core.ids import Candidate
from routinglab.providers.chat import ToolCall
from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt, RunResult
from routinglab.running.redaction import StreamRedactor

EventKind = Literal[
    "routing",  # a decision is being made
    "decided",  # ``decision`` holds it
    "attempt",  # ``candidate`` is being tried
    "text",  # ``text`` is the next piece of the answer of step ``step``
    "tool",  # ``tool`` is being called; ``text`` is a short account of its arguments
    "tool_done",  # ``tool`` answered; ``text`` is a short account of the result
    "waiting",  # backing off before a retry; ``text`` says why and how long
    "attempt_done",  # ``attempt`` holds how it ended
    "finished",  # ``result`` holds everything
]

#: Characters of a tool's arguments and result that an event shows.
SHOWN = 200

_log = logging.getLogger("routinglab.running")


@dataclass(frozen=True, slots=True)
class RunEvent:
    """One step of a run, without credential material; only the fields its kind names are set."""

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


class Events:
    """Tells a watcher what happens; costs next to nothing where nobody watches."""

    def __init__(self, on_event: OnEvent | None, redact: Callable[[str], str]) -> None:
        self._on_event = on_event
        self._redact = redact

    @property
    def watched(self) -> bool:
        return self._on_event is not None

    def tell(self, event: RunEvent) -> None:
        """Give an event whose texts are known to be clean to the watcher."""
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except Exception:
            _log.exception("a watcher of a run failed on %s", event.kind)

    def tool(self, kind: Literal["tool", "tool_done"], call: ToolCall, text: str) -> None:
        """Tell of a tool call, with the beginning of ``text``."""
        if self._on_event is not None:
            self.tell(RunEvent(kind, tool=call.name, text=self._redact(text)[:SHOWN]))

    def stream(self, candidate: Candidate, step: int) -> TextStream:
        """Where the text of one turn is told as it streams."""
        return TextStream(self, candidate, step, self._redact)


class TextStream:
    """The text of one turn: pieces as they arrive, less what may be the start of a secret."""

    def __init__(
        self, events: Events, candidate: Candidate, step: int, redact: Callable[[str], str]
    ) -> None:
        self._events = events
        self._candidate = candidate
        self._step = step
        self._redactor = StreamRedactor(redact)
        self._watched = events.watched

    def piece(self, text: str) -> None:
        """The next piece."""
        if self._watched:
            self._say(self._redactor.feed(text))

    def end(self) -> None:
        """What was held back, once the turn is over or broke off."""
        if self._watched:
            self._say(self._redactor.rest())

    def _say(self, text: str) -> None:
        if text:
            self._events.tell(
                RunEvent("text", text=text, candidate=self._candidate, step=self._step)
            )
