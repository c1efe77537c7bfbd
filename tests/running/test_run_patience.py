"""Time and cancelling: nothing but a failure, an answer or a stop ends an attempt."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support import live
from support.llm_server import Called, LlmServer, Stall, calls, rate_limited, say, structured
from support.runs import Scene, agent, scene, until

from routinglab.routing.router import Router
from routinglab.running.runner import Runner


class JumpingLoop(asyncio.SelectorEventLoop):
    """An event loop whose clock can be put forward."""

    offset = 0.0

    def time(self) -> float:
        return super().time() + self.offset


@pytest.mark.parametrize("streaming", [False, True])
def test_an_hour_of_silence_does_not_end_an_attempt(tmp_path: Path, streaming: bool) -> None:
    go_on = asyncio.Event()

    class Silent:
        async def play(self, exchange: Any) -> None:
            if streaming:
                await exchange.start_stream()
                await exchange.send_piece(b": still here\n\n")
            await go_on.wait()
            if streaming:
                for event in stream_of(say("at last"), exchange):
                    await exchange.send_piece(event)
                await exchange.end_stream()
            else:
                await play_reply(say("at last"), exchange)

    from support.llm_server_behaviours import play_reply, stream_of

    async def main() -> None:
        loop = asyncio.get_running_loop()
        assert isinstance(loop, JumpingLoop)
        async with LlmServer() as server:
            server.always("strong", Silent())
            router = Router(
                live.settings(server), live.catalog(), live.evals(tmp_path), env=live.ENV
            )
            async with Runner(router, workspace=tmp_path, transcripts=None) as runner:
                running = asyncio.create_task(runner.run(agent(), "wait"))
                await until(lambda: server.open_now)
                for _ in range(60):
                    loop.offset += 60.0
                    await asyncio.sleep(0.001)
                assert not running.done()
                go_on.set()
                result = await running
                assert (result.text, [a.kind for a in result.attempts]) == ("at last", ["ok"])

    loop = JumpingLoop()
    with asyncio.Runner(loop_factory=lambda: loop) as on:
        on.run(main())


# Cancelling ----------------------------------------------------------------------------------

READING, CHOOSING = structured(live.ALL_NEEDS), structured({"choice": "acme/strong"})
Phase = tuple[Callable[[Scene], None], Callable[[Scene], Any], str]
PHASES: dict[str, Phase] = {
    "reading": (
        lambda s: s.server.script("chat", [Stall()]),
        lambda s: s.server.open_now,
        "auto",
    ),
    "choosing": (
        lambda s: s.server.script("chat", [READING, Stall()]),
        lambda s: len(s.server.requests) == 2,
        "auto",
    ),
    "before the first byte": (
        lambda s: s.server.script("strong", [Stall()]),
        lambda s: s.server.open_now,
        "acme/strong",
    ),
    "in mid-stream": (
        lambda s: s.server.script("strong", [Stall(text="so far and")]),
        lambda s: s.told("text"),
        "acme/strong",
    ),
    "in a tool": (
        lambda s: s.server.script(
            "strong", [calls(Called("bash", {"command": "echo $$ > pid; sleep 60"}))]
        ),
        lambda s: (s.folder / "work" / "pid").exists() and (s.folder / "work/pid").read_text(),
        "acme/strong",
    ),
    "backing off": (
        lambda s: s.server.script("strong", [rate_limited(50)]),
        lambda s: s.told("waiting"),
        "acme/strong",
    ),
}


def open_files() -> set[str]:
    """Sockets, pipes and files this process holds open."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found.add(str(entry.readlink()))
        except OSError:
            continue
    return found


def is_alive(pid: int) -> bool:
    return Path(f"/proc/{pid}").exists()


@pytest.mark.parametrize("phase", PHASES)
def test_cancelling_leaves_nothing_behind(tmp_path: Path, phase: str) -> None:
    prepare, reached, model = PHASES[phase]

    async def act(s: Scene) -> None:
        prepare(s)
        held = open_files()
        before = set(asyncio.all_tasks())
        running = asyncio.create_task(s.run(agent(model, tools=("bash",))))
        await until(lambda: reached(s))
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        await until(lambda: not s.server.open_now)
        await s.runner.aclose()
        [finished] = s.told("finished")
        assert finished.result is not None
        assert (finished.result.status, finished.result.failure) == ("cancelled", "cancelled")
        if phase in ("reading", "choosing"):
            # no selection was made
            assert (finished.result.decision, finished.result.attempts) == (None, ())
            assert not (s.folder / "transcripts").exists()
        else:
            [attempt] = finished.result.attempts
            assert (attempt.kind, attempt.failure) == ("failed", "cancelled")
            [kept] = (s.folder / "transcripts").iterdir()
            assert kept.name == f"{finished.result.transcript}.jsonl"
        if phase == "in mid-stream":
            assert finished.result.text == "so far and"
        if phase == "in a tool":
            assert not is_alive(int((s.folder / "work" / "pid").read_text()))
        # the far sides of the server's connections end a moment later
        await until(lambda: not set(asyncio.all_tasks()) - before - {asyncio.current_task()})
        await until(lambda: not open_files() - held)

    scene(
        tmp_path,
        act,
        tools={"shell": True},
        # a real wait, so that there is one to cancel
        runner={"chain": {}},
    )


def test_a_cancelled_run_can_be_gone_on_with(tmp_path: Path) -> None:
    from routinglab.skills.run import RunOptions

    async def act(s: Scene) -> None:
        s.server.script(
            "strong",
            [calls(Called("bash", {"command": "touch here; sleep 60"})), say("went on")],
        )
        skill = agent(tools=("bash",))
        running = asyncio.create_task(s.run(skill))
        await until((s.folder / "work" / "here").exists)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        [finished] = s.told("finished")
        assert finished.result is not None
        options = RunOptions(continue_from=finished.result.transcript)
        result = await s.run(skill, "Go on.", options=options)
        assert result.text == "went on"
        # the call that was cancelled may have had its effect: it is told and not run again
        assert "[cancelled while this tool was running]" in s.server.requests[1].text

    scene(tmp_path, act, tools={"shell": True})


def test_a_cancelled_run_touches_no_other(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [Stall()])
        s.server.always("middle", say("fine", delay=0.05))
        one = asyncio.create_task(s.run(agent("acme/strong")))
        await until(lambda: s.server.open_now)
        other = asyncio.create_task(s.run(agent("acme/middle")))
        one.cancel()
        with pytest.raises(asyncio.CancelledError):
            await one
        assert (await other).text == "fine"

    scene(tmp_path, act)


def test_runs_work_in_plain_code_and_inside_a_running_loop(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    with LlmServer().in_thread() as server:
        router = Router(live.settings(server), live.catalog(), live.evals(tmp_path), env=live.ENV)
        runner = Runner(router, workspace=tmp_path, transcripts=None)
        assert runner.run_sync(agent(), "hi").text == "ok"

        async def inside() -> str:
            return runner.run_sync(agent(), "hi").text

        assert asyncio.run(inside()) == "ok"
    assert set(threading.enumerate()) <= before


def test_a_watcher_that_fails_ends_no_run(tmp_path: Path, caplog: Any) -> None:
    async def act(s: Scene) -> None:
        def broken(_: Any) -> None:
            raise RuntimeError("a widget went away")

        result = await s.runner.run(agent(), "hi", on_event=broken)
        assert result.text == "ok"

    scene(tmp_path, act)
    assert "a watcher of a run failed on attempt" in caplog.text


def test_events_come_in_order(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("ls")), say("two words")])
        result = await s.run(agent(tools=("ls",)))
        assert [event.kind for event in s.events] == [
            "attempt", "tool", "tool_done", "text", "text", "attempt_done", "finished",
        ]  # fmt: skip
        assert "".join(event.text for event in s.told("text")) == "two words"
        assert [event.step for event in s.told("text")] == [1, 1]
        assert s.told("finished")[0].result == result

    scene(tmp_path, act)
