"""What an attempt records: tokens, cost, partial text, the model that answered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import live
from support.llm_server import (
    Called,
    Cut,
    ErrorInside,
    Fail,
    calls,
    say,
)
from support.runs import Scene, agent, scene

from routinglab.catalog.model import Model, PriceTier


def test_an_attempt_records_what_it_used(tmp_path: Path) -> None:
    tiered = Model(
        provider="acme",
        id="tiered",
        input_price=1.0,
        output_price=2.0,
        tiers=(PriceTier(above=100, input_price=10.0, output_price=20.0),),
    )

    async def act(s: Scene) -> None:
        s.server.script(
            "tiered",
            [calls(Called("ls"), usage=(90, 10)), say("ok", usage=(200, 30), model="tiered-0901")],
        )
        result = await s.run(agent("acme/tiered", tools=None))
        [attempt] = result.attempts
        assert (attempt.model, attempt.steps) == ("tiered-0901", 2)
        assert (attempt.input_tokens, attempt.output_tokens) == (290, 40)
        # the first request is below the tier, all tokens of the second cost the tier's price
        assert attempt.cost == pytest.approx((90 * 1 + 10 * 2 + 200 * 10 + 30 * 20) / 1e6)
        assert (result.cost, result.steps) == (attempt.cost, 2)
        assert attempt.started is not None
        assert attempt.seconds is not None
        assert attempt.seconds >= 0

    scene(tmp_path, act, catalog=live.catalog(tiered))


def test_unknown_usage_and_prices_leave_the_cost_unknown(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [say("x", usage=None)])
        result = await s.run(agent())
        assert (result.cost, result.input_tokens) == (None, None)
        s.server.script("new-one", [say("x")])
        result = await s.run(agent("acme/new-one"))
        assert (result.cost, result.input_tokens) == (None, 10)

    scene(tmp_path, act)


@pytest.mark.parametrize("clean", [True, False])
def test_a_stream_that_breaks_off_keeps_its_text_and_costs_an_unknown_sum(
    tmp_path: Path, clean: bool
) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [Cut("half of the", clean=clean)])
        s.server.script("middle", [say("whole")])
        result = await s.run(agent(fallback_models=("acme/middle",)))
        first, second = result.attempts
        assert (first.failure, first.partial, first.cost) == (
            "network_timeout", "half of the", None,
        )  # fmt: skip
        assert second.cost == pytest.approx((10 * 4 + 5 * 8) / 1e6)
        # a part is unknown, so the sum is
        assert (result.text, result.cost) == ("whole", None)

    scene(tmp_path, act)


def test_an_error_inside_a_stream_advances(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("small", [ErrorInside("overloaded_error", "Overloaded", text="so far")])
        s.server.script("middle", [say("second")])
        result = await s.run(agent("beta/small", fallback_models=("acme/middle",)))
        assert result.attempts[0].failure == "provider_unavailable"
        assert result.attempts[0].partial == "so far"

    scene(tmp_path, act)


def test_a_failed_run_gives_what_had_streamed(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [Cut("half of the")])
        s.server.always("chat", Fail(401))
        result = await s.run(agent())
        assert (result.status, result.text) == ("failed", "half of the")

    scene(tmp_path, act)


def test_an_answer_at_the_output_limit_says_so(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [say("cut", finish="length")])
        result = await s.run(agent())
        assert (result.ok, result.truncated) == (True, True)

    scene(tmp_path, act)


def test_a_faster_route_is_asked_for_as_its_provider_wants(tmp_path: Path) -> None:
    def fast(provider: str, option: tuple[Any, str]) -> Model:
        return Model(
            provider=provider,
            id="strong-fast",
            input_price=20.0,
            output_price=40.0,
            base_model=f"{provider}/strong",
            request_model="strong",
            request_options=(option,),
        )

    async def act(s: Scene) -> None:
        await s.run(agent("acme/strong-fast"))
        result = await s.run(agent("beta/strong-fast"))
        openai, anthropic = s.server.requests
        assert (openai.model, openai.json["service_tier"]) == ("strong", "priority")
        assert (anthropic.model, anthropic.json["speed"]) == ("strong", "fast")
        assert anthropic.headers["anthropic-beta"] == "fast-mode-2026-02-01"
        # the route's own price counts
        assert result.cost == pytest.approx((10 * 20 + 5 * 40) / 1e6)

    models = [fast("acme", ("service_tier", "priority")), fast("beta", ("speed", "fast"))]
    scene(tmp_path, act, catalog=live.catalog(*models))
