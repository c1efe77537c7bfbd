"""An owner's tasks as rows, or as counts only (SPEC 12.1, 14.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import ipywidgets as w

from routinglab.errors import TaskError
from routinglab.tasks.rows import TaskRow, TaskRows, rows
from routinglab.tasks.status import Status
from routinglab.tasks.store import OwnerTaskStore
from routinglab.ui import html
from routinglab.ui.run_html import state_tag
from routinglab.ui.shown import Shown
from routinglab.ui.throttle import Throttle
from routinglab.ui.told import told

#: Rows that are shown, the newest; the rest is counted.
ROWS = 40
#: Seconds between two drawings while reports come in.
DELAY = 0.1


class TaskPanel(Shown):
    """Rows with label, state, duration and recent activity; ``task_rows_in_chat=False``: counts only.

    Looks at ``store`` and changes nothing but what its cancel buttons are pressed for. Any number
    of panels may show one store, and they agree; closing one cancels nothing. A store that is not
    connected yet is connected.
    """

    def __init__(self, store: OwnerTaskStore, task_rows_in_chat: bool = True) -> None:
        self.store, self.task_rows_in_chat = store, task_rows_in_chat
        self.lines: dict[str, _Line] = {}
        self._head = w.HTML()
        self._head.add_class("rl-counts")
        self._body = w.VBox([])
        self.widget = w.VBox([w.HTML(html.style()), self._head, self._body])
        for css in ("rl-ui", "rl-tasks"):
            self.widget.add_class(css)
        self._later = Throttle(self.on_due, DELAY)
        self._tick = Throttle(self.on_due, 1.0)
        self._stop = store.subscribe(self.on_tasks)
        if not store.connected:
            store.connect()
        self.draw()

    @property
    def rows(self) -> TaskRows:
        """What the panel shows."""
        return rows(self.store, task_rows_in_chat=self.task_rows_in_chat)

    def on_tasks(self, _: tuple[str, ...]) -> None:
        """Tasks came, reported, changed state or went."""
        self._later()

    @told
    def on_due(self) -> None:
        """Something has changed, or a second has passed."""
        self.draw()

    def tell(self, text: str) -> None:
        """Say that something went wrong."""
        self._head.value = html.tag("div", html.text(text), css="rl-problem")

    @told
    def on_cancel(self, task_id: str) -> None:
        """A row's button was pressed."""
        try:
            self.store.supervisor.cancel(self.store.lease, task_id)
        except TaskError:  # the lease has ended: drawing says so
            self.draw()

    def draw(self) -> None:
        """Show the tasks as they are now."""
        shown = self.rows
        self._head.value = _head(shown, len(shown.rows) - ROWS)
        wanted = shown.rows[-ROWS:]
        for task_id in [one for one in self.lines if one not in {row.task_id for row in wanted}]:
            self.lines.pop(task_id).widget.close()
        for row in wanted:
            if row.task_id not in self.lines:
                self.lines[row.task_id] = _Line(row.task_id, self.on_cancel)
            self.lines[row.task_id].draw(row)
        children = [self.lines[row.task_id].widget for row in reversed(wanted)]
        if list(self._body.children) != children:
            self._body.children = children
        if _live(shown.status) and not self._tick.pending:
            try:
                asyncio.get_running_loop()
            except RuntimeError:
                return
            self._tick()

    def html(self) -> str:
        """The rows without buttons and times."""
        shown = self.rows
        heads = ("task", "state", "activity")
        cells = [_cells(row) for row in reversed(shown.rows[-ROWS:])]
        body = [(label, state, activity) for label, state, _, activity in cells]
        return _head(shown, len(shown.rows) - ROWS) + (html.table(heads, body) if body else "")

    def __repr__(self) -> str:
        return f"TaskPanel({html.plural(len(self.store.tasks), 'task')})"

    def close(self) -> None:
        """Take the panel away; the tasks go on and so does the store."""
        self._stop()
        self._later.stop()
        self._tick.stop()
        self.widget.close()


class _Line:
    """The widgets of one row, kept while the row is shown so that its button keeps the focus."""

    def __init__(self, task_id: str, cancel: Callable[[str], None]) -> None:
        self.content = w.HTML()
        self.button = w.Button(description="Cancel", icon="stop")
        self.button.add_class("rl-cancel")
        self.button.on_click(lambda _: cancel(task_id))
        self.widget = w.VBox([self.content, self.button])
        for css in ("rl-card", "rl-task-row", f"rl-task-{task_id}"):
            self.widget.add_class(css)

    def draw(self, row: TaskRow) -> None:
        label, state, duration, activity = _cells(row)
        time = html.tag("span", duration, css="rl-figures")
        head = html.tag("div", f"<b>{label}</b>", state, time, css="rl-card-head")
        self.content.value = head + activity
        self.button.tooltip = f"stop {row.label}"
        self.button.layout.display = None if row.live else "none"


def _cells(row: TaskRow) -> tuple[str, str, str, str]:
    """Label, state, duration and activity of a row, as HTML."""
    lines = [html.text(line) for line in row.activity]
    if row.omission:
        lines.insert(0, f"<i>{html.text(row.omission)}</i>")
    if row.error:
        lines.append(html.tag("span", html.text(row.error), css="rl-bad"))
    if row.transcript:
        lines.append(html.tag("span", f"transcript {html.text(row.transcript)}", css="rl-soft"))
    where = "" if row.background else html.tag("span", " in the foreground", css="rl-soft")
    activity = html.tag("p", "<br>".join(lines), css="rl-activity") if lines else ""
    return html.text(row.label), state_tag(row.state) + where, html.text(row.duration), activity


def _head(shown: TaskRows, older: int) -> str:
    status = shown.status
    parts = [status.text]
    for number, word in ((status.foreground_live, "running"), (status.foreground_settled, "ended")):
        if number:
            parts.append(f"foreground: {number} {word}")
    if older > 0:
        parts.append(f"{older:,} older not shown")
    if shown.forgotten:
        parts.append(f"{shown.forgotten:,} no longer kept")
    said = " · ".join(part for part in parts if part) or "no tasks yet"
    lines = [html.tag("div", html.text(said), css="rl-note rl-status")]
    if status.lost:
        what = "1 task was" if status.lost == 1 else f"{status.lost:,} tasks were"
        lines.append(html.tag("div", f"{what} lost when the kernel restarted: nothing of it runs any more.", css="rl-warning"))  # fmt: skip
    if shown.message:
        lines.append(html.tag("div", html.text(shown.message), css="rl-problem"))
    return "".join(lines)


def _live(status: Status) -> bool:
    return bool(status.background or status.foreground_live)
