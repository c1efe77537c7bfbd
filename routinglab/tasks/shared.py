"""The supervisor that everything in one process shares."""

from __future__ import annotations

from pathlib import Path

from routinglab.core.secrets import redact
from routinglab.tasks.previews import Redact
from routinglab.tasks.supervisor import TaskSupervisor

_supervisors: dict[Path | None, TaskSupervisor] = {}


def shared_supervisor(
    state: Path | str | None = None, *, redact: Redact = redact
) -> TaskSupervisor:
    """The process's supervisor for a state folder, made at the first call.

    A notebook cell that is run again, or a page that is loaded again, finds the children that run
    and their owners: ``supervisor.lease(owner) or supervisor.open(owner)``. ``redact`` counts at the
    first call.
    """
    folder = None if state is None else Path(state).expanduser().resolve()
    if folder not in _supervisors:
        _supervisors[folder] = TaskSupervisor(folder, redact=redact)
    return _supervisors[folder]
