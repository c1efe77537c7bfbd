"""The reference page of the command is what the commands say."""

from __future__ import annotations

from pathlib import Path

from routinglab.cli.document import document

PAGE = Path(__file__).parents[2] / "docs" / "cli.md"


def test_the_reference_page_is_up_to_date() -> None:
    assert PAGE.read_text() == document(), "renew it with `make docs`"


def test_the_reference_page_has_the_exit_codes_and_every_verb() -> None:
    page = document()
    for heading in ("report", "replay", "route", "run", "evals show", "evals check", "models list",
                    "models import", "skills list", "skills check", "doctor"):  # fmt: skip
        assert f"## `routinglab {heading}`" in page
    assert "| 130 | interrupted |" in page
