"""Who may look: leases and cursors, checked against the owner they name."""

from __future__ import annotations

from routinglab.tasks.model import Connection, Cursor, OwnerLease, Refusal
from routinglab.tasks.owner import Owner


def check_lease(lease: OwnerLease, owner: Owner | None) -> Connection:
    """Whether ``lease`` is the current one of ``owner`` (None: nobody knows that owner)."""
    if owner is None:
        return _refused(
            "unknown_owner", f"no owner {lease.owner!r} is open here; open it and use its lease"
        )
    if lease.generation != owner.generation:
        return _refused(
            "other_generation",
            f"owner {lease.owner!r} is at generation {owner.generation} and the lease is of "
            f"generation {lease.generation}; use the current lease",
        )
    if not owner.is_open:
        return _refused("closed", f"owner {lease.owner!r} was closed; open it again")
    return Connection(ok=True, cursor=owner.cursor)


def check_cursor(cursor: Cursor, owner: Owner) -> Connection:
    """Whether a view of ``owner`` may go on from ``cursor``."""
    if cursor.owner != owner.id:
        return _refused(
            "other_owner", f"the snapshot is of owner {cursor.owner!r}, the lease of {owner.id!r}"
        )
    if cursor.generation != owner.generation:
        return _refused(
            "other_generation",
            f"the snapshot is of generation {cursor.generation} and owner {owner.id!r} at "
            f"generation {owner.generation}; connect without it",
        )
    if cursor.revision > owner.revision:
        return _refused(
            "cursor_ahead",
            f"the snapshot is at revision {cursor.revision} and owner {owner.id!r} only at "
            f"{owner.revision}; connect without it",
        )
    return Connection(ok=True, cursor=owner.cursor)


def _refused(reason: Refusal, message: str) -> Connection:
    return Connection(ok=False, reason=reason, message=message)
