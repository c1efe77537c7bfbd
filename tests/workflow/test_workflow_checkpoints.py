"""Checkpoints: whole after every stage, gone on from without deciding again, refused when foreign."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from support.children import turn
from support.workflow_host import Host, chain

from routinglab.core.ids import Candidate
from routinglab.errors import CheckpointError, RunFailed
from routinglab.workflow import StageResult, Workflow, read_checkpoint


def stage(stage_id: str, prompt: str = "do it", **fields: Any) -> dict[str, Any]:
    return {"id": stage_id, "prompt": prompt, **fields}


THREE = chain(stage("a"), stage("b", "after {{a}}"), stage("c", "after {{b}}"))


def test_after_every_decision_and_stage_the_file_is_whole_and_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "state" / "run.json"
    on_disk: list[list[str]] = []
    Host().go(
        THREE,
        path,
        on_change=lambda _: on_disk.append(
            [f"{r.id} {r.state}" for r in read_checkpoint(path).stages]
        ),
    )
    assert on_disk[0] == ["a decided"]
    assert on_disk[-1] == ["a done", "b done", "c done"]
    assert len(on_disk) == 6
    assert {p.name for p in path.parent.iterdir()} == {"run.json", "run.json.lock"}


def test_resuming_keeps_finished_stages_and_asks_nobody_about_them(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    first = Host({"b": RunFailed("no answer")})
    assert first.go(THREE, path).state == "failed"
    second = Host()
    result = second.go(THREE, path)
    assert result.ok
    assert [name for name, _ in second.ran] == ["b", "c"]
    assert second.ran[0] == ("b", "after answer of a")
    # b was decided in the first run, and that stands
    assert [name for name, _ in second.routed] == ["c"]
    third = Host()
    again = third.go(THREE, path)
    assert (third.routed, third.ran) == ([], [])
    assert again == result


def test_a_stage_that_was_decided_but_not_finished_runs_on_the_same_choice(tmp_path: Path) -> None:
    path = tmp_path / "run.json"

    async def main() -> None:
        host = Host()
        host.gates = {"b": asyncio.Event()}
        job = asyncio.create_task(host.start(THREE, path))
        await turn(20)
        assert host.live == {"b"}
        job.cancel()
        with pytest.raises(asyncio.CancelledError):
            await job
        assert host.live == set()

    asyncio.run(main())
    kept = read_checkpoint(path)
    assert [(r.id, r.state) for r in kept.stages] == [("a", "done"), ("b", "decided")]

    class Elsewhere(Host):
        def decision(self, stage_id: str):
            return super().decision(f"other-{stage_id}")

    host = Elsewhere()
    assert host.go(THREE, path).ok
    # model, effort, fallbacks and their order are those of the first run
    assert host.choices["b"] == Host().decision("b") == kept.stages[1].decision
    assert host.choices["c"] == Host().decision("other-c")
    assert [name for name, _ in host.routed] == ["c"]


def test_a_concrete_choice_stands_too_when_the_host_now_resolves_it_differently(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.json"
    workflow = chain(stage("a", model="fast"))
    first = Host({"a": RunFailed("no")})
    first.go(workflow, path, resolve=lambda _: Candidate.of("groq/one", "low"))
    second = Host()
    second.go(workflow, path, resolve=lambda _: Candidate.of("groq/two"))
    assert second.choices["a"] == Candidate.of("groq/one", "low")


def test_a_process_that_is_killed_leaves_a_checkpoint_to_go_on_from(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    script = """
import asyncio, os, sys
sys.path.insert(0, sys.argv[2])
from support.workflow_host import Host, chain
from routinglab.workflow import Workflow

class Dies(Host):
    async def run(self, stage, prompt, choice):
        if stage.id == "c":
            os._exit(9)
        return await super().run(stage, prompt, choice)

Dies().go(Workflow.model_validate_json(sys.argv[3]), sys.argv[1])
"""
    tests = str(Path(__file__).parents[1])
    ended = subprocess.run(
        [sys.executable, "-c", script, str(path), tests, THREE.to_json()],
        capture_output=True,
        text=True,
    )
    assert ended.returncode == 9, ended.stderr
    host = Host()
    assert host.go(THREE, path).ok
    assert (host.routed, [name for name, _ in host.ran]) == ([], ["c"])


def test_siblings_that_finished_are_kept_when_another_fails_and_not_run_again(
    tmp_path: Path,
) -> None:
    path = tmp_path / "run.json"
    workflow = chain(*(stage(i, parallel="g") for i in "abc"), stage("end", "{{a}}{{b}}{{c}}"))
    assert Host({"b": ValueError("no")}).go(workflow, path).state == "failed"
    host = Host()
    assert host.go(workflow, path).ok
    assert [name for name, _ in host.ran] == ["b", "end"]


def test_a_skipped_stage_gets_another_try_once_what_it_quotes_is_there(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    workflow = chain(stage("a", onFailure="continue"), stage("b", "{{a}}"), stage("c"))
    assert Host({"a": ValueError("no")}).go(workflow, path).state == "incomplete"
    host = Host()
    assert host.go(workflow, path).state == "done"
    assert [name for name, _ in host.ran] == ["a", "b"]


def test_a_stage_that_could_not_be_routed_is_routed_when_resumed(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    workflow = chain(stage("a"))
    Host({"route a": ValueError("no")}).go(workflow, path)
    host = Host()
    assert host.go(workflow, path).ok
    assert [name for name, _ in host.routed] == ["a"]


@pytest.mark.parametrize(
    ("other", "inputs", "says"),
    [
        (chain(stage("a"), name="else"), {}, "belongs to workflow 'fix' version '1'"),
        (chain(stage("a"), version="2"), {}, "not to 'fix' version '2'"),
        (chain(stage("a", "do that")), {}, "other stages"),
        (chain(stage("a")), {"x": "y"}, "other inputs"),
    ],
)
def test_a_checkpoint_of_another_workflow_version_definition_or_input_is_refused(
    tmp_path: Path, other: Workflow, inputs: dict[str, str], says: str
) -> None:
    path = tmp_path / "run.json"
    Host().go(chain(stage("a")), path)
    before = path.read_bytes()
    host = Host()
    with pytest.raises(CheckpointError, match=says):
        host.go(other, path, inputs=inputs)
    assert (host.routed, path.read_bytes()) == ([], before)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "not JSON"),
        ('{"schemaVersion": 1', "not JSON"),
        ("[]", "not a checkpoint of schema 1"),
        ('{"schemaVersion": 2, "new": true}', "schemaVersion is 2"),
        ('{"schemaVersion": true}', "schemaVersion is True"),
        ('{"schemaVersion": 1, "workflow": "fix"}', "not a valid checkpoint"),
    ],
)
def test_a_file_that_is_no_checkpoint_of_this_schema_is_refused_and_left_alone(
    tmp_path: Path, text: str, says: str
) -> None:
    path = tmp_path / "run.json"
    path.write_text(text)
    with pytest.raises(CheckpointError, match=says):
        Host().go(THREE, path)
    assert path.read_text() == text


def test_a_stage_that_is_done_without_an_answer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    Host({"c": RunFailed("no answer")}).go(THREE, path)
    data = json.loads(path.read_text())
    data["stages"][1]["result"] = None
    path.write_text(json.dumps(data))
    with pytest.raises(CheckpointError, match="stage 'b' is done and has no result"):
        Host().go(THREE, path)


def test_a_fresh_start_does_not_overwrite_an_old_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    Host().go(THREE, path)
    with pytest.raises(CheckpointError, match="exists"):
        Host().go(THREE, path, resume=False)


def test_a_checkpoint_that_is_in_use_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"

    async def main() -> None:
        host = Host()
        host.gates = {"a": asyncio.Event()}
        job = asyncio.create_task(host.start(THREE, path))
        await turn(10)
        with pytest.raises(CheckpointError, match="in use"):
            await Host().start(THREE, path)
        host.gates["a"].set()
        assert (await job).ok

    asyncio.run(main())


def test_a_checkpoint_that_cannot_be_written_stops_the_run_and_names_the_file(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(CheckpointError, match="cannot be written"):
        Host().go(THREE, tmp_path / "file" / "run.json")

    path = tmp_path / "folder" / "run.json"
    host = Host()

    def block(_: object) -> None:
        if len(host.ran) == 1 and not path.is_dir():
            path.unlink()
            path.mkdir()

    with pytest.raises(CheckpointError, match="cannot be written"):
        host.go(THREE, path, on_change=block)
    assert [p.name for p in path.parent.iterdir() if p.suffix == ".tmp"] == []


def test_secrets_reach_neither_the_checkpoint_nor_later_prompts(tmp_path: Path) -> None:
    secret = "sk-" + "ant-api03-" + "abcdefghij0123456789" * 2
    path = tmp_path / "run.json"
    host = Host({"a": f"the key is {secret}", "c": ValueError(secret)})
    host.go(THREE, path)
    assert "abcdefghij" not in path.read_text()
    assert host.ran[1] == ("b", "after the key is [redacted]")
    # a resumed run quotes the same text that the first one did
    again = Host()
    again.go(THREE, path)
    assert [name for name, _ in again.ran] == ["c"]


def test_a_view_shows_each_stage_as_far_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    workflow = chain(
        stage("a", title="First <b>"),
        stage("b", model="openai/gpt-5:low", onFailure="continue"),
        stage("c", "{{b}}", onFailure="continue"),
        stage("d"),
        stage("e"),
    )
    assert [r.state for r in workflow.view().rows] == ["pending"] * 5
    host = Host(
        {
            "a": StageResult(text="<script>", used=Candidate.of("xai/second", "low"), cost=0.25),
            "b": RunFailed("no <answer>"),
            "d": ValueError("stop"),
        }
    )
    host.go(workflow, path)
    view = workflow.view(path)
    assert [(r.id, r.state, r.model, r.chosen_by) for r in view.rows] == [
        ("a", "done", "xai/second:low", "router"),
        ("b", "failed", "openai/gpt-5:low", "definition"),
        ("c", "skipped", "", ""),
        ("d", "failed", "openai/for-d:high", "router"),
        ("e", "pending", "auto", ""),
    ]
    assert view.rows[0].cost == 0.25
    assert view == workflow.view(read_checkpoint(path))
    html = view._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html
    assert "First &lt;b&gt;" in html
    assert "a · done · xai/second:low" in str(view)
    with pytest.raises(CheckpointError):
        chain(stage("a"), name="other").view(path)


def test_a_checkpoint_is_json_with_its_schema_and_the_whole_decision(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    Host().go(chain(stage("a")), path)
    data = json.loads(path.read_text())
    assert (data["schemaVersion"], data["workflow"], data["version"]) == (1, "fix", "1")
    assert data["stages"][0]["decision"]["primary"] == {"model": "openai/for-a", "effort": "high"}
    assert [f["model"] for f in data["stages"][0]["decision"]["fallbacks"]] == [
        "xai/second",
        "mistral/third",
    ]
