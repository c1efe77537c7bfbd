"""A Markdown file to a :class:`Skill`. Nothing a file holds makes it raise (SPEC 11.1, 11.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, cast

from routinglab.errors import SkillError
from routinglab.skills.decode import clean, decode, read_bytes, readable
from routinglab.skills.fields import FieldReader
from routinglab.skills.front_matter import read_front_matter
from routinglab.skills.skill import RunAs, Scope, Skill

Kind = Literal["skill", "agent"]

#: Warnings of one file that are kept.
_MOST = 50


def load_skill(
    path: str | Path, *, scope: Scope = "project", kind: Kind = "skill", name: str | None = None
) -> Skill:
    """Read one file; SkillError only where there is no readable file at that path.

    Without a ``name`` of its own a ``SKILL.md`` is named after its folder, any other file after
    itself; ``name`` replaces that.
    """
    place = Path(path)
    raw, size = read_file(place)
    return parse_skill(raw, path=place, scope=scope, kind=kind, name=name, size=size)


def read_file(path: Path) -> tuple[bytes, int]:
    """:func:`read_bytes` of a skill or agent file; SkillError where there is none to read."""
    try:
        return read_bytes(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise SkillError(clean(f"{path}: cannot be read ({reason})")) from None


def parse_skill(
    source: bytes | str,
    *,
    path: Path | None = None,
    scope: Scope = "project",
    kind: Kind = "skill",
    name: str | None = None,
    size: int | None = None,
) -> Skill:
    """Parse the bytes or text of a file; ``size`` is the file's where only its start was read."""
    decoded = decode(
        source if isinstance(source, bytes) else source.encode("utf-8", "surrogatepass"), size
    )
    found = read_front_matter(readable(decoded.text))
    fields = FieldReader(found)
    where = clean(str(path)) if path is not None else "skill"
    read = {
        "model": fields.model(),
        "effort": fields.effort(),
        "tools": fields.tools(),
        "max_steps": fields.steps(),
        "task_needs": fields.needs(),
        "model_constraints": fields.constraints(),
        "fallback_models": fields.models(),
        "thinking": fields.thinking(),
        "fallback_thinking_levels": fields.levels(),
    }
    run_as = _run_as(fields, kind)
    own_name, description = fields.text("name"), fields.text("description")
    manual = fields.choice("invocation", ("auto", "manual")) == "manual"
    extra = fields.extra()
    problems = [*decoded.problems, *fields.problems]
    blockers = tuple(dict.fromkeys(p.at(where) for p in problems if p.blocking))[:_MOST]
    warnings = list(dict.fromkeys((*blockers, *(p.at(where) for p in problems))))
    if len(warnings) > _MOST:
        left = len(warnings) - _MOST
        warnings[_MOST:] = [f"{where}:1: {left} more warnings are left out"]
    if not description:
        line = entry.line if (entry := fields.entry("description")) else 1
        warnings.append(f"{where}:{line}: has no description, so it stays out of the index")
    return Skill(
        name=own_name or clean(name or _file_name(path)),
        description=description,
        run_as=run_as,
        invocation="manual" if manual or fields.flag("disable-model-invocation") else "auto",
        kind=kind,
        body=found.body,
        path=path,
        scope=scope,
        extra=extra,
        warnings=tuple(warnings),
        blockers=blockers,
        **read,
    )


def _run_as(fields: FieldReader, kind: Kind) -> RunAs:
    stated = fields.choice("runAs", ("inline", "subagent"))
    if kind == "agent":
        return "subagent"
    if stated is not None:
        return cast(RunAs, stated)
    forked = fields.text("context").lower() == "fork" if fields.has("context") else False
    return "subagent" if forked or (fields.has("agent") and fields.text("agent")) else "inline"


def _file_name(path: Path | None) -> str:
    if path is None:
        return "unnamed"
    return path.parent.name if path.name.lower() == "skill.md" and path.parent.name else path.stem
