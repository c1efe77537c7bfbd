"""Workflows as people write them: stages, their order, and what each may run on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, Self, Unpack

from pydantic import AliasChoices, Field, StrictStr, field_validator, model_validator

from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.core.text import did_you_mean
from routinglab.core.value import Value
from routinglab.errors import InvalidInput
from routinglab.workflow.template import INPUT, STAGE_FIELDS, Reference, references

if TYPE_CHECKING:
    from routinglab.workflow.calls import Route, RunOptions, RunStage
    from routinglab.workflow.checkpoint import Checkpoint
    from routinglab.workflow.result import WorkflowResult
    from routinglab.workflow.view import WorkflowView

StageId = Annotated[StrictStr, Field(pattern=r"^[A-Za-z][A-Za-z0-9_-]{0,63}$")]


class Stage(Value):
    """One step: a prompt and what may answer it.

    ``model`` is ``auto`` (routed by the prompt), a model's name with an optional effort suffix, or
    None for what the agent or the host says. Stages run one after another in the order given; neighbours with
    the same ``parallel`` word run side by side, and ``after`` names other stages to wait for
    instead. ``on_failure="continue"`` lets the workflow go on without this stage's answer, past
    stages that quote it.
    """

    id: StageId = Field(validation_alias=AliasChoices("id", "name"))
    title: str = ""
    prompt: Annotated[StrictStr, Field(min_length=1)]
    model: StrictStr | None = "auto"
    effort: Effort | None = None
    needs: TaskNeeds = Field(
        default_factory=TaskNeeds,
        validation_alias=AliasChoices("taskNeeds", "needs"),
        serialization_alias="taskNeeds",
    )
    constraints: ModelConstraints | None = Field(
        default=None,
        validation_alias=AliasChoices("modelConstraints", "constraints"),
        serialization_alias="modelConstraints",
    )
    fallback_models: tuple[StrictStr, ...] = ()
    agent: StrictStr | None = None
    skill: StrictStr | None = None
    after: tuple[StageId, ...] | None = None
    parallel: StrictStr | None = None
    on_failure: Literal["stop", "continue"] = "stop"

    @field_validator("fallback_models", mode="before")
    @classmethod
    def _comma_string(cls, value: Any) -> Any:
        if isinstance(value, str):
            return tuple(part.strip() for part in value.split(",") if part.strip())
        return value

    @model_validator(mode="after")
    def _one_agent(self) -> Self:
        if self.agent is not None and self.skill is not None:
            raise InvalidInput(f"stage {self.id!r} has both 'agent' and 'skill'; keep one")
        return self

    @property
    def references(self) -> tuple[Reference, ...]:
        """What the prompt quotes, each once."""
        return tuple(dict.fromkeys(references(self.prompt)))

    @property
    def quotes(self) -> frozenset[str]:
        """Ids of the stages that the prompt quotes."""
        return frozenset(r.name for r in self.references if not r.is_input)


class Workflow(Value):
    """An ordered set of stages under a name and a version.

    A version is a promise: a checkpoint written by one set of stages is refused by another.
    """

    name: Annotated[StrictStr, Field(min_length=1)]
    version: Annotated[StrictStr, Field(min_length=1)]
    description: str = ""
    stages: Annotated[tuple[Stage, ...], Field(min_length=1)]

    @field_validator("version", mode="before")
    @classmethod
    def _number(cls, value: Any) -> Any:
        return str(value) if type(value) in (int, float) else value

    @model_validator(mode="after")
    def _makes_sense(self) -> Self:
        _check_ids([stage.id for stage in self.stages])
        known: dict[str, frozenset[str]] = {}  # for each stage, what has surely ended before it
        waits = self.waits_for
        groups: set[str] = set()
        group: str | None = None
        for stage in self.stages:
            if stage.parallel is not None:
                _check_group(stage, stage.parallel, group, groups)
                groups.add(stage.parallel)
            group = stage.parallel
            for name in waits[stage.id]:
                if name not in known:
                    raise InvalidInput(
                        f"stage {stage.id!r} comes after {name!r}, which is no stage before it."
                        + did_you_mean(name, known)
                    )
            direct = waits[stage.id]
            known[stage.id] = frozenset(direct).union(*(known[name] for name in direct))
            _check_references(stage, known[stage.id])
        return self

    @property
    def waits_for(self) -> Mapping[str, tuple[str, ...]]:
        """For each stage id, the ids of the stages that must have ended before it starts.

        A stage without ``after`` waits for all stages above it, its own group left out.
        """
        waits: dict[str, tuple[str, ...]] = {}
        above: tuple[str, ...] = ()  # the stages above the current group
        group: str | None = None
        for stage in self.stages:
            if stage.parallel is None or stage.parallel != group:
                above = tuple(waits)
            group = stage.parallel
            waits[stage.id] = above if stage.after is None else stage.after
        return waits

    @property
    def digest(self) -> str:
        """SHA-256 of everything that bears on what the stages do; titles and description do not."""
        data = self.model_dump(
            mode="json",
            by_alias=True,
            exclude_defaults=True,
            exclude={"description": True, "stages": {"__all__": {"title"}}},
        )
        text = json.dumps(data, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def stage(self, stage_id: str) -> Stage:
        """A stage by its id."""
        for stage in self.stages:
            if stage.id == stage_id:
                return stage
        raise InvalidInput(
            f"workflow {self.name!r} has no stage {stage_id!r}."
            + did_you_mean(stage_id, (s.id for s in self.stages))
        )

    async def run(
        self,
        *,
        route: Route,
        run: RunStage,
        checkpoint: Path | str | None = None,
        **options: Unpack[RunOptions],
    ) -> WorkflowResult:
        """Run the stages, or go on where ``checkpoint`` left off; see ``engine.run_workflow``."""
        from routinglab.workflow.engine import run_workflow

        return await run_workflow(self, route=route, run=run, checkpoint=checkpoint, **options)

    def view(self, checkpoint: Checkpoint | Path | str | None = None) -> WorkflowView:
        """The stages as a small table: state, model, time and answer so far."""
        from routinglab.workflow.view import view_of

        return view_of(self, checkpoint)


def _check_ids(ids: list[str]) -> None:
    for number, stage_id in enumerate(ids):
        if stage_id == INPUT:
            raise InvalidInput(f"stage id {INPUT!r} is reserved for inputs; choose another")
        if stage_id in ids[:number]:
            raise InvalidInput(f"stage id {stage_id!r} is there twice; give each stage its own")


def _check_group(stage: Stage, name: str, group: str | None, groups: set[str]) -> None:
    if stage.after is not None:
        raise InvalidInput(f"stage {stage.id!r} has both 'parallel' and 'after'; keep one")
    if name != group and name in groups:
        raise InvalidInput(f"stage {stage.id!r}: the stages of group {name!r} must be neighbours")


def _check_references(stage: Stage, known: frozenset[str]) -> None:
    for reference in stage.references:
        if reference.is_input:
            if not reference.field:
                raise InvalidInput(
                    f"stage {stage.id!r} quotes {reference}; name the input, such as {{{{input.topic}}}}"
                )
        elif reference.name not in known:
            raise InvalidInput(
                f"stage {stage.id!r} quotes {reference}, which is no stage that ends before it."
                f"{did_you_mean(reference.name, known)} Put \\ before braces that are meant as text"
            )
        elif reference.field not in STAGE_FIELDS:
            raise InvalidInput(
                f"stage {stage.id!r} quotes {reference}; a stage has {', '.join(STAGE_FIELDS)}"
            )
