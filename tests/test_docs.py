"""Every page's Python runs as written; its links, names, options and files lead somewhere."""

from __future__ import annotations

import ast
import asyncio
import builtins
import importlib
import inspect
import json
import re
import shlex
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.llm_server import LlmServer

ROOT = Path(__file__).parents[1]
PAGES = {path.stem: path for path in sorted((ROOT / "docs").glob("*.md"))}
WITH_PYTHON = [name for name, path in PAGES.items() if "```python" in path.read_text()]
ALL = [ROOT / "README.md", ROOT / "CHANGELOG.md", *PAGES.values()]


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(
        rf"^```{language}\n(.*?)^```", page.read_text(), flags=re.DOTALL | re.MULTILINE
    )


# Python --------------------------------------------------------------------------------------------


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with the files that the pages speak of, and a key for each provider."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("ROUTINGLAB_HOME", str(tmp_path))
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setenv(name, "not-a-key-of-anybody")
    (tmp_path / "evals").symlink_to(ROOT / "evals")
    (tmp_path / "work" / "repo").mkdir(parents=True)
    (tmp_path / "models.json").write_text(blocks(PAGES["catalog"], "json")[0])
    (tmp_path / "api.json").write_text('{"lab": {"id": "lab", "models": {}}}')
    rows = [f"mbpp.dev.{n},say {n},mbpp,{n % 2},{n % 3 == 0:d},0.001,0.01" for n in range(12)]
    head = "sample_id,prompt,eval_name,m-a,gpt-4-1106-preview,m-a|total_cost,gpt-4-1106-preview|total_cost"
    (tmp_path / "routerbench_0shot.csv").write_text("\n".join([head, *rows]) + "\n")
    (skill,) = blocks(PAGES["skills"], "markdown")
    folder = tmp_path / ".routinglab" / "skills"
    folder.mkdir(parents=True)
    (folder / "deepsearch.md").write_text(skill)
    return tmp_path


def at_hand(page: str) -> dict[str, Any]:
    """What a page's examples take as given: its text says so, or the page before it made it."""
    import numpy as np

    from routinglab import Router, Runner, load_settings, metrics

    given: dict[str, Any] = {"settings": load_settings()}
    if page == "evals":
        import pandas as pd

        rows = [
            {"task": f"t{n}", "work": "coding", "model": m, "score": n % 2, "cost": 0.1}
            for n in range(4)
            for m in "ab"
        ]
        given["outcomes"] = pd.DataFrame(rows)
    if page == "tasks":
        router = Router()
        view = SimpleNamespace(
            show_status=lambda *_: None, show_footer=lambda *_: None, show_notice=lambda *_: None
        )
        given |= {"router": router, "runner": Runner(router), "view": view}
    if page == "metrics":
        even = np.full((60, 2), 0.5)
        picks = np.arange(60) % 2
        given |= {
            "metrics": metrics, "quality": [0.5, 1.0], "best": [1.0, 1.0],
            "costs": [0.0, 1.0], "qualities": [0.2, 0.8],
            "mine": ([0.0, 1.0], [0.2, 0.8]), "theirs": ([0.0, 2.0], [0.1, 0.9]),
            "preference": np.linspace(0, 1, 60), "weak": picks, "strong": np.ones(60),
            "chosen": picks, "scores": picks, "propensity": even, "target": even,
        }  # fmt: skip
    return given


async def execute(page: str, place: Path) -> dict[str, Any]:
    async with LlmServer(strict=False) as server:
        settings = {
            "currentModel": "openai/gpt-5.5",
            "modelAliases": {"deepseek-pro": "anthropic/claude-opus-5-5:max"},
            "providers": {
                "openai": {"baseUrl": server.openai_url},
                "anthropic": {"baseUrl": server.anthropic_url},
            },
            "retry": {"baseDelayMs": 0},
        }
        (place / ".routinglab" / "settings.json").write_text(json.dumps(settings))
        scope = at_hand(page)
        for number, text in enumerate(blocks(PAGES[page], "python"), 1):
            name = f"docs/{page}.md, example {number}"
            code = compile(text, name, "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            result = eval(code, scope)
            if inspect.isawaitable(result):
                await result
        return scope


@pytest.mark.filterwarnings(
    "ignore::routinglab.lab.findings.OutcomesWarning"
)  # the table has no tokens
@pytest.mark.parametrize("page", WITH_PYTHON)
def test_the_python_of_a_page_runs_as_written(page: str, place: Path) -> None:
    scope = asyncio.run(execute(page, place))
    assert len(scope) > 2


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.stem)
def test_json_and_toml_examples_can_be_read(page: Path) -> None:
    for text in blocks(page, "json"):
        json.loads(text)
    for text in blocks(page, "toml"):
        tomllib.loads(text)


# Links ---------------------------------------------------------------------------------------------


@cache
def anchors(page: Path) -> set[str]:
    """The anchors that headings get: lower case, no punctuation, hyphens for spaces."""
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    headings = re.findall(r"^#+ +(.+?) *$", prose, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in headings}


@pytest.mark.parametrize("page", ALL, ids=lambda page: page.stem)
def test_links_lead_to_a_file_and_a_heading(page: Path) -> None:
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    for link in re.findall(r"\]\(([^)\s]+)\)", prose):
        if re.match(r"[a-z]+:", link):
            continue
        file, _, anchor = link.partition("#")
        target = (page.parent / file).resolve() if file else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


# Names ---------------------------------------------------------------------------------------------


def inline(page: Path) -> Iterator[str]:
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    yield from re.findall(r"`([^`\n]+)`", prose)


@cache
def defined() -> set[str]:
    """Every function, class and field of the package, whatever module it is in."""
    names = set()
    for path in (ROOT / "routinglab").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                names.add(node.name)
            elif isinstance(node, ast.AnnAssign):
                names.add(ast.unparse(node.target).rpartition(".")[2])
    return names


#: What belongs to Dask, pandas and the tool lists of other programs.
FOREIGN = {"Client", "get_executor", "DataFrame", "Bash"}
PROSE = [page for page in ALL if page.stem != "behaviours"]


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.stem)
def test_functions_a_page_names_exist(page: Path) -> None:
    known = defined() | set(dir(builtins)) | FOREIGN
    for code in inline(page):
        for name in re.findall(r"([A-Za-z_]\w*)\(", code):
            assert name in known, code


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.stem)
def test_modules_a_page_names_exist(page: Path) -> None:
    for code in inline(page):
        if not re.fullmatch(r"routinglab(\.\w+)+(\(.*\))?", code):
            continue
        module, *rest = code.partition("(")[0].split(".")
        found = importlib.import_module(module)
        for part in rest:
            module = f"{module}.{part}"
            if hasattr(found, part):
                found = getattr(found, part)
            else:
                found = importlib.import_module(module)


# Commands ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PROSE, ids=lambda page: page.stem)
def test_commands_and_options_a_page_names_exist(page: Path) -> None:
    from typer.main import get_command

    from routinglab.cli.app import app

    root: Any = get_command(app)
    options = set()
    queue = [root]
    for command in queue:
        queue += getattr(command, "commands", {}).values()
        for parameter in command.params:
            options |= {*parameter.opts, *parameter.secondary_opts}
    options |= {"--help"}
    for line in "\n".join(blocks(page, "console")).splitlines():
        if line.startswith("routinglab "):
            verb, *arguments = shlex.split(line, comments=True)[1:]
            root.get_command(None, verb).make_context(verb, list(arguments))  # runs nothing
    for code in inline(page):
        if (
            code.startswith("routinglab ")
            and (word := code.split()[1]).isalpha()
            and word.islower()
        ):
            assert word in root.commands, code
        if code.startswith(("routinglab ", "--")):
            for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code):
                assert option in options, code
