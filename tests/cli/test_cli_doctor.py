"""``routinglab doctor``: what is found, never what is secret, and nothing sent."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from routinglab.cli import exits

KEY = "sk-not-a-real-key-000000000"


def test_says_configured_never_valid_and_never_prints_a_key(
    command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "  ")
    ran = command("doctor")
    assert ran.code == exits.OK, ran.err
    states = {line.split()[0]: line for line in ran.out.splitlines() if line.strip()}
    assert " configured " in states["anthropic"]
    assert "not configured" in states["openai"]
    assert " valid" not in ran.out
    data = command("doctor", "--json")
    assert KEY not in ran.out + ran.err + data.out + data.err
    found = {provider["id"]: provider for provider in data.data["providers"]}
    assert (found["anthropic"]["state"], found["anthropic"]["keySet"]) == ("configured", True)
    assert (found["openai"]["state"], found["openai"]["keySet"]) == ("not configured", False)


def test_says_which_settings_files_were_found_and_what_would_be_tried(
    command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", KEY)
    Path(".routinglab").mkdir()
    settings = {
        "currentModel": "deepseek/deepseek-v4-pro",
        "modelRouting": {"allowedProviders": ["deepseek"]},
    }
    Path(".routinglab/settings.json").write_text(json.dumps(settings))
    data = command("doctor", "--json").data
    assert [file["exists"] for file in data["settings"]] == [False, True]
    assert data["currentModel"] == data["reader"] == "deepseek/deepseek-v4-pro"
    assert data["auto"].startswith("moderate coding would be tried on deepseek/")
    assert data["evals"]["results"] > 1000
    assert data["skills"]["count"] >= 4


def test_missing_evals_are_told_not_fatal(command) -> None:
    Path(".routinglab").mkdir()
    Path(".routinglab/settings.json").write_text('{"evals": "none.md"}')
    ran = command("doctor")
    assert ran.code == exits.OK, ran.err
    assert "none.md" in ran.out


def test_sends_nothing(command, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    def refuse(*_: object) -> None:
        raise AssertionError("doctor opened a connection")

    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    monkeypatch.setattr(socket.socket, "connect", refuse)
    assert command("doctor").code == exits.OK
