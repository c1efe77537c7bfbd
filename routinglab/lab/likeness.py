"""Which tasks are alike: cosine over words and groups, or over features of one's own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from routinglab.errors import OutcomesError
from routinglab.lab.outcomes import Floats, Outcomes

_WORD = re.compile(r"\w+")
_AT_ONCE = 256


def nearest_tasks(
    tasks: Outcomes,
    known: Outcomes,
    k: int,
    features: Callable[[Outcomes], ArrayLike] | None,
    *,
    leave_one_out: bool,
) -> Iterator[NDArray[np.intp]]:
    """For each of ``tasks`` the rows of the ``k`` most alike in ``known``, nearest first.

    Of tasks equally alike, the earlier row. ``leave_one_out`` never counts a task among its own.
    """
    from scipy import sparse

    left: Any
    right: Any
    if features is None:
        left, right = _word_vectors(tasks, known)
    else:
        left, right = (
            sparse.csr_array(_unit(np.asarray(features(table), dtype=np.float64), table))
            for table in (tasks, known)
        )
        if left.shape[1] != right.shape[1]:
            raise OutcomesError("features of the two tables have different lengths")
    for start in range(0, len(tasks), _AT_ONCE):
        rows = slice(start, start + _AT_ONCE)
        likeness = np.round((left[rows] @ right.T).toarray(), 12)
        for offset, row in enumerate(likeness):
            if leave_one_out:
                row[start + offset] = -np.inf
            order = np.argsort(-row, kind="stable")
            yield order[: k if not leave_one_out else min(k, len(known) - 1)]


def _unit(values: Floats, table: Outcomes) -> Floats:
    if values.ndim != 2 or len(values) != len(table):
        raise OutcomesError(f"features must be (tasks, numbers), not {values.shape}")
    length = np.linalg.norm(values, axis=1, keepdims=True)
    unit: Floats = np.divide(values, length, out=np.zeros_like(values), where=length > 0)
    return unit


def _word_vectors(tasks: Outcomes, known: Outcomes) -> tuple[Any, Any]:
    """Unit tf-idf vectors (sparse) of both tables over the words of ``known``."""
    from scipy import sparse

    bags = [_words(table) for table in (tasks, known)]
    seen = Counter(word for bag in bags[1] for word in bag)
    place = {word: number for number, word in enumerate(sorted(seen))}
    if not place:
        raise OutcomesError(f"{known.name}: no task text or group to compare; pass features=")
    rarity = np.array([np.log((1 + len(known)) / (1 + seen[w])) + 1 for w in place])
    vectors = []
    for bag_of in bags:
        rows, columns, values = [], [], []
        for row, bag in enumerate(bag_of):
            for word, count in bag.items():
                if word in place:
                    rows.append(row)
                    columns.append(place[word])
                    values.append(count * rarity[place[word]])
        matrix = sparse.csr_array(
            (values, (rows, columns)), shape=(len(bag_of), len(place)), dtype=np.float64
        )
        length = np.sqrt(matrix.multiply(matrix).sum(axis=1))
        scale = np.divide(1.0, length, out=np.zeros_like(length), where=length > 0)
        vectors.append(sparse.diags_array(scale) @ matrix)
    return vectors[0].tocsr(), vectors[1].tocsr()


def _words(table: Outcomes) -> list[Counter[str]]:
    columns = [c for c in table.info.columns if c not in ("task", "text")]
    bags = []
    for row in table.info.to_dict("records"):
        text = row.get("text")
        bag = Counter(_WORD.findall(text.lower()) if isinstance(text, str) else ())
        bag.update(f"{column}={row[column]}" for column in columns if isinstance(row[column], str))
        bags.append(bag)
    return bags
