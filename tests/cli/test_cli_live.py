"""``route`` with a task and ``run``: real HTTP to a loopback server that speaks like providers."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.llm_server import Fail, LlmServer, call, say

from routinglab import load_recording
from routinglab.cli import exits

KEY = "not-a-real-key-0000"

NEEDS = (
    "--work", "coding", "--difficulty", "easy", "--mistake-cost", "low", "--no-images",
    "--no-long-context", "--no-fast",
)  # fmt: skip


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[LlmServer]:
    """Provider ``here`` with two models, named in the user's settings; ``here/big`` is current."""
    with LlmServer().in_thread() as running:
        home = Path(os.environ["ROUTINGLAB_HOME"], ".routinglab")
        home.mkdir(parents=True, exist_ok=True)
        settings = {
            "currentModel": "here/big",
            "providers": {
                "here": {"api": "openai", "baseUrl": running.openai_url, "apiKeyEnv": "HERE_KEY"}
            },
            "modelRouting": {"allowedProviders": ["here"]},
            "catalog": ["models.json"],
            "retry": {"enabled": False},
        }
        facts = {
            "provider": "here",
            "contextWindow": 200000,
            "inputPrice": 1.0,
            "outputPrice": 2.0,
            "inputs": ["text"],
        }
        models = {"models": [{**facts, "id": "big"}, {**facts, "id": "small", "inputPrice": 0.1}]}
        (home / "settings.json").write_text(json.dumps(settings))
        (home.parent / "models.json").write_text(json.dumps(models))
        (home / "models.json").write_text(json.dumps(models))
        monkeypatch.setenv("HERE_KEY", KEY)
        yield running


def test_run_prints_the_answer_and_tells_what_is_tried(command, server: LlmServer) -> None:
    server.always("*", say("The retries are in charge.py."))
    ran = command("run", "explore", "Where are retries configured?", "--model", "here/small")
    assert ran.code == exits.OK, ran.err
    assert ran.out == "The retries are in charge.py.\n"
    assert "trying here/small" in ran.err
    assert [seen.model for seen in server.requests] == ["small"]
    assert "Where are retries configured?" in server.requests[0].text
    assert KEY not in ran.out + ran.err


def test_run_falls_back_and_gives_the_result_as_json(command, server: LlmServer) -> None:
    server.always(
        "small", Fail(404, {"error": {"message": "no such model", "code": "model_not_found"}})
    )
    server.always("big", say("done"))
    ran = command("run", "explore", "x", "--model", "here/small", "--json")
    assert ran.code == exits.OK, ran.err
    assert ran.data["text"] == "done"
    assert ran.data["used"]["model"] == "here/big"
    assert [a["kind"] for a in ran.data["attempts"]] == ["failed", "ok"]
    assert "failed (model_unavailable)" in ran.err


def test_a_skipped_model_is_named_with_the_variable_to_set(command, server: LlmServer) -> None:
    ran = command("run", "explore", "x", "--model", "openai/gpt-5.4:high")
    assert ran.code == exits.OK, ran.err
    assert (
        "openai/gpt-5.4:high skipped: provider openai is not configured: OPENAI_API_KEY is not set"
        in ran.err
    )
    assert [seen.model for seen in server.requests] == ["big"]


def test_routing_without_a_key_names_the_variable_to_set(
    command, server: LlmServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Path(os.environ["ROUTINGLAB_HOME"], ".routinglab", "settings.json")
    stated = json.loads(settings.read_text())
    del stated["modelRouting"]  # a provider without a key has models to choose from
    settings.write_text(json.dumps(stated))
    monkeypatch.delenv("HERE_KEY")
    ran = command("route", "Fix it.")
    assert ran.code == exits.FAILED
    assert "here has no key: set the environment variable HERE_KEY" in ran.err
    assert server.requests == []


def test_routing_a_task_without_a_current_model_says_what_to_set(
    command, server: LlmServer
) -> None:
    settings = Path(os.environ["ROUTINGLAB_HOME"], ".routinglab", "settings.json")
    stated = json.loads(settings.read_text())
    del stated["currentModel"]
    settings.write_text(json.dumps(stated))
    ran = command("route", "Fix it.")
    assert ran.code == exits.FAILED
    assert "set currentModel in the settings, or ROUTINGLAB_MODEL" in ran.err
    assert server.requests == []


@pytest.mark.parametrize("reference", ["nonsense", "sa_00000000000000000000"])
def test_a_transcript_that_is_not_there_is_bad_input(
    command, server: LlmServer, reference: str
) -> None:
    ran = command("run", "explore", "x", "--model", "here/small", "--continue", reference)
    assert ran.code == exits.USAGE
    assert reference in ran.err
    assert server.requests == []


def test_a_run_that_nobody_answers_fails(command, server: LlmServer) -> None:
    server.always("*", Fail(401, {"error": {"message": "bad key"}}))
    ran = command("run", "explore", "x", "--model", "here/small", "-q")
    assert ran.code == exits.FAILED
    assert ran.out == ""
    assert ran.err.splitlines()[-1].startswith("routinglab: ")


def test_a_run_without_a_task_and_an_unknown_agent_are_bad_input(
    command, server: LlmServer
) -> None:
    assert command("run", "explore").code == exits.USAGE
    ran = command("run", "explor", "x")
    assert ran.code == exits.USAGE
    assert "explore" in ran.err
    assert server.requests == []


def test_route_with_a_task_asks_the_router_and_records_it(command, server: LlmServer) -> None:
    server.always("big", call("structured_output", {"choice": "1"}))
    ran = command("route", "Fix the flaky test", *NEEDS, "--record", "runs.jsonl", "--json")
    assert ran.code == exits.OK, ran.err
    decision = ran.data["decision"]
    assert decision["primary"]["model"].startswith("here/")
    assert decision["requests"]
    assert "Fix the flaky test" not in server.requests[0].text
    recorded = load_recording("runs.jsonl")
    assert [task.text for task in recorded] == ["Fix the flaky test"]
    assert command("replay", "runs.jsonl").code == exits.OK


def test_route_without_a_task_sends_nothing(command, server: LlmServer) -> None:
    ran = command("route", *NEEDS)
    assert ran.code == exits.OK, ran.err
    assert ran.out.startswith("here/small")
    assert server.requests == []


def test_a_secret_in_the_task_is_refused_and_not_printed(command, server: LlmServer) -> None:
    ran = command("route", f"Use {KEY} to log in")
    assert ran.code == exits.USAGE
    assert "secret" in ran.err
    assert KEY not in ran.err
    assert server.requests == []


def test_one_effort_is_the_one_to_run_at(command, server: LlmServer) -> None:
    ran = command("run", "explore", "x", "--model", "here/new-one", "--effort", "high")
    assert ran.code == exits.OK, ran.err
    assert server.requests[0].json["reasoning_effort"] == "high"
    ran = command("run", "explore", "x", "--model", "here/small", "--effort", "high")
    assert ran.code == exits.USAGE
    assert "no configurable effort" in ran.err
    # several restrict routing, and a concrete model is none of its business
    several = ("--effort", "low", "--effort", "none")
    assert command("run", "explore", "x", "--model", "here/small", *several).code == exits.OK


def test_a_run_says_what_it_was_not_given_and_how_to_go_on(command, server: LlmServer) -> None:
    skill = Path(".routinglab", "skills", "asker.md")
    skill.parent.mkdir(parents=True)
    skill.write_text(
        "---\nname: asker\ndescription: Asks.\nrunAs: subagent\nmodel: here/small\n"
        "tools: [read, bash]\n---\nYou ask.\n"
    )
    ran = command("run", "asker", "x")
    assert ran.code == exits.OK, ran.err
    assert "tool 'bash' is not allowed here (settings: tools.shell)" in ran.err
    [line] = [line for line in ran.err.splitlines() if line.startswith("transcript sa_")]
    again = command("run", "asker", "and now?", "--continue", line.split()[1])
    assert again.code == exits.OK, again.err
    assert [m["content"] for m in server.requests[1].json["messages"]][1:] == [
        "x", "ok", "and now?",
    ]  # fmt: skip


def test_route_explains_and_says_who_was_asked(command, server: LlmServer) -> None:
    server.script("big", [call("structured_output", {"choice": "here/small"})])
    ran = command("route", "Fix it.", *NEEDS, "--explain")
    assert ran.code == exits.OK, ran.err
    assert "was chosen by the router" in ran.out
    # 10 tokens at $1 and 5 at $2 a million
    assert "asked here/big (choice): ok, 10 tokens in, 5 out, $0.000020" in ran.out
    server.script("big", [call("structured_output", {"choice": "here/small"})])
    assert command("route", "Fix it.", *NEEDS, "--no-explain").out.splitlines() == [
        "here/small", "  then here/big",
    ]  # fmt: skip


def test_doctor_sends_only_when_asked_to(command, server: LlmServer) -> None:
    assert command("doctor").code == exits.OK
    assert server.requests == []
    ran = command("doctor", "--ping", "--json")
    assert ran.code == exits.OK, ran.err
    assert {(a["model"], a["outcome"]) for a in ran.data["ping"]} == {
        ("here/big", "ok"), ("here/small", "ok"),
    }  # fmt: skip
    assert sorted(seen.model for seen in server.requests) == ["big", "small"]


def test_doctor_names_a_model_that_does_not_answer(command, server: LlmServer) -> None:
    server.always("small", Fail(401))
    ran = command("doctor", "--ping")
    assert ran.code == exits.FOUND
    line = next(line for line in ran.out.splitlines() if line.startswith("here/small"))
    assert " auth " in line
    assert KEY not in ran.out + ran.err
