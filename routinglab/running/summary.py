"""What came of a run, from what its chain did."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from routinglab.errors import RunFailed
from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt, RunResult, RunStatus
from routinglab.running.chain import ChainRun


def summarise(
    run: ChainRun,
    decision: Decision | None,
    children: Sequence[RunResult],
    *,
    agent: str,
    transcript: str | None,
    notes: Iterable[str],
    seconds: float,
    cancelled: bool = False,
) -> RunResult:
    """The result of a chain; tokens and cost are those of all attempts and all children."""
    ending = run.ending
    status: RunStatus = "failed"
    text = run.partial
    if cancelled:
        status = "cancelled"
    elif ending is not None:
        status, text = ("out_of_steps" if ending.out_of_steps else "ok"), ending.text
    counted: list[Attempt | RunResult] = [*run.attempts, *children]
    return RunResult(
        status=status,
        text=text,
        used=run.used,
        decision=decision,
        attempts=tuple(run.attempts),
        error=_error(run, status),
        failure=_failure(run, status),
        switches=_switches(run.attempts),
        input_tokens=_sum(item.input_tokens for item in counted),
        output_tokens=_sum(item.output_tokens for item in counted),
        cost=_cost(counted),
        seconds=seconds,
        steps=sum(attempt.steps for attempt in run.attempts),
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


def _error(run: ChainRun, status: RunStatus) -> str | None:
    if status == "ok":
        return None
    if status == "cancelled":
        return "cancelled"
    if status == "out_of_steps":
        return "the child used all its steps without a final answer; raise max-steps or continue it"
    tried = [attempt for attempt in run.attempts if attempt.kind == "failed"]
    if not tried:
        reasons = "; ".join(f"{a.candidate}: {a.message}" for a in run.attempts)
        return f"no candidate could be tried ({reasons or 'there was none'})"
    last = tried[-1]
    count = f" after {len(tried)} candidates" if len(tried) > 1 else ""
    return f"{last.candidate} failed{count}: {last.failure}: {last.message}"


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


def _sum(values: Iterable[int | None]) -> int | None:
    known = [value for value in values if value is not None]
    return sum(known) if known else None


def _cost(items: Sequence[Attempt | RunResult]) -> float | None:
    """USD of everything that was answered; None where a part of that is unknown."""
    total = 0.0
    for item in items:
        if item.cost is not None:
            total += item.cost
        elif item.steps:
            return None
    return total
