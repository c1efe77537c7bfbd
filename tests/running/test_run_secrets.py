"""Credential material: never sent in a task, and hidden in everything that is written or shown."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import live
from support.llm_server import Called, Fail, calls, say
from support.runs import Scene, agent, scene

from routinglab.core.secrets import HIDDEN, redact
from routinglab.errors import SecretFound
from routinglab.lab.writer import RecordingWriter
from routinglab.running.redaction import StreamRedactor

PEM = (
    "-----BEGIN RSA PRIVATE KEY-----\nMIIEow12IBAAKCAQEA7\nabcdefgh\n-----END RSA PRIVATE KEY-----"
)
GITHUB = "ghp_" + "a1B2" * 9
SECRETS = {
    "a configured key": live.KEY,
    "another provider's key": live.ENV["JUDGE_KEY"],
    "a private key": PEM,
    "a bearer token": "Authorization: Bearer abc123def456ghi789",
    "a token": GITHUB,
}


@pytest.mark.parametrize("model", ["auto", "acme/strong"])
@pytest.mark.parametrize("what", SECRETS)
def test_a_task_that_holds_a_secret_is_sent_nowhere(tmp_path: Path, what: str, model: str) -> None:
    async def act(s: Scene) -> None:
        with pytest.raises(SecretFound, match="remove secrets") as raised:
            await s.run(agent(model), f"Use this:\n{SECRETS[what]}\nto log in.")
        assert SECRETS[what] not in str(raised.value)
        assert s.server.requests == []
        assert s.server.connections == 0
        assert not (tmp_path / "transcripts").exists()
        assert (tmp_path / "runs.jsonl").read_text().count("\n") == 1

    with RecordingWriter(tmp_path / "runs.jsonl") as record:
        scene(tmp_path, act, runner={"record": record})


def test_an_agents_prompt_is_screened_as_well(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        with pytest.raises(SecretFound, match="the agent's prompt holds a private key"):
            await s.run(agent(body=f"Log in with\n{PEM}"))
        assert s.server.requests == []

    scene(tmp_path, act)


@pytest.mark.parametrize("what", ["a configured key", "a private key", "a token"])
def test_what_children_say_and_tools_return_is_hidden_in_all_that_is_written(
    tmp_path: Path, what: str
) -> None:
    secret = SECRETS[what]

    async def act(s: Scene) -> None:
        (s.folder / "work" / "notes.txt").write_text(f"the key: {secret}\nend")
        found = calls(
            Called("search", {"pattern": "key|[A-Z]", "files": secret.splitlines()[0]}),
            Called("read", {"path": "notes.txt"}),
            text=f"I look for {secret} now",
        )
        s.server.script("strong", [found, Fail(401, message=f"wrong key {secret}")])
        s.server.script("chat", [say(f"It is {secret} and that is it")])
        result = await s.run(agent(tools=("read", "search")))
        # a tool's result reaches the model as it is
        assert secret.splitlines()[-1] in s.server.requests[1].text
        shown = "".join(event.text for event in s.told("text"))
        assert "I look for [redacted] now" in shown
        assert "It is [redacted] and that is it" in shown
        written = [
            *((s.folder / "transcripts").iterdir()),
            s.folder / "runs.jsonl",
        ]
        texts = [path.read_text() for path in written]
        texts += [repr(event) for event in s.events] + [result.to_json(), repr(result)]
        for text in texts:
            for line in secret.splitlines():
                assert line not in text
        assert HIDDEN in texts[0]
        assert result.text == "It is [redacted] and that is it"

    with RecordingWriter(tmp_path / "runs.jsonl") as record:
        scene(tmp_path, act, router={"record": record})


def test_reasoning_that_holds_a_secret_is_not_kept(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        s.server.script("small", [say("ok", reasoning=f"the key is {GITHUB} I think")])
        s.server.script("strong", [say("ok", reasoning="nothing special")])
        await s.run(agent("beta/small"))
        await s.run(agent("beta/strong"))
        texts = "".join(p.read_text() for p in (s.folder / "transcripts").iterdir())
        assert GITHUB not in texts
        assert "nothing special" in texts

    scene(tmp_path, act)


def test_transcripts_and_folders_are_their_owners_alone(tmp_path: Path) -> None:
    async def act(s: Scene) -> None:
        await s.run()
        folder = s.folder / "transcripts"
        [path] = folder.iterdir()
        assert (folder.stat().st_mode & 0o777, path.stat().st_mode & 0o777) == (0o700, 0o600)

    scene(tmp_path, act)


def test_a_shell_does_not_see_keys_under_any_name(tmp_path: Path) -> None:
    env = {
        **live.ENV,
        "PATH": "/usr/bin:/bin",
        "COPY_OF_KEY": f"x{live.KEY}",
        "OPENAI_API_KEY": "sk-preset-key-of-somebody-1",
        "ANTHROPIC_API_KEY": "short",
        "PLAIN": "seen",
    }

    async def act(s: Scene) -> None:
        s.server.script("strong", [calls(Called("bash", {"command": "env"})), say("done")])
        await s.run(agent(tools=("bash",)))
        told = s.server.requests[1].text
        assert "PLAIN=seen" in told
        for name in ("ACME_KEY", "JUDGE_KEY", "COPY_OF_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
            assert f"{name}=" not in told

    scene(tmp_path, act, env=env, tools={"shell": True})


# Streams -------------------------------------------------------------------------------------

hide: Callable[[str], str] = partial(redact, known=(live.KEY,))
words = st.sampled_from(
    [
        "the ",
        "key\n",
        "is: ",
        "日本",
        "bearer ",
        "Authorization: ",
        "-----BEGIN X-----\n",
        "ok",
        ".",
    ]
)
hidden = st.sampled_from([live.KEY, GITHUB, PEM, "Bearer abc123def456ghi789"])


@given(st.lists(words | hidden, max_size=12), st.data())
@settings(max_examples=150, deadline=None)
def test_a_stream_shows_no_secret_however_it_is_cut(parts: list[str], data: Any) -> None:
    text = " ".join(parts)
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=12)))
    redactor = StreamRedactor(hide)
    shown = ""
    for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True):
        shown += redactor.feed(text[start:end])
        for secret in (live.KEY, GITHUB, "MIIEow12IBAAKCAQEA7", "abc123def456ghi789"):
            assert secret not in shown
    assert shown + redactor.rest() == hide(text)


def test_a_stream_goes_on_word_by_word() -> None:
    redactor = StreamRedactor(hide)
    assert redactor.feed("Good mor") == "Good "
    assert redactor.feed("ning, dear") == "morning, "
    assert redactor.feed("日本") == "dear日本"
    assert redactor.feed("-----BEGIN CERTIFICATE-----\nMII") == "-----BEGIN CERTIFICATE-----\n"
    assert redactor.feed("x\n-----BEGIN PRIVATE KEY-----\nabc\ndef ") == "MIIx\n"
    assert redactor.feed("-----END PRIVATE KEY-----\n") == f"{HIDDEN}\n"
    assert redactor.feed("end") == ""
    assert redactor.rest() == "end"
    assert redactor.rest() == ""
