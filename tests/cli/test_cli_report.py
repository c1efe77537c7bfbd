"""``routinglab report`` on the command line."""

from __future__ import annotations

from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from routinglab.cli import exits


@pytest.fixture
def notebook(tmp_path: Path) -> Path:
    cells = [
        new_code_cell("price = 5.0  # USD", id="p", metadata={"tags": ["parameters"]}),
        new_code_cell("print('price', price)\nassert price < 9, 'too dear'", id="check"),
    ]
    nbformat.write(new_notebook(cells=cells), tmp_path / "study.ipynb")
    return tmp_path / "study.ipynb"


@pytest.mark.notebook
def test_writes_the_page_and_its_manifest(command, notebook: Path) -> None:
    ran = command("report", notebook, "-p", "price=7", "-o", "out/page.html", "--json")
    assert ran.code == 0, ran.err
    assert ran.data["parameters"] == {"price": 7}
    assert "price 7" in Path("out/page.html").read_text()
    assert Path("out/page.manifest.json").is_file()
    assert ran.err.splitlines()[0] == "[1/3] p"
    assert ran.err.splitlines()[-1] == "wrote out/page.html and page.manifest.json"


@pytest.mark.notebook
def test_a_failing_cell_fails_the_command_and_leaves_no_file(command, notebook: Path) -> None:
    ran = command("report", notebook, "-p", "price=9.5", "-q")
    assert ran.code == exits.FAILED
    assert ran.err == (
        "routinglab: notebook study: cell 'check' (3 of 3) failed: AssertionError: too dear\n"
    )
    assert list(Path().iterdir()) == []


def test_lists_shipped_notebooks(command) -> None:
    ran = command("report", "--list")
    assert ran.code == 0
    assert {"main", "evals", "replay", "report"} <= set(ran.out.split())
    assert command("report", "--list", "--json").data == ran.out.split()


def test_lists_a_notebooks_parameters(command, notebook: Path) -> None:
    ran = command("report", notebook, "--list")
    assert ran.out.splitlines() == ["parameter  default  help", "price      5.0      USD"]
    listed = command("report", notebook, "--list", "--json").data
    assert listed == [{"name": "price", "default": "5.0", "help": "USD"}]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("-p", "prize=1"), "no parameter 'prize'. Did you mean 'price'? It has: price"),
        (("-p", "price=dear"), "'price' must be a number"),
        (("-p", "price"), "'price' is not of the form key=value"),
        (("--code", "loud"), "code must be one of collapsed, shown, hidden"),
        (("--cwd", "nowhere"), "folder to run in does not exist: nowhere"),
    ],
)
def test_wrong_options_run_nothing(command, notebook: Path, arguments, told: str) -> None:
    ran = command("report", notebook, *arguments)
    assert ran.code == exits.USAGE
    assert told in ran.err
    assert list(Path().iterdir()) == []


def test_a_name_is_needed_and_the_error_lists_them(command) -> None:
    ran = command("report")
    assert ran.code == exits.USAGE
    assert "name a notebook: " in ran.err
    assert "main" in ran.err
