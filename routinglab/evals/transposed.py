"""Tables written the other way round: a benchmark a row, a model a column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from routinglab.evals.benchmarks import find_label
from routinglab.evals.columns import Columns, read_columns
from routinglab.evals.sections import Place
from routinglab.evals.subjects import Cells, reporter_of_group
from routinglab.evals.values import is_missing, read_cell
from routinglab.evals.words import ROLES, plain


@dataclass(frozen=True, slots=True)
class Turned:
    """A table with rows and columns exchanged; ``lines`` are those of its columns."""

    header: list[str]
    rows: list[Cells]
    lines: tuple[int, ...]
    columns: Columns


def turned(
    header: Sequence[str], rows: Sequence[Cells], line: int, place: Place, keys: dict[str, str]
) -> Turned | None:
    """The table turned, or None where it does not look like one written the other way round.

    It does where the first column is headed as benchmarks (or not at all), names at least one known
    benchmark or stands under a heading ``Benchmark``, and the other columns hold figures.
    """
    own = place.edition.namespace == "own"
    titles = ("benchmark", "work") if own else ("benchmark",)
    titled = bool(header) and (ROLES.get(plain(header[0])) in titles or (own and not header[0]))
    if len(header) < 2 or (header[0].strip() and not titled):
        return None
    namespace = place.edition.namespace
    known = sum(
        find_label(namespace, keys.get(cells[0], cells[0])) is not None
        for _, cells in rows
        if cells[0]
    )
    if not known and not titled:
        return None
    body = [text for _, cells in rows for text in cells[1:] if not is_missing(text)]
    if not body or 2 * sum(read_cell(text) is not None for text in body) < len(body):
        return None
    rows = _without_groups(rows, namespace)
    labels = [cells[0] for _, cells in rows]
    new_header = ["Model", *labels]
    new_rows = [
        (line, [header[at], *(cells[at] if at < len(cells) else "" for _, cells in rows)])
        for at in range(1, len(header))
        if header[at].strip()
    ]
    columns = read_columns(new_header, [cells for _, cells in new_rows], place, keys)
    return Turned(new_header, new_rows, (line, *(at for at, _ in rows)), columns)


def _without_groups(rows: Sequence[Cells], namespace: str) -> list[Cells]:
    """The rows of figures; one that names only a reporter tells who reports the rows below it."""
    kept: list[Cells] = []
    reporter: str | None = None
    for line, cells in rows:
        if namespace == "pub" and (name := reporter_of_group(cells)):
            reporter = name
        elif any(cells[1:]):
            label = f"{cells[0]} ({reporter})" if reporter and cells[0] else cells[0]
            kept.append((line, [label, *cells[1:]]))
    return kept
