"""The command as a whole: help, exit codes, one-line errors, pipes and Ctrl-C."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from routinglab import __version__, errors
from routinglab.cli import app as root
from routinglab.cli import exits

VERBS = ("report", "replay", "route", "run", "evals", "models", "skills", "doctor")


def test_help_names_every_verb(command) -> None:
    ran = command("--help")
    assert ran.code == 0
    assert all(f"\n  {verb} " in ran.out for verb in VERBS)


@pytest.mark.parametrize("verb", VERBS)
def test_every_verb_has_help(command, verb: str) -> None:
    ran = command(verb, "-h")
    assert ran.code == 0
    assert f"Usage: routinglab {verb}" in ran.out


def test_version(command) -> None:
    assert command("--version").out == f"{__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("nonsense",), "No such command 'nonsense'"),
        (("models", "list", "--nonsense"), "No such option"),
        (("replay",), "recording"),
        (("models", "import", "elsewhere", "x.json"), "elsewhere"),
        (("report", "nothing"), "no notebook is called 'nothing'"),
    ],
)
def test_a_misused_command_says_so_in_one_line(command, arguments, told: str) -> None:
    ran = command(*arguments)
    assert ran.code == exits.USAGE
    assert ran.out == ""
    assert ran.err.startswith("routinglab: ")
    assert ran.err.count("\n") == 1
    assert told in ran.err


def test_no_verb_shows_the_help(command) -> None:
    ran = command()
    assert ran.code == exits.USAGE
    assert "Usage: routinglab" in ran.err


@pytest.mark.parametrize("arguments", [("--debug", "report", "x"), ("report", "x", "--debug")])
def test_debug_shows_the_traceback_wherever_it_stands(command, arguments) -> None:
    ran = command(*arguments)
    assert ran.code == exits.USAGE
    assert "Traceback (most recent call last)" in ran.err
    assert ran.err.rstrip().splitlines()[-1].startswith("routinglab: report: no notebook")


def test_an_error_of_our_own_is_one_line_that_says_how_to_see_more(
    command, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(**_: object) -> int:
        raise ZeroDivisionError("a\nb")

    monkeypatch.setattr(root, "app", broken)
    ran = command("doctor")
    assert ran.code == exits.INTERNAL
    assert ran.err == "routinglab: internal error: ZeroDivisionError: a b (--debug shows where)\n"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (errors.InvalidInput("x"), exits.USAGE),
        (errors.SettingsError("x"), exits.USAGE),
        (errors.EvalsError("x"), exits.USAGE),
        (errors.RecordingError("x"), exits.USAGE),
        (errors.SkillError("x"), exits.USAGE),
        (errors.NoEligibleModel("x"), exits.FAILED),
        (errors.ReportError("x"), exits.FAILED),
        (errors.ProviderError("x"), exits.FAILED),
        (errors.RunFailed("x"), exits.FAILED),
    ],
)
def test_each_kind_of_error_has_its_exit_code(error: Exception, code: int) -> None:
    assert exits.code_for(error) == code


def test_every_exit_code_is_documented() -> None:
    codes = {v for k, v in vars(exits).items() if k.isupper() and isinstance(v, int)}
    assert codes == set(exits.DESCRIBED)


def test_control_characters_of_input_do_not_reach_the_terminal(command) -> None:
    assert "\x1b" not in command("report", "\x1b[2Jx").err


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONUNBUFFERED": "1"}


def test_a_closed_pipe_ends_the_command_quietly() -> None:
    script = (
        "import sys; from routinglab.cli import main; sys.argv[1:] = ['models', 'list']; main()"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", script],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    assert process.wait(30) in (exits.CLOSED_PIPE, exits.OK)


@pytest.mark.notebook
def test_an_interrupt_ends_the_command_with_its_code_and_leaves_no_page(tmp_path: Path) -> None:
    import nbformat
    from nbformat.v4 import new_code_cell, new_notebook

    cell = new_code_cell("open('started', 'w').close()\nimport time; time.sleep(60)", id="slow")
    nbformat.write(new_notebook(cells=[cell]), tmp_path / "slow.ipynb")
    process = subprocess.Popen(
        [sys.executable, "-m", "routinglab", "report", "./slow.ipynb", "-q"],
        cwd=tmp_path, stderr=subprocess.PIPE, start_new_session=True, env=environment(),
    )  # fmt: skip
    deadline = time.monotonic() + 30
    while not (tmp_path / "started").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=30)
    assert process.returncode == exits.INTERRUPTED
    assert told.decode().strip().splitlines()[-1] == "routinglab: interrupted"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["slow.ipynb", "started"]
