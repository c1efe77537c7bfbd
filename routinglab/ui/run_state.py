"""What is known of one run while it goes on and afterwards, without any widget."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt, RunResult
from routinglab.running.events import RunEvent
from routinglab.tasks.model import Activity, TaskRecord

#: Characters of streamed text that are kept for showing.
TEXT_KEPT = 20_000
#: Tool calls that are kept for showing.
TOOLS_KEPT = 8

TryState = Literal["trying", "answered", "failed", "skipped", "cancelled"]


@dataclass(slots=True)
class Try:
    """One candidate of a run; ``why`` says in words why it did not answer."""

    candidate: str
    state: TryState = "trying"
    why: str = ""
    seconds: float | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None

    @classmethod
    def of(cls, attempt: Attempt) -> Try:
        """The line of an attempt that has ended."""
        state: TryState = "answered" if attempt.kind == "ok" else attempt.kind
        if attempt.failure == "cancelled":
            state = "cancelled"
        return cls(
            candidate=str(attempt.candidate),
            state=state,
            why=why(attempt),
            seconds=attempt.seconds,
            input_tokens=attempt.input_tokens,
            output_tokens=attempt.output_tokens,
            cost=attempt.cost,
        )


@dataclass(slots=True, eq=False)
class RunState:
    """One run as panels show it; events and the task's record move it on.

    ``state`` is the task's, or ``routing`` while a decision is made. ``text`` is what has streamed
    in the current turn, of which the end is kept; ``next_up`` is who is asked after a failure.
    ``restored`` marks a run that an earlier kernel started: only what was written down is known.
    """

    task_id: str
    label: str
    agent: str = ""
    task: str = ""
    state: str = "waiting"
    decision: Decision | None = None
    tries: list[Try] = field(default_factory=list)
    next_up: str = ""
    waiting: str = ""
    tools: list[str] = field(default_factory=list)
    text: str = ""
    omitted: int = 0
    error: str = ""
    result: RunResult | None = None
    record: TaskRecord | None = None
    activity: tuple[str, ...] = ()
    restored: bool = False
    redact: Callable[[str], str] = str
    _watchers: dict[int, Callable[[], None]] = field(default_factory=dict)
    _numbers: int = 0

    @classmethod
    def restore(cls, record: TaskRecord, label: str, activity: Activity) -> RunState:
        """A run of which only its task is known."""
        state = cls(record.id, label, restored=True)
        state.activity = tuple(report.text for report in activity.reports)
        state.follow(record, label)
        return state

    @property
    def live(self) -> bool:
        """Whether it has not ended."""
        return self.record is None or not self.record.settled

    @property
    def stoppable(self) -> bool:
        """Whether a cancel button makes sense."""
        return self.live and self.state != "cancelling"

    @property
    def words(self) -> int:
        """Words of the streamed text that is kept."""
        return len(self.text.split())

    def watch(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Have ``callback`` called after every change, until the function returned is called."""
        number = self._numbers = self._numbers + 1
        self._watchers[number] = callback

        def stop() -> None:
            self._watchers.pop(number, None)

        return stop

    def apply(self, event: RunEvent) -> None:
        """Take in what happened."""
        self._take(event)
        self._tell()

    def follow(self, record: TaskRecord, label: str) -> None:
        """Take in the task's record; that of a settled one is final."""
        self.record, self.label = record, label
        if record.state not in ("waiting", "running") or self.state == "waiting":
            self.state = record.state
        if record.settled:
            self.next_up = self.waiting = ""
            self.error = record.error or ""
            self.text = self.text or record.result or ""
            for one in self.tries:
                if one.state == "trying":  # it was broken off without a word
                    one.state = "cancelled"
        self._tell()

    def _take(self, event: RunEvent) -> None:
        if event.kind not in ("text", "waiting"):
            self.waiting = ""
        match event.kind:
            case "routing":
                self.state = "routing"
            case "decided":
                self.state, self.decision = "running", event.decision
            case "attempt":
                self.state, self.next_up = "running", ""
                self._clear()
                self.tries.append(Try(str(event.candidate)))
            case "text":
                self._say(event.text)
            case "tool":
                self.tools = [*self.tools, f"{event.tool} {event.text}"][-TOOLS_KEPT:]
                self._clear()
            case "waiting":
                self.waiting = event.text
            case "attempt_done" if event.attempt is not None:
                self._ended(Try.of(event.attempt), event.attempt.partial)
            case "finished" if event.result is not None:
                self.result = event.result
                if event.result.text:
                    self._clear()
                    self._say(event.result.text)
            case _:
                pass

    def _ended(self, ended: Try, partial: str) -> None:
        last = self.tries[-1] if self.tries else None
        if last and last.state == "trying" and last.candidate == ended.candidate:
            self.tries[-1] = ended
        else:  # a skipped candidate was never asked
            self.tries.append(ended)
        if ended.state == "cancelled" and partial and not self.text:
            self._say(partial)
        if ended.state in ("failed", "skipped"):
            tried = {one.candidate for one in self.tries}
            chain = [str(one) for one in self.decision.chain] if self.decision else []
            self.next_up = next((one for one in chain if one not in tried), "")

    def _say(self, piece: str) -> None:
        self.text += piece
        if len(self.text) > 2 * TEXT_KEPT:
            self.omitted += len(self.text) - TEXT_KEPT
            self.text = self.text[-TEXT_KEPT:]

    def _clear(self) -> None:
        self.text, self.omitted = "", 0

    def _tell(self) -> None:
        for watcher in tuple(self._watchers.values()):
            watcher()


def why(attempt: Attempt) -> str:
    """Why an attempt did not answer, as a person would say it."""
    if attempt.kind == "ok":
        return ""
    if attempt.kind == "skipped":
        return attempt.message
    kind = (attempt.failure or "unknown").replace("_", " ")
    status = f" (HTTP {attempt.status})" if attempt.status is not None else ""
    told = "" if attempt.message in ("", kind) else f": {attempt.message}"
    return f"{kind}{status}{told}"
