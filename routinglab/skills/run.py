"""Running a skill: inline text, or a task for the host's subagent runner (SPEC 11.3, 11.4)."""

from __future__ import annotations

from typing import Protocol, Self

from pydantic import field_validator, model_validator

from routinglab.core.value import Value
from routinglab.errors import InvalidInput, SkillError
from routinglab.skills.skill import Skill
from routinglab.skills.store import SkillStore


class RunOptions(Value):
    """Where a child starts: fresh, going on from a transcript, or from a copy of one.

    Both are transcript references; at most one may be given. A blank one counts as not given.
    """

    continue_from: str | None = None
    fork_from: str | None = None

    @field_validator("continue_from", "fork_from")
    @classmethod
    def _blank_is_none(cls, value: str | None) -> str | None:
        return value if value and value.strip() else None

    @model_validator(mode="after")
    def _one_of_them(self) -> Self:
        if self.continue_from and self.fork_from:
            raise InvalidInput("continue_from and fork_from exclude each other; give one of them")
        return self

    def __bool__(self) -> bool:
        return bool(self.continue_from or self.fork_from)


class SubagentRunner(Protocol):
    """What a host gives: run ``task`` in an isolated child loop and return its final answer.

    The runner gets the whole skill, its model and effort included. The body is the child's system
    prompt. Neither the parent's conversation nor its tool state may reach the child.
    """

    async def __call__(self, skill: Skill, task: str, options: RunOptions) -> str: ...


async def run_skill(
    name: str,
    arguments: str = "",
    *,
    store: SkillStore,
    runner: SubagentRunner | None = None,
    options: RunOptions | None = None,
    continue_from: str | None = None,
    fork_from: str | None = None,
) -> str:
    """Run the skill ``name`` and return its text: rendered inline, or the child's final answer.

    A transcript reference may be given in ``options`` or by keyword. Raises
    :class:`~routinglab.errors.SkillError` for an unknown name, a subagent without runner or without
    arguments, a reference on an inline skill, and a skill with something pinned that could not be read.
    """
    chosen = _options(options, continue_from, fork_from)
    return await start(store.get(name), arguments, runner, chosen)


async def start(
    skill: Skill,
    task: str,
    runner: SubagentRunner | None,
    options: RunOptions,
    tool: str = "run_skill",
) -> str:
    """Run a skill that was already found; ``tool`` is the name errors speak of."""
    if not isinstance(task, str):
        raise InvalidInput(f"arguments must be text, not {type(task).__name__}", where=tool)
    if not skill.is_subagent:
        if options:
            raise SkillError(
                f"{tool}: skill {skill.name!r} runs inline and has no transcript to continue or "
                "fork; leave out continue_from and fork_from"
            )
        return render_inline(skill, task)
    if runner is None:
        raise SkillError(
            f"{tool}: skill {skill.name!r} is a subagent, but no subagent runner is configured; "
            "give one as runner="
        )
    if not task.strip():
        raise SkillError(
            f"{tool}: skill {skill.name!r} is a subagent and needs arguments: it sees nothing "
            "else, so describe the whole task in them"
        )
    skill.require_runnable()
    return await runner(skill, task, options)


def read_skill(name: str, arguments: str = "", *, store: SkillStore) -> str:
    """The text of an inline skill; a subagent is an error that points at ``run_skill``."""
    skill = store.get(name)
    if skill.is_subagent:
        raise SkillError(
            f"read_skill: skill {skill.name!r} is a subagent and is not read but run: "
            "call run_skill with arguments that describe the task"
        )
    return render_inline(skill, arguments)


def render_inline(skill: Skill, arguments: str = "") -> str:
    """The body, then an ``Arguments:`` line where there are any."""
    return f"{skill.body}\n\nArguments: {arguments.strip()}" if arguments.strip() else skill.body


def _options(
    options: RunOptions | None, continue_from: str | None, fork_from: str | None
) -> RunOptions:
    given = options or RunOptions()
    return RunOptions(
        continue_from=continue_from or given.continue_from, fork_from=fork_from or given.fork_from
    )
