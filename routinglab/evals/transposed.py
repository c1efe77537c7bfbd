"""Tables written the other way round: a benchmark a row, a model a column."""

from __future__ import annotations

from collections.abc import Sequence

from routinglab.evals.benchmarks import find_label
from routinglab.evals.columns import Columns, read_columns
from routinglab.evals.sections import Place
from routinglab.evals.values import is_missing, read_figure
from routinglab.evals.words import ROLES, plain

_Rows = list[tuple[int, list[str]]]


def turned(
    header: Sequence[str],
    rows: Sequence[tuple[int, list[str]]],
    line: int,
    place: Place,
    keys: dict[str, str],
) -> tuple[list[str], _Rows, Columns] | None:
    """The table with rows and columns exchanged, or None where it does not look like one.

    It does where the first column is headed as benchmarks (or not at all), names at least one known
    benchmark or stands under a heading ``Benchmark``, and the other columns hold figures. Lines of
    the cells are lost: a record then has the line of the header.
    """
    if len(header) < 2 or (header[0].strip() and ROLES.get(plain(header[0])) != "benchmark"):
        return None
    namespace = place.edition.namespace
    labels = [cells[0] if cells else "" for _, cells in rows]
    known = sum(
        find_label(namespace, keys.get(label, label)) is not None for label in labels if label
    )
    if not known and ROLES.get(plain(header[0])) != "benchmark":
        return None
    body = [text for _, cells in rows for text in cells[1:] if not is_missing(text)]
    if not body or 2 * sum(read_figure(text) is not None for text in body) < len(body):
        return None
    width = len(header)
    new_header = ["Model", *labels]
    new_rows: _Rows = [
        (line, [header[at], *(cells[at] if at < len(cells) else "" for _, cells in rows)])
        for at in range(1, width)
        if header[at].strip()
    ]
    return (
        new_header,
        new_rows,
        read_columns(new_header, [cells for _, cells in new_rows], place, keys),
    )
