"""Which benchmarks of an evals file a page shows where nobody named any."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from routinglab.evals.evals import Evals

#: Preferred where a file has them: those of the shipped file that span the most models.
AXES = ("aa:usd", "aa:idx")
SHOWN = ("aa:idx", "aa:TB4", "aa:HLE", "dswe:Pass@1", "fc:Main")
_QUALITY = ("%", "points")


def axes_of(evals: Evals, x: str | None = None, y: str | None = None) -> tuple[str, str] | None:
    """Keys of a cost and a quality that rows measured together; None where no row has both.

    What is given stays. Else the preferred pair where the file has it, else the pair that most rows
    measured, in the order of the file.
    """
    if x is not None and y is not None:
        return x, y
    results = evals.results
    unit = results.drop_duplicates("benchmark").set_index("benchmark")["unit"]
    costs = [key for key in evals.keys if unit[key] == "usd"] if x is None else [x]
    qualities = quality_keys(evals) if y is None else [y]
    rows = {key: set(part["line"]) for key, part in results.groupby("benchmark")}
    pairs = {
        (cost, quality): len(rows.get(cost, set()) & rows.get(quality, set()))
        for cost in costs
        for quality in qualities
        if cost.partition(":")[0] == quality.partition(":")[0]
    }
    if pairs.get(AXES):
        return AXES
    best = max(pairs, key=lambda pair: pairs[pair], default=None)
    return best if best is not None and pairs[best] else None


def shown_keys(evals: Evals, limit: int = 5) -> tuple[str, ...]:
    """The preferred benchmarks that the file has, else its first ones that measure quality."""
    known = tuple(key for key in SHOWN if key in evals.keys)
    return known or tuple(quality_keys(evals)[:limit])


def quality_keys(evals: Evals) -> list[str]:
    """Keys in percent or points, in the order of the file."""
    unit = evals.results.drop_duplicates("benchmark").set_index("benchmark")["unit"]
    return [key for key in evals.keys if unit[key] in _QUALITY]
