"""``routinglab route``: decisions from stated needs, offline."""

from __future__ import annotations

from pathlib import Path

import pytest

from routinglab import Decision, load_catalog
from routinglab.cli import exits

ALL_SIX = (
    "--work", "coding", "--difficulty", "hard", "--mistake-cost", "low", "--no-images",
    "--no-long-context", "--no-fast",
)  # fmt: skip


def test_decides_and_explains(command) -> None:
    ran = command("route", *ALL_SIX, "--all-models")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].partition(":")[0] in {model.full_id for model in load_catalog()}
    assert lines[1].startswith("  then ")
    assert "The runner-up: " in ran.out
    assert ran.err == ""


def test_json_holds_the_whole_decision(command) -> None:
    data = command("route", *ALL_SIX, "--all-models", "--json").data
    decision = Decision.model_validate(data["decision"])
    assert decision.needs.work == "coding"
    assert decision.primary.effort == "high" or decision.primary.effort is None
    assert len(decision.fallbacks) == 2
    assert data["explanation"] == decision.explain().text


def test_constraints_hold(command) -> None:
    data = command(
        "route", "--work", "research", "--all-models", "--max-output-cost", "2", "--json",
        "--exclude-provider", "openrouter", "--effort", "low", "--effort", "none",
    ).data  # fmt: skip
    catalog = load_catalog()
    chain = [data["decision"]["primary"], *data["decision"]["fallbacks"]]
    for candidate in chain:
        assert catalog[candidate["model"]].dearest_output <= 2
        assert not candidate["model"].startswith("openrouter/")
        assert candidate.get("effort") in (None, "low")


def test_an_agents_needs_and_limits_count(command) -> None:
    data = command("route", "--agent", "explore", "--all-models", "--json").data
    assert data["decision"]["agent"] == "explore"
    assert data["decision"]["needs"]["work"] == "codebase_lookup"
    assert data["decision"]["answeredBy"]["work"] == "agent"


def test_only_configured_providers_are_offered_and_the_command_says_so(
    command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "not-a-real-key-0000")
    ran = command("route", *ALL_SIX, "--exclude-provider", "ollama", "--json")
    assert ran.data["decision"]["primary"]["model"].startswith("deepseek/")
    assert "models are at configured providers" in ran.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--work", "cooking"), "work: 'cooking' is not one of"),
        (("--difficulty", "extreme"), "difficulty: 'extreme' is not one of"),
        (("--max-output-cost", "-1"), "max_output_cost"),
        (("--effort", "huge"), "allowed_efforts"),
        (("--require-input", "smell"), "required_inputs"),
        (("--policy", "luck"), "luck"),
        (("--agent", "nobody"), "nobody"),
        (("--evals", "none.md"), "none.md"),
        (("--project", "nowhere"), "nowhere"),
        (("--catalog", "none.json"), "none.json"),
    ],
)
def test_bad_input_is_refused_in_one_line(command, arguments, told: str) -> None:
    ran = command("route", "--all-models", *arguments)
    assert ran.code == exits.USAGE, ran.err
    assert told in ran.err.splitlines()[-1]
    assert "Traceback" not in ran.err


def test_no_eligible_model_fails_and_says_what_removed_most(command) -> None:
    ran = command("route", "--all-models", "--allow-provider", "nobody")
    assert ran.code == exits.FAILED
    assert "allowed" in ran.err
    assert "rovider" in ran.err


def test_settings_of_the_project_are_read_and_a_bad_one_is_named(command) -> None:
    Path(".routinglab").mkdir()
    Path(".routinglab/settings.json").write_text(
        '{"modelRouting": {"allowedProviders": ["google"]}}'
    )
    data = command("route", *ALL_SIX, "--all-models", "--json").data
    assert data["decision"]["primary"]["model"].startswith("google/")
    Path(".routinglab/settings.json").write_text('{"modelRooting": {}}')
    ran = command("route", "--all-models")
    assert ran.code == exits.USAGE
    assert "modelRooting" in ran.err
    assert "modelRouting" in ran.err
