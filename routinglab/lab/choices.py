"""What a policy chose: a model a task, or the chain of models it called (SPEC 13.4, 13.9)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from routinglab.errors import OutcomesError
from routinglab.lab.findings import Finding, finding
from routinglab.lab.outcomes import (
    IMPUTED,
    OBSERVED,
    PROVENANCE,
    UNKNOWN,
    Floats,
    Outcomes,
    unknown_model,
)

NOBODY = -1


@dataclass(frozen=True, eq=False)
class Choices:
    """One policy's choices over the tasks of a table.

    ``answering`` is the column of the model whose answer counts, -1 where there was none.
    ``called`` are the columns of every model that was run for the task, the answering one among
    them: a chain pays for all of them. ``labels`` say how to read the figures (``in-sample``,
    ``verifier-assisted``, ...).
    """

    name: str
    outcomes: Outcomes
    answering: NDArray[np.intp]
    called: tuple[tuple[int, ...], ...]
    labels: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = field(default=())

    @property
    def models(self) -> list[str | None]:
        """The answering model a task, None where there was none."""
        names = self.outcomes.models
        return [None if n == NOBODY else names[n] for n in self.answering]

    @property
    def quality(self) -> Floats:
        """Score a task, NaN where the answering model's outcome is missing."""
        return _picked(self.outcomes.score, self.answering)

    @property
    def cost(self) -> Floats:
        """USD a task over every model called; NaN where one of them is not stated."""
        return np.array(
            [
                sum(self.outcomes.cost[row, column] for column in columns) if columns else np.nan
                for row, columns in enumerate(self.called)
            ]
        )

    @property
    def coverage(self) -> float:
        """Share of tasks for which the answering model's score is known."""
        return float(np.mean(~np.isnan(self.quality)))

    @property
    def distinct(self) -> int:
        """How many different models answered."""
        return len({int(n) for n in self.answering if n != NOBODY})

    @property
    def constant(self) -> bool:
        """Whether the policy always chose the same model."""
        return self.distinct == 1 and NOBODY not in self.answering

    @property
    def shown_labels(self) -> tuple[str, ...]:
        """``labels``, with ``constant`` where the policy always chose the same."""
        return (*self.labels, "constant") if self.constant else self.labels

    def named(self, name: str) -> Choices:
        """The same choices under another name."""
        return replace(self, name=name)

    def relabelled(self, labels: Iterable[str]) -> Choices:
        """The same choices with other labels."""
        return replace(self, labels=tuple(labels))

    def cost_provenance(self) -> dict[str, float]:
        """Shares of the tasks whose cost was observed, imputed, unknown (the worst of a chain)."""
        worst = np.array(
            [
                max((_RANK[self.outcomes.provenance[row, c]] for c in columns), default=3)
                for row, columns in enumerate(self.called)
            ]
        )
        return {PROVENANCE[code]: float(np.mean(worst == _RANK[code])) for code in _RANK if code}


#: From best to worst, by provenance code; a missing outcome counts as unknown.
_RANK = {OBSERVED: 0, IMPUTED: 1, UNKNOWN: 2, 0: 2}


def choices_of(
    name: str,
    outcomes: Outcomes,
    models: Sequence[str | None],
    *,
    labels: Iterable[str] = (),
    aliases: Mapping[str, str] | None = None,
) -> Choices:
    """Choices from the name of one model a task, in the table's task order.

    A model that the table lacks is an OutcomesError with the nearest names.
    """
    if len(models) != len(outcomes):
        raise OutcomesError(f"{name}: {len(models)} choices for {len(outcomes)} tasks")
    known = dict(aliases or {})
    numbers = [
        NOBODY if m is None or _missing(m) else outcomes.column(known.get(m, m)) for m in models
    ]
    return choices_from_columns(name, outcomes, numbers, labels=labels)


def choices_from_columns(
    name: str, outcomes: Outcomes, columns: Iterable[int], *, labels: Iterable[str] = ()
) -> Choices:
    """Choices from a column number a task (-1 for none)."""
    answering = np.fromiter(columns, dtype=np.intp)
    called = tuple(() if n == NOBODY else (int(n),) for n in answering)
    return Choices(name, outcomes, answering, called, tuple(labels))


def choices_from_log(
    rows: Iterable[Mapping[str, Any]],
    outcomes: Outcomes,
    *,
    name: str,
    aliases: Mapping[str, str],
) -> Choices:
    """Choices from log rows with ``task_id``, ``chosen_model`` and perhaps ``chain_run``.

    Where a row states its own result or cost and the table says otherwise, that is a finding.
    Tasks that the log leaves out have no choice and lower the coverage.
    """
    answering = np.full(len(outcomes), NOBODY, dtype=np.intp)
    called: list[tuple[int, ...]] = [()] * len(outcomes)
    resolved: dict[str, int] = {}
    differing: list[str] = []

    def column(model: str) -> int:
        if model in aliases:
            resolved[model] = resolved.get(model, 0) + 1
        number = outcomes.model_number.get(aliases.get(model, model))
        if number is None:
            raise OutcomesError(unknown_model(model, outcomes.models, name))
        return number

    for row in rows:
        task = str(row.get("task_id"))
        number = outcomes.task_number.get(task)
        if number is None:
            raise OutcomesError(f"{name}: task {task!r} is not in {outcomes.name}")
        if answering[number] != NOBODY:
            raise OutcomesError(f"{name}: task {task!r} is decided twice")
        chosen = row.get("chosen_model")
        if not isinstance(chosen, str):
            raise OutcomesError(f"{name}: task {task!r} has no chosen_model")
        answering[number] = column(chosen)
        run = row.get("chain_run") or ()
        if not (isinstance(run, Sequence) and all(isinstance(m, str) for m in run)) or isinstance(
            run, str
        ):
            raise OutcomesError(f"{name}: on task {task!r} chain_run is not a list of models")
        chain = tuple(column(model) for model in run)
        called[number] = chain or (int(answering[number]),)
        if int(answering[number]) not in called[number]:
            raise OutcomesError(f"{name}: on task {task!r} the chain never called {chosen!r}")
        for key in ("resolved", "cost_usd"):
            if not isinstance(row.get(key), int | float | np.number | np.bool_ | None):
                raise OutcomesError(f"{name}: on task {task!r} {key} {row[key]!r} is no number")
        if not _agrees(row, outcomes, number, int(answering[number]), called[number]):
            differing.append(task)
    findings = [
        finding("alias", f"{alias!r} is {aliases[alias]!r} in {count} rows", [], count)
        for alias, count in resolved.items()
    ]
    if differing:
        findings.append(
            finding(
                "log_mismatch",
                f"{len(differing)} rows state another result than the table",
                differing,
            )
        )
    return Choices(name, outcomes, answering, tuple(called), ("logged",), tuple(findings))


def moved_to(choices: Choices, outcomes: Outcomes) -> Choices:
    """The same choices over another table, by task id and model name; chains keep every call.

    Tasks of that table that the choices are not about have no choice.
    """
    if outcomes is choices.outcomes:
        return choices
    place = choices.outcomes.task_number
    rows = [place.get(task) for task in outcomes.tasks]
    if all(row is None for row in rows):
        raise OutcomesError(f"{choices.name}: its choices are about no task of {outcomes.name}")
    names = choices.outcomes.models
    used = {column for called in choices.called for column in called}
    there = {column: outcomes.column(names[column]) for column in sorted(used)}
    answering = [
        NOBODY if row is None else there.get(int(choices.answering[row]), NOBODY) for row in rows
    ]
    called = tuple(
        () if row is None else tuple(there[column] for column in choices.called[row])
        for row in rows
    )
    return replace(
        choices, outcomes=outcomes, answering=np.array(answering, dtype=np.intp), called=called
    )


def _missing(model: object) -> bool:
    """Whether a cell is NaN, as a Series of names has it for None."""
    return isinstance(model, float) and bool(np.isnan(model))


def _agrees(
    row: Mapping[str, Any], outcomes: Outcomes, number: int, answering: int, called: tuple[int, ...]
) -> bool:
    stated, cost = row.get("resolved"), row.get("cost_usd")
    score = outcomes.score[number, answering]
    if stated is not None and not np.isnan(score) and float(stated) != score:
        return False
    total = sum(outcomes.cost[number, column] for column in called)
    return cost is None or bool(np.isnan(total)) or abs(float(cost) - total) <= 1e-5


def _picked(values: Floats, columns: NDArray[np.intp]) -> Floats:
    picked = values[np.arange(len(columns)), np.maximum(columns, 0)].astype(np.float64)
    picked[columns == NOBODY] = np.nan
    return picked
