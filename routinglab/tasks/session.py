"""A live chat session as task views see it: what is mounted, what is asked, whose tasks it shows."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable
from typing import Literal, Protocol

from routinglab.errors import TaskError
from routinglab.tasks.notices import Notice
from routinglab.tasks.status import FooterLine, Status, footer

log = logging.getLogger(__name__)

SessionKind = Literal["main", "stage", "custom"]

#: Notices a session keeps for views that are mounted later.
KEPT_NOTICES = 64


class SessionView(Protocol):
    """What a host's chat implements."""

    def show_status(self, status: Status | None) -> None:
        """Show the counts of the bound owner; None clears them."""

    def show_footer(self, lines: tuple[FooterLine, ...]) -> None:
        """Show the end of the chat: question, input area, background counts."""

    def show_notice(self, notice: Notice) -> None:
        """Show that a task has settled."""


class LiveSession:
    """One running chat. ``main`` and ``stage`` chats show counts below the prompt and no rows.

    A ``custom`` one shows rows unless ``task_rows_in_chat`` says otherwise.
    """

    def __init__(
        self,
        name: str = "main",
        *,
        kind: SessionKind = "main",
        task_rows_in_chat: bool | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.task_rows_in_chat = (
            kind == "custom" if task_rows_in_chat is None else task_rows_in_chat
        )
        self.status: Status | None = None
        self.question: str | None = None
        self.closed = False
        self._views: list[SessionView] = []
        self._notices: deque[Notice] = deque(maxlen=KEPT_NOTICES)
        self._unbind: Callable[[], None] | None = None

    @property
    def notices(self) -> tuple[Notice, ...]:
        """The latest completion notices, oldest first."""
        return tuple(self._notices)

    @property
    def footer(self) -> tuple[FooterLine, ...]:
        """The end of the chat as it is now."""
        return footer(self.status, self.question)

    def mount(self, view: SessionView) -> Callable[[], None]:
        """Show the session in ``view`` from now on; the function returned takes it away again."""
        self._views.append(view)
        self._each(self._paint, [view])

        def unmount() -> None:
            self._views[:] = [v for v in self._views if v is not view]

        return unmount

    def ask(self, question: str | None) -> None:
        """Put a question above the input area, or take it away with None."""
        self.question = question
        self._each(lambda view: view.show_footer(self.footer))

    def show(self, status: Status | None) -> None:
        """Show an owner's counts in every view; None clears them."""
        if status == self.status:
            return
        self.status = status
        self._each(self._paint)

    def announce(self, notice: Notice) -> None:
        """Tell every view that a task has settled."""
        self._notices.append(notice)
        self._each(lambda view: view.show_notice(notice))

    def attach(self, unbind: Callable[[], None]) -> None:
        """Take a binding, after ending the one before it and clearing what that one showed."""
        if self.closed:
            raise TaskError(f"session {self.name!r} is closed; bind to the session that took over")
        self.detach()
        self._unbind = unbind

    def detach(self) -> None:
        """End the binding, if there is one, and clear its status from every view."""
        if self._unbind is not None:
            unbind, self._unbind = self._unbind, None
            unbind()
        self.show(None)

    def replace(self) -> None:
        """Begin a new conversation in the same chat: no owner, no question, no notices."""
        self.question = None
        self._notices.clear()
        self.detach()
        self._each(lambda view: view.show_footer(self.footer))

    def close(self) -> None:
        """End the session; its owner's tasks go on."""
        self.replace()
        self._views.clear()
        self.closed = True

    def _paint(self, view: SessionView) -> None:
        view.show_status(self.status)
        view.show_footer(self.footer)

    def _each(
        self, act: Callable[[SessionView], object], views: list[SessionView] | None = None
    ) -> None:
        for view in tuple(self._views if views is None else views):
            try:
                act(view)
            except Exception:
                log.exception("a view of session %r failed", self.name)
