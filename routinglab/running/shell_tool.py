"""The ``bash`` tool, only where the host allows a shell."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Iterable, Mapping
from typing import Any, Self

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
        async with _Pipe() as pipe:
            process = await asyncio.create_subprocess_exec(
                "/bin/sh",
                "-c",
                given["command"],
                cwd=workspace.root,
                env=kept,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=pipe.write_end,
                stderr=asyncio.subprocess.STDOUT,
                start_new_session=True,
            )
            pipe.close_write_end()
            try:
                async with asyncio.timeout(limit):
                    code = await process.wait()
            except TimeoutError:
                raise ToolError(f"bash: the command was ended after {limit:g} seconds") from None
            finally:
                await _end(process)
            # a process that left the group may hold the pipe open for ever
            await asyncio.wait([pipe.reading], timeout=LAST_OUTPUT)
        text = bounded(pipe.output.text())
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


class _Pipe:
    """A pipe for a command's output that is ours to close.

    asyncio's own would keep ``wait`` from returning as long as anything holds it open.
    """

    async def __aenter__(self) -> Self:
        self.output = Output()
        read_end, self.write_end = os.pipe()
        stream = asyncio.StreamReader()
        self._transport, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: asyncio.StreamReaderProtocol(stream), os.fdopen(read_end, "rb", 0)
        )
        self.reading = asyncio.create_task(self.output.fill(stream))
        return self

    def close_write_end(self) -> None:
        """Leave the writing end to the command alone."""
        if self.write_end >= 0:
            os.close(self.write_end)
            self.write_end = -1

    async def __aexit__(self, *_: object) -> None:
        self.close_write_end()
        self._transport.close()
        self.reading.cancel()
        await asyncio.gather(self.reading, return_exceptions=True)


async def _end(process: asyncio.subprocess.Process) -> None:
    """End the command and everything it left running."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
