"""File tools in a workspace that holds odd things."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

import pytest

from routinglab.errors import ToolError
from routinglab.running.read_tools import read_tools
from routinglab.running.workspace import Workspace
from routinglab.running.write_tools import write_tools


def run(folder: Path, name: str, **given: Any) -> str:
    workspace = Workspace(folder)
    tools = (*read_tools(workspace), *write_tools(workspace))
    found = next(tool for tool in tools if tool.name == name)
    return asyncio.run(asyncio.wait_for(found.run(given), 20))  # type: ignore[arg-type]


def test_a_link_in_a_circle_hinders_no_listing_and_no_search(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("needle\n")
    (tmp_path / "loop").symlink_to("loop")
    assert run(tmp_path, "ls") == "a.txt 7\nloop [link out of the workspace]"
    assert run(tmp_path, "find", pattern="*") == "a.txt"
    assert run(tmp_path, "search", pattern="needle") == "a.txt:1: needle"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_named_pipe_is_never_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "a.txt").write_text("needle\n")
    with pytest.raises(ToolError, match="not a regular file"):
        run(tmp_path, "read", path="pipe")
    assert run(tmp_path, "search", pattern="needle") == "a.txt:1: needle"
    assert run(tmp_path, "search", pattern="needle", path="pipe") == "[no line matches]"


OUT = [
    "../out.txt",
    "/etc/passwd",
    "link/out.txt",
    "a/../../out.txt",
    "~/x",
    "C:\\x",
    "",
    "a\0b",
    "hop",
]


@pytest.mark.parametrize("path", OUT)
def test_no_file_tool_takes_a_path_that_leads_out(tmp_path: Path, path: str) -> None:
    (tmp_path / "out.txt").write_text("outside")
    root = tmp_path / "work"
    root.mkdir()
    (root / "link").symlink_to(tmp_path)
    (root / "hop").symlink_to(tmp_path / "out.txt")
    for name, given in (
        ("read", {}),
        ("write", {"content": "x"}),
        ("edit", {"old": "outside", "new": "x"}),
    ):
        with pytest.raises(ToolError):
            run(root, name, path=path, **given)
    if path:
        for name in ("ls", "find", "search"):
            with pytest.raises(ToolError):
                run(root, name, path=path, **({} if name == "ls" else {"pattern": "outside"}))
    assert (tmp_path / "out.txt").read_text() == "outside"
    assert "outside" not in run(root, "search", pattern="outs")
