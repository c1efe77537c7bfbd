"""Everything routinglab raises on purpose, in one tree.

    RoutingLabError
    ├── InvalidInput              a value a person gave is wrong (also a ValueError)
    │   └── SettingsError         ... in a settings file or environment variable
    ├── CatalogError              a model file or import cannot be read
    ├── EvalsError                an evals file is missing, unreadable, empty or too large
    ├── ModelNameError            a model name resolves to nothing, or to several
    ├── NoEligibleModel           the constraints leave no candidate
    ├── ConstraintConflict        two restrictions can never hold together
    ├── StaleCatalog              a chosen model stopped being available
    ├── SecretFound               credential material in what a request would send
    ├── RoutingFailed             no decision could be made and nothing may stand in
    ├── ProviderError             a provider refused, failed or answered nonsense
    ├── RunFailed                 no candidate of a chain answered
    ├── SkillError                a skill or agent cannot be loaded or run
    ├── ToolError                 a child's tool was refused or failed
    ├── TranscriptError           a transcript reference cannot be continued
    ├── TaskError                 an owner, lease or snapshot does not fit
    ├── CheckpointError           a workflow checkpoint does not fit
    ├── RecordingError            a recording cannot be read or written
    ├── OutcomesError             an outcome table contradicts itself
    ├── MetricError               a figure is not defined on this input
    └── ReportError               a notebook cell failed, or a page cannot be written

A message says what was wrong, where, and what to do; it never holds a secret.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


class RoutingLabError(Exception):
    """Base of every error routinglab raises on purpose."""


class InvalidInput(RoutingLabError, ValueError):
    """A value given by a person is wrong.

    ``where`` names the file or argument, ``field`` the path of the key inside it and
    ``choices`` what would have been right, when that is a short list.
    """

    def __init__(
        self,
        message: str,
        *,
        where: str | None = None,
        field: str | None = None,
        choices: Sequence[Any] = (),
    ) -> None:
        super().__init__(f"{where}: {message}" if where else message)
        self.where = where
        self.field = field
        self.choices = tuple(choices)


class SettingsError(InvalidInput):
    """A settings file or environment variable holds something it must not."""


class CatalogError(RoutingLabError):
    """A model file or an import cannot be read."""


class EvalsError(RoutingLabError):
    """An evals file is missing, unreadable, empty or larger than the limit."""


class ModelNameError(RoutingLabError, ValueError):
    """A model name resolves to nothing or to several models; ``nearest`` lists candidates."""

    def __init__(self, message: str, *, nearest: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.nearest = tuple(nearest)


class NoEligibleModel(RoutingLabError):
    """Constraints leave no candidate; ``removed`` counts candidates by restriction."""

    def __init__(self, message: str, *, removed: Mapping[str, int] | None = None) -> None:
        super().__init__(message)
        self.removed = dict(removed or {})


class ConstraintConflict(RoutingLabError, ValueError):
    """Two restrictions that can never hold at once."""


class StaleCatalog(RoutingLabError):
    """A model that was chosen is no longer eligible at launch."""


class SecretFound(RoutingLabError):
    """What would be sent holds credential material; nothing was sent."""


class RoutingFailed(RoutingLabError):
    """Routing made no decision, and the current model may not stand in."""


class ProviderError(RoutingLabError):
    """One failure of one request to a provider, safe to print.

    ``kind`` is a failure kind of SPEC 9.3, ``status`` the HTTP status (None when there was no
    answer), ``code`` the provider's own code, ``retry_after`` seconds the server asked to wait,
    ``category`` a refusal's category, ``error_type`` the type that debug lines print.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str = "unknown",
        status: int | None = None,
        code: str | None = None,
        retry_after: float | None = None,
        category: str | None = None,
        error_type: str | None = None,
        provider: str | None = None,
    ) -> None:
        super().__init__(message)
        self.kind = kind
        self.status = status
        self.code = code
        self.retry_after = retry_after
        self.category = category
        self.error_type = error_type
        self.provider = provider


class RunFailed(RoutingLabError):
    """No candidate answered; ``attempts`` holds what each one did."""

    def __init__(self, message: str, *, attempts: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.attempts = tuple(attempts)


class SkillError(RoutingLabError):
    """A skill or agent cannot be loaded, found or run."""


class ToolError(RoutingLabError):
    """A tool call of a child was refused or failed; the text is told to the model."""


class TranscriptError(RoutingLabError):
    """A transcript reference is unknown, unreadable or of another kind."""


class TaskError(RoutingLabError):
    """An owner, lease, cursor or snapshot does not belong here."""


class CheckpointError(RoutingLabError):
    """A checkpoint belongs to another workflow, version or schema."""


class RecordingError(RoutingLabError):
    """A recording cannot be read or written."""


class OutcomesError(RoutingLabError):
    """An outcome table contradicts itself or names a model it does not hold."""


class MetricError(RoutingLabError, ValueError):
    """A figure is not defined on this input."""


class ReportError(RoutingLabError):
    """A notebook cell failed or a page could not be written."""
