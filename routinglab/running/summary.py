"""What came of a run, from what its chain did."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from routinglab.errors import RunFailed
from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt, RunResult, RunStatus
from routinglab.running.chain import ChainRun


def summarise(
    run: ChainRun,
    decision: Decision | None,
    children: Sequence[RunResult],
    *,
    redact: Callable[[str], str],
    agent: str,
    transcript: str | None,
    notes: Iterable[str],
    seconds: float,
    cancelled: bool = False,
    error: str | None = None,
) -> RunResult:
    """The result of a chain; tokens and cost are those of all attempts and all children.

    ``error`` says what broke the run off from outside the chain.
    """
    ending = run.ending
    status: RunStatus = "failed"
    text = run.partial
    if cancelled:
        status = "cancelled"
    elif ending is not None and error is None:
        status, text = ("out_of_steps" if ending.out_of_steps else "ok"), ending.text
    steps = sum(attempt.steps for attempt in run.attempts)
    counted: list[Attempt | RunResult] = [*run.attempts, *children]
    return RunResult(
        status=status,
        text=redact(text),
        used=run.used,
        decision=decision,
        attempts=tuple(run.attempts),
        error=error or _error(run, status, steps),
        failure=_failure(run, status),
        switches=_switches(run.attempts),
        input_tokens=_sum(counted, "input_tokens"),
        output_tokens=_sum(counted, "output_tokens"),
        cost=_sum(counted, "cost"),
        seconds=seconds,
        steps=steps,
        transcript=transcript,
        agent=agent,
        truncated=bool(ending and ending.truncated),
        notes=tuple(notes),
    )


def final_answer(result: RunResult) -> str:
    """The answer of a run that has one; everything else raises ``RunFailed`` with the reason."""
    if result.ok:
        return result.text
    raise RunFailed(result.error or f"the run ended as {result.status}", attempts=result.attempts)


def _error(run: ChainRun, status: RunStatus, steps: int) -> str | None:
    if status == "ok":
        return None
    if status == "cancelled":
        return "cancelled"
    if status == "out_of_steps":
        return (
            f"the child used all its {steps} steps without a final answer; raise max-steps, or go on "
            "from its transcript"
        )
    tried = [attempt for attempt in run.attempts if attempt.kind == "failed"]
    if not tried:
        reasons = "; ".join(f"{a.candidate}: {a.message}" for a in run.attempts)
        return f"no candidate could be tried ({reasons or 'there was none'})"
    last = tried[-1]
    others = len(tried) - 1
    before = f" (after {others} other{'s' if others > 1 else ''} failed)" if others else ""
    return f"{last.candidate} failed{before}: {last.message} [{last.failure}]"


def _failure(run: ChainRun, status: RunStatus) -> str | None:
    if status == "cancelled":
        return "cancelled"
    failed = [attempt.failure for attempt in run.attempts if attempt.kind == "failed"]
    return failed[-1] if status == "failed" and failed else None


def _switches(attempts: Iterable[Attempt]) -> tuple[str, ...]:
    return tuple(
        f"{a.candidate}: {a.failure if a.kind == 'failed' else 'skipped, ' + a.message}"
        for a in attempts
        if a.kind != "ok"
    )


def _begun(item: Attempt | RunResult) -> bool:
    """Whether a model has answered anything, so that it was paid for."""
    if isinstance(item, RunResult):
        return any(map(_begun, item.attempts))
    return bool(item.steps or item.partial)


def _sum(items: Sequence[Attempt | RunResult], field: str) -> Any:
    """The sum of what is known; None where nothing is, or a begun answer's part is not."""
    total = None
    for item in items:
        value = getattr(item, field)
        if value is not None:
            total = value if total is None else total + value
        elif _begun(item):
            return None
    return total
