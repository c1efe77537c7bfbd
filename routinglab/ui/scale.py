"""The steps of a slider for figures that span several powers of ten."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, isfinite, log10

#: Figures per power of ten that a step may have, so that labels stay short.
_NICE = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)

#: How far below the smallest value the steps begin.
_BELOW = 2.5

#: The largest figure that can be typed.
_LARGEST = 1_000_000_000


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


_FIGURE = re.compile(
    r"\$?\s*(?P<figure>(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)(?P<power>e[+-]?\d{1,4})?\s*(?P<unit>[km]?)",
    re.ASCII | re.IGNORECASE,
)
_UNITS = {"": 0, "k": 3, "m": 6}


def read_figure(typed: str, *, whole: bool = False) -> float | int:
    """A figure as people type it: ``2.5``, ``$2.50``, ``200k``, ``1,000,000``, ``1e-3``.

    Raises ``ValueError`` that says what is wrong: nothing is guessed, so ``1,5`` is not taken.
    """
    found = _FIGURE.fullmatch(typed.strip())
    if found is None:
        below = typed.strip().startswith("-")
        raise ValueError("is below zero" if below else "is not a figure such as 2.5 or 200k")
    power = int((found["power"] or "e0")[1:]) + _UNITS[found["unit"].lower()]
    value = float(f"{found['figure'].replace(',', '')}e{power}")
    if not isfinite(value) or value > _LARGEST:
        raise ValueError(f"is more than {_LARGEST:,}")
    if not whole:
        return value
    if value != int(value):
        raise ValueError("is not a whole number")
    return int(value)


def plain_figure(value: float | int) -> str:
    """A figure that ``read_figure`` reads back to the same value: ``3.7``, ``1200000``."""
    return str(int(value)) if value == int(value) else repr(float(value))
