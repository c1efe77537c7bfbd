"""Launching skills and agents from a notebook, and watching them run (SPEC 14.2)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Sequence
from typing import Any

import ipywidgets as w

from routinglab.errors import RoutingLabError
from routinglab.running.launch import Call, prepare
from routinglab.running.runner import Runner
from routinglab.skills.skill import Skill
from routinglab.tasks.status import status_of
from routinglab.tasks.store import OwnerTaskStore
from routinglab.tasks.supervisor import TaskSupervisor
from routinglab.ui import html
from routinglab.ui.card import RunCard
from routinglab.ui.demo import Example
from routinglab.ui.picker import ConstraintPicker
from routinglab.ui.run_state import RunState
from routinglab.ui.runs import SESSION_VARIABLE, notebook_runs, runs_of
from routinglab.ui.shown import Shown
from routinglab.ui.throttle import Throttle
from routinglab.ui.told import told

#: Cards that are shown; older runs are in the task panel.
CARDS = 12

_STYLE = {"description_width": "70px"}


class LaunchPanel(Shown):
    """Choose a skill or agent, write a task, launch; every run is a card.

    ``picker`` gives constraints and needs, and launching waits until it leaves a model. ``agents``
    are the skills offered (default: every subagent the runner finds). ``examples`` fill the form.
    Runs belong to ``owner`` at ``supervisor``: by default those of this notebook, so that a panel
    shown again finds what runs and what has run. Closing a panel cancels nothing.
    """

    def __init__(
        self,
        runner: Runner,
        *,
        picker: ConstraintPicker | None = None,
        agents: Iterable[Skill] | None = None,
        examples: Sequence[Example] = (),
        supervisor: TaskSupervisor | None = None,
        owner: str | None = None,
    ) -> None:
        self.runner: Runner = runner
        self.picker: ConstraintPicker | None = picker
        if supervisor is not None:
            self._runs = runs_of(supervisor, owner or "notebook")
        else:
            # the session is the kernel's, whatever keys the runner was given
            env = {**runner.router.env, **_session()}
            self._runs = notebook_runs(env, owner=owner, redact=runner.router.redact)
        found = runner.skills.skills if agents is None else tuple(agents)
        self.agents = {skill.name: skill for skill in found if skill.is_subagent}
        self.examples = {example.label: example for example in examples}
        self.cards: dict[str, RunCard] = {}
        self._build()
        self._tick = Throttle(self.on_tick, 1.0)
        self._stops = [self._runs.watch(self.on_runs)]
        if picker is not None:
            self._stops.append(picker.on_change(self.on_picker))
        self.on_agent()
        self.on_runs()

    # -- what it says ---------------------------------------------------------------------------

    @property
    def runs(self) -> tuple[RunState, ...]:
        """Every run of this owner, oldest first."""
        return tuple(self._runs.states.values())

    @property
    def store(self) -> OwnerTaskStore:
        """The tasks behind the runs, for a ``TaskPanel``."""
        return self._runs.store

    @property
    def blocked(self) -> str:
        """Why nothing can be launched now; empty when it can."""
        if not self.agents:
            return "There is no skill or agent to launch: no subagent was found."
        skill = self.agents[self.agent.value]
        try:
            named = self.named.value.strip() or None
            # what a launch does first, so that a name that means nothing is told before it
            call, router = Call(model=named), self.runner.router
            automatic = prepare(skill, call, router, self.runner.profile).automatic
        except RoutingLabError as error:
            return str(error)
        if automatic and self.picker is not None:
            return self.picker.problem_for(skill)  # it may show the agent of another panel
        if automatic and not len(self.runner.router.planner().catalog):
            return (
                "No provider is configured: set the key of one, or use the recorded demonstration."
            )
        return ""

    def html(self) -> str:
        """The runs without the form."""
        cards = "".join(card.html() for card in self.cards.values())
        return str(self.banner.value) + (cards or "<p>Nothing was launched yet.</p>")

    def __repr__(self) -> str:
        return f"LaunchPanel({html.plural(len(self.runs), 'run')}, {len(self._runs.live)} going on)"

    # -- what it does ---------------------------------------------------------------------------

    def launch(
        self, agent: str | None = None, task: str | None = None, *, key: str | None = None
    ) -> RunState:
        """Start a run and return at once; without arguments what the form says.

        Constraints and needs are the picker's. A ``key`` that was used before starts nothing and
        gives the run it named. Raises ``SkillError`` for an unknown agent and ``TaskError``
        outside a running event loop.
        """
        skill = self.runner.skills.get(agent) if agent and agent not in self.agents else None
        skill = skill or self.agents[agent or self.agent.value]
        say: dict[str, Any] = {}
        if self.picker is not None:
            say = {"needs": self.picker.needs}
            if self.picker.constraints.stated():
                say["constraints"] = self.picker.constraints
        if agent is None and self.named.value.strip():
            say["model"] = self.named.value.strip()
        text = self.task.value if task is None else task
        return self._runs.launch(self.runner, skill, text.strip(), key=key, **say)

    def cancel(self, run: RunState | str) -> bool:
        """Ask a run to stop; whether it was still alive."""
        return self._runs.cancel(run if isinstance(run, str) else run.task_id)

    async def wait(self) -> tuple[RunState, ...]:
        """Wait until everything that runs now has ended; all runs."""
        await self._runs.wait()
        return self.runs

    def close(self) -> None:
        """Take the panel away. Runs go on, and another panel shows them."""
        for stop in self._stops:
            stop()
        self._tick.stop()
        for card in self.cards.values():
            card.close()
        self.widget.close()

    # -- what a person does ---------------------------------------------------------------------

    @told
    def on_launch(self, _: Any = None) -> None:
        """The button was pressed; what is wrong is said beside it."""
        self.said.value = ""
        if not self.task.value.strip():
            self.tell("Write a task first: the child sees nothing else.")
        elif self.blocked:
            self.tell(self.blocked)
        else:
            self.launch()

    @told
    def on_cancel(self, task_id: str) -> None:
        """A card's button was pressed."""
        self.cancel(task_id)

    @told
    def on_agent(self, _: Any = None) -> None:
        """Another agent was chosen: its own limits and needs count in the picker."""
        skill = self.agents.get(self.agent.value)
        self.about.value = (
            html.tag("span", html.text(skill.description), css="rl-note") if skill else ""
        )
        if self.picker is not None:
            self.picker.for_agent(skill)
        self.on_picker()

    @told
    def on_example(self, change: Any) -> None:
        """An example was chosen: fill the form."""
        example = self.examples.get(change["new"])
        if example is not None:
            self.task.value = example.task
            if example.agent in self.agents:
                self.agent.value = example.agent

    @told
    def on_picker(self, _: Any = None) -> None:
        """What can be launched may have changed."""
        blocked = self.blocked
        self.button.disabled = bool(blocked)
        self.reason.value = html.tag("div", html.text(blocked), css="rl-problem") if blocked else ""

    @told
    def on_runs(self) -> None:
        """Runs came, changed state or went."""
        states = self._runs.states
        shown = list(states)[-CARDS:]
        for task_id in [one for one in self.cards if one not in shown]:
            self.cards.pop(task_id).close()
        clock = self._runs.supervisor.clock
        for task_id in shown:
            card = self.cards.get(task_id)
            if card is not None and card.state is not states[task_id]:
                self.cards.pop(task_id).close()
                card = None
            if card is None:
                self.cards[task_id] = RunCard(states[task_id], self.on_cancel, clock)
        children = [self.cards[task_id].widget for task_id in reversed(shown)]
        if list(self.list.children) != children:
            self.list.children = children
        self.counts.value = self._counts()
        self._again()

    @told
    def on_tick(self) -> None:
        """A second has passed while something runs: times move on."""
        for state in self._runs.live:
            if state.task_id in self.cards:
                self.cards[state.task_id].draw()
        self._again()

    def tell(self, text: str) -> None:
        """Say beside the button that something went wrong."""
        said = html.text(self.runner.router.redact(text))
        self.said.value = html.tag("div", said, css="rl-problem")

    # -- inside ---------------------------------------------------------------------------------

    def _again(self) -> None:
        if self._runs.live and not self._tick.pending and _in_loop():
            self._tick()

    def _counts(self) -> str:
        store = self._runs.store
        status = status_of(store.lease, store.tasks)
        older = len(self.runs) - len(self.cards)
        parts = [
            status.text,
            f"{html.plural(older, 'older run')} in the task panel" if older else "",
        ]
        return html.tag("div", html.text(" · ".join(part for part in parts if part)), css="rl-note")

    def _build(self) -> None:
        recorded = self.runner.router.clients.recorded
        banner = self._runs.note
        if recorded is not None:
            banner = (
                f"Recorded answers: nothing is sent to any provider and no key is used. Every answer "
                f"comes from {recorded.name}; prices are those of the catalog. {banner}"
            )
        self.banner = w.HTML(
            html.tag("div", html.text(banner.strip()), css="rl-banner") if banner else ""
        )
        self.example = w.Dropdown(
            options=["choose an example", *self.examples], description="Example", style=_STYLE,
            tooltip="fill the form with a recorded example",
        )  # fmt: skip
        self.agent = w.Dropdown(
            options=list(self.agents),
            description="Agent",
            style=_STYLE,
            tooltip="who does the task",
        )
        self.about = w.HTML()
        self.named = w.Combobox(
            options=["auto", *self._models()], placeholder="the agent's own", description="Model",
            continuous_update=False, style=_STYLE, tooltip="auto, or a model by name; a named one is exempt from the limits",
        )  # fmt: skip
        self.task = w.Textarea(
            placeholder="What is to be done? The child sees nothing but this.", description="Task",
            style=_STYLE, tooltip="the task",
        )  # fmt: skip
        self.button = w.Button(
            description="Launch", icon="play", button_style="primary", tooltip="start a run"
        )
        self.reason, self.said, self.counts = w.HTML(), w.HTML(), w.HTML()
        for widget, css in (
            (self.example, "example"), (self.agent, "agent"), (self.named, "named"),
            (self.task, "task"), (self.button, "launch"), (self.reason, "blocked"),
            (self.said, "message"), (self.counts, "counts"), (self.banner, "recorded"),
        ):  # fmt: skip
            widget.add_class(f"rl-{css}")
        self.task.add_class("rl-wide")
        row = w.HBox([self.example] if self.examples else [])
        who = w.HBox([self.agent, self.named, self.about])
        for box in (row, who):
            box.add_class("rl-row")
        self.list = w.VBox([])
        self.list.add_class("rl-cards")
        form = [self.banner, row, who, self.task, self.reason, w.HBox([self.button]), self.said]
        self.widget = w.VBox([w.HTML(html.style()), *form, self.counts, self.list])
        for css in ("rl-ui", "rl-launcher"):
            self.widget.add_class(css)
        self.agent.observe(self.on_agent, "value")
        self.named.observe(self.on_picker, "value")
        self.example.observe(self.on_example, "value")
        self.button.on_click(self.on_launch)

    def _models(self) -> list[str]:
        return sorted(m.full_id for m in self.runner.router.catalog if m.kind == "chat")


def _session() -> dict[str, str]:
    return {SESSION_VARIABLE: os.environ.get(SESSION_VARIABLE, "")}


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True
