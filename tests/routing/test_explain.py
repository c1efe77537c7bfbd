"""What an explanation says would have changed a choice does change it, in the ranking itself."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, replace
from datetime import date, timedelta

import pytest
from support.cohorts import TableEvidence, ladder, model

from routinglab.catalog.model import Catalog, Model
from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, WORKS, TaskNeeds
from routinglab.routing.cohorts import cohorts
from routinglab.routing.contest import Contest
from routinglab.routing.decision import Decision
from routinglab.routing.flips import Flip, _rounded_factors
from routinglab.routing.plan import Planner
from routinglab.routing.ranking import rank

HARD = TaskNeeds(work="coding", difficulty="hard", mistake_cost="low")


@dataclass(frozen=True)
class World:
    """Everything a ranking is made from."""

    models: tuple[Model, ...]
    evals: TableEvidence
    needs: TaskNeeds

    def decide(self) -> Decision:
        return Planner(Catalog(self.models), self.evals).plan(self.needs).decide()

    def first(self) -> tuple[str, ...]:
        return rank(self.evals, self.models, self.needs)[0].identity

    def having(self, full_id: str, **facts: object) -> World:
        models = tuple(
            m.model_copy(update=facts) if m.full_id == full_id else m for m in self.models
        )
        # copies keep cached properties of the old price, so build them anew
        return replace(self, models=tuple(Model.model_validate(m.to_dict()) for m in models))

    def with_flip(self, flip: Flip, value: float | date) -> World:
        """The world with one input at ``value`` in place of what it was."""
        if flip.kind == "demand":
            level = round(float(value) * 4)  # type: ignore[arg-type]
            change = {"difficulty": DIFFICULTIES[level], "mistake_cost": MISTAKE_COSTS[level]}
            return replace(self, needs=self.needs.model_copy(update=change))
        entry = next(m for m in self.models if m.full_id == flip.model)
        if flip.kind == "date":
            return self.having(entry.full_id, released=value)
        if flip.kind == "price":
            prices = {
                name: getattr(entry, name) * value for name in ("input_price", "output_price")
            }
            return self.having(entry.full_id, **prices)
        return self.with_standing(entry, float(value))  # type: ignore[arg-type]

    def with_standing(self, entry: Model, share: float) -> World:
        """The model, wherever it is served, at ``share`` in every cohort that its quality rests on."""
        rated = next(
            item for item in rank(self.evals, self.models, self.needs)
            if item.model == entry.full_id
        )  # fmt: skip
        table, work = cohorts(), str(self.needs.work)
        keys = {"own": (f"own:{work}",), "work": table.of(work), "overall": (table.overall,)}
        evals = self.evals
        for key in keys[str(rated.facts.quality.source)]:
            evals = evals.standing_at(rated.identity, key, share)
        return replace(self, evals=evals)


def sampled(seed: int) -> World:
    """A world with copies, faster routes, free and unknown prices, and gaps in the evidence."""
    rng = random.Random(seed)
    names = [f"m{n}" for n in range(rng.choice([2, 3, 6, 12]))]
    work = rng.choice(WORKS)
    keys = [*rng.sample(cohorts().of(work), rng.randint(0, 3)), cohorts().overall]
    if rng.random() < 0.15:
        keys.append(f"own:{work}")
    outside = [f"x{n}" for n in range(rng.randint(4, 12))]
    measured = {
        key: {
            name: rng.uniform(0, 100)
            for name in [*outside, *(n for n in names if rng.random() < 0.75)]
        }
        for key in keys
    }
    models = []
    for name in names:
        facts: dict[str, object] = {"inputs": ("text", "image")}
        if rng.random() < 0.8:
            facts["released"] = date(2026, 9, 22) - timedelta(days=rng.randint(0, 500))
        price = rng.choice([None, 0.0, *[(rng.uniform(0.05, 10), rng.uniform(0.2, 40))] * 10])
        models.append(model(f"p/{name}", price, **facts))
        if rng.random() < 0.3:
            factor = rng.choice([1.0, rng.uniform(0.5, 2)])
            pair = (
                price if price is None or price == 0.0 else (price[0] * factor, price[1] * factor)
            )
            models.append(model(f"q/{name}", pair, **facts))
        if rng.random() < 0.2:
            models.append(model(f"p/{name}-fast", price, base_model=f"p/{name}", **facts))
    needs = TaskNeeds(
        work=work, difficulty=rng.choice(DIFFICULTIES), mistake_cost=rng.choice(MISTAKE_COSTS[:3]),
        latency_sensitive=rng.random() < 0.3,
    )  # fmt: skip
    return World(tuple(models), TableEvidence(measured), needs)


@pytest.mark.parametrize("seed", range(200))
def test_the_named_change_flips_the_choice_and_half_of_it_does_not(seed: int) -> None:
    world = sampled(seed)
    before = world.first()
    explained = world.decide().explain()
    for flip in explained.flips:
        assert world.with_flip(flip, flip.after).first() != before, flip
        assert world.with_flip(flip, flip.half).first() == before, flip
        winner = rank(*_parts(world.with_flip(flip, flip.after)))[0].model
        assert winner == flip.winner
    sizes = [flip.size for flip in explained.flips]
    assert sizes == sorted(sizes)


def _parts(world: World) -> tuple[TableEvidence, tuple[Model, ...], TaskNeeds]:
    return world.evals, world.models, world.needs


def test_the_samples_hold_every_kind_of_flip_and_every_special_case() -> None:
    found = [sampled(seed).decide().explain() for seed in range(200)]
    for kind in ("price", "standing", "demand", "date"):
        assert sum(any(f.kind == kind for f in e.flips) for e in found) > 20
    assert any(not e.flips for e in found)


@pytest.mark.parametrize("seed", range(40))
def test_no_smaller_change_of_a_price_or_a_standing_flips_it(seed: int) -> None:
    world = sampled(seed)
    before, explained = world.first(), world.decide().explain()
    if explained.level or explained.any_price:
        return
    by_kind = {flip.kind: flip for flip in explained.flips}
    price, standing = by_kind.get("price"), by_kind.get("standing")
    most = 1000.0 if price is None else max(float(price.after), 1 / float(price.after))  # type: ignore[arg-type]
    least_share = 1.0 if standing is None else abs(standing.after - standing.before)  # type: ignore[operator]
    for entry in world.models:
        for part in (0.3, 0.7, 0.98):
            for sign in (1, -1):
                if entry.blended_price:
                    factor = most ** (sign * part)
                    flip = Flip("price", entry.full_id, 1.0, 1.0, factor, "", 0.0)
                    assert world.with_flip(flip, factor).first() == before
                ranked = rank(world.evals, world.models, world.needs)
                now = next(m for m in ranked if m.model == entry.full_id).facts.quality.standing
                if now is not None:
                    share = min(1.0, max(0.0, now + sign * part * least_share))
                    assert world.with_standing(entry, share).first() == before


@pytest.mark.parametrize("seed", range(60))
def test_a_record_scores_every_candidate_as_the_ranking_did(seed: int) -> None:
    world = sampled(seed)
    decision = Decision.model_validate_json(world.decide().to_json())
    contest = Contest.of(decision)
    assert contest is not None
    ranked = rank(world.evals, world.models, world.needs)
    assert [contest.entries[contest.first].model] == [ranked[0].model]
    for i, item in enumerate(ranked):
        assert contest.entries[i].model == item.model
        assert contest.score(i) == item.score
        assert contest.terms(i) == item.terms


def test_an_explanation_names_terms_the_runner_up_and_the_smallest_change() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d", "e")})
    models = (model("p/e", (4.0, 4.0)), model("p/d", (2.0, 2.0)), model("p/a", (1.0, 1.0)))
    explained = World(models, evals, HARD).decide().explain()
    # demand 0.75: 0.7375 for quality and 0.1625 for cheapness
    assert explained.text.splitlines() == [
        "p/e was chosen by the ranking; it is ranked 1 of 3.",
        "p/e scores 0.738: quality 1.00 x 0.7375 = 0.738 (standing 1.00 at coding); "
        "cheapness 0.00 x 0.1625 = 0.000; recency 0.00 x 0.1 = 0.000.",
        "The runner-up: p/d scores 0.634: quality 0.75 x 0.7375 = 0.553 (standing 0.75 at coding); "
        "cheapness 0.50 x 0.1625 = 0.081; recency 0.00 x 0.1 = 0.000.",
        "p/d lacks 0.184 in quality, and is ahead by 0.081 in cheapness.",
        "The smallest change of one input that puts another model before p/e: "
        "the standing of p/e 0.86 instead of 1, then p/d comes first.",
        "Others that do: a demand of 0.5 instead of 0.75 (difficulty moderate and mistake cost "
        "moderate, neither higher), then p/d comes first.",
    ]
    rows = {(row.model, row.term): row for row in explained.table}
    assert rows["p/e", "quality"].points == pytest.approx(0.7375)
    assert rows["p/d", "cheapness"].value == pytest.approx(0.5)
    assert rows["p/d", "score"].points == pytest.approx(0.5531 + 0.08125, abs=1e-4)
    assert {row.place for row in explained.table} == {1, 2, 3}
    assert str(explained) == explained.text


def test_where_nothing_flips_it_says_so() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d")})
    world = World((model("p/d", 1.0), model("p/unmeasured", 0.5)), evals, HARD)
    explained = world.decide().explain()
    assert explained.flips == ()
    assert "No single change of a price" in explained.text
    assert "it has no published standing, and measured models come first" in explained.text


def test_models_that_are_level_are_said_to_be() -> None:
    evals = TableEvidence({"aa:TB4": {"a": 5.0, "b": 5.0, "c": 1.0, "d": 1.0}})
    explained = World((model("p/a"), model("p/b"), model("p/c")), evals, HARD).decide().explain()
    assert explained.level == "p/b"
    assert "p/b is level with p/a" in explained.text
    assert not any(flip.kind in ("price", "standing") for flip in explained.flips)


def test_one_price_for_all_is_said_to_be_on_edge() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d", "e")})
    needs = TaskNeeds(work="coding", difficulty="trivial", mistake_cost="negligible")
    explained = World((model("p/e"), model("p/d"), model("p/c")), evals, needs).decide().explain()
    assert explained.any_price is not None
    assert "slightest change of the price" in explained.text


def test_copies_of_the_first_model_are_no_flip() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d")})
    models = (model("p/d"), model("q/d"), model("p/d-fast", base_model="p/d"))
    explained = World(models, evals, HARD).decide().explain()
    assert explained.flips == ()
    assert explained.text.endswith("No other model was eligible.")


def test_a_router_that_chose_otherwise_is_said_to_have() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d")})
    models = (model("p/d"), model("p/c"), model("p/b"))
    plan = Planner(Catalog(models), evals).plan(HARD)
    text = plan.decide("p/b").explain().text
    assert text.startswith("p/b was chosen by the router; it is ranked 3 of 3.")
    assert "The ranking itself puts p/d first" in text
    assert "The first of the ranking: p/d scores" in text
    assert "p/b lacks" in text
    assert "another model before p/d" in text
    assert "chosen as recorded" in plan.decide("p/c", chosen_by="recorded").explain().text


def test_a_single_option_and_a_degraded_decision_are_explained() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d")})
    text = World((model("p/d"),), evals, HARD).decide().explain().text
    assert text.startswith("p/d was chosen as the only option; it is the only candidate.")
    plan = Planner(Catalog([model("p/d"), model("p/c")]), evals, current="p/c").plan(HARD)
    degraded = plan.decide(degraded="routing inference failed").explain()
    assert degraded.text == "p/c stands in as the current model: routing inference failed."
    assert degraded.flips == ()
    images = HARD.model_copy(update={"needs_images": True})
    blind = Planner(Catalog([model("p/c")]), evals, current="p/c").plan(images).decide().explain()
    assert blind.text.startswith("p/c stands in as the current model: the task needs images")
    assert blind.table == []


def test_another_policy_gives_its_reason_and_no_flip() -> None:
    evals = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d")})
    catalog = Catalog([model("p/d", 5.0), model("p/c", 1.0)])
    explained = Planner(catalog, evals, policy="cheapest").plan(HARD).decide().explain()
    assert "Policy cheapest says of it: $1 per million tokens, blended." in explained.text
    assert "The order is that of policy cheapest" in explained.text
    assert explained.flips == ()


@pytest.mark.parametrize("factor", [0.0174, 0.00423, 0.99999123, 1.2506, 987.65, 1.0000001])
def test_a_price_change_is_rounded_by_a_hundredth_of_itself_at_most(factor: float) -> None:
    for rounded in _rounded_factors(factor):
        assert abs(math.log(rounded)) <= 1.01 * abs(math.log(factor))
        assert rounded == pytest.approx(factor) or (rounded < factor) is (factor < 1)
    size = abs(next(iter(_rounded_factors(factor))) - 1)
    assert size == pytest.approx(float(f"{size:.4g}"), rel=1e-8)  # four digits say it
