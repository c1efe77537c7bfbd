"""The loop of one child with one candidate: ask, run the tools it calls, ask again (SPEC 11.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from routinglab.errors import ProviderError
from routinglab.providers.chat import ChatClient, ChatReply, ChatRequest, Usage
from routinglab.running.candidates import Planned
from routinglab.running.conversation import Conversation
from routinglab.running.events import Events
from routinglab.running.toolbox import Toolbox

#: Requests a child may make where its definition names no other number.
MAX_STEPS = 100

#: Waits after a failed request, or raises it: (the failure, how many came before it).
Retry = Callable[[ProviderError, int], Awaitable[None]]


@dataclass(slots=True)
class Progress:
    """What one candidate has used and said so far, also when it fails half way.

    ``partial`` is the text of a turn that broke off; ``unknown`` says that such a turn was begun,
    so that what it cost is not known.
    """

    steps: int = 0
    usage: Usage = field(default_factory=Usage)
    requests: list[Usage] = field(default_factory=list)
    partial: str = ""
    unknown: bool = False
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
    item: Planned,
    conversation: Conversation,
    toolbox: Toolbox,
    *,
    steps_left: int,
    progress: Progress,
    events: Events,
    retry: Retry,
) -> Ending:
    """Go on with ``conversation`` until the model answers without calling a tool.

    Calls that an earlier candidate left open are run first, each once. Raises
    :class:`~routinglab.errors.ProviderError` for a failure or a refusal; turns completed until
    then stay in the conversation.
    """
    last = ""
    await _run_open_calls(conversation, toolbox, events)
    while steps_left > 0:
        reply = await _ask(client, item, conversation, toolbox, progress, events, retry)
        progress.count(reply)
        steps_left -= 1
        if refused := reply.refusal():
            progress.partial = reply.text
            raise refused
        last = reply.text or last
        conversation.say(reply)
        if not reply.tool_calls:
            return Ending(reply.text, truncated=reply.finish == "length")
        await _run_open_calls(conversation, toolbox, events)
    return Ending(last, out_of_steps=True)


async def _ask(
    client: ChatClient,
    item: Planned,
    conversation: Conversation,
    toolbox: Toolbox,
    progress: Progress,
    events: Events,
    retry: Retry,
) -> ChatReply:
    request = ChatRequest(
        model=item.served_as,
        messages=conversation.messages,
        system=conversation.system,
        tools=toolbox.specs,
        effort=item.candidate.effort,
        options=item.options,
    )
    failures = 0
    while True:
        said: list[str] = []
        stream = events.stream(item.candidate, progress.steps)

        def on_text(
            piece: str,
            note: Callable[[str], None] = said.append,
            show: Callable[[str], None] = stream.piece,
        ) -> None:
            note(piece)
            show(piece)

        try:
            return await client.chat(request, on_text=on_text)
        except ProviderError as error:
            _broke_off(progress, said)
            await retry(error, failures)
            failures += 1
        except asyncio.CancelledError:
            _broke_off(progress, said)
            raise
        finally:
            stream.end()


def _broke_off(progress: Progress, said: list[str]) -> None:
    progress.partial = "".join(said) or progress.partial
    progress.unknown = progress.unknown or bool(said)


async def _run_open_calls(conversation: Conversation, toolbox: Toolbox, events: Events) -> None:
    for call in conversation.open_calls():
        events.tool("tool", call, call.arguments)
        try:
            result = await toolbox.call(call)
        except asyncio.CancelledError:
            # it may have had its effect: whoever goes on must not run it again
            conversation.answer(call, "[cancelled while this tool was running]", is_error=True)
            raise
        conversation.answer(call, result.text, is_error=result.is_error)
        events.tool("tool_done", call, result.text)
