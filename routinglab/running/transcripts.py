"""Conversations of children on disk, named by ``sa_…`` references (SPEC 11.3, 9.6)."""

from __future__ import annotations

import base64
import json
import os
import re
import secrets
import tempfile
from collections.abc import Callable
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
    """A folder of transcripts, one JSON file each; everything written passes ``redact``."""

    folder: Path
    redact: Callable[[str], str] = field(default=lambda text: text)

    def load(self, reference: str) -> Transcript:
        """The transcript of a reference; :class:`TranscriptError` where there is none."""
        path = self._path(reference)
        try:
            data = json.loads(path.read_text("utf-8"))
            if data["schemaVersion"] > SCHEMA_VERSION:
                raise TranscriptError(
                    f"transcript {reference} was written by a newer version; update routinglab"
                )
            return Transcript(
                reference=reference,
                agent=data["agent"],
                system=data["system"],
                messages=tuple(_message(item) for item in data["messages"]),
                forked_from=data.get("forkedFrom"),
            )
        except FileNotFoundError:
            raise TranscriptError(f"there is no transcript {reference} in {self.folder}") from None
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            raise TranscriptError(
                f"transcript {reference} cannot be read ({type(error).__name__}) in {self.folder}"
            ) from None

    def fork(self, reference: str) -> Transcript:
        """A copy under a new reference; the original is not touched by what follows."""
        return replace(self.load(reference), reference=new_reference(), forked_from=reference)

    def save(self, transcript: Transcript) -> None:
        """Write the whole transcript; a reader sees the old one or the new one, never a part."""
        data = {
            "schemaVersion": SCHEMA_VERSION,
            "agent": transcript.agent,
            "system": self.redact(transcript.system),
            "forkedFrom": transcript.forked_from,
            "messages": [self._data(message) for message in transcript.messages],
        }
        path = self._path(transcript.reference)
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", errors="replace") as file:
                json.dump(data, file, ensure_ascii=False)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise

    def _path(self, reference: str) -> Path:
        if not isinstance(reference, str) or not _REFERENCE.fullmatch(reference):
            raise TranscriptError(f"{reference!r:.60} is not a transcript reference (sa_…)")
        return self.folder / f"{reference}.json"

    def _data(self, message: Message) -> dict[str, Any]:
        # reasoning is opaque and signed: it is kept as it is, or the provider refuses it
        data = {
            "role": message.role,
            "text": self.redact(message.text),
            "images": [
                {"mediaType": image.media_type, "data": base64.b64encode(image.data).decode()}
                for image in message.images
            ],
            "toolCalls": [
                {
                    "id": call.id,
                    "name": call.name,
                    "arguments": self.redact(call.arguments),
                    "extra": call.extra,
                }
                for call in message.tool_calls
            ],
            "toolCallId": message.tool_call_id,
            "isError": message.is_error,
            "reasoning": message.reasoning,
            "origin": message.origin,
        }
        return {key: value for key, value in data.items() if value or key == "role"}


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
