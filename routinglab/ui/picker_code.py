"""The Python call that does what a picker is set to."""

from __future__ import annotations

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.core.value import Value


def route_code(task: str, needs: TaskNeeds, constraints: ModelConstraints) -> str:
    """Source that routes ``task`` as the picker says; it expects ``router``, and await at the top."""
    return _code("decision", "router.route", [repr(task)], needs, constraints)


def run_code(agent: str, task: str, needs: TaskNeeds, constraints: ModelConstraints) -> str:
    """Source that runs ``agent`` on ``task`` as the picker says; it expects ``runner``."""
    return _code("result", "runner.run", [repr(agent), repr(task)], needs, constraints)


def _code(
    name: str,
    function: str,
    arguments: list[str],
    needs: TaskNeeds,
    constraints: ModelConstraints,
) -> str:
    used, given = [], list(arguments)
    for keyword, value in (("constraints", constraints), ("needs", needs)):
        if value.stated():
            used.append(type(value).__name__)
            given.append(f"{keyword}={_build(value)}")
    lines = [f"from routinglab import {', '.join(used)}", ""] if used else []
    inside = "".join(f"    {one},\n" for one in given)
    return "\n".join([*lines, f"{name} = await {function}(\n{inside})"])


def _build(value: Value) -> str:
    stated = value.stated()  # type: ignore[attr-defined]  # both kinds have it
    fields = "".join(f"        {name}={_literal(given)},\n" for name, given in stated.items())
    return f"{type(value).__name__}(\n{fields}    )"


def _literal(value: object) -> str:
    if isinstance(value, tuple):
        return repr(list(value))
    return repr(value)
