"""A small world of models at two providers and a classifier, all served by one loopback server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from routinglab.catalog.model import Catalog, Model
from routinglab.evals.evals import Evals, load_evals
from routinglab.settings import Settings
from support.llm_server import LlmServer

KEY = "key-of-acme-1234567890"
ENV = {"ACME_KEY": KEY, "JUDGE_KEY": "key-of-judge-0987654321"}

ALL_NEEDS: dict[str, Any] = {
    "work": "coding",
    "difficulty": "hard",
    "mistakeCost": "moderate",
    "needsImages": False,
    "longContext": False,
    "latencySensitive": False,
}

EVALS = """\
# Acme Index v1 (2026-09-01)

| slug | idx | TB4 |
| --- | --- | --- |
| strong | 60 | 70 |
| middle | 40 | 50 |
| small | 20 | 30 |
| other | 10 | 10 |
"""


def catalog(*more: Model) -> Catalog:
    """``acme``: strong, middle, small and the chat model; ``beta``: strong and small once more."""

    def model(provider: str, id: str, price: float, **facts: Any) -> Model:
        known: dict[str, Any] = {
            "inputs": ("text",),
            "context_window": 200_000,
            "input_price": price,
            "output_price": 2 * price,
            "efforts": ("low", "medium", "high"),
        }
        return Model(provider=provider, id=id, **(known | facts))

    return Catalog(
        [
            model("acme", "strong", 10.0),
            model("acme", "middle", 4.0),
            model("acme", "small", 1.0, efforts=()),
            model("acme", "chat", 2.0, efforts=(), context_window=20_000),
            model("beta", "strong", 11.0),
            model("beta", "small", 0.5, efforts=()),
            Model(provider="judge", id="one", kind="classifier", input_price=1.0, output_price=1.0),
            *more,
        ]
    )


def settings(server: LlmServer, **keys: Any) -> Settings:
    """Settings whose three providers are the loopback server; the current model is ``acme/chat``."""
    acme = {"baseUrl": server.openai_url, "apiKeyEnv": "ACME_KEY"}
    given: dict[str, Any] = {
        "currentModel": "acme/chat",
        "providers": {
            "acme": acme,
            "beta": {"api": "anthropic", "baseUrl": server.anthropic_url, "apiKeyEnv": "ACME_KEY"},
            "judge": {
                "api": "systemone",
                "baseUrl": server.systemone_url,
                "apiKeyEnv": "JUDGE_KEY",
            },
        },
        "retry": {"baseDelayMs": 0},
    }
    return Settings.model_validate(given | keys)


def evals(folder: Path) -> Evals:
    """The evals of :data:`EVALS`, read back from a file."""
    path = folder / "evals.md"
    path.write_text(EVALS)
    return load_evals(path)
