"""Model names as people write them, resolved to candidates (SPEC 9.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from routinglab.catalog.model import Catalog, Model
from routinglab.core.efforts import Effort
from routinglab.core.ids import Candidate
from routinglab.settings import Settings


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a name means.

    ``mode`` is ``model`` (then ``candidate`` is set), ``auto`` or ``inherit``. ``entry`` is the
    catalog's model, None where the catalog lacks the id (its cost is then unknown). ``pinned`` says
    that an effort was stated, by suffix, argument or alias; otherwise the effort is open and the
    candidate's is None.
    """

    mode: Literal["model", "auto", "inherit"]
    candidate: Candidate | None = None
    entry: Model | None = None
    pinned: bool = False
    #: under ``auto``, the effort that restricts routing
    effort: Effort | None = None

    @property
    def known(self) -> bool:
        """Whether the catalog holds the model."""
        return self.entry is not None


def resolve_model(
    name: str | None,
    catalog: Catalog,
    settings: Settings | None = None,
    *,
    effort: Effort | None = None,
    env: Mapping[str, str] | None = None,
) -> Resolved:
    """What ``name`` means; an explicit suffix beats ``effort``, which beats an alias's suffix."""
    raise NotImplementedError


def parse_fallbacks(value: str | Iterable[str] | None) -> tuple[str, ...]:
    """The entries of ``fallbackModels``, written as a list or a comma string."""
    raise NotImplementedError


def resolve_fallbacks(
    value: str | Iterable[str] | None,
    catalog: Catalog,
    settings: Settings | None = None,
    *,
    thinking: Effort | Literal[False, ""] | None = None,
    thinking_levels: Sequence[str | None] | str | None = None,
    env: Mapping[str, str] | None = None,
) -> tuple[Resolved, ...]:
    """The fallbacks in order; an entry's suffix beats its aligned level, which beats ``thinking``."""
    raise NotImplementedError
