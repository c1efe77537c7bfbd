"""The ``bash`` tool, only where the host allows a shell."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterable, Mapping
from typing import Any

from routinglab.errors import ToolError
from routinglab.running.arguments import Argument, tool
from routinglab.running.bounded import OUTPUT_LIMIT, bounded
from routinglab.running.workspace import Workspace
from routinglab.skills.tools import HostTool

#: Seconds a command may take where the call names no other limit, and its output after its end.
SECONDS = 600.0
LAST_OUTPUT = 1.0


def shell_tool(
    workspace: Workspace,
    *,
    env: Mapping[str, str] | None = None,
    hidden: Iterable[str] = (),
) -> HostTool:
    """A shell in the workspace, without the variables named in ``hidden`` (the provider keys).

    A shell is not confined: what it may do is what the person who allowed it may do. The end of the
    command, its time limit and a cancelled call end every process of its group.
    """
    kept = {k: v for k, v in (os.environ if env is None else env).items() if k not in set(hidden)}

    async def run(given: Mapping[str, Any]) -> str:
        limit = float(given.get("timeout") or SECONDS)
        process = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            given["command"],
            cwd=workspace.root,
            env=kept,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
            start_new_session=True,
        )
        assert process.stdout is not None
        output = Output()
        reading = asyncio.create_task(output.fill(process.stdout))
        try:
            async with asyncio.timeout(limit):
                code = await process.wait()
        except TimeoutError:
            raise ToolError(f"bash: the command was ended after {limit:g} seconds") from None
        finally:
            await _end(process, reading)
        text = bounded(output.text())
        return text if code == 0 else f"{text}\n[exit code {code}]".lstrip("\n")

    return tool(
        "bash",
        "Run a shell command in the workspace; gives its output and a non-zero exit code. What it "
        "leaves running is ended with it.",
        (
            Argument("command", "string", "The command."),
            Argument("timeout", "number", "Seconds before it is ended.", optional=True, least=0.1),
        ),
        run,
    )


class Output:
    """What a command printed; of a flood only the head and the tail are held."""

    def __init__(self, limit: int = OUTPUT_LIMIT * 4) -> None:
        self._limit = limit
        self._head, self._tail = bytearray(), bytearray()
        self._dropped = 0

    async def fill(self, stream: asyncio.StreamReader) -> None:
        """Read to the end."""
        while piece := await stream.read(65536):
            room = max(0, self._limit - len(self._head))
            self._head += piece[:room]
            self._tail += piece[room:]
            if (over := len(self._tail) - self._limit) > 0:
                self._dropped += over
                del self._tail[:over]

    def text(self) -> str:
        """Head and tail, with what is missing between them named."""
        note = f"\n[... {self._dropped:,} bytes left out ...]\n".encode() if self._dropped else b""
        return (self._head + note + self._tail).decode("utf-8", "replace")


async def _end(process: asyncio.subprocess.Process, reading: asyncio.Task[None]) -> None:
    """End what the command left running, then take the rest of its output."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
    # a process that left the group may hold the pipe open for ever
    await asyncio.wait([reading], timeout=LAST_OUTPUT)
    if not reading.done():
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        process._transport.close()  # type: ignore[attr-defined]
