"""The one renderer of completion notices, for every chat."""

from __future__ import annotations

from dataclasses import dataclass

from routinglab.errors import TaskError
from routinglab.tasks.model import TaskRecord

_WORDS = {
    "done": "finished",
    "failed": "failed",
    "cancelled": "was cancelled",
    "lost": "was lost in a restart",
}


@dataclass(frozen=True, slots=True)
class Notice:
    """What a chat is told when a task has settled: a headline, and what is known of its end."""

    task_id: str
    state: str
    headline: str
    body: str

    @property
    def text(self) -> str:
        """Headline and body, as a chat shows them."""
        return f"{self.headline}\n{self.body}" if self.body else self.headline


def needs_notice(task: TaskRecord) -> bool:
    """Whether a settled task is announced: nobody waits in place for it, or nobody can any more."""
    return task.settled and (task.background or task.state == "lost")


def render_notice(task: TaskRecord, label: str) -> Notice:
    """The notice of a settled task. What it reported on its way is not taken for its result."""
    if not task.settled:
        raise TaskError(f"task {task.id} is still {task.state}; there is nothing to announce")
    kind = "Background task" if task.background else "Task"
    took = duration_text(task.seconds(task.ended or task.admitted))
    headline = f"{kind} “{label}” {_WORDS[task.state]}" + (f" after {took}" if took else "")
    lines = [task.error] if task.error else []
    if task.result:
        more = " (cut; the whole text is in the transcript)" if task.transcript else " (cut)"
        lines.append(task.result + (more if task.result_cut else ""))
    elif task.state == "done":
        lines.append("It left no result text.")
    return Notice(task.id, task.state, headline, "\n".join(lines))


def duration_text(seconds: float | None) -> str:
    """``0.4 s``, ``12 s``, ``3 min 5 s``, ``2 h 10 min``; empty for None."""
    if seconds is None:
        return ""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"
