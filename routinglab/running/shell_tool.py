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

#: Seconds a command may take where the call names no other limit.
SECONDS = 600.0


def shell_tool(
    workspace: Workspace,
    *,
    env: Mapping[str, str] | None = None,
    hidden: Iterable[str] = (),
) -> HostTool:
    """A shell in the workspace, without the variables named in ``hidden`` (the provider keys).

    A shell is not confined: what it may do is what the person who allowed it may do. Cancelling
    the call, or its time limit, ends every process it started.
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
        try:
            async with asyncio.timeout(limit):
                output = await _drain(process)
                code = await process.wait()
        except TimeoutError:
            raise ToolError(f"bash: the command was ended after {limit:g} seconds") from None
        finally:
            await _end(process)
        text = bounded(output.decode("utf-8", "replace"))
        return text if code == 0 else f"{text}\n[exit code {code}]".lstrip("\n")

    return tool(
        "bash",
        "Run a shell command in the workspace; gives its output and a non-zero exit code.",
        (
            Argument("command", "string", "The command."),
            Argument("timeout", "number", "Seconds before it is ended.", optional=True, least=0.1),
        ),
        run,
    )


async def _drain(process: asyncio.subprocess.Process) -> bytes:
    """All output; of a flood only the head and the tail are held."""
    assert process.stdout is not None
    head, tail = bytearray(), bytearray()
    dropped = 0
    while piece := await process.stdout.read(65536):
        room = max(0, OUTPUT_LIMIT * 4 - len(head))
        head += piece[:room]
        tail += piece[room:]
        if (over := len(tail) - OUTPUT_LIMIT * 4) > 0:
            dropped += over
            del tail[:over]
    note = f"\n[... {dropped:,} bytes left out ...]\n".encode() if dropped else b""
    return bytes(head) + note + bytes(tail)


async def _end(process: asyncio.subprocess.Process) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
