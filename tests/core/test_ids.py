from __future__ import annotations

import pytest

from routinglab.core.efforts import Effort
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


@pytest.mark.parametrize(
    ("written", "model", "effort"),
    [
        ("p/m:high", "p/m", "high"),
        ("p/m:off", "p/m", "off"),
        ("p/m", "p/m", None),
        ("ollama/qwen3:8b", "ollama/qwen3:8b", None),
        ("openrouter/a/m:free:low", "openrouter/a/m:free", "low"),
        ("p/m:High", "p/m:High", None),
    ],
)
def test_a_written_candidate_is_read_back(written: str, model: str, effort: Effort | None) -> None:
    assert Candidate.parse(written) == Candidate.of(model, effort)
    assert str(Candidate.parse(written)) == written


@pytest.mark.parametrize("text", ["", "opus", "opus:high", "/m:high", "p/:high"])
def test_a_candidate_of_no_model_id_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput, match="provider/id"):
        Candidate.parse(text)
    with pytest.raises(InvalidInput, match="provider/id"):
        Candidate(model=text.removesuffix(":high"))
