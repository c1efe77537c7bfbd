"""Numbers as people hand them to a metric: lists, arrays, Series, frames; or an error that says what."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routinglab.errors import MetricError

Floats = NDArray[np.float64]


def figures(values: Any, what: str) -> Floats:
    """``values`` as floats of whatever shape; None and missing cells are NaN."""
    if isinstance(values, Iterator):
        values = list(values)
    try:
        if hasattr(values, "to_numpy"):  # a column that may be missing holds pandas' NA
            array: Floats = values.to_numpy(dtype=np.float64, na_value=np.nan)
            return array
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise MetricError(
            f"{what} must be numbers (a list, array, Series or frame of them), not {_shown(values)}"
        ) from None


def vector(values: Any, what: str) -> Floats:
    """One figure each, shape (n,); a frame of one column counts as that column."""
    array = figures(values, what)
    if array.ndim == 2 and array.shape[1] == 1:
        array = array[:, 0]
    if array.ndim != 1:
        raise MetricError(f"{what} must be one list of numbers, not of the shape {array.shape}")
    return array


def number(value: Any, what: str) -> float:
    """One number; a list of them is an error, for it does not say which mean is meant."""
    array = figures(value, what)
    if array.ndim != 0:
        raise MetricError(
            f"{what} must be one number, such as a mean over tasks, not {array.size} numbers"
        )
    if value is None:
        raise MetricError(f"{what} must be a number, not None")
    return float(array)


def column_names(table: Any) -> list[Any] | None:
    """The names of a frame's columns; None for what is no frame."""
    columns = getattr(table, "columns", None)
    return None if columns is None else list(columns)


def _shown(values: Any) -> str:
    text = " ".join(repr(values).split())
    return text if len(text) <= 60 else text[:57] + "..."
