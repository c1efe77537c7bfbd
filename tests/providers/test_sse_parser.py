"""Server-sent events split at any byte (WHATWG HTML 9.2)."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.providers.sse import SseEvent, SseParser, SseTooLarge

STREAM = (
    "\ufeff: a comment\n\nevent: note\ndata: one\ndata: two\n\n"
    'data:{"text": "é€😀\u2028"}\r\n\r\nid: 7\nretry: 5\n: ping\ndata\n\ndata: last\r\rdata: lost'
).encode()
EVENTS = [
    SseEvent("note", "one\ntwo"),
    SseEvent("message", '{"text": "é€😀\u2028"}'),
    SseEvent("message", ""),
    SseEvent("message", "last"),
]


def parsed(pieces: list[bytes]) -> list[SseEvent]:
    parser = SseParser()
    return [event for piece in pieces for event in parser.feed(piece)]


def test_line_ends_comments_names_and_joined_lines() -> None:
    assert parsed([STREAM]) == EVENTS


@settings(deadline=None, max_examples=60)
@given(st.lists(st.integers(0, len(STREAM)), max_size=12))
def test_pieces_may_end_at_any_byte(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(STREAM)]
    pieces = [STREAM[a:b] for a, b in itertools.pairwise(places)]
    assert parsed(pieces) == EVENTS


def test_byte_by_byte() -> None:
    assert parsed([STREAM[i : i + 1] for i in range(len(STREAM))]) == EVENTS


@settings(deadline=None, max_examples=60)
@given(st.binary(max_size=200))
def test_any_bytes_are_no_crash(data: bytes) -> None:
    parsed([data])


def test_an_event_beyond_the_limit_is_refused() -> None:
    parser = SseParser(limit=100)
    with pytest.raises(SseTooLarge, match="100 bytes"):
        list(parser.feed(b"data: " + b"x" * 200))
    lines = SseParser(limit=100)
    with pytest.raises(SseTooLarge):
        list(lines.feed(b"data: 0123456789\n" * 20))
