"""Policies: who comes first (SPEC 6.5).

A policy is a function of the needs and the models as the standard policy scored them, best first. It
gives them back in its own order, each with a reason if it has one to state:

    def newest_first(needs, ranked):
        return sorted(ranked, key=lambda m: m.released or date.min, reverse=True)

Wherever a policy's name is taken, such a function is too. It should depend on its two arguments
alone: a plan is made once for all tasks with the same needs.
"""

from __future__ import annotations

import hashlib
import random as randomness
from collections.abc import Callable, Iterable, Sequence
from datetime import date
from typing import Protocol

from routinglab.core.needs import TaskNeeds
from routinglab.core.text import did_you_mean
from routinglab.errors import InvalidInput
from routinglab.routing.ranked import RankedModel

#: What a policy may give for one place: the model, its id, or either with a reason.
Placed = RankedModel | str | tuple[RankedModel, str] | tuple[str, str]


class Policy(Protocol):
    """Puts models in order for a task; models it leaves out keep their order at the end."""

    def __call__(self, needs: TaskNeeds, ranked: Sequence[RankedModel], /) -> Iterable[Placed]: ...


PolicyLike = str | Policy


def evidence(needs: TaskNeeds, ranked: Sequence[RankedModel], /) -> Sequence[RankedModel]:
    """The standard policy: the order of the scores, measured models first."""
    return ranked


def cheapest(needs: TaskNeeds, ranked: Sequence[RankedModel], /) -> list[RankedModel]:
    """By blended price, unknown prices last."""

    def price(model: RankedModel) -> tuple[bool, float]:
        blended = model.entry.blended_price
        return (blended is None, blended or 0.0)

    return [model.because(_price_reason(model)) for model in sorted(ranked, key=price)]


def _price_reason(model: RankedModel) -> str:
    blended = model.entry.blended_price
    return "price unknown" if blended is None else f"${blended:.4g} per million tokens, blended"


def newest(needs: TaskNeeds, ranked: Sequence[RankedModel], /) -> list[RankedModel]:
    """By release date, unknown dates last."""
    by_date = sorted(ranked, key=lambda model: model.released or date.min, reverse=True)
    return [
        model.because(f"released {model.released}" if model.released else "release date unknown")
        for model in by_date
    ]


def best_quality(needs: TaskNeeds, ranked: Sequence[RankedModel], /) -> list[RankedModel]:
    """By the quality term alone, whatever the price; measured models first."""
    by_quality = sorted(ranked, key=lambda model: (model.measured, model.quality), reverse=True)
    return [model.because(f"quality {model.quality:.2f}") for model in by_quality]


def random(seed: int = 0) -> Policy:
    """A shuffle that depends on the seed and the needs, and on nothing else."""

    def shuffled(needs: TaskNeeds, ranked: Sequence[RankedModel], /) -> list[RankedModel]:
        salt = hashlib.sha256(f"{seed}\n{needs.to_json()}".encode()).digest()
        order = sorted(ranked, key=lambda model: model.model)
        randomness.Random(salt).shuffle(order)
        return [model.because(f"drawn with seed {seed}") for model in order]

    return _named(shuffled, f"random:{seed}")


def always(model: str) -> Policy:
    """One model first wherever it is eligible; the others follow by score."""

    def fixed(needs: TaskNeeds, ranked: Sequence[RankedModel], /) -> list[Placed]:
        return [found.because("always") for found in ranked if found.model == model]

    return _named(fixed, f"always:{model}")


def _named(policy: Callable[..., Iterable[Placed]], name: str) -> Policy:
    policy.__name__ = name
    return policy


POLICIES: dict[str, Policy] = {
    "evidence": evidence,
    "cheapest": cheapest,
    "newest": newest,
    "best_quality": best_quality,
}

#: Policies with a parameter after a colon.
PARAMETRIC: tuple[str, ...] = ("random", "always")


def find_policy(policy: PolicyLike) -> Policy:
    """The policy of a name, or the function itself.

    Raises :class:`InvalidInput` naming the choices.
    """
    if not isinstance(policy, str):
        if not callable(policy):
            raise InvalidInput(f"a policy is a name or a function, not {type(policy).__name__}")
        return policy
    if policy in POLICIES:
        return POLICIES[policy]
    name, _, parameter = policy.partition(":")
    if name == "random" and (not parameter or parameter.isdecimal()):
        return random(int(parameter or 0))
    if name == "always" and parameter:
        return always(parameter)
    choices = (*POLICIES, "random:SEED", "always:PROVIDER/ID")
    hint = did_you_mean(name, (*POLICIES, *PARAMETRIC))
    raise InvalidInput(
        f"no policy {policy!r}.{hint} Known: {', '.join(choices)}, or a function of your own",
        field="policy",
        choices=choices,
    )


def policy_name(policy: PolicyLike) -> str:
    """What a decision record calls this policy."""
    if isinstance(policy, str):
        return policy
    return str(getattr(policy, "__name__", type(policy).__name__))


def ordered_by(policy: Policy, needs: TaskNeeds, ranked: list[RankedModel]) -> list[RankedModel]:
    """``ranked`` as ``policy`` orders it; what it leaves out follows in the order it had."""
    if policy is evidence:
        return ranked
    known = {model.model: model for model in ranked}
    placed: dict[str, RankedModel] = {}
    for item in policy(needs, tuple(ranked)):
        model = _placed(item, known, policy)
        if model.model in placed:
            raise InvalidInput(f"policy {policy_name(policy)} places {model.model} twice")
        placed[model.model] = model
    return [*placed.values(), *(model for model in ranked if model.model not in placed)]


def _placed(item: Placed, known: dict[str, RankedModel], policy: Policy) -> RankedModel:
    reason: str | None = None
    if isinstance(item, tuple) and not isinstance(item, RankedModel) and len(item) == 2:
        item, reason = item
    name = item.model if isinstance(item, RankedModel) else item
    if not isinstance(name, str) or name not in known:
        raise InvalidInput(
            f"policy {policy_name(policy)} gives {name!r}, which is not among the models it was asked"
            " to order"
        )
    model = item if isinstance(item, RankedModel) else known[name]
    return model if reason is None else model.because(reason)
