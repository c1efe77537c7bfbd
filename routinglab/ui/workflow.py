"""A workflow's stages while they run, and what its checkpoint holds (SPEC 12.2)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import ipywidgets as w

from routinglab.errors import InvalidInput, RoutingLabError
from routinglab.running.runner import Runner
from routinglab.ui import html
from routinglab.ui.shown import Shown
from routinglab.workflow.checkpoint import Checkpoint, read_checkpoint
from routinglab.workflow.definition import Workflow
from routinglab.workflow.result import WorkflowResult
from routinglab.workflow.runner_host import RunnerHost
from routinglab.workflow.view import StageRow, view_of

_CSS = {"done": "rl-good", "failed": "rl-bad", "decided": "rl-live", "skipped": "rl-warn"}
_WORDS = {"decided": "decided, not finished"}


class WorkflowView(Shown):
    """One row a stage: state, model, who chose it, time, cost, the start of its answer.

    ``checkpoint`` is the file of a run, which may not exist yet, or a checkpoint. With a ``runner``
    there are buttons that start or resume, and stop; ``inputs`` are the texts of ``{{input.…}}``.
    A host of your own runs the workflow itself and passes ``show`` as ``on_change``.
    """

    def __init__(
        self,
        workflow: Workflow,
        checkpoint: Checkpoint | Path | str | None = None,
        *,
        runner: Runner | None = None,
        inputs: Mapping[str, str] | None = None,
    ) -> None:
        self.workflow = workflow
        self.job: asyncio.Task[WorkflowResult] | None = None
        self._host = RunnerHost(runner) if runner is not None else None
        self._inputs = dict(inputs or {})
        self._path = None if isinstance(checkpoint, Checkpoint) else checkpoint
        self.checkpoint: Checkpoint | None = None
        self._table, self.said = w.HTML(), w.HTML()
        self.button = w.Button(description="Start", icon="play", button_style="primary")
        self.stop = w.Button(description="Stop", icon="stop", disabled=True)
        self.button.add_class("rl-start")
        self.stop.add_class("rl-stop")
        self.stop.tooltip = "stop after what is decided and finished has been written down"
        self.button.on_click(self.on_start)
        self.stop.on_click(self.on_stop)
        buttons = [w.HBox([self.button, self.stop])] if runner is not None else []
        self.widget = w.VBox([w.HTML(html.style()), self._table, *buttons, self.said])
        for css in ("rl-ui", "rl-workflow"):
            self.widget.add_class(css)
        self.show(checkpoint if isinstance(checkpoint, Checkpoint) else self._kept())

    @property
    def rows(self) -> tuple[StageRow, ...]:
        """The stages in the order of the definition."""
        return view_of(self.workflow, self.checkpoint).rows

    def show(self, checkpoint: Checkpoint | None) -> None:
        """Show this state. CheckpointError for one of another workflow or version."""
        view_of(self.workflow, checkpoint)
        self.checkpoint = checkpoint
        self._table.value = self._drawn(timed=True)
        begun = checkpoint is not None and bool(checkpoint.stages)
        self.button.description = "Resume" if begun else "Start"
        self.button.tooltip = (
            "go on from the checkpoint: finished stages and decisions stand"
            if begun
            else "run every stage"
        )
        self.button.disabled = self._running or (
            begun and all(r.state == "done" for r in self.rows)
        )

    def on_start(self, _: Any = None) -> None:
        """Start, or resume from the checkpoint; the kernel stays free meanwhile."""
        if self._host is None or self._running:
            return
        self.said.value = ""
        try:
            self.job = asyncio.get_running_loop().create_task(self.run())
        except RuntimeError:
            self._say("There is no running event loop; in a script, use Workflow.run.")
            return
        self.job.add_done_callback(self._ended)
        self.button.disabled, self.stop.disabled = True, False

    async def run(self) -> WorkflowResult:
        """Run the workflow, or go on from its checkpoint, and show every step."""
        host = self._host
        if host is None:
            raise InvalidInput("give the view a runner", where="WorkflowView")
        return await self.workflow.run(
            route=host.route,
            run=host.run,
            resolve=host.resolve,
            redact=host.redact,
            inputs=self._inputs,
            checkpoint=self._path,
            on_change=self.show,
        )

    def on_stop(self, _: Any = None) -> None:
        """Cancel the stages that run; the checkpoint keeps what was decided and finished."""
        if self.job is not None:
            self.job.cancel()

    def html(self) -> str:
        """The table of stages, without times."""
        return self._drawn(timed=False)

    def _drawn(self, *, timed: bool) -> str:
        rows = self.rows
        done = sum(row.state == "done" for row in rows)
        share = 100 * done / len(rows)
        bar = f'<div class="rl-bar"><div style="width:{share:.0f}%"></div></div>'
        heads = ["stage", "state", "model", "chosen by", "USD", "answer or error"]
        cells = [_cells(row) for row in rows]
        if timed:
            heads.insert(4, "time")
            cells = [
                (*c[:4], html.text(row.duration), *c[4:])
                for c, row in zip(cells, rows, strict=True)
            ]
        stages = html.plural(len(rows), "stage")
        title = f"{self.workflow.name} {self.workflow.version}: {done} of {stages} done"
        table = html.table(heads, cells, caption=html.text(title), numbers=(heads.index("USD"),))
        return bar + html.tag("div", table, css="rl-broad") + self._where(timed)

    def _where(self, timed: bool) -> str:
        if self._path is None:
            return ""
        name, kept = Path(self._path).name, self.checkpoint
        line = f"checkpoint {name}" if kept else f"no checkpoint yet at {name}"
        if kept and kept.updated and timed:
            line += f", written {kept.updated:%Y-%m-%d %H:%M:%S}"
        return html.tag("div", html.text(line), css="rl-note")

    def __repr__(self) -> str:
        return f"WorkflowView({str(view_of(self.workflow, self.checkpoint))!r})"

    @property
    def _running(self) -> bool:
        return self.job is not None and not self.job.done()

    def _ended(self, job: asyncio.Task[WorkflowResult]) -> None:
        # in the loop: an error that is not shown here is shown nowhere
        self.stop.disabled = True
        if job.cancelled():
            self._say("Stopped. Resume goes on with the same models and efforts.", css="rl-warning")
        elif (error := job.exception()) is not None:
            known = isinstance(error, RoutingLabError)
            self._say(str(error) if known else f"{type(error).__name__}: {error}")
        elif job.result().state != "done":
            self._say(
                f"The workflow ended as {job.result().state}; resume tries what is missing.",
                css="rl-warning",
            )
        self.show(self.checkpoint)

    def _kept(self) -> Checkpoint | None:
        if self._path is None or not Path(self._path).exists():
            return None
        return read_checkpoint(self._path)

    def _say(self, text: str, css: str = "rl-problem") -> None:
        self.said.value = html.tag("div", html.text(text), css=css)


def _cells(row: StageRow) -> tuple[str, ...]:
    word, css = _WORDS.get(row.state, row.state), _CSS.get(row.state, "rl-soft")
    answer = html.text(row.error or row.preview)
    return (
        html.text(f"{row.id}: {row.title}" if row.title else row.id),
        html.tag("span", html.text(word), css=f"rl-tag {css}"),
        html.text(row.model),
        html.text(row.chosen_by),
        "" if row.cost is None else f"{row.cost:.4f}",
        html.tag("span", answer, css="rl-bad") if row.error else answer,
    )
