"""A small catalog with evals, and recordings routed over them as the router would."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from routinglab.catalog.model import Catalog, Model
from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.core.text import text_digest
from routinglab.evals.evals import Evals, parse_evals
from routinglab.lab.writer import RecordingWriter
from routinglab.routing.decision import Decision, RouterInfo
from routinglab.routing.plan import Planner
from routinglab.routing.router import Launch
from routinglab.settings.model import Settings

EVALS = """# Evals

## Artificial Analysis Intelligence Index v4.3.2, 2026-09-22

| slug | idx | TB4 | IF | Gn |
| --- | --- | --- | --- | --- |
| best | 60 | 70% | 80% | 60% |
| good | 55 | 60% | 75% | 55% |
| fair | 40 | 45% | 70% | 50% |
| small | 25 | 20% | 60% | 30% |
| tiny | 10 | 5% | 30% | 10% |
"""

PRICES = {"best": (10.0, 50.0), "good": (3.0, 15.0), "fair": (1.0, 4.0), "small": (0.2, 0.8)}
STATED_AT = datetime(2026, 9, 30, 12, tzinfo=UTC)


def needs(work: str = "coding", difficulty: str = "hard", mistake_cost: str = "high") -> TaskNeeds:
    """All six needs, without images, long context or hurry."""
    return TaskNeeds(
        work=work,
        difficulty=difficulty,
        mistake_cost=mistake_cost,
        needs_images=False,
        long_context=False,
        latency_sensitive=False,
    )


HARD, EASY = needs(), needs("coding", "trivial", "negligible")


def small_evals() -> Evals:
    return parse_evals(EVALS)


def small_catalog() -> Catalog:
    return Catalog(
        Model(
            provider="acme",
            id=name,
            name=name.title(),
            inputs=("text", "image") if name in ("best", "good") else ("text",),
            context_window=200_000,
            input_price=price[0],
            output_price=price[1],
            efforts=("low", "high") if name != "small" else (),
        )
        for name, price in PRICES.items()
    )


class Recorder:
    """Routes tasks over the small catalog and records what the router records."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.catalog, self.evals = small_catalog(), small_evals()
        self.writer = RecordingWriter(path, clock=lambda: STATED_AT)

    def __call__(
        self,
        task: str = "t",
        text: str = "Fix the parser",
        *,
        needs: TaskNeeds = HARD,
        answers: TaskNeeds | None = None,
        choice: str | int | None = None,
        agent: AgentBrief | None = None,
        constraints: ModelConstraints | None = None,
        settings: Settings | None = None,
        degraded: str | None = None,
        tokens: tuple[int, ...] = (),
        over: Catalog | None = None,
    ) -> Decision:
        """``choice`` is a model, or a place in the shortlist."""
        settings = settings or Settings()
        planner = Planner(over or self.catalog, self.evals, settings)
        launch = Launch.of(text, agent, needs, constraints)
        settled, by = launch.settled(answers) if answers else (launch.stated, launch.answered_by)
        plan = planner.plan(settled, call=constraints, agent=agent)
        if isinstance(choice, int):
            choice = plan.offered[choice % len(plan.offered)]
        router = RouterInfo()
        if choice:
            router = RouterInfo(requested="acme/fair", responded="acme/fair", kind="chat")
        decision = plan.decide(
            choice,
            task_digest=text_digest(text),
            agent=launch.name,
            answered_by=by,
            reader="acme/fair" if answers else None,
            router=router,
            created=STATED_AT,
            degraded=degraded,
        )
        self.writer.task(
            text,
            id=task,
            agent=agent,
            needs=needs,
            constraints=constraints,
            expected_input_tokens=tokens[0] if tokens else None,
            expected_output_tokens=tokens[1] if tokens else None,
        )
        if answers:
            self.writer.answers(task, answers, reader="acme/fair")
        if choice:
            self.writer.choice(task, choice, router="acme/fair")
        self.writer.inputs(planner.catalog, self.evals.digest, settings)
        self.writer.decision(task, decision)
        return decision
