"""What a launch asks of routing: the text to be read, who does it, and what was said beforehand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from typing import Any

from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import NEED_FIELDS, TaskNeeds
from routinglab.errors import InvalidInput
from routinglab.routing.decision import AnsweredBy
from routinglab.settings import Settings


def refuse_path(record: object) -> None:
    """Raise :class:`InvalidInput` where a path stands in place of the writer of a recording."""
    if isinstance(record, str | PathLike):
        raise InvalidInput(
            f"record is a writer and not a path: RecordingWriter({str(record)!r}), from "
            "routinglab.lab.writer",
            field="record",
        )


@dataclass(frozen=True, slots=True)
class RouteRequest:
    """One task for :meth:`Router.route_many`; the fields are those of :meth:`Router.route`."""

    task: str | None = None
    agent: Any = None
    needs: TaskNeeds | Mapping[str, Any] | None = None
    constraints: ModelConstraints | Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Launch:
    """One launch as asked for: the text to be read, who does it, and what was said beforehand."""

    text: str
    agent: AgentBrief | None
    call_needs: TaskNeeds
    stated: TaskNeeds
    limits: ModelConstraints | None
    answered_by: Mapping[str, AnsweredBy] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        task: str | None,
        agent: AgentBrief | None,
        call: TaskNeeds,
        limits: ModelConstraints | None,
    ) -> Launch:
        """Combine the call's needs with the agent's; a computer-use task needs images unless said."""
        wider = agent.needs if agent is not None else TaskNeeds()
        answered: dict[str, AnsweredBy] = dict.fromkeys(wider.stated(), "agent")
        answered |= dict.fromkeys(call.stated(), "caller")
        stated = call.under(wider)
        if stated.work == "computer_use" and stated.needs_images is None:
            stated = stated.model_copy(update={"needs_images": True})
            answered["needs_images"] = "rule"
        text = task if task and task.strip() else (agent.prompt if agent is not None else "")
        return cls(text, agent, call, stated, limits, _ordered(answered))

    @classmethod
    def asked(
        cls,
        task: str | None,
        agent: Any,
        needs: TaskNeeds | Mapping[str, Any] | None,
        constraints: ModelConstraints | Mapping[str, Any] | None,
        settings: Settings,
    ) -> Launch:
        """A launch from what a caller gives; a wrong key or value raises ``InvalidInput``."""
        call = needs if isinstance(needs, TaskNeeds) else TaskNeeds.model_validate(needs or {})
        return cls.of(task, brief_of(agent, settings), call, as_limits(constraints))

    def require_text(self) -> None:
        """Raise where questions are open and there is nothing to read."""
        if self.missing and not self.text.strip():
            raise InvalidInput(
                "there is no task to read and the agent has no prompt; give a task, or state all "
                "six needs"
            )

    @property
    def name(self) -> str | None:
        return self.agent.name if self.agent is not None else None

    @property
    def missing(self) -> tuple[str, ...]:
        return self.stated.missing

    def settled(self, answers: TaskNeeds) -> tuple[TaskNeeds, dict[str, AnsweredBy]]:
        """All six needs once the reader has answered, and who answered each."""
        answered = dict(self.answered_by) | dict.fromkeys(answers.stated(), "reader")
        needs = self.stated.under(answers)
        if needs.work == "computer_use" and "needs_images" not in self.answered_by:
            needs = needs.model_copy(update={"needs_images": True})
            answered["needs_images"] = "rule"
        return needs, _ordered(answered)


def _ordered(answered: Mapping[str, AnsweredBy]) -> dict[str, AnsweredBy]:
    return {name: answered[name] for name in NEED_FIELDS if name in answered}


def brief_of(agent: Any, settings: Settings | None = None) -> AgentBrief | None:
    """What routing sees of a brief, a skill or an agent definition, settings overrides included."""
    if agent is None or isinstance(agent, AgentBrief):
        return agent
    from routinglab.skills.effective import effective_agent

    return effective_agent(agent, settings, model="auto").brief()


def as_limits(
    given: ModelConstraints | Mapping[str, Any] | None,
) -> ModelConstraints | None:
    """Constraints from a value or from a mapping with the keys of ``modelConstraints``."""
    if given is None or isinstance(given, ModelConstraints):
        return given
    return ModelConstraints.model_validate(given)
