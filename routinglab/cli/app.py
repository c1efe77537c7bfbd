"""The command's root: global options, and errors as one line with an exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from routinglab.cli import (
    doctor,
    evals,
    exits,
    models,
    report,
    route,
    skills,
)
from routinglab.cli import replay as replay_verb
from routinglab.cli import run as run_verb
from routinglab.cli.output import note, safe

app = typer.Typer(
    name="routinglab",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        from routinglab import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def _root(
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error; works after a verb too."),
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Choose a language model for each task from evidence, run it there, and look back at it."""


report.add_to(app)
replay_verb.add_to(app)
route.add_to(app)
run_verb.add_to(app)
evals.add_to(app)
models.add_to(app)
skills.add_to(app)
doctor.add_to(app)


def run(arguments: Sequence[str]) -> int:
    """Run the command and return its exit code; nothing but ``--debug`` prints a traceback."""
    from routinglab.errors import RoutingLabError

    arguments, debug = _without_debug(arguments)
    try:
        code = int(app(args=arguments, prog_name="routinglab", standalone_mode=False) or 0)
        sys.stdout.flush()
        if code == exits.INTERRUPTED:  # typer takes the interrupt for itself
            note("routinglab: interrupted")
        return code
    except (BrokenPipeError, SystemExit):  # typer turns a closed pipe into an exit of its own
        # what is left in the buffer must not be written again when the interpreter ends
        with contextlib.suppress(OSError, ValueError):
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return exits.CLOSED_PIPE
    except (KeyboardInterrupt, typer.Abort):
        note("routinglab: interrupted")
        return exits.INTERRUPTED
    except typer.TyperException as error:
        return _misused(error.format_message())
    except RoutingLabError as error:
        _complain(error, debug, str(error))
        return exits.code_for(error)
    except Exception as error:
        _complain(error, debug, f"internal error: {type(error).__name__}: {error}")
        return exits.INTERNAL


def _without_debug(arguments: Sequence[str]) -> tuple[list[str], bool]:
    """Take ``--debug`` out, wherever it stands before a ``--``."""
    end = list(arguments).index("--") if "--" in arguments else len(arguments)
    before = [a for a in arguments[:end] if a != "--debug"]
    return [*before, *arguments[end:]], len(before) < end


def _misused(message: str) -> int:
    if "\n" in message:  # no verb was named: the message is the help
        note(message)
    else:
        note(f"routinglab: {safe(message)} (routinglab --help)")
    return exits.USAGE


def _complain(error: Exception, debug: bool, message: str) -> None:
    if debug:
        import traceback

        note("".join(traceback.format_exception(error)).rstrip())
    hint = "" if debug or not message.startswith("internal") else " (--debug shows where)"
    note(f"routinglab: {safe(message)}{hint}")
