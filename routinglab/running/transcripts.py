"""Conversations of children on disk, named by ``sa_…`` references (SPEC 11.3, 9.6).

One JSON Lines file each: a header, then a line a turn, appended when the turn is complete.
"""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from routinglab.errors import TranscriptError
from routinglab.providers.chat import Image, Message, ToolCall

SCHEMA_VERSION = 1
_REFERENCE = re.compile(r"sa_[0-9a-f]{20}")


@dataclass(frozen=True, slots=True)
class Transcript:
    """What was said so far: the system prompt and every complete turn, in order."""

    reference: str
    agent: str
    system: str
    messages: tuple[Message, ...] = ()
    forked_from: str | None = None


def new_reference() -> str:
    """A fresh transcript reference."""
    return f"sa_{secrets.token_hex(10)}"


@dataclass(frozen=True, slots=True)
class TranscriptStore:
    """A folder of transcripts that only its owner can read; everything written passes ``redact``."""

    folder: Path
    redact: Callable[[str], str] = field(default=lambda text: text)
    _in_use: set[str] = field(default_factory=set)

    def load(self, reference: str) -> Transcript:
        """The transcript of a reference; :class:`TranscriptError` where there is none."""
        return self._read(reference)[0]

    def fork(self, reference: str) -> Transcript:
        """A copy under a new reference; the original is not touched by what follows."""
        return replace(self.load(reference), reference=new_reference(), forked_from=reference)

    def open(self, reference: str) -> tuple[Transcript, TranscriptFile]:
        """A transcript to go on with. One run at a time may hold it; others can fork it."""
        if reference in self._in_use:
            raise TranscriptError(f"transcript {reference} is in use by another run; fork it")
        transcript, good, size = self._read(reference)
        return transcript, self._hold(reference, good, size)

    def create(self, reference: str) -> TranscriptFile:
        """The file of a new transcript; nothing is written before its first turn."""
        return self._hold(reference, 0, 0)

    def _hold(self, reference: str, good: int, size: int) -> TranscriptFile:
        self._in_use.add(reference)
        release = self._in_use.discard
        return TranscriptFile(
            self._path(reference), self.redact, good, size, lambda: release(reference)
        )

    def _path(self, reference: str) -> Path:
        if not isinstance(reference, str) or not _REFERENCE.fullmatch(reference):
            raise TranscriptError(f"{reference!r:.60} is not a transcript reference (sa_…)")
        return self.folder / f"{reference}.jsonl"

    def _read(self, reference: str) -> tuple[Transcript, int, int]:
        """The transcript, the bytes of its whole lines, and those of the file."""
        path = self._path(reference)
        try:
            content = path.read_bytes()
            good = content.rfind(b"\n") + 1  # what follows is a line that was never finished
            header, *turns = (json.loads(line) for line in content[:good].splitlines())
            if header["schemaVersion"] > SCHEMA_VERSION:
                raise TranscriptError(
                    f"transcript {reference} was written by a newer version; update routinglab"
                )
            transcript = Transcript(
                reference=reference,
                agent=header["agent"],
                system=header["system"],
                messages=tuple(_message(turn) for turn in turns),
                forked_from=header.get("forkedFrom"),
            )
        except FileNotFoundError:
            raise TranscriptError(f"there is no transcript {reference} in {self.folder}") from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise TranscriptError(
                f"transcript {reference} cannot be read ({type(error).__name__}) in {self.folder}"
            ) from None
        return transcript, good, len(content)


class TranscriptFile:
    """One transcript being written; ``good`` are its whole lines' bytes, ``size`` the file's."""

    def __init__(
        self,
        path: Path,
        redact: Callable[[str], str],
        good: int,
        size: int,
        release: Callable[[], None],
    ) -> None:
        self._path = path
        self._redact = redact
        self._good, self._size = good, size
        self.close = release

    def add(self, transcript: Transcript, new: Iterable[Message]) -> None:
        """Append ``new``, the last turns of ``transcript``, in one write.

        OSError where that is not possible, also where another process wrote meanwhile.
        """
        if self._size:
            lines = [_turn(turn, self._redact) for turn in new]
        else:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            lines = [self._header(transcript)]
            lines += [_turn(turn, self._redact) for turn in transcript.messages]
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        data = text.encode("utf-8", "replace")
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | getattr(os, "O_CLOEXEC", 0)
        file = os.open(self._path, flags, 0o600)
        try:
            if os.fstat(file).st_size != self._size:
                raise OSError("it was changed by another run")
            if self._good != self._size:
                os.ftruncate(file, self._good)
            self._good = self._size = self._good + os.write(file, data)
        finally:
            os.close(file)

    def _header(self, transcript: Transcript) -> dict[str, Any]:
        return {
            "schemaVersion": SCHEMA_VERSION,
            "agent": transcript.agent,
            "system": self._redact(transcript.system),
            "forkedFrom": transcript.forked_from,
        }


def _turn(message: Message, redact: Callable[[str], str]) -> dict[str, Any]:
    data = {
        "role": message.role,
        "text": redact(message.text),
        "images": [
            {"mediaType": image.media_type, "data": base64.b64encode(image.data).decode()}
            for image in message.images
        ],
        "toolCalls": [
            {
                "id": call.id,
                "name": call.name,
                "arguments": redact(call.arguments),
                "extra": _whole(call.extra, redact),
            }
            for call in message.tool_calls
        ],
        "toolCallId": message.tool_call_id,
        "isError": message.is_error,
        "reasoning": _whole(message.reasoning, redact),
        "origin": message.origin,
    }
    return {key: value for key, value in data.items() if value or key == "role"}


def _whole(opaque: str, redact: Callable[[str], str]) -> str:
    """Signed text as it is, or nothing: a changed part would be refused by its provider."""
    return opaque if redact(opaque) == opaque else ""


def _message(data: dict[str, Any]) -> Message:
    return Message(
        role=data["role"],
        text=data.get("text", ""),
        images=tuple(
            Image(item["mediaType"], base64.b64decode(item["data"]))
            for item in data.get("images", ())
        ),
        tool_calls=tuple(
            ToolCall(item["id"], item["name"], item["arguments"], item.get("extra", ""))
            for item in data.get("toolCalls", ())
        ),
        tool_call_id=data.get("toolCallId"),
        is_error=data.get("isError", False),
        reasoning=data.get("reasoning", ""),
        origin=data.get("origin", ""),
    )
