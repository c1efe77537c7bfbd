"""Where the files that ship beside the code are: evals, skills and notebooks."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def shipped(*parts: str) -> Path:
    """Path of a shipped file or folder, as in ``shipped("evals", "evals.md")``.

    A wheel holds them under ``routinglab/_shipped``; a checkout has them beside the package.
    """
    inside = _PACKAGE.joinpath("_shipped", *parts)
    return inside if inside.exists() else _PACKAGE.parent.joinpath(*parts)
