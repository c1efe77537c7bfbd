"""The tools a child has: what they give, what they refuse, how they are bounded."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.llm_server import LlmServer, Raw, Redirect
from support.processes import ends

from routinglab.errors import ToolError
from routinglab.providers.chat import ToolCall
from routinglab.running.bounded import OUTPUT_LIMIT, bounded
from routinglab.running.fetch_tool import fetch_tool
from routinglab.running.read_tools import read_tools
from routinglab.running.shell_tool import shell_tool
from routinglab.running.toolbox import Toolbox, choose_tools, python_tool
from routinglab.running.workspace import Workspace
from routinglab.running.write_tools import write_tools
from routinglab.settings.model import ToolPermissions
from routinglab.skills.tools import HostTool


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = tmp_path / "work"
    (root / "src" / "deep").mkdir(parents=True)
    (root / "src" / "a.py").write_text("import os\nvalue = 41\n")
    (root / "src" / "deep" / "test_b.py").write_text("value = 42\n")
    (root / "notes.md").write_text("one\ntwo\nthree\n")
    (root / "node_modules").mkdir()
    (root / "node_modules" / "x.py").write_text("value = 43\n")
    (tmp_path / "secret.txt").write_text("outside")
    return root


def run(tools: tuple[HostTool, ...], name: str, **arguments: Any) -> str:
    found = next(tool for tool in tools if tool.name == name)
    return asyncio.run(found.run(arguments))  # type: ignore[arg-type]


def test_read_numbers_lines_and_reads_a_part(folder: Path) -> None:
    tools = read_tools(Workspace(folder))
    assert run(tools, "read", path="notes.md") == "     1\tone\n     2\ttwo\n     3\tthree"
    part = run(tools, "read", path="notes.md", offset=2, limit=1)
    assert part == "     2\ttwo\n[1 more lines; read on with offset 3]"
    with pytest.raises(ToolError, match="has 3 lines; offset 9 is past its end"):
        run(tools, "read", path="notes.md", offset=9)


def test_ls_shows_folders_and_sizes(folder: Path) -> None:
    assert run(read_tools(Workspace(folder)), "ls") == "node_modules/\nnotes.md 14\nsrc/"


def test_find_matches_names_and_paths(folder: Path) -> None:
    tools = read_tools(Workspace(folder))
    assert run(tools, "find", pattern="*.py") == "src/a.py\nsrc/deep/test_b.py"
    assert run(tools, "find", pattern="src/**/*.py") == "src/a.py\nsrc/deep/test_b.py"
    assert run(tools, "find", pattern="*.rs") == "[no file matches]"


def test_search_gives_place_and_line(folder: Path) -> None:
    tools = read_tools(Workspace(folder))
    assert run(tools, "search", pattern=r"value = 4[0-9]") == (
        "src/a.py:2: value = 41\nsrc/deep/test_b.py:1: value = 42"
    )
    assert run(tools, "search", pattern="value", files="test_*") == (
        "src/deep/test_b.py:1: value = 42"
    )
    with pytest.raises(ToolError, match="is no regular expression"):
        run(tools, "search", pattern="(")


def test_a_regular_expression_that_explodes_is_ended(folder: Path) -> None:
    (folder / "long.txt").write_text("a" * 5000 + "!\n")
    with pytest.raises(ToolError, match="takes too long"):
        run(read_tools(Workspace(folder)), "search", pattern=r"^(a|aa)+$", path="long.txt")


ESCAPES = ["../../etc/passwd", "../secret.txt", "/etc/passwd", "out/secret.txt", "src/../../secret.txt",
           "loop/x", "~/x", "C:\\x", "\\\\host\\share", "a\0b", ""]  # fmt: skip


@pytest.mark.parametrize("path", ESCAPES)
@pytest.mark.parametrize("name", ["read", "ls", "find", "search", "write", "edit"])
def test_no_file_tool_leaves_the_workspace(folder: Path, name: str, path: str) -> None:
    (folder / "out").symlink_to(folder.parent)
    (folder / "loop").symlink_to(folder / "loop")
    workspace = Workspace(folder)
    rest = {
        "find": {"pattern": "*"},
        "search": {"pattern": "o"},
        "write": {"content": "x"},
        "edit": {"old": "outside", "new": "x"},
    }.get(name, {})
    tools = read_tools(workspace) + write_tools(workspace)
    if path == "" and name in ("ls", "find", "search"):
        return  # a blank folder is the workspace itself
    with pytest.raises(ToolError, match=r"refused|not a path|circle"):
        run(tools, name, path=path, **rest)
    assert (folder.parent / "secret.txt").read_text() == "outside"


def test_searching_does_not_follow_links_out(folder: Path) -> None:
    (folder / "link.txt").symlink_to(folder.parent / "secret.txt")
    (folder / "folder").symlink_to(folder.parent)
    tools = read_tools(Workspace(folder))
    assert run(tools, "search", pattern="outside") == "[no line matches]"
    assert "secret" not in run(tools, "find", pattern="*")
    assert "link.txt [link out of the workspace]" in run(tools, "ls")


def test_write_and_edit_change_files_whole(folder: Path) -> None:
    tools = write_tools(Workspace(folder))
    assert run(tools, "write", path="new/file.txt", content="é") == "wrote 2 bytes to new/file.txt"
    assert (folder / "new" / "file.txt").read_text() == "é"
    assert run(tools, "edit", path="src/a.py", old="41", new="44") == "replaced 1 place in src/a.py"
    assert (folder / "src" / "a.py").read_text() == "import os\nvalue = 44\n"
    (folder / "twice.txt").write_text("x x")
    with pytest.raises(ToolError, match="occurs 2 times"):
        run(tools, "edit", path="twice.txt", old="x", new="y")
    run(tools, "edit", path="twice.txt", old="x", new="y", all=True)
    assert (folder / "twice.txt").read_text() == "y y"
    with pytest.raises(ToolError, match="does not occur"):
        run(tools, "edit", path="twice.txt", old="zz", new="y")
    assert sorted(p.name for p in folder.iterdir() if p.name.startswith(".")) == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"pth": "x"}, "unknown argument 'pth'. Did you mean 'path'"),
        ({}, "path is required"),
        ({"path": 3}, "path must be a string, not 3"),
        ({"path": "notes.md", "offset": True}, "offset must be a integer"),
        ({"path": "notes.md", "offset": 0}, "offset must be at least 1"),
    ],
)
def test_wrong_arguments_are_named(
    folder: Path, arguments: Mapping[str, Any], message: str
) -> None:
    with pytest.raises(ToolError, match=message.replace("?", r"\?")):
        run(read_tools(Workspace(folder)), "read", **arguments)


def test_bash_gives_output_and_exit_code_without_keys(folder: Path) -> None:
    shell = shell_tool(
        Workspace(folder),
        env={"PATH": "/usr/bin:/bin", "OPENAI_API_KEY": "sk-hidden", "PLAIN": "seen"},
        hidden=["OPENAI_API_KEY"],
    )
    text = run((shell,), "bash", command='pwd; echo "$PLAIN-$OPENAI_API_KEY"; exit 3')
    assert text == f"{folder.resolve()}\nseen-\n\n[exit code 3]"


def test_bash_ends_every_process_at_its_limit(folder: Path) -> None:
    shell = shell_tool(Workspace(folder))
    with pytest.raises(ToolError, match=r"ended after 0\.2 seconds"):
        run((shell,), "bash", command="sleep 60 & echo $! > pid; wait", timeout=0.2)
    pid = int((folder / "pid").read_text())
    assert ends(pid)


def test_bash_holds_only_head_and_tail_of_a_flood(folder: Path) -> None:
    text = run((shell_tool(Workspace(folder)),), "bash", command="seq 1 400000")
    assert text.startswith("1\n2\n3\n")
    assert text.endswith("399999\n400000\n")
    assert "left out" in text
    assert len(text) < OUTPUT_LIMIT + 200


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1/", "http://localhost/", "http://[::1]/", "http://169.254.169.254/x"]
)
def test_fetch_refuses_private_addresses(url: str) -> None:
    with pytest.raises(ToolError, match=r"this machine or a private network|no address"):
        run((fetch_tool(),), "fetch", url=url)


@pytest.mark.parametrize("url", ["file:///etc/passwd", "ftp://x/y", "nonsense", "http://[bad"])
def test_fetch_takes_http_only(url: str) -> None:
    with pytest.raises(ToolError, match=r"only http|not an address"):
        run((fetch_tool(allow_private=True),), "fetch", url=url)


def fetched(*steps: Any, path: str = "/v1/messages") -> str:
    async def main() -> str:
        async with LlmServer(strict=False) as server:
            server.script("", list(steps))
            port = server.url.rpartition(":")[2]
            tool = fetch_tool(allow_private=True)
            text = await tool.run({"url": f"http://localhost:{port}{path}"})
            assert server.requests[0].headers["host"] == f"localhost:{port}"
            return text

    return asyncio.run(main())


def test_fetch_gives_status_and_text_and_follows_redirects() -> None:
    page = Raw(b"<p>hello</p>", "text/html; charset=utf-8")
    assert fetched(page) == "[HTTP 200, text/html; charset=utf-8]\n<p>hello</p>"
    assert fetched(Redirect("/v1/messages?again"), page).endswith("<p>hello</p>")
    assert fetched(Raw(b"\x89PNG\0", "image/png")) == "[HTTP 200, image/png: binary content]"
    assert fetched(Raw(b"gone", "text/plain", status=404)).startswith("[HTTP 404, text/plain]")
    assert "characters left out" in fetched(Raw(b"x" * 100_000, "text/plain"))


def test_fetch_checks_every_redirect() -> None:
    with pytest.raises(ToolError, match="only http and https"):
        fetched(Redirect("file:///etc/passwd"))
    with pytest.raises(ToolError, match="more than 5 redirects"):
        fetched(*[Redirect("/v1/messages")] * 6)


def test_bounded_says_how_much_is_missing() -> None:
    assert bounded("short", 10) == "short"
    assert bounded("a" * 20 + "b" * 40, 30) == (
        "a" * 20 + "\n[... 30 characters left out ...]\n" + "b" * 10
    )


def everything(folder: Path) -> list[HostTool]:
    workspace = Workspace(folder)
    return [
        *read_tools(workspace), *write_tools(workspace), shell_tool(workspace), fetch_tool(),
    ]  # fmt: skip


def test_default_tools_are_read_only(folder: Path) -> None:
    every = ToolPermissions(write=True, shell=True, fetch=True)
    assert choose_tools(None, everything(folder), every).names == ("read", "search", "find", "ls")
    assert choose_tools((), everything(folder), every).names == ()


def test_what_the_host_does_not_allow_is_not_offered_and_said(folder: Path) -> None:
    box = choose_tools(
        ("Read", "Grep", "Bash", "edit", "teleport"),
        everything(folder),
        ToolPermissions(write=True),
    )
    assert box.names == ("read", "search", "edit")
    assert box.notes == (
        "tool 'Bash' is not allowed here (settings: tools.shell)",
        "tool 'teleport' does not exist here",
    )


def call(box: Toolbox, name: str, arguments: str) -> tuple[str, bool]:
    result = asyncio.run(box.call(ToolCall("1", name, arguments)))
    return result.text, result.is_error


def test_a_python_function_is_a_tool() -> None:
    def add(a: int, b: int = 2) -> int:
        """Add two numbers."""
        return a + b

    def broken(text: str) -> str:
        raise KeyError(text)

    box = Toolbox([python_tool(add), python_tool(broken)])
    assert box.specs[0].description == "Add two numbers."
    assert box.specs[0].schema["required"] == ["a"]
    assert call(box, "add", '{"a": 40}') == ("42", False)
    assert call(box, "add", '{"a": "x"}')[1]
    assert call(box, "broken", '{"text": "why"}') == ("KeyError: 'why'", True)


def test_bad_calls_are_told_to_the_model(folder: Path) -> None:
    box = choose_tools(None, everything(folder), ToolPermissions())
    assert call(box, "raed", "{}") == (
        "there is no tool 'raed'. Did you mean 'read'? Tools: read, search, find, ls", True,
    )  # fmt: skip
    assert "not valid JSON" in call(box, "read", '{"path": ')[0]
    assert call(box, "read", "[1]") == (
        "the arguments must be one JSON object; send them again", True,
    )  # fmt: skip
    assert call(box, "read", json.dumps({"path": "../x"}))[1]
