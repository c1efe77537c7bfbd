"""Replaying 100,000 recorded tasks over a 300-model catalog: python benchmarks/replay.py [TASKS].

Prints the ratio to `json.loads` of the same file (target: 3) and peak memory a task beyond the input
(target: 1 KB). The recording is made up: tasks of about 300 characters with stated needs, half of
them with reader answers, a router's choice and a decision each.
"""

from __future__ import annotations

import gc
import json
import random
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

from routinglab.catalog.files import load_catalog
from routinglab.catalog.model import Catalog
from routinglab.core.agent import AgentBrief
from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, WORKS, TaskNeeds
from routinglab.evals.evals import load_evals
from routinglab.lab.recording import load_recording
from routinglab.lab.records import text_digest
from routinglab.lab.replay import replay
from routinglab.lab.writer import RecordingWriter
from routinglab.routing.decision import RouterInfo
from routinglab.routing.plan import Planner
from routinglab.routing.router import Launch
from routinglab.settings.model import Settings

MODELS, DISTINCT, RUNS = 300, 600, 3
WORDS = [
    "change",
    "the",
    "parser",
    "so",
    "that",
    "an",
    "empty",
    "header",
    "row",
    "is",
    "kept",
    "and",
    "add",
    "a",
    "test",
    "for",
    "it",
]


def catalog_of(count: int) -> Catalog:
    """The shipped models, repeated under made-up providers until there are ``count``."""
    models = list(load_catalog())
    made = []
    for number in range(count - len(models)):
        facts = {name: getattr(models[number], name) for name in type(models[number]).model_fields}
        facts |= {"provider": f"mirror-{models[number].provider}", "base_model": None}
        made.append(type(models[number])(**facts))
    return Catalog([*models, *made])


def write(path: Path, count: int, catalog: Catalog) -> None:
    """A recording of ``count`` tasks: distinct ones made by routing, then repeated with new texts."""
    chance = random.Random(1)
    planner = Planner(catalog, load_evals(), Settings())
    agents = [AgentBrief(f"agent-{n}", "does a kind of work") for n in range(4)]
    draft = path.with_suffix(".draft")
    with RecordingWriter(draft) as record:
        record.inputs(catalog, planner.evals.digest, planner.settings)
        for number in range(DISTINCT):
            needs = TaskNeeds(
                work=chance.choice(WORKS),
                difficulty=chance.choice(DIFFICULTIES),
                mistake_cost=chance.choice(MISTAKE_COSTS),
                needs_images=chance.random() < 0.2,
                long_context=chance.random() < 0.2,
                latency_sensitive=chance.random() < 0.3,
            )
            read = ("difficulty", "mistake_cost") if number % 2 else ()
            call = TaskNeeds(**{k: v for k, v in needs.stated().items() if k not in read})
            agent = chance.choice(agents)
            launch = Launch.of("", agent, call, None)
            answers = TaskNeeds(**{k: getattr(needs, k) for k in launch.missing})
            settled, by = launch.settled(answers)
            plan = planner.plan(settled, agent=agent)
            choice = chance.choice(plan.offered)
            task = record.task("@TEXT@", id=f"@ID{number}@", agent=agent, needs=call)
            if read:
                record.answers(task, answers, reader="openai/gpt-5.4-mini")
            record.choice(task, choice, router="openai/gpt-5.4-mini")
            router = RouterInfo(requested="openai/gpt-5.4-mini", kind="chat")
            record.decision(
                task,
                plan.decide(
                    choice, task_digest="@DIGEST@", agent=agent.name, answered_by=by, router=router,
                    reader="openai/gpt-5.4-mini" if read else None,
                ),
            )  # fmt: skip
    shared, own = [], {}
    for line in draft.read_text().splitlines():
        name = next((f"@ID{n}@" for n in [line.partition("@ID")[2].partition("@")[0]] if n), None)
        if name is None:
            shared.append(line)
        else:
            own.setdefault(name, []).append(line)
    draft.unlink()
    blocks = ["\n".join(lines) for lines in own.values()]
    names = list(own)
    digest = text_digest("@TEXT@")
    with path.open("w") as out:
        out.write("\n".join(shared) + "\n")
        for number in range(count):
            text = " ".join(chance.choices(WORDS, k=60))
            which = number % len(blocks)
            block = blocks[which].replace(names[which], f"task-{number:06d}")
            block = block.replace("@TEXT@", text).replace(digest, text_digest(text))
            out.write(block.replace("@DIGEST@", text_digest(text)) + "\n")


def best(action) -> float:
    """The quickest of several runs, in seconds of processor time."""
    taken = []
    for _ in range(RUNS):
        gc.collect()
        start = time.process_time()
        action()
        taken.append(time.process_time() - start)
    return min(taken)


def main(count: int) -> None:
    catalog = catalog_of(MODELS)
    evals = load_evals()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recording.jsonl"
        write(path, count, catalog)
        size = path.stat().st_size

        def parse() -> None:
            with path.open("rb") as lines:
                for line in lines:
                    json.loads(line)

        def whole() -> None:
            result = replay(load_recording(path), evals=evals, catalog=catalog)
            assert len(result.decisions) == count
            assert not result.drifted, result.summary

        whole()
        yardstick, ours = best(parse), best(whole)
        tracemalloc.start()
        result = replay(load_recording(path), evals=evals, catalog=catalog)
        result.decisions  # noqa: B018
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        beyond = (peak - size) / count
        print(f"tasks                 {count:,} ({size / 1e6:.0f} MB, {len(catalog)} models)")
        print(f"distinct decisions    {result.distinct:,}")
        print(f"json.loads            {yardstick:.2f} s")
        print(f"load, replay, frame   {ours:.2f} s, {count / ours:,.0f} decisions a second")
        print(f"ratio                 {ours / yardstick:.2f} (target 3)")
        print(f"peak beyond input     {beyond:,.0f} bytes a task (target 1,024)")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
