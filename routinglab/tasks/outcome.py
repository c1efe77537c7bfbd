"""How a child ended, read from what it returned or raised."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from routinglab.errors import RoutingLabError
from routinglab.running.attempt import RunResult
from routinglab.tasks.model import TaskState
from routinglab.tasks.previews import ERROR_BYTES, RESULT_BYTES, Redact, clean, cut


@dataclass(frozen=True, slots=True)
class Outcome:
    """The settled state of a child, with what may be written down about it."""

    state: TaskState
    result: str | None = None
    result_cut: bool = False
    error: str | None = None
    transcript: str | None = None


def returned(value: Any, redact: Redact) -> Outcome:
    """The outcome of a child that returned ``value``.

    Text is the result; a RunResult ends the task as the run ended. Any other value is the host's
    own and leaves no text.
    """
    if isinstance(value, RunResult):
        state: TaskState = {"ok": "done", "cancelled": "cancelled"}.get(value.status, "failed")  # type: ignore[assignment]
        error = None
        if state == "failed":
            error = value.error or value.failure or value.status.replace("_", " ")
        text, was_cut = _short(value.text or None, RESULT_BYTES, redact)
        return Outcome(
            state, text, was_cut, _short(error, ERROR_BYTES, redact)[0], value.transcript
        )
    text, was_cut = _short(value if isinstance(value, str) else None, RESULT_BYTES, redact)
    return Outcome("done", text, was_cut)


def raised(error: BaseException, redact: Redact) -> Outcome:
    """The outcome of a child that raised ``error``; only its own kind of errors needs no name."""
    text = str(error)
    if not isinstance(error, RoutingLabError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return Outcome("failed", error=_short(text, ERROR_BYTES, redact)[0])


def _short(text: str | None, limit: int, redact: Redact) -> tuple[str | None, bool]:
    if text is None:
        return None, False
    # first the whole text: half a secret would no longer be recognised
    return cut(clean(redact(text)), limit)
