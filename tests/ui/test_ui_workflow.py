"""The view of a workflow: stages, stopping, and resuming from the checkpoint."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
from support import ui
from support.llm_server import LlmServer, Stall, say
from support.workflow_host import Host, chain

from routinglab.errors import CheckpointError
from routinglab.ui import WorkflowView
from routinglab.workflow.checkpoint import read_checkpoint


def test_stages_are_shown_as_they_go_and_escaped(tmp_path: Path) -> None:
    workflow = chain({"id": "plan", "prompt": "Plan"}, {"id": "code", "prompt": "Do {{plan}}"})
    path = tmp_path / "run.json"
    view = WorkflowView(workflow, path)
    assert [row.state for row in view.rows] == ["pending", "pending"]
    seen: list[tuple[str, ...]] = []

    async def main() -> None:
        host = Host({"plan": "<script>alert(1)</script>"})
        view_show = view.show

        def show(checkpoint: object) -> None:
            view_show(checkpoint)  # type: ignore[arg-type]
            seen.append(tuple(row.state for row in view.rows))

        await workflow.run(route=host.route, run=host.run, checkpoint=path, on_change=show)

    asyncio.run(main())
    assert seen == [("decided", "pending"), ("done", "pending"), ("done", "decided"),
                    ("done", "done")]  # fmt: skip
    page = view.html()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert "openai/for-plan:high" in page
    assert "2 of 2 stages done" in page
    assert view.button.disabled


def test_a_stopped_run_resumes_with_the_same_models_and_no_routing_request(tmp_path: Path) -> None:
    workflow = chain(
        {"id": "plan", "prompt": "Plan it", "needs": ui.all_needs().model_dump()},
        {"id": "code", "prompt": "Do it: {{plan}}", "needs": ui.all_needs().model_dump()},
    )
    path = tmp_path / "run.json"

    async def main() -> None:
        async with LlmServer() as server:
            server.script("strong", [say("three steps"), Stall(seconds=30)])
            runner = ui.runner(server, tmp_path)
            view = WorkflowView(workflow, path, runner=runner)
            assert view.button.description == "Start"
            view.button.click()
            assert view.button.disabled
            await ui.until(lambda: len(server.asked("strong")) == 2)
            view.stop.click()
            assert view.job is not None
            await asyncio.wait([view.job])
            await asyncio.sleep(0)
            assert "Stopped" in view.said.value
            assert [row.state for row in view.rows] == ["done", "decided"]
            chosen = read_checkpoint(path).stages[1].candidate
            # a new kernel: another view on the same file
            server.requests.clear()
            server.always("strong", say("coded"))
            again = WorkflowView(workflow, path, runner=runner)
            assert again.button.description == "Resume"
            again.button.click()
            assert again.job is not None
            result = await again.job
            await asyncio.sleep(0)
            assert result.ok
            assert [seen.model for seen in server.requests] == ["strong"]  # and nothing routed
            after = read_checkpoint(path)
            assert after.stages[1].candidate == chosen
            assert after.stages[0].result is not None
            assert after.stages[0].result.text == "three steps"
            assert again.button.disabled
            assert again.said.value == ""
            await runner.aclose()

    asyncio.run(main())


def test_a_failed_stage_and_a_foreign_checkpoint_are_told(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    workflow = chain({"id": "plan", "prompt": "Plan"})
    host = Host({"plan": RuntimeError("no <luck>")})
    host.go(workflow, path)
    view = WorkflowView(workflow, path)
    assert "no &lt;luck&gt;" in view.html()
    with pytest.raises(CheckpointError, match="belongs to workflow"):
        WorkflowView(chain({"id": "plan", "prompt": "Plan"}, name="other"), path)


def test_an_error_while_running_is_shown(tmp_path: Path) -> None:
    async def main() -> None:
        async with LlmServer() as server:
            runner = ui.runner(server, tmp_path)
            view = WorkflowView(
                chain({"id": "plan", "prompt": "Use {{input.goal}}"}),
                tmp_path / "x.json",
                runner=runner,
            )
            view.button.click()
            assert view.job is not None
            await asyncio.wait([view.job])
            await asyncio.sleep(0)
            assert "inputs has no" in view.said.value
            assert not view.button.disabled

    asyncio.run(main())
