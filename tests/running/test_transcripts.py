"""Transcripts: what they hold, how a run goes on from one, and what happens to damaged ones."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest
from support.llm_server import Called, Stall, calls, out_of_quota, say
from support.runs import Scene, agent, scene, turns, until

from routinglab.errors import InvalidInput, TranscriptError
from routinglab.providers.chat import ChatReply, Image, Message, ToolCall
from routinglab.running.conversation import IMAGE_BYTES, Conversation
from routinglab.running.transcripts import Transcript, TranscriptStore, new_reference
from routinglab.skills.run import RunOptions

FULL = (
    Message("user", "look", images=(Image("image/png", b"\x89PNG"),)),
    Message(
        "assistant",
        "I do",
        tool_calls=(ToolCall("c1", "read", '{"path": "é"}', '{"sig": 1}'),),
        reasoning='[{"type": "thinking"}]',
        origin="beta/small",
    ),
    Message("tool", "no such file", tool_call_id="c1", is_error=True),
)


def write(store: TranscriptStore, messages: tuple[Message, ...] = FULL) -> str:
    transcript = Transcript(new_reference(), "checker", "You check.", messages)
    file = store.create(transcript.reference)
    file.add(transcript, messages)
    file.close()
    return transcript.reference


def test_a_transcript_keeps_every_part_of_a_turn(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    reference = write(store)
    assert store.load(reference) == Transcript(reference, "checker", "You check.", FULL)


def test_one_line_a_turn_is_appended(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("ls")), say("empty")])
        result = await s.run(agent(tools=("ls",)))
        path = s.folder / "transcripts" / f"{result.transcript}.jsonl"
        header, *lines = [json.loads(line) for line in path.read_text().splitlines()]
        assert header == {
            "schemaVersion": 1, "agent": "checker", "system": "You check.", "forkedFrom": None,
        }  # fmt: skip
        assert [line["role"] for line in lines] == ["user", "assistant", "tool", "assistant"]

    scene(tmp_path, act)


def test_continuing_goes_on_in_the_same_transcript(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [say("first"), say("second")])
        one = await s.run(agent())
        two = await s.run(agent(), "And now?", options=RunOptions(continue_from=one.transcript))
        assert two.transcript == one.transcript
        assert [(t["role"], t["content"]) for t in turns(s.server.requests[1])] == [
            ("system", "You check."),
            ("user", "Say whether the retry test is flaky."),
            ("assistant", "first"),
            ("user", "And now?"),
        ]
        assert len(list((s.folder / "transcripts").iterdir())) == 1

    scene(tmp_path, act)


def test_forking_leaves_the_original_as_it_was(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [say("first"), say("fork"), say("other fork")])
        one = await s.run(agent())
        store = s.runner.transcripts
        assert store is not None
        assert one.transcript is not None
        before = store.load(one.transcript)
        two = await s.run(agent(), "a", options=RunOptions(fork_from=one.transcript))
        three = await s.run(agent(), "b", options=RunOptions(fork_from=one.transcript))
        assert len({one.transcript, two.transcript, three.transcript}) == 3
        assert store.load(one.transcript) == before
        forked = store.load(str(two.transcript))
        assert forked.forked_from == one.transcript
        assert [m.text for m in forked.messages][-3:] == ["first", "a", "fork"]

    scene(tmp_path, act)


def test_continuing_crosses_providers(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("ls")), out_of_quota()])
        s.server.script("chat", [out_of_quota()])
        failed = await s.run(agent(tools=("ls",)))
        assert failed.status == "failed"
        s.server.script("small", [say("went on")])
        options = RunOptions(continue_from=failed.transcript)
        result = await s.run(agent("beta/small", tools=("ls",)), "Go on.", options=options)
        assert result.text == "went on"
        assert "[empty folder]" in s.server.requests[-1].text

    scene(tmp_path, act)


def test_references_that_lead_nowhere_are_errors_before_any_request(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        one = await s.run(agent())
        for reference, agent_name, message in (
            ("sa_" + "0" * 20, "checker", "there is no transcript sa_0"),
            ("../../etc/passwd", "checker", "is not a transcript reference"),
            (str(one.transcript), "other", "is one of 'checker', not of 'other'"),
        ):
            with pytest.raises(TranscriptError, match=message):
                await s.run(
                    agent(name=agent_name), "x", options=RunOptions(continue_from=reference)
                )
        assert len(s.server.requests) == 1
        # refused ones hold nothing: the transcript can still be gone on with
        await s.run(agent(), "x", options=RunOptions(continue_from=one.transcript))

    scene(tmp_path, act)


def test_continue_and_fork_exclude_each_other() -> None:
    with pytest.raises(InvalidInput, match="exclude each other"):
        RunOptions(continue_from="sa_1", fork_from="sa_2")


def test_without_transcripts_there_is_nothing_to_go_on_from(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        result = await s.run(agent())
        assert result.transcript is None
        with pytest.raises(TranscriptError, match="keeps no transcripts"):
            await s.run(agent(), "x", options=RunOptions(fork_from="sa_" + "0" * 20))

    scene(tmp_path, act, runner={"transcripts": None})


def test_one_run_at_a_time_goes_on_from_a_transcript(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        one = await s.run(agent())
        s.server.script("strong", [Stall(), say("forked")])
        options = RunOptions(continue_from=one.transcript)
        running = asyncio.create_task(s.run(agent(), "x", options=options))
        await until(lambda: s.server.open_now)
        with pytest.raises(TranscriptError, match="in use by another run; fork it"):
            await s.run(agent(), "y", options=options)
        assert (await s.run(agent(), "y", options=RunOptions(fork_from=one.transcript))).ok
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        assert (await s.run(agent(), "z", options=options)).ok

    scene(tmp_path, act)


def test_a_line_that_was_never_finished_is_left_out_and_overwritten(tmp_path: Path) -> None:
    store = TranscriptStore(tmp_path)
    reference = write(store)
    path = tmp_path / f"{reference}.jsonl"
    whole = path.read_bytes()
    path.write_bytes(whole + b'{"role": "assist')
    assert store.load(reference).messages == FULL
    going_on = Conversation.go_on("checker", store, reference=reference, fork=False)
    going_on.ask("more")
    going_on.close()
    assert path.read_bytes().startswith(whole + b'{"role": "user"')
    assert [m.text for m in store.load(reference).messages][-1] == "more"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "cannot be read"),
        (b"[]\n", "cannot be read"),
        (b'{"schemaVersion": 99}\n', "written by a newer version"),
        (b'{"schemaVersion": 1, "agent": "a", "system": ""}\nnope\n', "cannot be read"),
    ],
)
def test_damaged_transcripts_are_one_error(tmp_path: Path, content: bytes, message: str) -> None:
    reference = new_reference()
    (tmp_path / f"{reference}.jsonl").write_bytes(content)
    with pytest.raises(TranscriptError, match=message):
        TranscriptStore(tmp_path).load(reference)


def test_a_folder_that_cannot_be_written_costs_the_transcript_and_not_the_answer(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("no folder")

    async def act(s: Scene) -> None:
        result = await s.run(agent())
        assert (result.text, result.transcript) == ("ok", None)
        [note] = result.notes
        assert note.startswith("the transcript is not kept any further: ")

    scene(tmp_path, act, runner={"transcripts": tmp_path / "file" / "transcripts"})


def test_another_process_writing_meanwhile_ends_the_transcript_not_the_run(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        one = await s.run(agent())
        path = s.folder / "transcripts" / f"{one.transcript}.jsonl"

        def disturb(_: Any) -> Any:
            with path.open("a") as file:
                file.write('{"role": "user", "text": "from elsewhere"}\n')
            return say("answered")

        s.server.script("strong", [disturb])
        result = await s.run(agent(), "x", options=RunOptions(continue_from=one.transcript))
        assert (result.text, result.transcript) == ("answered", None)
        assert result.notes == (
            "the transcript is not kept any further: it was changed by another run",
        )

    scene(tmp_path, act)


def test_calls_without_an_id_of_their_own_get_one() -> None:
    conversation = Conversation.start("checker", "")
    conversation.ask("go")
    for _ in range(2):
        same = (ToolCall("c", "ls", "{}"), ToolCall("c", "ls", "{}"), ToolCall("", "ls", "{}"))
        conversation.say(ChatReply(tool_calls=same))
        assert len(conversation.open_calls()) == 3
        for call in conversation.open_calls():
            conversation.answer(call, "x")
        assert conversation.open_calls() == ()
    ids = [call.id for message in conversation.messages for call in message.tool_calls]
    assert len(set(ids)) == 6
    assert ids[0] == "c"


def test_the_size_of_a_request_counts_bytes_of_text_and_a_flat_sum_an_image() -> None:
    transcript = Transcript("sa_x", "checker", "äb", FULL)
    conversation = Conversation(transcript)
    said = sum(
        len(text.encode()) for text in ("äb", "look", "I do", '{"path": "é"}', "no such file")
    )
    assert conversation.bytes == said + IMAGE_BYTES
    conversation.ask("más")
    assert conversation.bytes == said + IMAGE_BYTES + 4
