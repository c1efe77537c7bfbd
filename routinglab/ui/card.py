"""One run as a card: state, attempts, text as it streams, and a button that stops it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any

import ipywidgets as w

from routinglab.ui import html, run_html
from routinglab.ui.run_state import RunState
from routinglab.ui.throttle import Throttle
from routinglab.ui.told import told

#: Seconds between two drawings of a card while text streams.
DELAY = 0.1


class RunCard:
    """Draws a run again whenever it changes; ``cancel`` is called with its task id."""

    def __init__(
        self, state: RunState, cancel: Callable[[str], object], clock: Callable[[], datetime]
    ) -> None:
        self.state = state
        self._cancel, self._clock = cancel, clock
        self._explained: object = None
        self.head, self.said, self.why = w.HTML(), w.HTML(), w.HTML()
        self.button = w.Button(
            description="Cancel",
            icon="stop",
            tooltip=f"stop {state.label}; what has arrived is kept",
        )
        self.button.add_class("rl-cancel")
        self.button.on_click(self.on_cancel)
        self.widget = w.VBox([self.head, self.said, self.why, self.button])
        for css in ("rl-card", f"rl-run-{state.task_id}"):
            self.widget.add_class(css)
        self._later = Throttle(self.on_change, DELAY)
        self._stop = state.watch(self._later)
        self.draw()

    def on_cancel(self, _: Any = None) -> None:
        """The button was pressed."""
        self.button.disabled = True
        self._cancel(self.state.task_id)

    @told
    def on_change(self) -> None:
        """The run has moved on."""
        self.draw()

    def tell(self, text: str) -> None:
        """Say that something went wrong."""
        self.head.value = html.tag("div", html.text(text), css="rl-problem")

    def draw(self) -> None:
        """Show the run as it is now."""
        state = self.state
        self.head.value = run_html.head_html(state, self._clock())
        self.said.value = run_html.said_html(state)
        if state.decision is not self._explained:
            self._explained = state.decision
            self.why.value = run_html.why_html(state, run_html.explanation)
        self.button.disabled = not state.stoppable
        self.button.layout.display = None if state.live else "none"

    def html(self) -> str:
        """The card without its button and without times."""
        self.draw()
        head = run_html.head_html(self.state, None)
        return f'<div class="rl-card">{head}{self.said.value}{self.why.value}</div>'

    def close(self) -> None:
        """Stop drawing; the run goes on."""
        self._stop()
        self._later.stop()
        self.widget.close()
