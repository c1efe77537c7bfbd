"""The shell tool's processes, and tools that a definition limits by a pattern."""

from __future__ import annotations

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import pytest
from support.processes import ends, is_alive

from routinglab.providers.chat import ToolCall
from routinglab.running.fetch_tool import fetch_tool
from routinglab.running.read_tools import read_tools
from routinglab.running.shell_tool import shell_tool
from routinglab.running.toolbox import choose_tools, python_tool
from routinglab.running.workspace import Workspace
from routinglab.running.write_tools import write_tools
from routinglab.settings.model import ToolPermissions

EVERY = ToolPermissions(write=True, shell=True, fetch=True)


def bash(folder: Path, command: str, **more: Any) -> str:
    tool = shell_tool(Workspace(folder))
    return asyncio.run(tool.run({"command": command, **more}))  # type: ignore[arg-type]


def test_what_a_command_leaves_running_ends_with_it(tmp_path: Path) -> None:
    text = bash(tmp_path, "sleep 60 & echo $!; echo done")
    pid, done = text.split()
    assert done == "done"
    assert ends(int(pid))


def test_a_process_that_left_the_group_does_not_hold_the_answer_up(tmp_path: Path) -> None:
    left = '[ "$(cut -d" " -f6 /proc/$p/stat)" = "$p" ]'  # it leads a session of its own
    text = bash(tmp_path, f"setsid sleep 60 & p=$!; until {left}; do :; done; echo $p")
    pid = int(text)
    assert is_alive(pid)
    os.kill(pid, signal.SIGKILL)


def test_output_of_a_command_that_ends_at_once_is_whole(tmp_path: Path) -> None:
    for _ in range(20):
        assert bash(tmp_path, "printf 'one\\ntwo'") == "one\ntwo"


def test_standard_error_is_shown_and_input_is_empty(tmp_path: Path) -> None:
    assert bash(tmp_path, "cat; echo oops >&2") == "oops\n"


@pytest.mark.parametrize(
    ("written", "given"),
    [
        ("Bash", True),
        ("Bash()", True),
        ("Bash(*)", True),
        ("bash(*:*)", True),
        ("Bash(git:*)", False),
        ("Bash(git status)", False),
        ("Bash(git:*, ls:*)", False),
        ("Read(docs/**)", False),
        ("WebFetch(domain:example.org)", False),
    ],
)
def test_a_limited_tool_never_becomes_the_whole_tool(
    tmp_path: Path, written: str, given: bool
) -> None:
    workspace = Workspace(tmp_path)
    every = [
        *read_tools(workspace),
        *write_tools(workspace),
        shell_tool(workspace),
        fetch_tool(),
    ]
    box = choose_tools((written,), every, EVERY)
    assert bool(box.names) is given
    assert bool(box.notes) is not given
    if not given:
        assert f"tool {written!r} is left out: its limit cannot be kept here" in box.notes[0]


def test_a_limited_name_beside_the_whole_one_takes_nothing_away(tmp_path: Path) -> None:
    tools = [shell_tool(Workspace(tmp_path))]
    box = choose_tools(("Bash(git:*)", "Bash"), tools, EVERY)
    assert box.names == ("bash",)
    assert len(box.notes) == 1


@pytest.mark.parametrize(
    ("permissions", "names"),
    [
        (ToolPermissions(), ()),
        (ToolPermissions(write=True), ("write", "edit")),
        (ToolPermissions(shell=True), ("bash",)),
        (ToolPermissions(fetch=True), ("fetch",)),
    ],
)
def test_each_permission_allows_its_own_tools_only(
    tmp_path: Path, permissions: ToolPermissions, names: tuple[str, ...]
) -> None:
    workspace = Workspace(tmp_path)
    every = [*write_tools(workspace), shell_tool(workspace), fetch_tool()]
    box = choose_tools(("write", "edit", "bash", "fetch"), every, permissions)
    assert box.names == names
    assert len(box.notes) == 4 - len(names)


def test_a_hosts_own_tool_comes_before_one_of_the_same_name_and_needs_no_permission(
    tmp_path: Path,
) -> None:
    def bash(command: str) -> str:
        """Run a command in a container."""
        return f"contained: {command}"

    box = choose_tools(
        ("bash",), [shell_tool(Workspace(tmp_path))], ToolPermissions(), own=[python_tool(bash)]
    )
    assert box.notes == ()
    result = asyncio.run(box.call(ToolCall("1", "bash", '{"command": "ls"}')))
    assert result.text == "contained: ls"
