"""The ``routinglab`` command: one file a verb, each parses, calls and prints."""


def main() -> None:
    """Run the command with this process's arguments, and exit with its code."""
    import sys

    from routinglab.cli.app import run

    sys.exit(run(sys.argv[1:]))
