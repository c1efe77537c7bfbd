from __future__ import annotations

from collections.abc import Sequence
from datetime import date

import pytest
from support.cohorts import TableEvidence, ladder, model

from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput
from routinglab.routing.policies import always, find_policy, policy_name, random
from routinglab.routing.ranked import RankedModel
from routinglab.routing.ranking import rank

NEEDS = TaskNeeds(work="coding", difficulty="moderate")
EVALS = TableEvidence({"aa:TB4": ladder("a", "b", "c", "d")})
MODELS = [
    model("p/a", 0.5, released=date(2026, 1, 1)),
    model("p/b", 4.0, released=date(2026, 5, 1)),
    model("p/c", None),
    model("p/d", 9.0, released=date(2025, 5, 1)),
    model("p/unmeasured", 0.0, released=date(2026, 4, 1)),
]


def order(policy: object) -> list[str]:
    return [item.entry.id for item in rank(EVALS, MODELS, NEEDS, policy)]  # type: ignore[arg-type]


def test_the_simple_policies_order_by_one_thing() -> None:
    assert order("cheapest") == ["unmeasured", "a", "b", "d", "c"]
    assert order("newest")[:2] == ["b", "unmeasured"]
    assert order("newest")[-1] == "c"
    assert order("best_quality") == ["d", "c", "b", "a", "unmeasured"]


def test_each_place_has_a_reason() -> None:
    reasons = {m.entry.id: m.reason for m in rank(EVALS, MODELS, NEEDS, "cheapest")}
    assert reasons["b"] == "$4 per million tokens, blended"
    assert reasons["c"] == "price unknown"
    assert rank(EVALS, MODELS, NEEDS, "newest")[0].reason == "released 2026-05-01"
    assert rank(EVALS, MODELS, NEEDS, "best_quality")[0].reason == "quality 1.00"
    assert all(not item.reason for item in rank(EVALS, MODELS, NEEDS))


def test_random_depends_on_seed_and_needs_only() -> None:
    assert order("random:3") == order(random(3)) == order("random:3")
    assert sorted(order("random")) == sorted(order("evidence"))
    drawn = {tuple(order(f"random:{seed}")) for seed in range(20)}
    assert len(drawn) > 10
    backwards = rank(EVALS, MODELS[::-1], NEEDS, "random:3")
    assert [item.entry.id for item in backwards] == order("random:3")


def test_always_puts_one_model_first_and_leaves_the_rest_as_scored() -> None:
    assert order("always:p/b") == ["b", *(name for name in order("evidence") if name != "b")]
    assert order(always("p/absent")) == order("evidence")


def test_a_function_of_ones_own_is_a_policy() -> None:
    def alphabetical(needs: TaskNeeds, ranked: Sequence[RankedModel]) -> list[RankedModel]:
        return sorted(ranked, key=lambda item: item.model)

    assert order(alphabetical) == ["a", "b", "c", "d", "unmeasured"]
    assert policy_name(alphabetical) == "alphabetical"


def test_a_policy_may_give_ids_or_pairs_with_a_reason_and_leave_the_rest() -> None:
    def picky(needs: TaskNeeds, ranked: Sequence[RankedModel]) -> list[object]:
        return ["p/c", ("p/a", "it is the one I know"), (ranked[0], "it scored best")]

    ranked = rank(EVALS, MODELS, NEEDS, picky)  # type: ignore[arg-type]
    best = rank(EVALS, MODELS, NEEDS)[0].entry.id
    assert [item.entry.id for item in ranked][:3] == ["c", "a", best]
    assert [item.reason for item in ranked][:3] == ["", "it is the one I know", "it scored best"]
    assert len(ranked) == len(MODELS)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (["p/b", "p/b"], "places p/b twice"),
        (["p/zzz"], "'p/zzz', which is not among the models"),
        ([7], "7, which is not among"),
    ],
)
def test_a_policy_that_gives_something_else_is_told_so(given: list[object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        order(lambda needs, ranked: given)


@pytest.mark.parametrize("name", ["cheepest", "random:x", "always", "always:", ""])
def test_an_unknown_policy_lists_the_known_ones(name: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"evidence, cheapest, newest, best_quality, random:SEED"
    ):
        find_policy(name)
    with pytest.raises(InvalidInput, match="a name or a function"):
        find_policy(3)  # type: ignore[arg-type]
