"""The body of a response in pieces of bounded size, whatever a server packs it into.

Requests ask for no compression, but some proxies compress anyway. httpx unpacks every piece whole,
layer by layer, so that an answer of 2 KB can take gigabytes; here memory stays at one piece.
"""

from __future__ import annotations

import zlib
from collections.abc import AsyncIterator

import httpx

#: The most bytes that one piece of a compressed body is unpacked to.
PIECE = 2**20
#: What zlib reads itself, a gzip or zlib header told apart by their first bytes.
_KNOWN = ("gzip", "x-gzip", "deflate")


async def decoded(response: httpx.Response) -> AsyncIterator[bytes]:
    """The decoded body as it arrives. Raises ``httpx.DecodingError`` for other or several packings."""
    named = response.headers.get("content-encoding", "").lower().split(",")
    packings = [name for part in named if (name := part.strip()) not in ("", "identity")]
    if not packings:
        async for piece in response.aiter_raw():
            yield piece
        return
    if len(packings) > 1 or packings[0] not in _KNOWN:
        raise httpx.DecodingError("the body is packed in a way that was not asked for")
    unpack = zlib.decompressobj(zlib.MAX_WBITS | 32)
    async for piece in response.aiter_raw():
        while piece:
            try:
                found = unpack.decompress(piece, PIECE)
            except zlib.error as error:
                raise httpx.DecodingError(str(error)) from error
            yield found
            piece = unpack.unconsumed_tail
        if unpack.eof:
            return
