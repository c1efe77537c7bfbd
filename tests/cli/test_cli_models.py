"""``routinglab models``: listing the catalog and importing public lists."""

from __future__ import annotations

import json
from pathlib import Path

from routinglab.catalog.files import load_catalog
from routinglab.cli import exits


def test_lists_every_model_with_prices_and_windows(command) -> None:
    ran = command("models", "list")
    assert ran.code == 0, ran.err
    lines = ran.out.splitlines()
    assert lines[0].split() == ["model", "kind", "input", "output", "window", "released", "efforts"]
    assert [line.split()[0] for line in lines[1:]] == sorted(m.full_id for m in load_catalog())


def test_lists_one_provider_as_json(command) -> None:
    listed = command("models", "list", "--provider", "anthropic", "--json").data
    assert listed
    assert {model["provider"] for model in listed} == {"anthropic"}
    assert all("inputPrice" in model for model in listed)


def test_an_unknown_provider_names_a_near_one(command) -> None:
    ran = command("models", "list", "--provider", "antropic")
    assert ran.code == exits.USAGE
    assert "Did you mean 'anthropic'?" in ran.err


def test_only_configured_models(command, monkeypatch) -> None:
    monkeypatch.setenv("DEEPSEEK_API_KEY", "not-a-real-key-0000")
    listed = command("models", "list", "--configured", "--json").data
    providers = {model["provider"] for model in listed}
    assert "deepseek" in providers
    assert "anthropic" not in providers


def test_a_model_file_adds_its_models(command) -> None:
    Path("mine.json").write_text(
        json.dumps({"models": [{"provider": "here", "id": "small", "inputPrice": 0.0}]})
    )
    listed = command("models", "list", "--catalog", "mine.json", "--provider", "here", "--json")
    assert [m["id"] for m in listed.data] == ["small"]


def test_imports_a_public_list_and_says_what_it_left_out(command) -> None:
    price = {"input_cost_per_token": 1e-6, "output_cost_per_token": 2e-6, "mode": "chat"}
    data = {
        "sample_spec": {"mode": "chat"},
        "openai/gpt-x": {**price, "litellm_provider": "openai", "max_input_tokens": 1000},
        "openai/odd": {**price, "litellm_provider": "openai", "input_cost_per_token": 5.0},
    }
    Path("prices.json").write_text(json.dumps(data))
    ran = command("models", "import", "litellm", "prices.json", "-o", "models.json")
    assert ran.code == 0, ran.err
    imported = load_catalog("models.json", curated=False)
    assert imported["openai/gpt-x"].input_price == 1.0
    assert any("odd" in line for line in ran.err.splitlines() if line.startswith("warning"))
    assert ran.err.splitlines()[-1].endswith("models to models.json")


def test_a_missing_list_is_an_error(command) -> None:
    assert "name the downloaded file" in command("models", "import", "openrouter").err
    ran = command("models", "import", "models-dev", "none.json")
    assert ran.code == exits.USAGE
    assert "none.json" in ran.err
