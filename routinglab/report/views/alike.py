"""Policies with the same score at the same cost on every task, shown as one.

An oracle by quality and one by reward often come to the same, and so do rules that always take one
model; a row or point for each would suggest that they were different findings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from routinglab.lab.choices import Choices
    from routinglab.lab.compare import Comparison

#: What a policy is, in the order in which one names a set of equal choices.
ROUTED, PUBLISHED, BASELINE, SEES = (
    "routed here",
    "published router",
    "baseline",
    "sees outcomes",
)
_KINDS = (ROUTED, PUBLISHED, BASELINE, SEES)
#: Names that say by themselves what they mean.
_PLAIN = ("oracle", "cheapest", "random")
_HINDSIGHT = ("hindsight", "verifier-assisted", "in-sample", "leave-one-out")


@dataclass(frozen=True, slots=True)
class Alike:
    """Policies that come to the same: ``policy`` stands for them, ``others`` are the rest."""

    policy: str
    others: tuple[str, ...]
    kind: str
    labels: str

    @property
    def names(self) -> str:
        """The policy's name, the others on lines of their own after an equals sign."""
        return "\n= ".join((self.policy, *self.others))


def alike(comparison: Comparison) -> list[Alike]:
    """Every policy of a comparison once, in its order, with those that come to the same."""
    same: dict[tuple[bytes, bytes], list[Choices]] = {}
    for choices in comparison.choices:
        # sums of a chain's costs differ in their last bits by the order of adding
        key = (choices.quality.tobytes(), choices.cost.round(9).tobytes())
        same.setdefault(key, []).append(choices)
    return [_alike(members) for members in same.values()]


def kind_of(policy: str, labels: str) -> str:
    """Which of the four kinds a policy is, by its name and labels."""
    if policy.startswith("routed by"):
        return ROUTED
    if any(word in labels for word in _HINDSIGHT):
        return SEES
    return PUBLISHED if "logged" in labels and "constant" not in labels else BASELINE


def _alike(members: list[Choices]) -> Alike:
    told = {choices.name: choices.shown_labels for choices in members}
    kinds = {name: kind_of(name, ", ".join(labels)) for name, labels in told.items()}
    first, *rest = sorted(told, key=lambda name: (_KINDS.index(kinds[name]), name not in _PLAIN))
    common = [label for label in told[first] if all(label in labels for labels in told.values())]
    own = {
        name: [label for label in labels if label not in common] for name, labels in told.items()
    }
    lines = [", ".join(common)] if common else []
    for name, labels in own.items():
        if labels:
            lines.append(f"{name}: {', '.join(labels)}" if len(told) > 1 else ", ".join(labels))
    text = "\n".join(lines) if len(told) > 1 else ", ".join(told[first])
    return Alike(first, tuple(rest), kinds[first], text)
