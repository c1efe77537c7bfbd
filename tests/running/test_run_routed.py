"""Runs that are routed: the decision and what was used, recorded decisions, recordings, staleness."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import live
from support.llm_server import Fail, out_of_quota, refuse, say, structured
from support.runs import TASK, Scene, agent, scene

from routinglab.catalog.model import Catalog
from routinglab.errors import NoEligibleModel, RoutingFailed, StaleCatalog
from routinglab.lab.recording import load_recording
from routinglab.lab.replay import replay
from routinglab.lab.writer import RecordingWriter
from routinglab.routing.decision import Decision

NEEDS = live.ALL_NEEDS
READ, CHOOSE = structured(NEEDS), structured({"choice": "acme/strong"})


def test_the_decision_stays_apart_from_what_was_used(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("chat", [READ, CHOOSE])
        s.server.always("strong", out_of_quota())
        s.server.always("middle", say("done"))
        result = await s.run(agent("auto"))
        assert result.decision is not None
        assert [str(c) for c in result.decision.chain] == [
            "acme/strong:high", "acme/middle:high", "beta/small",
        ]  # fmt: skip
        assert str(result.used) == "acme/middle:high"
        assert [(str(a.candidate), a.failure) for a in result.attempts] == [
            ("acme/strong:high", "quota"), ("acme/middle:high", None),
        ]  # fmt: skip
        assert [e.kind for e in s.events[:3]] == ["routing", "decided", "attempt"]
        assert s.told("decided")[0].decision == result.decision
        # what deciding cost is in the decision, what running cost in the result
        assert (result.input_tokens, len(result.decision.requests)) == (10, 2)

    scene(tmp_path, act)


def test_ranked_then_configured_then_current(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("chat", [CHOOSE])
        s.server.always("*", Fail(401))
        s.server.always("chat", say("the last one"))
        result = await s.run(agent("auto", fallback_models=("beta/strong:low",)), needs=NEEDS)
        assert [str(a.candidate) for a in result.attempts] == [
            "acme/strong:high", "acme/middle:high", "beta/small", "beta/strong:low", "acme/chat",
        ]  # fmt: skip
        assert result.text == "the last one"

    scene(tmp_path, act)


def test_a_refusal_is_never_routed_around(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("chat", [CHOOSE])
        s.server.always("strong", refuse("cyber"))
        result = await s.run(agent("auto"), needs=NEEDS)
        assert (result.status, result.failure) == ("failed", "refusal")
        assert s.asked() == ["chat", "strong"]

    scene(tmp_path, act)


def test_a_recorded_decision_restores_order_and_efforts_without_routing(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        made = s.runner.router.decide(agent=agent("auto"), needs=NEEDS)
        restored = Decision.model_validate_json(made.to_json())
        s.server.always("strong", out_of_quota())
        s.server.always("middle", say("done"))
        result = await s.run(agent("auto"), decision=restored)
        assert s.asked() == ["strong", "middle"]
        assert result.decision == restored
        assert [str(a.candidate) for a in result.attempts] == [
            "acme/strong:high",
            "acme/middle:high",
        ]

    scene(tmp_path, act)


def test_a_recorded_decision_whose_model_went_away_is_no_longer_eligible(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        made = s.runner.router.decide(agent=agent("auto"), needs=NEEDS)
        s.runner.router.catalog = Catalog(
            m for m in live.catalog() if m.full_id != made.fallbacks[0].model
        )
        with pytest.raises(StaleCatalog, match="acme/middle:high is no longer eligible"):
            await s.run(agent("auto"), decision=made)
        s.runner.router.catalog = live.catalog()
        with pytest.raises(StaleCatalog, match="acme/strong:high is no longer eligible"):
            await s.run(agent("auto"), decision=made, constraints={"maxOutputCost": 9})
        assert s.server.requests == []

    scene(tmp_path, act)


def test_a_catalog_that_changes_while_deciding_starts_no_child(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        def smaller(_: Any) -> Any:
            s.runner.router.catalog = Catalog(
                m for m in live.catalog() if m.full_id != "acme/strong"
            )
            return CHOOSE

        s.server.script("chat", [smaller])
        with pytest.raises(StaleCatalog, match="no longer eligible"):
            await s.run(agent("auto"), needs=NEEDS)
        assert s.asked() == ["chat"]

    scene(tmp_path, act)


def test_no_eligible_model_starts_no_child(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        with pytest.raises(NoEligibleModel):
            await s.run(agent("auto"), constraints={"maxOutputCost": 0.001})
        assert s.server.requests == []

    scene(tmp_path, act)


def test_when_routing_fails_the_child_runs_on_the_current_model(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("chat", [Fail(400), say("on the current one")])
        result = await s.run(agent("auto"))
        assert result.decision is not None
        assert result.decision.degraded is not None
        assert (str(result.used), result.text) == ("acme/chat", "on the current one")
        s.server.script("chat", [Fail(400)])
        with pytest.raises(RoutingFailed, match="does not satisfy the constraints"):
            await s.run(agent("auto"), constraints={"allowedProviders": ["beta"]})

    scene(tmp_path, act)


def test_record_writes_what_replay_reproduces_without_a_network(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    inputs: dict[str, Any] = {}

    async def act(s: Scene) -> None:
        s.server.script("chat", [READ, CHOOSE])
        s.server.always("strong", out_of_quota())
        await s.run(agent("auto"))
        s.server.script("chat", [structured({"choice": "acme/middle"})])
        limited = agent("auto", name="limited", effort="high")
        await s.run(limited, "Another task", needs=NEEDS, constraints={"maxOutputCost": 8})
        s.server.script("chat", [structured({"choice": "acme/middle"})])
        # the call's effort stands in for the skill's
        await s.run(limited, "A third", needs=NEEDS, effort="low")
        await s.run(agent("acme/middle:low"), "A concrete one")
        inputs["settings"] = s.runner.router.settings

    with RecordingWriter(path) as record:
        scene(tmp_path, act, runner={"record": record})
    recording = load_recording(path)
    assert len(recording) == 4
    again = replay(
        recording,
        evals=live.evals(tmp_path),
        catalog=live.catalog(),
        settings=inputs["settings"],
    )
    assert again.drifted == ()
    assert again.summary.identical == 3
    kinds = [line.split('"')[3] for line in path.read_text().splitlines()]
    assert kinds.count("attempt") == 5
    assert kinds.count("decision") == 3
    assert kinds.count("answers") == 1
    assert TASK in path.read_text()


def test_a_recording_of_the_router_is_used_where_the_runner_has_none(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"

    async def act(s: Scene) -> None:
        await s.run(agent())

    with RecordingWriter(path, keep_text=0) as record:
        scene(tmp_path, act, router={"record": record})
    recording = load_recording(path)
    assert len(recording) == 1
    assert TASK not in path.read_text()


def test_a_failed_run_is_recorded_too(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"

    async def act(s: Scene) -> None:
        s.server.always("*", Fail(401))
        await s.run(agent())

    with RecordingWriter(path) as record:
        scene(tmp_path, act, router={"record": record})
    assert path.read_text().count('"failure":"auth"') == 2
