"""The steps of a slider for figures that span several powers of ten."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

#: Figures per power of ten that a step may have, so that labels stay short.
_NICE = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)

#: How far below the smallest value the steps begin.
_BELOW = 2.5


@dataclass(frozen=True, slots=True)
class Scale:
    """Rising steps, about evenly spaced on a log scale; the first may be zero."""

    steps: tuple[float, ...]

    @classmethod
    def over(cls, values: Iterable[float], *, zero: bool) -> Scale:
        """Steps from below the smallest positive value to the largest or just above.

        With ``zero`` the first step is 0. Without any positive value the steps reach from 1 to 10.
        """
        positive = [value for value in values if value > 0] or [1.0, 10.0]
        low, high = min(positive), max(positive)
        steps = [0.0] if zero else []
        for power in range(floor(log10(low)) - 1, ceil(log10(high)) + 2):
            for nice in _NICE:
                step = float(f"{nice * 10.0**power:.12g}")
                if step >= low / _BELOW:
                    steps.append(step)
                if step >= high:
                    return cls(tuple(steps))
        raise AssertionError("the last power of ten is above the largest value")

    def nearest(self, value: float) -> int:
        """The index of the step closest to ``value``."""
        place = bisect_left(self.steps, value)
        near = [i for i in (place - 1, place) if 0 <= i < len(self.steps)]
        return min(near, key=lambda i: abs(self.steps[i] - value))


def usd(value: float) -> str:
    """``$2``, ``$1.70``, ``$0.075``; a small price is never rounded to zero."""
    if value == 0 or value >= 0.1:
        return f"${value:,.2f}".removesuffix(".00")
    return f"${value:.3g}"


def tokens(value: float) -> str:
    """``8k``, ``1.05M``, ``400``."""
    if value >= 1_000_000:
        return f"{value / 1_000_000:.4g}M"
    return f"{value / 1000:.4g}k" if value >= 1000 else f"{value:.0f}"
