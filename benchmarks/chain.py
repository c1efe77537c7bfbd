"""One run of an agent against one bare httpx request to the same server: python benchmarks/chain.py [RUNS].

Prints the ratio (target: 1.5) and the difference (target: under 1 ms). Bare requests and runs take
turns; what counts is the time that the quickest tenth stays below, since a busy machine only ever adds.
The server answers at once with a stream of 17 events, so all that is measured is what this package
adds. Keeping a transcript creates a file, which some file systems take long for: it has its own line.
"""

from __future__ import annotations

import asyncio
import statistics
import sys
import tempfile
import time
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

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
TASK = "Say whether the retry test in the invoicing service is flaky, and why. " * 10
AGENT = Skill(
    name="checker", run_as="subagent", body="You check. " * 30, model="local/m:low", tools=()
)


def quick(times: list[float]) -> float:
    """What the quickest tenth stays below."""
    return statistics.quantiles(times, n=10)[0]


async def main() -> None:
    with serving() as url, tempfile.TemporaryDirectory() as folder:
        settings = Settings.model_validate({"providers": {"local": {"baseUrl": url}}})
        model = Model(provider="local", id="m", input_price=1, output_price=2, efforts=("low",))
        router = Router(settings, Catalog([model]))
        request = ChatRequest(
            "m", (Message("user", TASK.strip()),), system=AGENT.body, effort="low"
        )
        body = chat_body("local", request, stream=True)
        address = f"{url}/chat/completions"
        bare: list[float] = []
        kept: list[float] = []
        without: list[float] = []
        async with (
            httpx.AsyncClient(timeout=None, trust_env=False) as client,
            Runner(router, transcripts=Path(folder), workspace=folder) as keeping,
            Runner(router, transcripts=None, workspace=folder) as plain,
        ):
            for count in range(RUNS + 50):
                start = time.perf_counter()
                response = await client.post(address, json=body)
                assert response.status_code == 200
                middle = time.perf_counter()
                assert (await plain.run(AGENT, TASK)).ok
                later = time.perf_counter()
                assert (await keeping.run(AGENT, TASK)).ok
                end = time.perf_counter()
                if count >= 50:
                    bare.append(middle - start)
                    without.append(later - middle)
                    kept.append(end - later)
    base = quick(bare)
    print(f"{len(bare)} runs of each")
    print(f"bare httpx request   {base * 1e3:6.2f} ms")
    for name, times in (("run", without), ("run with transcript", kept)):
        took = quick(times)
        print(
            f"{name:<20} {took * 1e3:6.2f} ms, {took / base:.2f} x, "
            f"{(took - base) * 1e3:+.2f} ms (target: 1.5 x, under 1 ms more)"
        )


if __name__ == "__main__":
    asyncio.run(main())
