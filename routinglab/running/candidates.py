"""The order in which a run tries its candidates, and why some are passed over (SPEC 9.1, 9.2)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Literal

from routinglab.catalog.model import Model
from routinglab.core.ids import Candidate, split_id

Origin = Literal["primary", "ranked", "fallback", "current"]


@dataclass(frozen=True, slots=True)
class Planned:
    """A candidate with its place in the chain; ``skip`` says why it is not to be called.

    ``entry`` is None where the catalog lacks it. ``pinned`` says that its effort was stated.
    ``spared`` marks the current model of a concrete call, which is tried whatever is known of it.
    """

    candidate: Candidate
    entry: Model | None
    origin: Origin
    pinned: bool = False
    skip: str | None = None
    spared: bool = False

    @property
    def served_as(self) -> str:
        """The id its provider knows it by."""
        given = self.entry.request_model if self.entry is not None else None
        return given or split_id(self.candidate.model)[1]

    @property
    def options(self) -> tuple[tuple[str, str], ...]:
        """What its provider wants said beside the id."""
        return self.entry.request_options if self.entry is not None else ()


def distinct(planned: Iterable[Planned]) -> tuple[Planned, ...]:
    """Each model id once, at its first position, with the effort it has there.

    A spared one stays at the end as well where its first position is not spared.
    """
    seen: dict[str, Planned] = {}
    again = []
    for item in planned:
        first = seen.setdefault(item.candidate.model, item)
        if item.spared and not first.spared:
            again.append(item)
    return (*seen.values(), *again)


def passed_over(
    item: Planned, *, request_bytes: int, why_not_configured: Callable[[str], str | None]
) -> str | None:
    """Why ``item`` is skipped before any call, or None."""
    if item.spared:
        return None
    if item.skip is not None:
        return item.skip
    if (lacks := why_not_configured(item.candidate.provider)) is not None:
        return lacks
    entry = item.entry
    if entry is None:
        return None
    if entry.context_window is not None and entry.context_window < request_bytes / 3:
        return (
            f"the request needs about {round(request_bytes / 3):,} tokens, "
            f"its window holds {entry.context_window:,}"
        )
    effort = item.candidate.effort
    if effort is not None and effort not in entry.efforts:
        return f"it does not support effort {effort}; it has {levels(entry)}"
    return None


def levels(entry: Model) -> str:
    """The efforts of a model in words."""
    return ", ".join(entry.efforts) if entry.efforts else "no configurable effort"
