from __future__ import annotations

import pytest

from routinglab.core.ids import Candidate, split_id
from routinglab.errors import InvalidInput


def test_an_id_splits_at_its_first_slash() -> None:
    assert split_id("openrouter/anthropic/claude-opus-4.8") == (
        "openrouter",
        "anthropic/claude-opus-4.8",
    )


@pytest.mark.parametrize("text", ["", "opus", "/opus", "anthropic/"])
def test_what_is_no_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="provider/id"):
        split_id(text)


def test_a_candidate_reads_as_its_id_with_its_effort() -> None:
    assert str(Candidate.of("p/m", "high")) == "p/m:high"
    assert str(Candidate.of("p/m")) == "p/m"
    assert str(Candidate.of("p/m", "off")) == "p/m:off"
    assert Candidate.of("p/m", "off") != Candidate.of("p/m", None)
    assert Candidate.of("p/a/m").provider == "p"
