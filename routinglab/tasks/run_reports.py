"""A run's events as the activity of the task that launched it."""

from __future__ import annotations

from routinglab.running.events import OnEvent, RunEvent
from routinglab.tasks.child import TaskHandle


def run_reports(handle: TaskHandle) -> OnEvent:
    """What to give a runner as ``on_event`` so that its steps show in the task's row.

    Pieces of streamed text are no activity: the answer is the task's result.
    """

    def report(event: RunEvent) -> None:
        line = line_of(event)
        if line:
            handle.report(line, kind=event.kind)

    return report


def line_of(event: RunEvent) -> str | None:
    """One line for an event; None for one that is no step of its own."""
    if event.kind == "routing":
        return "choosing a model"
    if event.kind == "decided" and event.decision is not None:
        return f"chose {event.decision.primary}"
    if event.kind == "attempt" and event.candidate is not None:
        return f"trying {event.candidate}"
    if event.kind == "attempt_done" and event.attempt is not None:
        attempt = event.attempt
        why = f": {attempt.failure}" if attempt.failure else ""
        return f"{attempt.candidate} {attempt.kind}{why}"
    if event.kind == "tool":
        return f"{event.tool} {event.text}".rstrip()
    if event.kind == "tool_done":
        return f"{event.tool} answered" + (f": {event.text}" if event.text else "")
    if event.kind == "waiting":
        return f"waiting: {event.text}"
    return None
