"""Write ``evals/subagent-tasks.jsonl``: ``python -m routinglab.lab.record_shipped [FILE]``.

The tasks are written by hand in ``subagent_tasks.toml``; the decisions are what the shipped catalog
and evals give for them. Run it again after either changed: the same inputs give the same bytes. No
model is asked; reader answers and router choices are taken from the same file.
"""

from __future__ import annotations

import sys
import tempfile
import tomllib
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any

from routinglab.catalog.files import load_catalog
from routinglab.catalog.model import Catalog
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.core.text import text_digest
from routinglab.evals.evals import Evals, load_evals
from routinglab.lab.writer import RecordingWriter
from routinglab.resources import shipped
from routinglab.routing.decision import RouterInfo
from routinglab.routing.plan import Planner
from routinglab.routing.router import Launch
from routinglab.settings.model import Settings

#: The day stated in the header, so that writing again changes nothing.
STATED = datetime(2026, 12, 1, tzinfo=UTC)

#: Who answered and chose, in place of a model's id.
BY_HAND = "recorded/by-hand"

_FLAGS = {"images": "needs_images", "long": "long_context", "fast": "latency_sensitive"}


def record_shipped(
    path: Path | None = None, *, catalog: Catalog | None = None, evals: Evals | None = None
) -> Path:
    """Route the hand-written tasks and write their recording; the path written."""
    target = path or shipped("evals", "subagent-tasks.jsonl")
    data = tomllib.loads(files("routinglab.lab").joinpath("subagent_tasks.toml").read_text("utf-8"))
    agents = {name: _agent(name, facts) for name, facts in data["agents"].items()}
    settings = Settings()
    planner = Planner(catalog or load_catalog(), evals or load_evals(), settings)
    with tempfile.TemporaryDirectory(dir=target.parent) as folder:
        fresh = Path(folder) / target.name
        with RecordingWriter(fresh, clock=lambda: STATED) as record:
            record.inputs(
                planner.catalog, planner.evals.digest if planner.evals else None, settings
            )
            for row in data["task"]:
                _record(record, planner, row, agents[row["agent"]])
        fresh.chmod(0o644)
        fresh.replace(target)
    return target


def _agent(name: str, facts: Mapping[str, Any]) -> AgentBrief:
    return AgentBrief(
        name,
        facts["description"],
        "",
        TaskNeeds.model_validate(facts.get("needs", {})),
        tuple(ModelConstraints.model_validate(c) for c in facts.get("constraints", ())),
    )


def _record(
    record: RecordingWriter, planner: Planner, row: Mapping[str, Any], agent: AgentBrief
) -> None:
    text, limits = row["text"], row.get("limits")
    constraints = ModelConstraints.model_validate(limits) if limits else None
    needs = _needs(row)
    asked = TaskNeeds.model_validate(dict.fromkeys(row.get("read", ()))).model_fields_set
    stated = needs.stated()
    call = TaskNeeds(
        **{n: v for n, v in stated.items() if n not in asked and agent.needs.stated().get(n) != v}
    )
    launch = Launch.of(text, agent, call, constraints)
    answers = TaskNeeds(**{name: stated[name] for name in launch.missing})
    settled, answered_by = launch.settled(answers)
    task = record.task(
        text,
        id=row["id"],
        agent=agent,
        needs=call,
        constraints=constraints,
        expected_input_tokens=row["tokens"][0],
        expected_output_tokens=row["tokens"][1],
        group=settled.work,
    )
    reader = BY_HAND if launch.missing else None
    if reader:
        record.answers(task, answers, reader=reader)
    plan = planner.plan(settled, call=constraints, agent=agent)
    place = min(row["pick"], len(plan.offered))
    choice = plan.offered[place - 1] if place and len(plan.offered) > 1 else None
    router = RouterInfo()
    if choice:
        record.choice(task, choice, router=BY_HAND)
        router = RouterInfo(requested=BY_HAND, responded=BY_HAND, kind="chat")
    decision = plan.decide(
        choice,
        task_digest=text_digest(text),
        agent=agent.name,
        answered_by=answered_by,
        reader=reader,
        router=router,
    )
    record.decision(task, decision)


def _needs(row: Mapping[str, Any]) -> TaskNeeds:
    work, difficulty, mistake_cost = row["needs"]
    flags = {name: word in row.get("flags", ()) for word, name in _FLAGS.items()}
    return TaskNeeds(work=work, difficulty=difficulty, mistake_cost=mistake_cost, **flags)


if __name__ == "__main__":
    written = record_shipped(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
    print(written)
