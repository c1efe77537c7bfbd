"""When a failed request is tried again, and after how long (SPEC 7.12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from routinglab.errors import ProviderError

if TYPE_CHECKING:
    from routinglab.settings import Settings

TRANSIENT = frozenset({"rate_limit", "provider_unavailable", "network_timeout"})

#: A complete answer that makes no sense is no passing trouble; asking again would cost the same.
_LASTING = frozenset({"malformed", "too_large"})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """Delays in seconds: ``base_delay`` doubles with every retry, up to ``max_delay``.

    A server's own wait comes before that; one longer than ``max_delay`` ends the trying.
    """

    max_retries: int = 3
    base_delay: float = 2.0
    max_delay: float = 60.0

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The policy of the ``retry`` settings."""
        retry = settings.retry
        return cls(
            max_retries=retry.max_retries if retry.enabled else 0,
            base_delay=retry.base_delay_ms / 1000,
            max_delay=retry.max_retry_delay_ms / 1000,
        )

    def delay(self, retries: int, error: ProviderError) -> float | None:
        """Seconds until the next try after ``retries`` of them; None when there is none."""
        if not is_transient(error) or retries >= self.max_retries or self.asks_too_long(error):
            return None
        if error.retry_after is not None:
            return error.retry_after
        return float(min(self.base_delay * 2**retries, self.max_delay))

    def asks_too_long(self, error: ProviderError) -> bool:
        """Whether the server asks to wait longer than one is willing to."""
        return error.retry_after is not None and error.retry_after > self.max_delay

    def last_word(self, error: ProviderError) -> ProviderError:
        """``error``, with the time named where the server asks to wait too long."""
        if not (is_transient(error) and self.asks_too_long(error)):
            return error
        wait = f"asks to wait {error.retry_after:,.0f} s, longer than {self.max_delay:,.0f} s"
        return ProviderError(
            f"{error}; it {wait}",
            kind=error.kind,
            status=error.status,
            code=error.code,
            retry_after=error.retry_after,
            category=error.category,
            error_type=error.error_type,
            provider=error.provider,
        )


def is_transient(error: ProviderError) -> bool:
    """Whether the same request may succeed a little later."""
    return error.kind in TRANSIENT and error.error_type not in _LASTING
