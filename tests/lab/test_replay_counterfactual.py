"""One changed price flips the tasks that an independent small ranking says it flips, and no other."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest
from support.routed import EASY, Recorder

from routinglab.catalog.files import load_catalog
from routinglab.catalog.model import Catalog, Model
from routinglab.core.ids import Candidate
from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, WORKS, TaskNeeds
from routinglab.errors import InvalidInput
from routinglab.evals.evals import Evals, parse_evals
from routinglab.lab.recording import load_recording
from routinglab.lab.records import Outcome
from routinglab.lab.replay import replay
from routinglab.resources import shipped
from routinglab.routing.decision import Decision
from routinglab.settings.model import ModelRouting, Settings

#: SPEC 6.2, as far as these evals measure it.
COHORTS = {
    "computer_use": ["MMMU"],
    "coding": ["TB4", "TB21"],
    "code_review": ["TB4"],
    "codebase_lookup": ["TB4", "tau2", "IF"],
    "research": ["HLE", "GPQA", "LCR"],
    "business_workflow": ["Auto", "tau2", "Ent"],
    "math_science": ["Crit", "Sci"],
    "writing": ["IF", "Gn", "Brief", "LCR"],
}
COLUMNS = ["idx", *sorted({column for columns in COHORTS.values() for column in columns})]
Prices = dict[str, tuple[float, float] | None]


@dataclass
class World:
    """Made-up models: measured values, prices, dates, windows; every second one reads images."""

    values: dict[str, dict[str, int | None]]
    prices: Prices
    released: dict[str, date | None]
    windows: dict[str, int]

    @classmethod
    def drawn(cls, chance: random.Random) -> World:
        ids = [f"zeta{letter}q" for letter in "abcdefghijkl"[: chance.randint(5, 12)]]

        def price() -> tuple[float, float] | None:
            pair = round(10 ** chance.uniform(-1, 1.5), 2), round(10 ** chance.uniform(0, 2), 2)
            return chance.choice([None, (0.0, 0.0), pair, pair, pair])

        def day() -> date | None:
            return chance.choice([None, date(2026, 9, 1) - timedelta(days=chance.randint(0, 500))])

        return cls(
            {i: {c: chance.choice([None, *range(1, 99, 24)]) for c in COLUMNS} for i in ids},
            {i: price() for i in ids},
            {i: day() for i in ids},
            {i: chance.choice([100_000, 500_000]) for i in ids},
        )

    def evals(self) -> Evals:
        rows = [
            f"| {i} | " + " | ".join("—" if v is None else str(v) for v in row.values()) + " |"
            for i, row in self.values.items()
        ]
        head = f"| slug | {' | '.join(COLUMNS)} |\n|{' --- |' * (len(COLUMNS) + 1)}"
        title = "## Artificial Analysis Intelligence Index v4.3.2, 2026-09-22"
        return parse_evals("\n".join(["# Evals", "", title, "", head, *rows]) + "\n")

    def catalog(self) -> Catalog:
        return Catalog(
            Model(
                provider="p",
                id=i,
                name=i,
                inputs=("text", "image") if number % 2 else ("text",),
                context_window=self.windows[i],
                input_price=None if (price := self.prices[i]) is None else price[0],
                output_price=None if price is None else price[1],
                released=self.released[i],
                efforts=("low", "high"),
            )
            for number, i in enumerate(self.values)
        )

    def standing(self, model: str, column: str) -> float | None:
        own = self.values[model][column]
        others = [row[column] for i, row in self.values.items() if i != model]
        known = [value for value in others if value is not None]
        if own is None or len(known) < 3:
            return None
        return sum(value < own for value in known) / len(known)

    def scores(self, needs: TaskNeeds, prices: Prices) -> dict[str, tuple[bool, float]]:
        """(is measured, score) of each model that may do the task, by the formula of SPEC 6.2."""
        pool = [i for n, i in enumerate(self.values) if n % 2 or not needs.needs_images]
        if needs.long_context:
            pool = [i for i in pool if self.windows[i] >= 400_000] or pool
        levels = DIFFICULTIES.index(needs.difficulty or ""), MISTAKE_COSTS.index(needs.mistake_cost or "")  # fmt: skip
        demand = max(levels) / 4
        blended = {i: None if (p := prices[i]) is None else (3 * p[0] + p[1]) / 4 for i in pool}
        logs = [math.log(price) for price in blended.values() if price]
        dates = [day for i in pool if (day := self.released[i])]
        found = {}
        for i in pool:
            work = [s for c in COHORTS[needs.work or ""] if (s := self.standing(i, c)) is not None]
            overall = self.standing(i, "idx")
            quality = 0.2 if overall is None else 0.8 * overall
            if work:
                quality = sum(work) / len(work)
            price, day = blended[i], self.released[i]
            cheap = 0.0 if price is None else 1.0
            if price and max(logs) > min(logs):
                cheap = 1 - (math.log(price) - min(logs)) / (max(logs) - min(logs))
            age = 365 if day is None else (max(dates) - day).days
            score = (0.25 + 0.65 * demand) * quality + (0.65 - 0.65 * demand) * cheap
            found[i] = bool(work) or overall is not None, score + 0.1 * max(0.0, 1 - age / 365)
        return found

    def first(self, needs: TaskNeeds, prices: Prices) -> str | None:
        """The model that ranks first; None where two are too near to tell in floats."""
        scores = self.scores(needs, prices)
        order = sorted(scores, key=lambda i: (not scores[i][0], -scores[i][1], i))
        near = len(order) > 1 and abs(scores[order[0]][1] - scores[order[1]][1]) < 1e-9
        return None if near else f"p/{order[0]}"


def needs(chance: random.Random) -> TaskNeeds:
    return TaskNeeds(
        work=chance.choice(WORKS),
        difficulty=chance.choice(DIFFICULTIES),
        mistake_cost=chance.choice(MISTAKE_COSTS),
        needs_images=chance.random() < 0.2,
        long_context=chance.random() < 0.2,
        latency_sensitive=chance.random() < 0.2,
    )


@pytest.mark.parametrize("seed", range(8))
def test_one_changed_price_flips_exactly_the_tasks_it_should(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    world = World.drawn(chance)
    record = Recorder(tmp_path / "runs.jsonl")
    record.evals, record.catalog = world.evals(), world.catalog()
    made: dict[str, tuple[TaskNeeds, Decision]] = {}
    for number in range(20):
        wanted = needs(chance)
        made[f"t{number}"] = wanted, record(f"t{number}", needs=wanted)
    dearer = chance.choice(list(world.prices))
    changed = {**world.prices, dearer: (round(10 ** chance.uniform(-2, 2), 3), 40.0)}
    price = {f"p/{dearer}": changed[dearer]}
    frame = replay(
        record.path,
        evals=record.evals,
        catalog=record.catalog,
        prices=price,
        choice="rank",  # type: ignore[arg-type]
    ).decisions.set_index("task")
    told = 0
    for task, (wanted, decision) in made.items():
        before, after = world.first(wanted, world.prices), world.first(wanted, changed)
        if before is None or after is None:
            continue
        row = frame.loc[task]
        assert decision.primary.model == before
        assert row["after"].partition(":")[0] == after
        assert row["flipped"] == (before != after)
        if before != after:
            assert f"p/{dearer}" in row["why"]
            assert "cheapness" in row["why"] or "(" not in row["why"]
        told += 1
    assert told > 10


def test_each_decision_is_made_again_under_the_settings_it_was_made_under(record: Recorder) -> None:
    limited = Settings(model_routing=ModelRouting(excluded_models=("acme/good",)))
    first, second = record("first"), record("second", settings=limited)
    assert (first.primary.model, second.primary.model) == ("acme/good", "acme/fair")
    result = replay(record.path, evals=record.evals, catalog=record.catalog)
    assert result.drifted == ()
    assert result.summary.identical == 2


def test_a_catalog_may_be_a_path_and_settings_their_keys(record: Recorder) -> None:
    record(needs=EASY)
    path = shipped("evals", "coderouterbench-models.json")
    by_path = replay(record.path, evals=record.evals, catalog=path).decisions
    loaded = load_catalog(path, curated=False)
    assert by_path.equals(replay(record.path, evals=record.evals, catalog=loaded).decisions)
    keys = {"modelRouting": {"excludedModels": ["acme/small"]}}
    values = Settings(model_routing=ModelRouting(excluded_models=("acme/small",)))
    results = [
        replay(record.path, evals=record.evals, catalog=record.catalog, settings=given)  # type: ignore[arg-type]
        for given in (keys, values)
    ]
    after = [result.decisions.loc[0, "after"] for result in results]
    assert after[0] == after[1] != "acme/small"


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"prices": {"acme/small": {"input": 1}}}, "neither .input, output. USD"),
        ({"prices": {"acme/small": (1, 2, 3)}}, "neither"),
        ({"prices": {"acme/small": "1"}}, "neither"),
        ({"prices": {"acme/small": True}}, "neither"),
        ({"prices": ["acme/small"]}, "mapping from model ids"),
        ({"evals": 3}, "neither Evals nor a path"),
        ({"catalog": [1]}, "neither a Catalog nor a path"),
        ({"settings": {"modelRoutng": {}}}, "modelRouting"),
    ],
)
def test_what_cannot_be_replayed_under_is_an_error(
    record: Recorder, changed: dict[str, Any], said: str
) -> None:
    record(needs=EASY)
    with pytest.raises(InvalidInput, match=said):
        replay(record.path, **({"evals": record.evals, "catalog": record.catalog} | changed))


def test_a_variant_after_a_colon_is_not_the_model_before_it(tmp_path: Path) -> None:
    record = Recorder(tmp_path / "runs.jsonl")
    record.catalog = Catalog(
        [Model(provider="hub", id="acme/small:free", name="F", inputs=("text",), context_window=9)]
    )
    decision = record("t")
    assert decision.primary == Candidate.of("hub/acme/small:free")
    record.writer.outcome("t", Outcome(model="hub/acme/small", score=1, cost=2))
    frame = replay(
        load_recording(record.path), evals=record.evals, catalog=record.catalog
    ).decisions
    assert frame[["quality_after", "cost_after"]].isna().all(axis=None)
