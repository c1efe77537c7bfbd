"""Write the reference page of the command from the commands themselves.

``python -m routinglab.cli.document > docs/cli.md`` renews it; a test compares the two.
"""

from __future__ import annotations


def document() -> str:
    """The page as Markdown: exit codes, then every verb with its arguments and options."""
    import typer
    from typer.cli import get_docs_for_click
    from typer.main import get_command

    from routinglab.cli.app import app
    from routinglab.cli.exits import DESCRIBED

    command = get_command(app)
    text = get_docs_for_click(
        obj=command, ctx=typer.Context(command), name="routinglab", title="The routinglab command"
    )
    codes = "\n".join(f"| {code} | {meaning} |" for code, meaning in DESCRIBED.items())
    return (
        f"{text.strip()}\n\n## Exit codes\n\n"
        f"| code | meaning |\n| --- | --- |\n{codes}\n\n"
        "Results go to stdout, progress and warnings to stderr. An error is one line on stderr; "
        "`--debug` shows its traceback.\n"
    )


if __name__ == "__main__":
    print(document(), end="")
