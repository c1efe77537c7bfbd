"""The fallback chain: candidates in order, until one answers or a failure must not advance."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic

from routinglab.core.ids import Candidate
from routinglab.errors import ProviderError
from routinglab.providers.chat import ChatClient, Usage
from routinglab.providers.failures import ADVANCING
from routinglab.running.attempt import Attempt
from routinglab.running.candidates import Planned, passed_over
from routinglab.running.child_loop import Ending, Progress, Retry, child_loop
from routinglab.running.conversation import Conversation
from routinglab.running.events import RunEvent
from routinglab.running.toolbox import Toolbox
from routinglab.settings.model import RetrySettings

#: Kinds that may pass by waiting; the others advance or end the chain at once.
_TRANSIENT = ("rate_limit", "provider_unavailable", "network_timeout")


@dataclass(slots=True)
class ChainRun:
    """What a chain has done so far; readable at any moment, also when it is cancelled."""

    attempts: list[Attempt] = field(default_factory=list)
    used: Candidate | None = None
    ending: Ending | None = None
    failure: ProviderError | None = None
    partial: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """Everything a chain needs besides its candidates.

    ``sleep``, ``clock`` (seconds) and ``now`` can be replaced, so that waiting costs no time in a
    test. ``random`` gives 0..1 for the jitter of a wait.
    """

    client: Callable[[str], ChatClient]
    is_configured: Callable[[str], bool]
    emit: Callable[[RunEvent], None]
    redact: Callable[[str], str]
    retry: RetrySettings = field(default_factory=RetrySettings)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)

    async def run(
        self,
        planned: Iterable[Planned],
        conversation: Conversation,
        toolbox: Toolbox,
        run: ChainRun,
        *,
        automatic: bool,
        max_steps: int,
    ) -> None:
        """Try each candidate in turn and write what happens into ``run``.

        A failure of an advancing kind (SPEC 9.3) goes on to the next candidate, which continues
        the same conversation; any other ends the chain. There is no time limit: only a failure, an
        answer or a cancellation ends an attempt.
        """
        queue = list(planned)
        steps = 0
        for place, item in enumerate(queue):
            reason = passed_over(
                item,
                request_bytes=conversation.bytes,
                is_configured=self.is_configured,
                automatic=automatic,
            )
            if reason is not None:
                self._finish(run, _skipped(item, reason, self.now()))
                continue
            progress = Progress()
            started, clock = self.now(), self.clock()
            self.emit(RunEvent("attempt", candidate=item.candidate))
            last = not any(
                passed_over(
                    later,
                    request_bytes=conversation.bytes,
                    is_configured=self.is_configured,
                    automatic=automatic,
                )
                is None
                for later in queue[place + 1 :]
            )
            try:
                run.ending = await child_loop(
                    self.client(item.candidate.provider),
                    item.candidate,
                    conversation,
                    toolbox,
                    steps_left=max_steps - steps,
                    progress=progress,
                    emit=self.emit,
                    retry=self._retry(item.candidate, last=last),
                )
            except ProviderError as error:
                attempt = self._failed(item, progress, error, started, clock)
                self._finish(run, attempt)
                run.failure, run.partial = error, progress.partial or run.partial
                steps += progress.steps
                if error.kind not in ADVANCING:
                    return
                if steps >= max_steps:
                    run.ending = Ending("", out_of_steps=True)
                    return
                continue
            except asyncio.CancelledError:
                stopped = ProviderError("cancelled", kind="cancelled")
                self._finish(run, self._failed(item, progress, stopped, started, clock))
                run.partial = progress.partial
                raise
            run.used, run.failure = item.candidate, None
            self._finish(run, self._answered(item, progress, started, clock))
            return

    def _retry(self, candidate: Candidate, *, last: bool) -> Retry:
        """Wait before the same candidate is asked again, or raise the failure.

        A rate limit is waited for; other transient failures only by the last candidate, where
        nobody else could answer instead. A wait beyond the limit is no wait.
        """
        settings = self.retry
        longest = settings.max_retry_delay_ms / 1000

        async def wait(error: ProviderError, failures: int) -> None:
            waits = error.kind == "rate_limit" or (last and error.kind in _TRANSIENT)
            if not waits or not settings.enabled or failures >= settings.max_retries:
                raise error
            delay = error.retry_after
            if delay is None:
                delay = min(settings.base_delay_ms / 1000 * 2**failures, longest)
            elif delay > longest:
                raise error
            text = f"{error.kind}: asking {candidate} again in {delay:.1f} s"
            self.emit(RunEvent("waiting", text=text, candidate=candidate))
            await self.sleep(delay)

        return wait

    def _finish(self, run: ChainRun, attempt: Attempt) -> None:
        run.attempts.append(attempt)
        self.emit(RunEvent("attempt_done", attempt=attempt, candidate=attempt.candidate))

    def _answered(
        self, item: Planned, progress: Progress, started: datetime, clock: float
    ) -> Attempt:
        return Attempt(
            candidate=item.candidate,
            model=progress.model,
            effort=item.candidate.effort,
            kind="ok",
            input_tokens=progress.usage.input_tokens,
            output_tokens=progress.usage.output_tokens,
            cost=cost_of(item, progress.requests),
            started=started,
            seconds=self.clock() - clock,
            steps=progress.steps,
        )

    def _failed(
        self,
        item: Planned,
        progress: Progress,
        error: ProviderError,
        started: datetime,
        clock: float,
    ) -> Attempt:
        return self._answered(item, progress, started, clock).model_copy(
            update={
                "kind": "failed",
                "failure": error.kind,
                "status": error.status,
                "code": error.code,
                "category": error.category,
                "message": self.redact(str(error)),
                "partial": self.redact(progress.partial),
            }
        )


def _skipped(item: Planned, reason: str, now: datetime) -> Attempt:
    return Attempt(
        candidate=item.candidate,
        effort=item.candidate.effort,
        kind="skipped",
        failure="skipped",
        message=reason,
        started=now,
        seconds=0.0,
    )


def cost_of(item: Planned, requests: Sequence[Usage]) -> float | None:
    """USD of several requests, each at the tier it falls in; None where anything is unknown."""
    if not requests:
        return None
    total = 0.0
    for usage in requests:
        if item.entry is None or usage.input_tokens is None or usage.output_tokens is None:
            return None
        one = item.entry.cost(usage.input_tokens, usage.output_tokens)
        if one is None:
            return None
        total += one
    return total
