"""Which measurements count for which kind of work; the table is ``cohorts.toml``."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cohorts:
    """Cohort keys by kind of work, and the keys of the overall index, speed and latency.

    ``sources`` names sources whose labels do not say where they are from.
    """

    work: dict[str, tuple[str, ...]]
    overall: str
    speed: str
    latency: str
    sources: dict[str, str]

    def of(self, work: str | None) -> tuple[str, ...]:
        """Keys for one kind of work; none where the work is not stated."""
        return self.work[work] if work is not None else ()


@cache
def cohorts() -> Cohorts:
    """The shipped table."""
    text = Path(__file__).with_name("cohorts.toml").read_text(encoding="utf-8")
    data = tomllib.loads(text)
    return Cohorts(
        work={work: tuple(keys) for work, keys in data["work"].items()},
        overall=data["overall"],
        speed=data["speed"],
        latency=data["latency"],
        sources=data["sources"],
    )
