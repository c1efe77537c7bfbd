"""Ties a store to the session that shows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from routinglab.tasks.notices import needs_notice, render_notice
from routinglab.tasks.session import LiveSession
from routinglab.tasks.status import status_of

if TYPE_CHECKING:
    from routinglab.tasks.store import OwnerTaskStore


def bind_owner_task_store(session: LiveSession, store: OwnerTaskStore) -> Callable[[], None]:
    """Show a store's counts and completion notices in a session, in views mounted before or later.

    Opens no owner and connects nothing: a store that connects later shows from then on. A store
    that was bound before is let go and its status cleared first. Each completion is announced once
    for an owner, however often its sessions and stores come and go. The function returned ends the
    binding and no task; so does disposing of the store.
    """
    bound = True

    def update(_: tuple[str, ...] = ()) -> None:
        if not bound:
            return
        if not store.connected:
            session.show(None)
            return
        session.show(status_of(store.lease, store.tasks))
        labels = None
        for task in store.tasks:
            if needs_notice(task) and store.supervisor.claim_notice(store.lease, task.id):
                labels = labels or store.labels
                session.announce(render_notice(task, labels[task.id]))

    def let_go() -> None:
        nonlocal bound
        bound = False
        unsubscribe()

    session.attach(let_go)
    unsubscribe = store.subscribe(update)
    update()

    def unbind() -> None:
        if bound:
            session.detach()

    return unbind
