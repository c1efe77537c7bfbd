"""Measured results of models, read from an ``evals.md`` (SPEC 3)."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from routinglab.core.standing import Standing
from routinglab.evals.row import Row, Warned

if TYPE_CHECKING:
    import pandas as pd


class Evals:
    """What an evals file holds."""

    path: Path | None
    digest: str
    rows: tuple[Row, ...]
    warnings: tuple[Warned, ...]

    @property
    def results(self) -> pd.DataFrame:
        """One row a measured value (columns of SPEC 3.1)."""
        raise NotImplementedError

    @property
    def models(self) -> pd.DataFrame:
        """One row a model identity."""
        raise NotImplementedError

    @property
    def keys(self) -> tuple[str, ...]:
        """Every benchmark key of the file, in order of appearance."""
        raise NotImplementedError

    def pivot(self) -> pd.DataFrame:
        """Models x benchmarks."""
        raise NotImplementedError

    def pareto(self, x: str, y: str, **where: Any) -> pd.DataFrame:
        """The frontier of ``y`` over ``x``."""
        raise NotImplementedError

    def standing(self, model_id: str, key: str) -> Standing | None:
        """Where the model stands in the cohort of ``key``; None if unmeasured or under 4 models."""
        raise NotImplementedError

    def standings(self, model_id: str, key: str) -> tuple[Standing, ...]:
        """Standings in every cohort of ``key``: one for ``aa:TB4``, one a reporter for ``pub:OSW2``."""
        raise NotImplementedError

    def standings_for(self, model_id: str) -> Mapping[str, Standing]:
        """Every standing of the model by cohort key."""
        raise NotImplementedError

    def measured(self, model_id: str, key: str) -> Row | None:
        """The model's best row for ``key`` in the newest edition that measures it, any cohort size."""
        raise NotImplementedError

    def rows_for(self, model_id: str) -> tuple[Row, ...]:
        """Every row that describes the model."""
        raise NotImplementedError

    def identity(self, model_id: str) -> str:
        """The identity of a model id as text, such as ``claude-opus-4-6``."""
        raise NotImplementedError

    def released(self, model_id: str) -> date | None:
        """The release date the file states for the model."""
        raise NotImplementedError

    def cohort_keys(self, prefix: str) -> tuple[str, ...]:
        """``("aa:TB4",)`` for ``aa:TB4``; one key a reporter for ``pub:OSW2``; empty if absent."""
        raise NotImplementedError

    def own_keys(self, work: str) -> tuple[str, ...]:
        """Keys of the user's own measurements for a kind of work."""
        raise NotImplementedError


def parse_evals(text: str, path: Path | None = None) -> Evals:
    """Read evals from text."""
    raise NotImplementedError


def load_evals(path: str | Path | None = None) -> Evals:
    """Read an evals file; without a path, the one that ships with the package."""
    raise NotImplementedError
