"""``routinglab run``: launch a skill or an agent."""

from __future__ import annotations

import typer


def add_to(app: typer.Typer) -> None:
    """Register the verb, where there is something to register."""
