"""Measured results of models, read from an ``evals.md`` (SPEC 3)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from routinglab.core.standing import Standing
from routinglab.errors import EvalsError
from routinglab.evals.cohorts import Cohorts, Found
from routinglab.evals.files import decode, read_bytes
from routinglab.evals.identities import release_name, snapshots
from routinglab.evals.identity import joined, model_tokens
from routinglab.evals.reader import Document, TableSummary, read_document
from routinglab.evals.row import Row, Warned
from routinglab.resources import shipped

if TYPE_CHECKING:
    import pandas as pd


class Evals:
    """What an evals file holds: measured values, who measured them, and where each model stands.

    ``rows`` are the values in file order, ``warnings`` what could not be read, with line numbers,
    ``digest`` the SHA-256 of the file's bytes, ``path`` where it was read (None for text).
    """

    def __init__(self, document: Document, *, digest: str = "", path: Path | None = None) -> None:
        self.rows: tuple[Row, ...] = document.rows
        self.warnings: tuple[Warned, ...] = tuple(document.warnings)
        self.tables: tuple[TableSummary, ...] = tuple(document.tables)
        self.digest = digest
        self.path = path
        self._released = document.released
        self._by_id: dict[str, Found] = {}

    def __repr__(self) -> str:
        where = f" of {self.path}" if self.path else ""
        return f"<Evals{where}: {len(self.rows)} values, {len(self.identities)} models>"

    def _repr_html_(self) -> str:
        from routinglab.evals.html import evals_html

        return evals_html(self)

    def __len__(self) -> int:
        return len(self.rows)

    @cached_property
    def keys(self) -> tuple[str, ...]:
        """Every benchmark key of the file, in order of appearance."""
        return tuple(dict.fromkeys(row.benchmark for row in self.rows))

    @cached_property
    def identities(self) -> tuple[str, ...]:
        """Every model identity of the file, in order of appearance."""
        return tuple(dict.fromkeys(row.model for row in self.rows))

    # ---- Where a model stands --------------------------------------------------------------------

    @cached_property
    def cohorts(self) -> Cohorts:
        """The index that standings are looked up in."""
        return Cohorts(self.rows)

    def find(self, model_id: str) -> Found:
        """What is known of a model, kept for the next time it is asked."""
        try:
            return self._by_id[model_id]
        except KeyError:
            found = self._by_id[model_id] = self.cohorts.find(joined(model_tokens(model_id)))
            return found

    def standing(self, model_id: str, key: str) -> Standing | None:
        """Where a model stands in the cohort of ``key``, such as ``aa:TB4`` or ``pub:OSW2@OpenAI``.

        The newest edition that measures the model counts, its best value over efforts, and the share
        of the *other* models with a worse one. None where it is not measured or the cohort has fewer
        than four models.
        """
        found = self._by_id.get(model_id) or self.find(model_id)
        return self.cohorts.standing(found, key) if key in found.newest else None

    def standings(self, model_id: str, key: str) -> tuple[Standing, ...]:
        """Standings in every cohort of ``key``: one for ``aa:TB4``, one a reporter for ``pub:OSW2``."""
        several = (self.standing(model_id, cohort) for cohort in self.cohort_keys(key))
        return tuple(standing for standing in several if standing is not None)

    def standings_for(self, model_id: str) -> Mapping[str, Standing]:
        """Every standing of a model by cohort key."""
        found = self.find(model_id)
        if not found.complete:
            for key in found.newest:
                self.cohorts.standing(found, key)
            found.complete = True
        return {key: place for key, place in found.standings.items() if place is not None}

    def measured(self, model_id: str, key: str) -> Row | None:
        """A model's best row for ``key`` in the newest edition that measures it, any cohort size."""
        place = self.find(model_id).newest.get(key)
        return place[0].top(place[1]) if place else None

    def rows_for(self, model_id: str) -> tuple[Row, ...]:
        """Every row that describes a model, newest edition first."""
        return self.find(model_id).rows

    def identity(self, model_id: str) -> str:
        """Identity of a model id: that of the rows it finds, else its own tokens."""
        rows = self.find(model_id).rows
        return rows[0].model if rows else "-".join(model_tokens(model_id))

    def released(self, model_id: str) -> date | None:
        """The release date the file states for a model, never that of another snapshot."""
        tokens = joined(model_tokens(model_id))
        exact = self._released.get(release_name(tokens))
        if exact is not None:
            return exact
        mine = snapshots(tokens)
        rows = self.find(model_id).rows
        return next((r.released for r in rows if r.released and snapshots(r.tokens) == mine), None)

    @cached_property
    def _cohort_keys(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = {}
        for key in self.keys:
            found.setdefault(key.partition("@")[0] if key.startswith("pub:") else key, []).append(
                key
            )
        return {key: tuple(keys) for key, keys in found.items()}

    def cohort_keys(self, prefix: str) -> tuple[str, ...]:
        """Cohort keys of a benchmark: itself, one a reporter for ``pub:OSW2``, none if absent."""
        keys = self._cohort_keys.get(prefix)
        if keys is not None:
            return keys
        return (prefix,) if prefix in self.keys else ()

    def own_keys(self, work: str) -> tuple[str, ...]:
        """Keys of the user's own measurements for a kind of work: ``("own:coding",)`` or empty."""
        return self.cohort_keys(f"own:{work}")

    # ---- Frames ----------------------------------------------------------------------------------

    @cached_property
    def results(self) -> pd.DataFrame:
        """One row a measured value; the columns are ``frames.RESULT_COLUMNS`` (SPEC 3.1)."""
        from routinglab.evals.frames import results_frame

        return results_frame(self.rows)

    @cached_property
    def models(self) -> pd.DataFrame:
        """One row a model identity; the columns are ``frames.MODEL_COLUMNS``."""
        from routinglab.evals.frames import models_frame

        return models_frame(self.rows)

    def pivot(self) -> pd.DataFrame:
        """Models x benchmarks: each model's best value in the newest edition that measures it.

        Agent rows are left out: they measure an agent and a model together.
        """
        from routinglab.evals.frames import pivot_frame

        return pivot_frame(self.rows, self.cohorts)

    def pareto(
        self,
        x: str,
        y: str,
        *,
        source: str | None = None,
        effort: str | None = None,
        harness: str | None = None,
    ) -> pd.DataFrame:
        """The frontier of two benchmarks among rows that measured both together.

        ``x`` and ``y`` are keys of one namespace (``dswe:usd``, ``dswe:Pass@1``), each with its own
        direction. A point is one row of one table: one model, effort and harness. ``source`` picks
        a section; without it the newest edition that has both. ``effort`` and ``harness`` narrow.
        Gives one row a frontier point with columns ``model``, ``slug``, ``effort``, ``harness``,
        ``setting``, ``x``'s key, ``y``'s key, ``source``, ``line``, ordered by ``x`` from its better
        end. Unknown keys raise InvalidInput.
        """
        from routinglab.evals.frames import pareto_frame

        return pareto_frame(self, x, y, source=source, effort=effort, harness=harness)


def parse_evals(text: str, path: Path | None = None) -> Evals:
    """Read evals from text; never raises on what the text holds, but on there being none."""
    data = text.encode("utf-8", "surrogatepass")
    return _evals(data.decode("utf-8", "replace"), hashlib.sha256(data).hexdigest(), path, ())


def load_evals(path: str | Path | None = None) -> Evals:
    """Read an evals file; without a path, the one that ships with the package.

    Raises EvalsError for a file that is missing, unreadable, empty or larger than
    ``files.LARGEST_FILE`` (64 MB); everything else is in ``.warnings``.
    """
    where = shipped("evals", "evals.md") if path is None else Path(path).expanduser()
    data = read_bytes(where)
    text, warnings = decode(data)
    return _evals(text, hashlib.sha256(data).hexdigest(), where, warnings)


def _evals(text: str, digest: str, path: Path | None, warnings: Iterable[Warned]) -> Evals:
    text = text.removeprefix("\ufeff")
    if not text.strip():
        raise EvalsError(
            f"{path or 'the evals text'} is empty; an evals file holds tables of results"
        )
    document = read_document(text)
    document.warnings[:0] = list(warnings)
    document.warnings.sort(key=lambda warned: warned.line)
    if not document.rows:
        document.warnings.append(Warned(0, "the file holds no table of results"))
    return Evals(document, digest=digest, path=path)
