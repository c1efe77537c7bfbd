"""The loop of one child with one candidate: ask, run the tools it calls, ask again (SPEC 11.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from routinglab.core.ids import Candidate, split_id
from routinglab.errors import ProviderError
from routinglab.providers.chat import ChatClient, ChatReply, ChatRequest, Usage
from routinglab.running.conversation import Conversation
from routinglab.running.events import RunEvent
from routinglab.running.toolbox import Toolbox

#: Requests a child may make where its definition names no other number.
MAX_STEPS = 100

#: Waits after a failed request, or raises it: (the failure, how many came before it).
Retry = Callable[[ProviderError, int], Awaitable[None]]


@dataclass(slots=True)
class Progress:
    """What one candidate has used and said so far, also when it fails half way."""

    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    requests: list[Usage] = field(default_factory=list)
    partial: str = ""
    model: str | None = None

    def count(self, reply: ChatReply) -> None:
        """Add one complete answer."""
        self.steps += 1
        self.usage += reply.usage
        self.requests.append(reply.usage)
        self.model = reply.model or self.model
        self.partial = ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a loop came to its end: with an answer, or out of steps with the last thing said."""

    text: str
    out_of_steps: bool = False
    truncated: bool = False


async def child_loop(
    client: ChatClient,
    candidate: Candidate,
    conversation: Conversation,
    toolbox: Toolbox,
    *,
    steps_left: int,
    progress: Progress,
    emit: Callable[[RunEvent], None],
    retry: Retry,
) -> Ending:
    """Go on with ``conversation`` until the model answers without calling a tool.

    Calls that an earlier candidate left open are run first, each once. Raises
    :class:`~routinglab.errors.ProviderError` for a failure or a refusal; turns completed until
    then stay in the conversation.
    """
    last = ""
    await _run_open_calls(conversation, toolbox, emit)
    while steps_left > 0:
        reply = await _ask(client, candidate, conversation, toolbox, progress, emit, retry)
        progress.count(reply)
        steps_left -= 1
        if refused := reply.refusal():
            raise refused
        last = reply.text or last
        if not reply.tool_calls:
            conversation.say(reply)
            return Ending(reply.text, truncated=reply.finish == "length")
        conversation.say(reply)
        await _run_open_calls(conversation, toolbox, emit)
    return Ending(last, out_of_steps=True)


async def _ask(
    client: ChatClient,
    candidate: Candidate,
    conversation: Conversation,
    toolbox: Toolbox,
    progress: Progress,
    emit: Callable[[RunEvent], None],
    retry: Retry,
) -> ChatReply:
    request = ChatRequest(
        model=split_id(candidate.model)[1],
        messages=conversation.messages,
        system=conversation.system,
        tools=toolbox.specs,
        effort=candidate.effort,
    )
    failures = 0
    while True:
        progress.partial = ""

        def on_text(piece: str) -> None:
            progress.partial += piece
            emit(RunEvent("text", text=piece, candidate=candidate, step=progress.steps))

        try:
            return await client.chat(request, on_text=on_text)
        except ProviderError as error:
            await retry(error, failures)
            failures += 1


async def _run_open_calls(
    conversation: Conversation, toolbox: Toolbox, emit: Callable[[RunEvent], None]
) -> None:
    for call in conversation.open_calls():
        emit(RunEvent("tool", tool=call.name, text=call.arguments[:200]))
        try:
            result = await toolbox.call(call)
        except asyncio.CancelledError:
            # it may have had its effect: whoever goes on must not run it again
            conversation.answer(call, "[cancelled while this tool was running]", is_error=True)
            raise
        conversation.answer(call, result.text, is_error=result.is_error)
        emit(RunEvent("tool_done", tool=call.name, text=result.text[:200]))
