"""A small world for panels: models that differ in every way a control can ask for, served on loopback."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from routinglab.catalog.model import Catalog, Model
from routinglab.core.needs import TaskNeeds
from routinglab.routing.router import Router
from routinglab.running.runner import Runner
from routinglab.skills.skill import Skill
from support import live
from support.llm_server import LlmServer, Seen, structured

AGENT = Skill(name="helper", description="Helps.", run_as="subagent", model="auto", tools=())

#: What the reader says of whatever is still open.
READ = {
    "work": "coding", "difficulty": "hard", "mistakeCost": "moderate",
    "needsImages": False, "longContext": False, "latencySensitive": False,
}  # fmt: skip


def catalog() -> Catalog:
    """``live.catalog`` with two models that read images, one of them with a large window."""

    def model(id: str, price: float, window: int) -> Model:
        return Model(
            provider="acme", id=id, inputs=("text", "image"), context_window=window,
            input_price=price, output_price=2 * price,
        )  # fmt: skip

    return live.catalog(model("vision", 3.0, 1_000_000), model("reader", 5.0, 600_000))


def router(server: LlmServer, folder: Path, **keys: Any) -> Router:
    """A router over that catalog; ``answer_routing`` answers what ``acme/chat`` is asked."""
    server.always("chat", answer_routing)
    return Router(live.settings(server, **keys), catalog(), live.evals(folder), env=live.ENV)


def runner(server: LlmServer, folder: Path, **keys: Any) -> Runner:
    """A runner for ``AGENT`` that keeps no transcripts."""
    return Runner(router(server, folder, **keys), workspace=folder, transcripts=None)


def runner_at(url: str, folder: Path) -> Runner:
    """The same for a kernel: the server at ``url`` runs in the test's own process."""
    at = SimpleNamespace(openai_url=f"{url}/v1", anthropic_url=url, systemone_url=url)
    settings = live.settings(at)  # type: ignore[arg-type]
    one = Router(settings, catalog(), live.evals(folder), env={**os.environ, **live.ENV})
    return Runner(one, workspace=folder, transcripts=None)


def answer_routing(seen: Seen) -> Any:
    """The reader's answers, or the first option offered."""
    asked = properties(seen)
    if "choice" in asked:
        return structured({"choice": asked["choice"]["enum"][0]})
    return structured({name: READ[name] for name in asked})


def properties(seen: Seen) -> dict[str, Any]:
    """What the one tool of a routing request asks for."""
    asked: dict[str, Any] = seen.json["tools"][0]["function"]["parameters"]["properties"]
    return asked


def offered(server: LlmServer) -> list[str]:
    """The options of the last choice request."""
    choices = [properties(seen) for seen in server.asked("chat")]
    return next(list(asked["choice"]["enum"]) for asked in reversed(choices) if "choice" in asked)


def asked_needs(server: LlmServer) -> list[str]:
    """The questions put to the reader; none where every need was stated."""
    return [name for seen in server.asked("chat") for name in properties(seen) if name != "choice"]


def prompt(server: LlmServer) -> str:
    """The text of the last choice request."""
    return str(server.asked("chat")[-1].json["messages"][-1]["content"])


def all_needs(**other: Any) -> TaskNeeds:
    """All six needs."""
    return TaskNeeds.model_validate({**live.ALL_NEEDS, **other})


async def until(ready: Callable[[], object]) -> None:
    """Wait for something that a server or another task brings about."""
    async with asyncio.timeout(20):
        while not ready():  # noqa: ASYNC110 - there is no event to wait for
            await asyncio.sleep(0.005)
