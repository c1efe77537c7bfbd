"""A child's conversation while it goes on: it outlives the candidate that spoke last."""

from __future__ import annotations

from dataclasses import replace

from routinglab.errors import TranscriptError
from routinglab.providers.chat import ChatReply, Message, ToolCall
from routinglab.running.transcripts import (
    Transcript,
    TranscriptFile,
    TranscriptStore,
    new_reference,
)

#: What an image counts as in bytes: about 1,600 tokens, the most that one costs at Anthropic.
IMAGE_BYTES = 4_800


class Conversation:
    """Complete turns in order, written down after each one where there is a store.

    A turn that broke off while it streamed is no turn: the next candidate answers in its place.
    Calls of an assistant turn that have no result yet are the ones still to be run. Every call gets
    an id that no other call of the conversation has.
    """

    def __init__(self, transcript: Transcript, file: TranscriptFile | None = None) -> None:
        self._start = transcript
        self.system = transcript.system
        self.messages = transcript.messages
        self._file = file
        self._unwritten: list[Message] = []
        self._call_ids = {call.id for message in self.messages for call in message.tool_calls}
        self.bytes = _size(transcript.system) + sum(map(_message_size, transcript.messages))
        self.trouble: str | None = None

    @classmethod
    def start(cls, agent: str, system: str, store: TranscriptStore | None = None) -> Conversation:
        """An empty conversation of a new child."""
        reference = new_reference()
        file = store.create(reference) if store is not None else None
        return cls(Transcript(reference, agent, system), file)

    @classmethod
    def go_on(
        cls, agent: str, store: TranscriptStore | None, *, reference: str, fork: bool
    ) -> Conversation:
        """A conversation that an earlier run of ``agent`` left, or a copy of it."""
        if store is None:
            raise TranscriptError(
                "this runner keeps no transcripts, so there is none to go on from"
            )
        if fork:
            transcript = store.fork(reference)
            file = store.create(transcript.reference)
        else:
            transcript, file = store.open(reference)
        if transcript.agent != agent:
            file.close()
            raise TranscriptError(
                f"transcript {reference} is one of {transcript.agent!r}, not of {agent!r}"
            )
        return cls(transcript, file)

    @property
    def reference(self) -> str | None:
        """The reference a later run can go on from, None where nothing is kept."""
        return self._start.reference if self._file is not None else None

    def ask(self, text: str) -> None:
        """Add the person's or the parent's next turn, after closing calls nobody answered."""
        for call in self.open_calls():
            self.answer(call, "[the run ended before this tool was called]", is_error=True)
        # written with the reply: a question alone is nothing to go on from
        self._add(Message("user", text), write=False)

    def say(self, reply: ChatReply) -> None:
        """Add an assistant's complete turn."""
        message = reply.message()
        if message.tool_calls:
            calls = tuple(self._named(c, place) for place, c in enumerate(message.tool_calls))
            message = replace(message, tool_calls=calls)
        self._add(message)

    def answer(self, call: ToolCall, text: str, *, is_error: bool = False) -> None:
        """Add the result of a tool call."""
        self._add(Message("tool", text, tool_call_id=call.id, is_error=is_error))

    def open_calls(self) -> tuple[ToolCall, ...]:
        """Calls of the last assistant turn without a result yet."""
        answered: set[str | None] = set()
        for message in reversed(self.messages):
            if message.role == "assistant":
                return tuple(c for c in message.tool_calls if c.id not in answered)
            if message.role == "user":
                return ()
            answered.add(message.tool_call_id)
        return ()

    def close(self) -> None:
        """Write what is not written yet, and let other runs go on from the transcript."""
        self._write()
        if self._file is not None:
            self._file.close()

    def _named(self, call: ToolCall, place: int) -> ToolCall:
        """``call`` under an id of its own; some servers count from zero in every turn."""
        unique = call.id or "call"
        if unique in self._call_ids or not call.id:
            unique = f"{unique}_{len(self.messages)}_{place}"
        self._call_ids.add(unique)
        return call if unique == call.id else replace(call, id=unique)

    def _add(self, message: Message, *, write: bool = True) -> None:
        self.messages = (*self.messages, message)
        self.bytes += _message_size(message)
        self._unwritten.append(message)
        if write:
            self._write()

    def _write(self) -> None:
        new, self._unwritten = self._unwritten, []
        if self._file is None or not new:
            return
        try:
            self._file.add(replace(self._start, messages=self.messages), new)
        except OSError as error:
            # the answer is worth more than its transcript
            self.trouble = f"the transcript is not kept any further: {error.strerror or error}"
            self._file.close()
            self._file = None


def _message_size(message: Message) -> int:
    calls = sum(_size(call.arguments) for call in message.tool_calls)
    return _size(message.text) + calls + IMAGE_BYTES * len(message.images)


def _size(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "replace"))
