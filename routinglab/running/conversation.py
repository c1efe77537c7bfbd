"""A child's conversation while it goes on: it outlives the candidate that spoke last."""

from __future__ import annotations

from dataclasses import replace

from routinglab.providers.chat import ChatReply, Message, ToolCall
from routinglab.running.transcripts import Transcript, TranscriptStore, new_reference


class Conversation:
    """Complete turns in order, saved after each one where there is a store.

    A turn that broke off while it streamed is no turn: the next candidate answers in its place.
    Calls of an assistant turn that have no result yet are the ones still to be run.
    """

    def __init__(self, transcript: Transcript, store: TranscriptStore | None = None) -> None:
        self._transcript = transcript
        self._store = store

    @classmethod
    def start(cls, agent: str, system: str, store: TranscriptStore | None = None) -> Conversation:
        """An empty conversation of a new child."""
        return cls(Transcript(new_reference(), agent, system), store)

    @property
    def reference(self) -> str:
        return self._transcript.reference

    @property
    def saved(self) -> bool:
        """Whether a later run can go on from the reference."""
        return self._store is not None

    @property
    def system(self) -> str:
        return self._transcript.system

    @property
    def messages(self) -> tuple[Message, ...]:
        return self._transcript.messages

    @property
    def bytes(self) -> int:
        """UTF-8 bytes of everything a request would send, images as their own size."""
        total = len(self.system.encode("utf-8", "replace"))
        for message in self.messages:
            total += len(message.text.encode("utf-8", "replace"))
            total += sum(len(image.data) for image in message.images)
            total += sum(len(call.arguments) for call in message.tool_calls)
        return total

    def ask(self, text: str) -> None:
        """Add the person's or the parent's next turn, after closing calls nobody answered."""
        for call in self.open_calls():
            self.answer(call, "[the run ended before this tool was called]", is_error=True)
        self._add(Message("user", text))

    def say(self, reply: ChatReply) -> None:
        """Add an assistant's complete turn."""
        self._add(reply.message())

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

    def _add(self, message: Message) -> None:
        self._transcript = replace(self._transcript, messages=(*self.messages, message))
        if self._store is not None:
            self._store.save(self._transcript)
