"""A workflow over real HTTP: stages routed and run by a Runner, and resumed after a failure."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from support import live
from support.llm_server import LlmServer, Seen, out_of_quota, say
from support.workflow_host import chain

from routinglab.core.ids import Candidate
from routinglab.routing.router import Router
from routinglab.running.events import RunEvent
from routinglab.running.runner import Runner
from routinglab.skills.skill import Skill
from routinglab.tasks.run_reports import run_reports
from routinglab.tasks.supervisor import TaskSupervisor
from routinglab.workflow import RunnerHost, Stage, Workflow, WorkflowResult


def stage(stage_id: str, prompt: str, **fields: Any) -> dict[str, Any]:
    return {"id": stage_id, "prompt": prompt, **fields}


async def start(
    server: LlmServer, folder: Path, workflow: Workflow, heard: list[str] | None = None
) -> WorkflowResult:
    router = Router(live.settings(server), live.catalog(), live.evals(folder), env=live.ENV)
    async with Runner(router, workspace=folder, transcripts=None) as runner:

        def listen(stage: Stage, event: RunEvent) -> None:
            if heard is not None and event.kind in ("decided", "attempt", "finished"):
                heard.append(f"{stage.id} {event.kind}")

        host = RunnerHost(runner, listen)
        return await workflow.run(
            route=host.route,
            run=host.run,
            resolve=host.resolve,
            redact=host.redact,
            checkpoint=folder / "run.json",
        )


def test_stages_are_routed_by_their_constraints_and_quote_real_answers(tmp_path: Path) -> None:
    workflow = chain(
        stage(
            "plan", "Plan it", needs=live.ALL_NEEDS, constraints={"allowedModels": ["acme/strong"]}
        ),
        stage("code", "Do: {{plan}}", model="acme/middle:low"),
    )
    heard: list[str] = []

    async def main() -> tuple[WorkflowResult, list[Seen]]:
        async with LlmServer() as server:
            server.always("strong", say("three steps"))
            server.always("middle", say(f"done with {live.KEY}"))
            return await start(server, tmp_path, workflow, heard), server.requests

    result, requests = asyncio.run(main())
    assert result.ok, result
    plan, code = result.stages
    assert plan.decision is not None
    # all needs stated and one model eligible: no routing request at all
    assert [r.model for r in requests] == ["strong", "middle"]
    # hard asks for the level nearest to high
    assert plan.candidate == Candidate.of("acme/strong", "high")
    assert (code.decision, code.candidate) == (None, Candidate.of("acme/middle", "low"))
    assert "Do: three steps" in requests[1].text
    assert result.text == "done with [redacted]"
    assert live.KEY not in (tmp_path / "run.json").read_text()
    assert plan.result is not None
    assert plan.result.used == Candidate.of("acme/strong", "high")
    assert [a.kind for a in plan.result.attempts] == ["ok"]
    assert heard[:3] == ["plan decided", "plan attempt", "plan finished"]


def test_a_stage_that_failed_is_resumed_on_its_recorded_decision(tmp_path: Path) -> None:
    workflow = chain(
        stage(
            "plan", "Plan it", needs=live.ALL_NEEDS, constraints={"allowedModels": ["acme/strong"]}
        )
    )

    async def once(quota: bool) -> tuple[WorkflowResult, list[str]]:
        async with LlmServer() as server:
            server.always("strong", out_of_quota() if quota else say("three steps"))
            return await start(server, tmp_path, workflow), [r.model for r in server.requests]

    failed, asked = asyncio.run(once(quota=True))
    assert failed.state == "failed"
    assert set(asked) == {"strong"}
    [record] = failed.stages
    assert record.result is not None
    assert record.result.attempts[0].failure == "quota"
    resumed, asked = asyncio.run(once(quota=False))
    assert resumed.ok
    assert asked == ["strong"]
    assert resumed.stages[0].decision == record.decision


def test_a_task_that_launches_a_run_shows_its_steps_and_ends_as_it_ended(tmp_path: Path) -> None:
    async def main() -> tuple[Any, list[str]]:
        async with LlmServer() as server:
            server.always("middle", say("all good"))
            router = Router(
                live.settings(server), live.catalog(), live.evals(tmp_path), env=live.ENV
            )
            async with Runner(router, workspace=tmp_path, transcripts=None) as runner:
                supervisor = TaskSupervisor()
                lease = supervisor.open("chat")
                skill = Skill(name="look", run_as="subagent", body="Look.", model="acme/middle:low")
                task_id = supervisor.submit(
                    lease,
                    lambda handle: runner.run(skill, "look around", on_event=run_reports(handle)),
                    label="look",
                )
                record = await supervisor.wait(lease, task_id)
                lines = [r.text for r in supervisor.activity(lease, task_id).reports]
                return record, lines

    record, lines = asyncio.run(main())
    assert (record.state, record.result) == ("done", "all good")
    assert lines == ["trying acme/middle:low", "acme/middle:low ok"]
