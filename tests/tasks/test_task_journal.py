"""Tasks on disk: shown again after a restart, and the file stays sound and small."""

from __future__ import annotations

import asyncio
import gc
import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from support.children import Clock, Held, answers, fails, numbered_ids, turn

from routinglab.errors import TaskError
from routinglab.tasks.journal import journal_path
from routinglab.tasks.model import TaskRecord
from routinglab.tasks.shared import shared_supervisor
from routinglab.tasks.supervisor import TaskSupervisor

CRASH = """
import asyncio, os, sys
from routinglab.tasks.shared import shared_supervisor
from routinglab.tasks.supervisor import TaskSupervisor

async def main():
    supervisor = TaskSupervisor(sys.argv[1])
    lease = supervisor.open("chat")
    async def quick(handle):
        handle.report("looked around")
        return "seven files"
    async def endless(handle):
        handle.report("still looking")
        await asyncio.get_running_loop().create_future()
    done = supervisor.submit(lease, quick, label="done one", background=True, key="call-1")
    await supervisor.wait(lease, done)
    live = supervisor.submit(lease, endless, label="live one", background=True, key="call-2")
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    print(done, live, flush=True)
    if sys.argv[2] == "crash":
        os._exit(9)
    sys.stdin.read()

asyncio.run(main())
"""


def crash_copy(state: Path, to: Path) -> Path:
    """The state folder as a process that died this moment would leave it."""
    shutil.copytree(state, to)
    return to


def supervisor_on(folder: Path, **options: object) -> TaskSupervisor:
    return TaskSupervisor(folder, clock=Clock(), new_id=numbered_ids(), **options)  # type: ignore[arg-type]


def test_after_a_kernel_dies_settled_tasks_are_shown_and_running_ones_are_lost(
    tmp_path: Path,
) -> None:
    ended = subprocess.run(
        [sys.executable, "-c", CRASH, str(tmp_path), "crash"], capture_output=True, text=True
    )
    assert ended.returncode == 9, ended.stderr
    done_id, live_id = ended.stdout.split()

    supervisor = TaskSupervisor(tmp_path)
    lease = supervisor.open("chat")
    assert lease.generation == 2
    done, live = supervisor.snapshot(lease).tasks
    assert (done.id, done.state, done.result) == (done_id, "done", "seven files")
    assert done.background
    assert done.seconds(supervisor.clock()) is not None
    assert [r.text for r in supervisor.activity(lease, done_id).reports] == ["looked around"]
    assert (live.id, live.state, live.ended) == (live_id, "lost", None)
    assert live.error == "the kernel ended while the task was running"
    assert live.started is not None
    with pytest.raises(TaskError, match="lost"):
        supervisor.result(lease, live_id)


def test_an_owner_that_another_process_runs_is_refused_and_its_tasks_are_not_lost(
    tmp_path: Path,
) -> None:
    other = subprocess.Popen(
        [sys.executable, "-c", CRASH, str(tmp_path), "stay"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert other.stdout is not None
        other.stdout.readline()
        supervisor = TaskSupervisor(tmp_path)
        with pytest.raises(TaskError, match=f"process {other.pid} has it open"):
            supervisor.open("chat")
        assert supervisor.open("another chat").generation == 1
    finally:
        other.kill()
        other.communicate()
    states = [t.state for t in supervisor.snapshot(supervisor.open("chat")).tasks]
    assert states == ["done", "lost"]


def test_two_supervisors_of_one_process_cannot_hold_one_owner(tmp_path: Path) -> None:
    first = supervisor_on(tmp_path)
    lease = first.open("chat")
    with pytest.raises(TaskError, match="in this process already"):
        supervisor_on(tmp_path).open("chat")
    asyncio.run(first.close(lease))
    assert supervisor_on(tmp_path).open("chat").generation == 2


def test_an_owner_can_be_opened_again_once_its_supervisor_is_gone(tmp_path: Path) -> None:
    first = supervisor_on(tmp_path)
    first.open("chat")
    del first
    gc.collect()
    assert supervisor_on(tmp_path).open("chat").generation == 2


def test_a_cell_that_is_run_again_finds_the_supervisor_and_its_running_children(
    tmp_path: Path,
) -> None:
    async def main() -> None:
        supervisor = shared_supervisor(tmp_path)
        lease = supervisor.lease("chat") or supervisor.open("chat")
        task_id = supervisor.submit(lease, Held(), label="x")
        await turn()
        again = shared_supervisor(str(tmp_path / "." / "x" / ".."))
        assert again is supervisor
        assert (again.lease("chat") or again.open("chat")) == lease
        assert again.task(lease, task_id).state == "running"
        assert shared_supervisor(tmp_path / "elsewhere") is not supervisor
        await supervisor.aclose()

    asyncio.run(main())


def test_a_known_key_starts_nothing_after_a_restart_either(tmp_path: Path) -> None:
    async def main() -> None:
        first = supervisor_on(tmp_path / "state")
        lease = first.open("chat")
        done = first.submit(lease, answers("x"), label="a", key="k1")
        await first.wait(lease, done)
        live = first.submit(lease, Held(), label="b", key="k2")
        await turn()

        second = supervisor_on(crash_copy(tmp_path / "state", tmp_path / "copy"))
        lease2 = second.open("chat")
        child = Held()
        assert second.submit(lease2, child, label="a", key="k1") == done
        assert second.submit(lease2, child, label="b", key="k2") == live
        await turn()
        assert child.starts == 0
        await first.aclose()

    asyncio.run(main())


def test_lost_once_is_lost_the_same_way_ever_after(tmp_path: Path) -> None:
    async def main() -> None:
        first = supervisor_on(tmp_path / "a")
        first.submit(first.open("chat"), Held(), label="x")
        await turn()
        second = supervisor_on(crash_copy(tmp_path / "a", tmp_path / "b"))
        [lost] = second.snapshot(second.open("chat")).tasks
        third = supervisor_on(crash_copy(tmp_path / "b", tmp_path / "c"))
        [again] = third.snapshot(third.open("chat")).tasks
        assert again == lost
        await first.aclose()

    asyncio.run(main())


def test_closing_writes_the_end_of_every_task_so_none_is_lost(tmp_path: Path) -> None:
    async def main() -> None:
        first = supervisor_on(tmp_path)
        lease = first.open("chat")
        first.submit(lease, Held(), label="x")
        await turn()
        await first.aclose()
        second = supervisor_on(tmp_path)
        assert [t.state for t in second.snapshot(second.open("chat")).tasks] == ["cancelled"]

    asyncio.run(main())


def test_a_torn_or_foreign_line_is_reported_and_costs_no_other_task(tmp_path: Path) -> None:
    async def main() -> None:
        first = supervisor_on(tmp_path / "a")
        lease = first.open("chat")
        for label in "xyz":
            await first.wait(lease, first.submit(lease, answers(label), label=label))
        folder = crash_copy(tmp_path / "a", tmp_path / "b")
        path = journal_path(folder, "chat")
        lines = path.read_bytes().splitlines(keepends=True)
        lines.insert(4, b'{"task":{"id":"no"},"activity":{}}\n[]\n\xff\xfe\n')
        path.write_bytes(b"".join(lines)[:-40])

        second = supervisor_on(folder)
        tasks = second.snapshot(second.open("chat")).tasks
        # the last line, the settling of z, is torn: what is left says that z was running
        assert [(t.label, t.state) for t in tasks] == [("x", "done"), ("y", "done"), ("z", "lost")]
        assert len(second.warnings) == 4
        assert "line 5 was left out" in second.warnings[0]
        # what was torn is gone from the file and not reported again
        third = supervisor_on(crash_copy(folder, tmp_path / "c"))
        third.open("chat")
        assert third.warnings == ()
        await first.aclose()

    asyncio.run(main())


@pytest.mark.parametrize(
    "line", ["[" * 100_000, '{"schema":1,"owner":"chat","generation":1e400,"forgotten":0}']
)
def test_a_line_that_no_writer_of_it_could_make_is_left_out(tmp_path: Path, line: str) -> None:
    path = journal_path(tmp_path, "chat")
    path.write_text(line + "\n")
    supervisor = supervisor_on(tmp_path)
    assert supervisor.open("chat").generation == 1
    assert "line 1 was left out" in supervisor.warnings[0]


def test_a_journal_of_a_newer_schema_is_left_alone(tmp_path: Path) -> None:
    path = journal_path(tmp_path, "chat")
    text = '{"schema":99,"owner":"chat","generation":1,"forgotten":0}\n'
    path.write_text(text)
    with pytest.raises(TaskError, match="schema 99"):
        supervisor_on(tmp_path).open("chat")
    assert path.read_text() == text


def test_the_file_stays_bounded_however_many_tasks_an_owner_runs(tmp_path: Path) -> None:
    async def main() -> None:
        supervisor = supervisor_on(tmp_path, keep=5)
        lease = supervisor.open("chat")
        for number in range(300):
            task_id = supervisor.submit(lease, answers("x" * 5000), label=f"{number}")
            await supervisor.wait(lease, task_id)
        path = journal_path(tmp_path, "chat")
        assert len(path.read_bytes().splitlines()) <= 4 * 5 + 101
        await supervisor.aclose()
        again = supervisor_on(tmp_path, keep=5)
        snapshot = again.snapshot(again.open("chat"))
        assert [t.label for t in snapshot.tasks] == ["295", "296", "297", "298", "299"]
        assert snapshot.forgotten == 295
        assert len(path.read_bytes().splitlines()) == 6

    asyncio.run(main())


def test_a_folder_that_cannot_be_written_is_a_warning_and_stops_no_task(tmp_path: Path) -> None:
    blocked = tmp_path / "a file"
    blocked.write_text("in the way")

    async def main() -> None:
        supervisor = supervisor_on(blocked / "state")
        lease = supervisor.open("chat")
        task_id = supervisor.submit(lease, answers("fine"), label="x")
        assert (await supervisor.wait(lease, task_id)).result == "fine"
        assert supervisor.warnings
        assert "could not be" in supervisor.warnings[0]
        await supervisor.aclose()

    asyncio.run(main())


def test_no_secret_reaches_the_state_folder(tmp_path: Path) -> None:
    secret = "sk-" + "ant-api03-" + "abcdefghij0123456789" * 2
    mine = "my-own-key-value"

    async def main() -> None:
        supervisor = supervisor_on(
            tmp_path, redact=lambda text: text.replace(secret, "***").replace(mine, "***")
        )
        lease = supervisor.open("chat")
        child = Held()
        one = supervisor.submit(lease, child, label=f"use {mine}", key=mine)
        await turn()
        child.says(f"found {secret} and {mine}")
        assert child.handle is not None
        child.handle.keeps_transcript(f"sa_{mine}")
        child.ends(f"{mine}")
        two = supervisor.submit(lease, fails(ValueError(mine)), label="b")
        for task_id in (one, two):
            await supervisor.wait(lease, task_id)
        await supervisor.aclose()

    asyncio.run(main())
    written = b"".join(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())
    assert secret.encode() not in written
    assert mine.encode() not in written
    assert b"***" in written


def test_owners_with_names_alike_have_files_of_their_own(tmp_path: Path) -> None:
    names = ["a/b", "a:b", "../a b", "A/B", ""]
    paths = [journal_path(tmp_path, name) for name in names]
    assert len(set(paths)) == 5
    assert all(path.parent == tmp_path for path in paths)


def test_every_line_of_a_journal_is_json_that_reads_back(tmp_path: Path) -> None:
    async def main() -> None:
        supervisor = supervisor_on(tmp_path)
        lease = supervisor.open("chat")
        task_id = supervisor.submit(lease, answers("zwei\u2028Zeilen\r\n“x”"), label="ü")
        record = await supervisor.wait(lease, task_id)
        lines = journal_path(tmp_path, "chat").read_bytes().splitlines()
        entries = [json.loads(line) for line in lines]
        assert entries[0] == {"schema": 1, "owner": "chat", "generation": 1, "forgotten": 0}
        assert [e["task"]["state"] for e in entries[1:]] == ["waiting", "running", "done"]
        assert TaskRecord.model_validate(entries[-1]["task"]) == record
        await supervisor.aclose()

    asyncio.run(main())
