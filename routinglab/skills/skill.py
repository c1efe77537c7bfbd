"""A skill or agent as everything else sees it: one validated value (SPEC 11.1, 11.6)."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_serializer

from routinglab.core.agent import AgentBrief
from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.core.value import Value
from routinglab.errors import SkillError
from routinglab.skills.decode import clean

RunAs = Literal["inline", "subagent"]
Scope = Literal["project", "custom", "global", "builtin"]
#: The legacy ``thinking`` field: an effort, or False, which clears an inherited one.
Thinking = Effort | Literal[False]


class Skill(Value):
    """One Markdown skill or agent definition, as read from its file or built in Python.

    ``model`` is the name as written (resolve it with ``catalog.names``), None where the file says
    nothing. ``tools`` is None where nothing was said (the host's default) and ``()`` for no tools.
    ``extra`` keeps the keys of other tools as written. ``warnings`` name file and line of what
    could not be read as written; ``blockers`` are those among them that must stop a run, because
    going on would drop something the author pinned: a model, an effort, needs, a hard limit.
    """

    name: str
    description: str = ""
    run_as: RunAs = "inline"
    model: str | None = None
    effort: Effort | None = None
    tools: tuple[str, ...] | None = None
    invocation: Literal["auto", "manual"] = "auto"
    max_steps: Annotated[int, Field(ge=1)] | None = None
    task_needs: TaskNeeds = TaskNeeds()
    model_constraints: ModelConstraints | None = None
    fallback_models: tuple[str, ...] = ()
    thinking: Thinking | None = None
    fallback_thinking_levels: tuple[Effort | None, ...] = ()
    kind: Literal["skill", "agent"] = "skill"
    body: str = ""
    path: Path | None = None
    scope: Scope = "project"
    extra: dict[str, Any] = Field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    blockers: tuple[str, ...] = ()

    @field_serializer("path")
    def _path_as_text(self, path: Path | None) -> str | None:
        return None if path is None else clean(str(path))

    @property
    def is_subagent(self) -> bool:
        return self.run_as == "subagent"

    @property
    def label(self) -> str:
        """The name as an index shows it: ``explore [subagent]`` for one that runs on its own."""
        return f"{self.name} [subagent]" if self.is_subagent else self.name

    def brief(self) -> AgentBrief:
        """What routing sees of it; settings overrides are added by ``effective_agent``."""
        limits = (self.model_constraints,) if self.model_constraints is not None else ()
        return AgentBrief(self.name, self.description, self.body, self.task_needs, limits)

    def require_runnable(self) -> None:
        """Raise :class:`SkillError` where something its author pinned could not be read."""
        if self.blockers:
            more = f" (and {len(self.blockers) - 1} more)" if len(self.blockers) > 1 else ""
            raise SkillError(f"skill {self.name!r} cannot run: {self.blockers[0]}{more}")
