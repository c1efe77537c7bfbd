"""500 children at once against a local server: python benchmarks/children.py [CHILDREN].

The server, in a process of its own, answers each request after one second. Prints the wall time beside
that delay plus a bare httpx gather of the same requests (target: within 2 x of the sum), how many
children were lost (target: none), and the memory a child (target: under 1 MB).
"""

from __future__ import annotations

import asyncio
import gc
import resource
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import httpx
from loopback import serving

from routinglab.catalog.model import Catalog, Model
from routinglab.providers.chat import ChatRequest, Message
from routinglab.providers.openai_request import chat_body
from routinglab.routing.router import Router
from routinglab.running.runner import Runner
from routinglab.settings import Settings
from routinglab.skills.skill import Skill

CHILDREN = int(sys.argv[1]) if len(sys.argv) > 1 else 500
DELAY = 1.0
RUNS = 3
TASK = "Say whether the retry test in the invoicing service is flaky, and why. " * 10
AGENT = Skill(name="checker", run_as="subagent", body="You check. " * 30, model="local/m:low")


def peak() -> float:
    """The most memory this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


async def bare(url: str) -> float:
    """Seconds for a plain gather of the requests."""
    request = ChatRequest("m", (Message("user", TASK),), system=AGENT.body, effort="low")
    body = chat_body("local", request, stream=True)
    limits = httpx.Limits(max_connections=CHILDREN)
    async with httpx.AsyncClient(timeout=None, trust_env=False, limits=limits) as client:
        start = time.perf_counter()
        address = f"{url}/chat/completions"
        found = await asyncio.gather(*(client.post(address, json=body) for _ in range(CHILDREN)))
        took = time.perf_counter() - start
    assert all(response.status_code == 200 for response in found)
    return took


async def children(url: str, folder: Path | None) -> tuple[float, int]:
    """Seconds for the children, and how many of them answered."""
    settings = Settings.model_validate({"providers": {"local": {"baseUrl": url}}})
    model = Model(provider="local", id="m", input_price=1, output_price=2, efforts=("low",))
    async with Runner(Router(settings, Catalog([model])), transcripts=folder) as runner:
        start = time.perf_counter()
        found = await asyncio.gather(
            *(runner.run(AGENT, TASK) for _ in range(CHILDREN)), return_exceptions=True
        )
        took = time.perf_counter() - start
    return took, sum(not isinstance(one, BaseException) and one.ok for one in found)


def main() -> None:
    with serving() as at_once, serving(DELAY) as late, tempfile.TemporaryDirectory() as folder:
        asyncio.run(children(at_once, None))  # imports and caches
        gathers, walls, kept = [], [], []
        for number in range(RUNS):
            gathers.append(asyncio.run(bare(at_once)))
            took, answered = asyncio.run(children(late, None))
            assert answered == CHILDREN, f"{CHILDREN - answered} children were lost"
            walls.append(took)
            took, answered = asyncio.run(children(late, Path(folder, str(number))))
            assert answered == CHILDREN, f"{CHILDREN - answered} children were lost"
            kept.append(took)
        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        asyncio.run(children(late, None))
        memory = (tracemalloc.get_traced_memory()[1] - before) / CHILDREN
        tracemalloc.stop()
    yardstick = DELAY + min(gathers)
    print(f"{CHILDREN} children, none lost")
    print(f"delay {DELAY:.2f} s + bare httpx gather {min(gathers):.2f} s = {yardstick:.2f} s")
    for name, times in (("children", walls), ("... with transcripts", kept)):
        print(f"{name:<21}{min(times):.2f} s, {min(times) / yardstick:.2f} x (target: 2 x)")
    print(
        f"memory a child       {memory / 1024:.0f} KB (target: 1,024 KB); peak of all {peak() / 2**20:.0f} MB"
    )


if __name__ == "__main__":
    main()
