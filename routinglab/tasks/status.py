"""The line below a chat's prompt: how many tasks are in the background, and what is asked."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from routinglab.tasks.model import OwnerLease, TaskRecord

_LIVE = ("running", "cancelling")


@dataclass(frozen=True, slots=True)
class Status:
    """Counts of one owner's tasks. ``background`` in a name leaves the foreground ones out."""

    lease: OwnerLease
    background_running: int = 0
    background_waiting: int = 0
    background_done: int = 0
    background_failed: int = 0
    background_cancelled: int = 0
    lost: int = 0
    foreground_live: int = 0
    foreground_settled: int = 0

    @property
    def background(self) -> int:
        """Background tasks that have not ended."""
        return self.background_running + self.background_waiting

    @property
    def text(self) -> str:
        """The background counts in words; empty when there is nothing to say."""
        parts = [
            (self.background_running, "running"),
            (self.background_waiting, "waiting"),
            (self.background_done, "finished"),
            (self.background_failed, "failed"),
            (self.background_cancelled, "cancelled"),
        ]
        said = [f"{number} {word}" for number, word in parts if number]
        lost = [f"{self.lost} lost in a restart"] if self.lost else []
        return ("background: " if said else "") + " · ".join(said + lost)


def status_of(lease: OwnerLease, tasks: Iterable[TaskRecord]) -> Status:
    """Count tasks by state; lost ones count once, wherever they ran."""
    numbers: dict[str, int] = {}
    for task in tasks:
        if task.state == "lost":
            name = "lost"
        elif task.background:
            name = f"background_{'running' if task.state in _LIVE else task.state}"
        else:
            name = "foreground_settled" if task.settled else "foreground_live"
        numbers[name] = numbers.get(name, 0) + 1
    return Status(lease=lease, **numbers)


@dataclass(frozen=True, slots=True)
class FooterLine:
    """One line at the end of a chat: the input area, or text above or below it."""

    kind: Literal["question", "input", "background"]
    text: str = ""


def footer(status: Status | None, question: str | None = None) -> tuple[FooterLine, ...]:
    """The end of a chat, top to bottom: a pending question, the input, the background counts.

    A question moves nothing away: the counts stay below the input area.
    """
    lines = [FooterLine("question", question)] if question is not None else []
    lines.append(FooterLine("input"))
    if status is not None and status.text:
        lines.append(FooterLine("background", status.text))
    return tuple(lines)
