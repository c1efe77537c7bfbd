"""Sweeps: one function over a grid of settings, side by side, into one tidy frame (SPEC 13.6)."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Executor, Future, ProcessPoolExecutor, as_completed
from itertools import product
from typing import Any

import pandas as pd

from routinglab.core.constraints import ModelConstraints
from routinglab.core.value import Value
from routinglab.errors import InvalidInput
from routinglab.lab.recording import Recording
from routinglab.lab.replay import Replay, replay

#: Called with (done, all) after each point.
Progress = Callable[[int, int], None]


def sweep(
    measure: Callable[..., Mapping[str, Any] | Iterable[Mapping[str, Any]]],
    grid: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]],
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **fixed: Any,
) -> pd.DataFrame:
    """Call ``measure(**point, **fixed)`` for every point of ``grid``; one row a result.

    ``grid`` is a mapping from argument to its values (all combinations are made, the last argument
    fastest) or a list of points. ``measure`` gives a mapping, or several, whose keys become columns
    beside the point's. Rows keep the order of the points. ``executor`` is any
    ``concurrent.futures.Executor`` (a Dask client's ``get_executor()`` is one); without it, with
    ``workers`` more than 1 a pool of processes, else here. With processes, ``measure`` and the
    values must be picklable. The first error stops the sweep, saying at which point.
    """
    points = list(_points(grid))
    if not points:
        raise InvalidInput("the grid has no points", field="grid")
    clash = sorted(set(points[0]) & set(fixed))
    if clash:
        raise InvalidInput(f"{clash[0]!r} is both in the grid and fixed", field=clash[0])
    if workers is not None and (type(workers) is not int or workers < 1):
        raise InvalidInput(f"workers: {workers!r} is not a number of processes", field="workers")
    if executor is None and workers is not None and workers > 1:
        _refuse_unpicklable(measure)
        with ProcessPoolExecutor(workers) as pool:
            results = _spread(pool, measure, points, fixed, progress)
    elif executor is not None:
        results = _spread(executor, measure, points, fixed, progress)
    else:
        results = []
        for done, point in enumerate(points, 1):
            results.append(_at(measure, point, fixed))
            if progress is not None:
                progress(done, len(points))
    rows = [
        {**_shown(point), **row}
        for point, found in zip(points, results, strict=True)
        for row in found
    ]
    return pd.DataFrame(rows)


def sweep_replay(
    recording: Recording | str | os.PathLike[str],
    grid: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]],
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
    **fixed: Any,
) -> pd.DataFrame:
    """Replay a recording at every point of a grid over ``replay``'s arguments; one row a point.

    >>> sweep_replay("evals/subagent-tasks.jsonl", {
    ...     "constraints": [{"maxOutputCost": usd} for usd in (2, 5, 10, 25)],
    ...     "choice": ["rank"],
    ... })
    """
    return sweep(
        replay_figures,
        grid,
        executor=executor,
        workers=workers,
        progress=progress,
        recording=recording,
        **fixed,
    )


def replay_figures(**arguments: Any) -> dict[str, int | float]:
    """The summary of one replay, as a row."""
    result: Replay = replay(**arguments)
    return result.summary.to_dict()


def _points(
    grid: Mapping[str, Iterable[Any]] | Iterable[Mapping[str, Any]],
) -> Iterator[dict[str, Any]]:
    if isinstance(grid, str | bytes) or not isinstance(grid, Iterable):
        raise InvalidInput(f"a grid is a mapping or a list of points, not {grid!r}", field="grid")
    if isinstance(grid, Mapping):
        for name, choices in grid.items():
            if isinstance(choices, str | bytes | Mapping) or not isinstance(choices, Iterable):
                raise InvalidInput(
                    f"the grid needs a list of values for {name!r}, such as [{choices!r}]",
                    field=str(name),
                )
        values = [list(choices) for choices in grid.values()]
        for combination in product(*values):
            yield dict(zip(grid, combination, strict=True))
    else:
        for point in grid:
            if not isinstance(point, Mapping):
                raise InvalidInput(f"a point of the grid is a mapping, not {point!r}", field="grid")
            yield dict(point)


def _refuse_unpicklable(measure: Callable[..., Any]) -> None:
    try:
        pickle.dumps(measure)
    except (pickle.PicklingError, AttributeError, TypeError):
        raise InvalidInput(
            "other processes cannot be given this function; define it with def in a module, or pass "
            "executor=ThreadPoolExecutor()",
            field="measure",
        ) from None


def _spread(
    executor: Executor,
    measure: Callable[..., Any],
    points: list[dict[str, Any]],
    fixed: Mapping[str, Any],
    progress: Progress | None,
) -> list[list[Mapping[str, Any]]]:
    futures: dict[Future[list[Mapping[str, Any]]], int] = {
        executor.submit(_at, measure, point, fixed): number for number, point in enumerate(points)
    }
    results: list[list[Mapping[str, Any]]] = [[] for _ in points]
    try:
        for done, future in enumerate(_finished(futures), 1):
            results[futures[future]] = future.result()
            if progress is not None:
                progress(done, len(points))
    except BaseException:
        for future in futures:
            future.cancel()
        raise
    return results


def _finished(
    futures: Mapping[Future[list[Mapping[str, Any]]], int],
) -> Iterable[Future[list[Mapping[str, Any]]]]:
    """As they finish; futures of another make (Dask's) in the order they were asked."""
    if all(isinstance(future, Future) for future in futures):
        return as_completed(futures)
    return list(futures)


def _at(
    measure: Callable[..., Any], point: Mapping[str, Any], fixed: Mapping[str, Any]
) -> list[Mapping[str, Any]]:
    try:
        found = measure(**point, **fixed)
        one = isinstance(found, Mapping) or not isinstance(found, Iterable)
        rows = [found] if one else list(found)
        if not all(isinstance(row, Mapping) for row in rows):
            raise InvalidInput(f"a sweep's function must give a mapping, or several, not {found!r}")
    except Exception as error:
        error.add_note(f"in the sweep at {_shown(point)}")
        raise
    return rows


def _shown(point: Mapping[str, Any]) -> dict[str, Any]:
    """A point as columns: constraints and mappings field by field, other values as they are."""
    columns: dict[str, Any] = {}
    for name, value in point.items():
        if isinstance(value, ModelConstraints):
            inner: Mapping[str, Any] = value.stated()
        elif isinstance(value, Mapping) and not isinstance(value, Value):
            inner = value
        else:
            columns[name] = value
            continue
        columns |= {f"{name}.{key}": item for key, item in inner.items()}
    return columns
