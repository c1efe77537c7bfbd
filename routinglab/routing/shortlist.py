"""The few models a router chooses between (SPEC 6.3)."""

from __future__ import annotations

from collections.abc import Sequence

from routinglab.errors import InvalidInput
from routinglab.routing.ranked import RankedModel

#: How many options the router sees where nobody listed models.
SHORTLIST_SIZE = 6


def shortlist(ranked: Sequence[RankedModel], size: int = SHORTLIST_SIZE) -> list[RankedModel]:
    """The best ``size`` models, at most one per identity.

    A faster route and the same model at another provider share one place, which the better ranked
    takes.
    """
    if not isinstance(size, int) or size < 1:
        raise InvalidInput(f"a shortlist holds at least one model, not {size!r}", field="size")
    places: dict[tuple[str, ...], RankedModel] = {}
    for model in ranked:
        if len(places) == size:
            break
        places.setdefault(model.identity, model)
    return list(places.values())


def distinct(ranked: Sequence[RankedModel]) -> list[RankedModel]:
    """Every identity's best ranked model, in order."""
    return shortlist(ranked, max(1, len(ranked)))
