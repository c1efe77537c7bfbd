from __future__ import annotations

import pytest

from routinglab.core.recent import Recent


def test_a_value_is_made_once_and_the_longest_unused_is_dropped() -> None:
    made: list[str] = []
    recent: Recent[str] = Recent(2)

    def get(key: str) -> str:
        return recent.get(key, lambda: made.append(key) or key.upper())  # type: ignore[func-returns-value]

    assert [get(key) for key in "abacab"] == list("ABACAB")
    assert made == ["a", "b", "c", "b"]
    assert len(recent) == 2


def test_an_error_is_not_kept() -> None:
    recent: Recent[int] = Recent(1)
    with pytest.raises(ZeroDivisionError):
        recent.get("key", lambda: 1 // 0)
    assert recent.get("key", lambda: 7) == 7
