"""Deciding recorded tasks again, under the same inputs or others, without any network (SPEC 13.2)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from routinglab.catalog.files import load_catalog
from routinglab.catalog.model import Catalog, Model
from routinglab.core.constraints import ModelConstraints
from routinglab.errors import InvalidInput
from routinglab.evals.evals import Evals, load_evals
from routinglab.lab.recording import Recording, load_recording
from routinglab.lab.redecide import Choice, Inputs, Key, Redecided, Redecider
from routinglab.routing.decision import Decision
from routinglab.routing.policies import PolicyLike, policy_name
from routinglab.settings.model import Settings

if TYPE_CHECKING:
    import pandas as pd

#: (input, output) USD per million tokens, or a factor on the catalog's own.
Price = tuple[float, float] | float


@dataclass(frozen=True, slots=True)
class Summary:
    """The figures of a replay; shares are 0..1, costs USD a task, NaN where nothing is known."""

    tasks: int
    distinct: int
    decided: int
    failed: int
    compared: int
    identical: int
    drifted: int
    flipped: int
    flip_rate: float
    models_before: int
    models_after: int
    cost_before: float
    cost_after: float
    cost_coverage: float
    quality_before: float
    quality_after: float
    quality_coverage: float

    def to_dict(self) -> dict[str, int | float]:
        """By name, for JSON."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __str__(self) -> str:
        return (
            f"{self.tasks} tasks, {self.distinct} distinct decisions; {self.flipped} of "
            f"{self.compared} flipped, {self.drifted} drifted, {self.failed} without a decision"
        )


class Replay:
    """Recorded decisions beside what would be decided now.

    ``decisions`` has one row a task. ``drifted`` are the tasks whose decision is not the recorded
    one in anything but the digests of its inputs; ``identical`` counts those that are the same to
    the byte. ``distinct`` is how many different decisions were worked out for all tasks.
    """

    def __init__(
        self,
        recording: Recording,
        redecider: Redecider,
        numbers: list[int],
        results: list[Redecided],
        keys: list[Key],
    ) -> None:
        self.recording = recording
        self._redecider = redecider
        self._numbers = numbers
        self._results = results
        self._keys = keys

    @property
    def distinct(self) -> int:
        """How many distinct decisions the tasks share."""
        return len(self._results)

    @property
    def policy(self) -> str:
        """Name of the policy that decided."""
        return policy_name(self._redecider.inputs.policy)

    @property
    def evals(self) -> Evals:
        """The evals that were decided from."""
        return self._redecider.inputs.evals

    @property
    def missing_models(self) -> tuple[str, ...]:
        """Models that were available when recorded and are not in the catalog now."""
        return tuple(sorted(self._redecider.missing_models))

    @cached_property
    def drifted(self) -> tuple[str, ...]:
        """Ids of the tasks whose decision drifted; ``replay --check`` fails where there is one."""
        bad = [_drifts(result) for result in self._results]
        ids = self.recording.ids
        return tuple(ids[task] for task, number in enumerate(self._numbers) if bad[number])

    def result(self, task: str) -> Redecided:
        """What came of one task."""
        return self._results[self._numbers[self.recording._number(task)]]

    def decision(self, task: str) -> Decision:
        """The decision made now, whole; raises what deciding raised where there is none."""
        number = self.recording._number(task)
        decision, _ = self._redecider.decide(self._keys[self._numbers[number]])
        before = self.recording.index.decision(number)
        if before is not None:
            own = {"task_digest": before.task_digest, "requests": before.requests}
            return decision.model_copy(update={**own, "created": before.created})
        row = self.recording.index.row(self.recording.index.task_at[number]) or {}
        return decision.model_copy(update={"task_digest": row.get("textDigest", "")})

    @cached_property
    def decisions(self) -> pd.DataFrame:
        """One row a task: before, after, flipped, why, drift, cost and quality where known.

        Costs are USD: of the recorded outcome, else of the recorded attempts (before only), else
        expected tokens at catalog prices; ``cost_basis`` says which. Missing is NaN.
        """
        from routinglab.lab.replay_frame import decisions_frame

        return decisions_frame(
            self.recording, self._redecider.inputs.catalog, self._numbers, self._results
        )

    @cached_property
    def summary(self) -> Summary:
        """Counts, costs and qualities over all tasks."""
        from routinglab.lab.replay_frame import summarise

        return summarise(self.decisions, self._numbers, self._results, len(self.drifted))

    def __len__(self) -> int:
        return len(self._numbers)

    def __repr__(self) -> str:
        return f"Replay({self.policy!r}, {len(self)} tasks, {self.distinct} distinct, {len(self.drifted)} drifted)"

    def _repr_html_(self) -> str:
        from routinglab.lab.replay_html import replay_html

        return replay_html(self)


def replay(
    recording: Recording | str | os.PathLike[str],
    *,
    evals: Evals | str | os.PathLike[str] | None = None,
    catalog: Catalog | str | os.PathLike[str] | None = None,
    policy: PolicyLike = "evidence",
    settings: Settings | Mapping[str, Any] | None = None,
    constraints: ModelConstraints | Mapping[str, Any] | None = None,
    also: ModelConstraints | Mapping[str, Any] | None = None,
    choice: Literal["recorded", "rank"] = "recorded",
    prices: Mapping[str, Price] | None = None,
) -> Replay:
    """Decide every task of ``recording`` again, from stated and recorded answers; asks nobody.

    What is left out is as recorded or as shipped: ``evals`` (or their path), ``catalog`` (or the path
    of one; by default the shipped one, narrowed to the models that were available), ``settings`` (or
    their keys; by default the recorded ``modelRouting``). ``constraints`` replace the ones callers stated; ``also`` hold besides
    them, as an agent's own always do. ``prices`` change the catalog's for some models: (input, output) USD per million tokens, or
    a factor. With ``choice="recorded"`` the router's choice stands where it is still offered; with
    ``"rank"`` the ranking decides.

    Nothing changed gives the same decisions to the byte, or rows that say what drifted; anything
    changed makes it a counterfactual.
    """
    if choice not in ("recorded", "rank"):
        raise InvalidInput(
            f"choice {choice!r} is not one of recorded, rank",
            field="choice",
            choices=("recorded", "rank"),
        )
    record = recording if isinstance(recording, Recording) else load_recording(recording)
    inputs = Inputs(
        evals=_evals(evals, _settings(settings)),
        catalog=_priced(_catalog(catalog), prices or {}),
        settings=_settings(settings),
        policy=policy,
        constraints=_limits(constraints),
        also=_limits(also),
        choice=_choice(choice),
        narrow_to_recorded=catalog is None,
    )
    index = record.index
    keys: dict[Key, int] = {}
    numbers = [
        keys.setdefault(key, len(keys))
        for key in zip(
            index.needs,
            index.constraints,
            index.agent,
            index.answers,
            index.choice,
            index.rest,
            strict=True,
        )
    ]
    redecider = Redecider(index, inputs)
    distinct = list(keys)
    results: list[Any] = [None] * len(distinct)
    for number, result in redecider.all(distinct):
        results[number] = result
    return Replay(record, redecider, numbers, results, distinct)


def _limits(given: ModelConstraints | Mapping[str, Any] | None) -> ModelConstraints | None:
    if given is None or isinstance(given, ModelConstraints):
        return given
    return ModelConstraints.model_validate(given)


def _choice(choice: str) -> Choice:
    return "rank" if choice == "rank" else "recorded"


def _catalog(given: Catalog | str | os.PathLike[str] | None) -> Catalog:
    if given is None or isinstance(given, Catalog):
        return load_catalog() if given is None else given
    if isinstance(given, str | os.PathLike):
        return load_catalog(Path(given), curated=False)
    raise InvalidInput(f"catalog: {given!r} is neither a Catalog nor a path", field="catalog")


def _settings(given: Settings | Mapping[str, Any] | None) -> Settings | None:
    if given is None or isinstance(given, Settings):
        return given
    return Settings.model_validate(given)


def _evals(evals: Evals | str | os.PathLike[str] | None, settings: Settings | None) -> Evals:
    if isinstance(evals, Evals):
        return evals
    if evals is None and settings is not None:
        evals = settings.evals
    if evals is not None and not isinstance(evals, str | os.PathLike):
        raise InvalidInput(f"evals: {evals!r} is neither Evals nor a path", field="evals")
    return load_evals(Path(evals) if evals is not None else None)


def _priced(catalog: Catalog, prices: Mapping[str, Price]) -> Catalog:
    if not isinstance(prices, Mapping):
        raise InvalidInput("prices: must be a mapping from model ids to prices", field="prices")
    return catalog.having(_at_price(catalog[name], price) for name, price in prices.items())


def _at_price(model: Model, price: Price) -> Model:
    if isinstance(price, int | float) and not isinstance(price, bool):
        if not 0 <= price < float("inf"):
            raise InvalidInput(f"prices: {price!r} is not a factor", field=model.full_id)
        tiers = tuple(
            tier.model_copy(
                update={
                    "input_price": _times(tier.input_price, price),
                    "output_price": _times(tier.output_price, price),
                }
            )
            for tier in model.tiers
        )
        given = (_times(model.input_price, price), _times(model.output_price, price))
    elif isinstance(price, tuple | list) and len(price) == 2:
        given, tiers = (price[0], price[1]), ()
    else:
        raise InvalidInput(
            f"prices: {price!r} is neither (input, output) USD per million tokens nor a factor",
            field=model.full_id,
        )
    return Model.model_validate(
        {
            **{name: getattr(model, name) for name in Model.model_fields},
            "input_price": given[0],
            "output_price": given[1],
            "tiers": tiers,
        }
    )


def _times(price: float | None, factor: float) -> float | None:
    return None if price is None else price * factor


def _drifts(result: Redecided) -> bool:
    return any(not name.startswith("digests.") for name in result.drift)
