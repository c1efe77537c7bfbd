"""The fallback chain: candidates in order, until one answers or a failure must not advance."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import monotonic
from typing import Any

from routinglab.core.ids import Candidate
from routinglab.errors import ProviderError
from routinglab.providers.chat import ChatClient, Usage
from routinglab.providers.failures import ADVANCING
from routinglab.providers.retry import RetryPolicy
from routinglab.running.attempt import Attempt
from routinglab.running.candidates import Planned, passed_over
from routinglab.running.child_loop import Ending, Progress, Retry, child_loop
from routinglab.running.conversation import Conversation
from routinglab.running.events import Events, RunEvent
from routinglab.running.toolbox import Toolbox


@dataclass(slots=True)
class ChainRun:
    """What a chain has done so far; readable at any moment, also when it is cancelled."""

    attempts: list[Attempt] = field(default_factory=list)
    used: Candidate | None = None
    ending: Ending | None = None
    partial: str = ""


@dataclass(frozen=True, slots=True)
class Chain:
    """Everything a chain needs besides its candidates.

    ``sleep``, ``clock`` (seconds) and ``now`` can be replaced, so that waiting costs no time in a
    test. ``debug`` gets a line for every switch.
    """

    client: Callable[[str], ChatClient]
    why_not_configured: Callable[[str], str | None]
    events: Events
    redact: Callable[[str], str]
    policy: RetryPolicy = field(default_factory=RetryPolicy)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    clock: Callable[[], float] = monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    debug: Callable[[str], None] = lambda line: None

    async def run(
        self,
        planned: Sequence[Planned],
        conversation: Conversation,
        toolbox: Toolbox,
        run: ChainRun,
        *,
        max_steps: int,
    ) -> None:
        """Try each candidate in turn and write what happens into ``run``.

        A failure of an advancing kind (SPEC 9.3) goes on to the next candidate, which continues
        the same conversation; any other ends the chain. There is no time limit: only a failure, an
        answer or a cancellation ends an attempt.
        """
        steps = 0
        tried: set[str] = set()
        for place, item in enumerate(planned):
            if item.candidate.model in tried:
                continue
            if (reason := self._passed_over(item, conversation, toolbox)) is not None:
                self._note(run, _attempt(item, "skipped", self.now(), message=reason))
                continue
            tried.add(item.candidate.model)
            last = all(self._passed_over(i, conversation, toolbox) for i in planned[place + 1 :])
            attempt = _Trying(self, item)
            self.events.tell(RunEvent("attempt", candidate=item.candidate))
            try:
                run.ending = await child_loop(
                    self.client(item.candidate.provider),
                    item,
                    conversation,
                    toolbox,
                    steps_left=max_steps - steps,
                    progress=attempt.progress,
                    events=self.events,
                    retry=self._retry(item.candidate, last=last),
                )
            except ProviderError as error:
                self._note(run, failed := attempt.failed(error))
                run.partial = failed.partial or run.partial
                if error.kind not in ADVANCING:
                    return
                steps += attempt.progress.steps
            except asyncio.CancelledError:
                stopped = ProviderError("cancelled", kind="cancelled")
                self._note(run, failed := attempt.failed(stopped))
                run.partial = failed.partial or run.partial
                raise
            else:
                run.used = item.candidate
                self._note(run, attempt.answered())
                return

    def _passed_over(
        self, item: Planned, conversation: Conversation, toolbox: Toolbox
    ) -> str | None:
        return passed_over(
            item,
            request_bytes=conversation.bytes + toolbox.bytes,
            why_not_configured=self.why_not_configured,
        )

    def _retry(self, candidate: Candidate, *, last: bool) -> Retry:
        """Wait before the same candidate is asked again, or raise the failure.

        A rate limit is waited for; other transient failures only by the last candidate, where
        nobody else could answer instead. A wait beyond the limit is no wait.
        """

        async def wait(error: ProviderError, failures: int) -> None:
            delay = self.policy.delay(failures, error)
            if delay is None or not (last or error.kind == "rate_limit"):
                raise self.policy.last_word(error) from None
            text = f"{error.kind}: asking {candidate} again in {delay:.1f} s"
            self.events.tell(RunEvent("waiting", text=text, candidate=candidate))
            await self.sleep(delay)

        return wait

    def _note(self, run: ChainRun, attempt: Attempt) -> None:
        run.attempts.append(attempt)
        if attempt.kind != "ok":
            self.debug(_switch(attempt))
        self.events.tell(RunEvent("attempt_done", attempt=attempt, candidate=attempt.candidate))


class _Trying:
    """One candidate while it is tried."""

    def __init__(self, chain: Chain, item: Planned) -> None:
        self._chain = chain
        self._item = item
        self._started, self._clock = chain.now(), chain.clock()
        self.progress = Progress()

    def answered(self, kind: str = "ok", **more: Any) -> Attempt:
        progress = self.progress
        return _attempt(
            self._item,
            kind,
            self._started,
            model=progress.model or self._item.served_as,
            input_tokens=progress.usage.input_tokens,
            output_tokens=progress.usage.output_tokens,
            cost=None if progress.unknown else cost_of(self._item, progress.requests),
            seconds=self._chain.clock() - self._clock,
            steps=progress.steps,
            partial=self._chain.redact(progress.partial) if progress.partial else "",
            **more,
        )

    def failed(self, error: ProviderError) -> Attempt:
        return self.answered(
            "failed",
            failure=error.kind,
            status=error.status,
            code=error.code,
            category=error.category,
            message=self._chain.redact(str(error)),
        )


def _attempt(item: Planned, kind: str, started: datetime, **more: Any) -> Attempt:
    return Attempt.model_validate(
        {
            "candidate": item.candidate,
            "effort": item.candidate.effort,
            "kind": kind,
            "started": started,
            **more,
        }
    )


def _switch(attempt: Attempt) -> str:
    """A switch in words that are safe to log: who, HTTP status and type, no provider text."""
    if attempt.kind == "skipped":
        return f"run: {attempt.candidate} skipped ({attempt.message})"
    status = f"HTTP {attempt.status}, " if attempt.status is not None else ""
    return f"run: {attempt.candidate} failed ({status}{attempt.failure})"


def cost_of(item: Planned, requests: Sequence[Usage]) -> float | None:
    """USD of several requests, each at the tier it falls in; None where anything is unknown."""
    if not requests or item.entry is None:
        return None
    total = 0.0
    for usage in requests:
        if usage.input_tokens is None or usage.output_tokens is None:
            return None
        one = item.entry.cost(usage.input_tokens, usage.output_tokens)
        if one is None:
            return None
        total += one
    return total
