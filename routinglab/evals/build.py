"""Write an evals file from one's own outcomes (SPEC 13.8)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


def build_evals(outcomes: pd.DataFrame | Iterable[Mapping[str, Any]]) -> str:
    """Text of an evals file with an "Own outcomes" section."""
    raise NotImplementedError
