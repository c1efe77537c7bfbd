"""What all controls have in common, and the one for a need.

Setting ``value`` in code changes what is shown and tells nobody.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any, Protocol

import ipywidgets as w

Changed = Callable[[], None]
UNSTATED = "unstated"
NO_LIMIT = "no limit"

LABELLED = {"description_width": "112px"}


def heard(group: str, text: str) -> str:
    """A description in HTML whose ``group`` is only read aloud: many boxes look alike by themselves."""
    return f'<span class="rl-hidden">{escape(group)}: </span>{escape(text)}'


class Control(Protocol):
    """What a picker asks of every control."""

    widget: Any

    @property
    def value(self) -> Any: ...
    @value.setter
    def value(self, value: Any) -> None: ...


class Quiet:
    """Lets a control change its own widgets without taking that for a person's doing."""

    _quiet = False

    @contextmanager
    def quietly(self) -> Iterator[None]:
        """Handlers that look at ``_quiet`` do nothing inside."""
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before


class AnswerControl(Quiet):
    """One need as a menu: one of a few answers, yes or no where none are given, or unstated."""

    def __init__(
        self,
        name: str,
        label: str,
        answers: Sequence[str] | None,
        changed: Changed,
        *,
        help: str = "",
    ) -> None:
        self._changed = changed
        self._of: dict[str, str | bool | None] = {UNSTATED: None}
        self._of |= {"yes": True, "no": False} if answers is None else {one: one for one in answers}
        shown = [(one.replace("_", " "), one) for one in self._of]
        self.choice = w.Dropdown(
            options=shown, value=UNSTATED, description=label, tooltip=help, style=LABELLED
        )
        self.choice.observe(self.on_choice, "value")
        self.widget = w.HBox([self.choice])
        for css in ("rl-row", f"rl-{name}"):
            self.widget.add_class(css)

    @property
    def value(self) -> str | bool | None:
        """The answer; None is unstated."""
        return self._of[self.choice.value]

    @value.setter
    def value(self, value: str | bool | None) -> None:
        with self.quietly():
            self.choice.value = next(word for word, answer in self._of.items() if answer == value)

    def on_choice(self, change: Any) -> None:
        """Another answer was chosen."""
        if not self._quiet:
            self._changed()
