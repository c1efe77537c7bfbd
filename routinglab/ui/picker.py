"""A control for every constraint and every need, and what they leave of the live catalog (SPEC 14.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import count
from typing import Any

import ipywidgets as w

from routinglab.catalog.model import Catalog
from routinglab.core.constraints import CONSTRAINT_FIELDS, ModelConstraints
from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, NEED_FIELDS, WORKS, TaskNeeds
from routinglab.routing.evidence import Evidence
from routinglab.routing.plan import Plan
from routinglab.routing.policies import PolicyLike
from routinglab.routing.router import Router
from routinglab.settings import Settings
from routinglab.ui import html
from routinglab.ui.controls import AnswerControl, Control
from routinglab.ui.limit_control import LimitControl
from routinglab.ui.list_control import ListControl
from routinglab.ui.picker_code import route_code, run_code
from routinglab.ui.picker_html import outlook_html
from routinglab.ui.picker_model import Outlook, PickerModel
from routinglab.ui.reasons import LABELS, effort_word
from routinglab.ui.scale import tokens, usd
from routinglab.ui.shown import Shown
from routinglab.ui.throttle import Throttle
from routinglab.ui.told import told, words

#: Seconds between two updates while a control moves.
DELAY = 0.05


class ConstraintPicker(Shown):
    """Shows a control for every constraint and need; eligible models and shortlist follow it.

    ``source`` is a router, whose catalog and keys are looked at again at every change, or a catalog
    with ``evals`` and ``settings``. ``constraints`` and ``needs`` are the starting values. ``agent``
    (a skill, an agent definition or a brief) adds its own. ``controls`` holds the controls by field;
    ``delay`` is how long moves of a control are gathered.
    """

    def __init__(
        self,
        source: Router | Catalog,
        evals: Evidence | None = None,
        settings: Settings | None = None,
        *,
        constraints: ModelConstraints | Mapping[str, Any] | None = None,
        needs: TaskNeeds | Mapping[str, Any] | None = None,
        agent: Any = None,
        policy: PolicyLike = "evidence",
        delay: float = DELAY,
    ) -> None:
        self.model = PickerModel(source, evals, settings, agent=agent, policy=policy)
        self._watchers: dict[int, Callable[[], None]] = {}
        self._numbers = count()
        self._update = Throttle(self.refresh, delay)
        self.controls: dict[str, Control] = {**self._limits(), **self._answers()}
        self.everything = w.Checkbox(
            value=False,
            description="show all models",
            indent=False,
            tooltip="show every row of the lists below",
        )
        self.everything.add_class("rl-all")
        self.everything.observe(self.on_everything, "value")
        self.clear = w.Button(description="Clear", tooltip="no limit anywhere, every need unstated")
        self.clear.add_class("rl-clear")
        self.clear.on_click(self.on_clear)
        self._results = w.HTML()
        self._results.add_class("rl-outlook")
        self._source = w.HTML()
        self._source.add_class("rl-code")
        self.said = w.HTML()
        self.said.add_class("rl-message")
        self.widget = self._laid_out()
        self.set(constraints, needs)

    # -- what it says ---------------------------------------------------------------------------

    @property
    def constraints(self) -> ModelConstraints:
        """The limits that are set."""
        return self.model.constraints

    @property
    def needs(self) -> TaskNeeds:
        """The needs that are stated."""
        return self.model.needs

    @property
    def outlook(self) -> Outlook:
        """What the present state comes to; never older than the last change."""
        if self._update.pending:
            self._update.flush()
        return self._outlook

    @property
    def plan(self) -> Plan | None:
        """The plan behind it, None where nothing is eligible."""
        return self.outlook.plan

    @property
    def ready(self) -> bool:
        """Whether a launch has a model to go to; ``outlook.problem`` says why not."""
        return self.outlook.ready

    def problem_for(self, agent: Any) -> str:
        """Why a launch of ``agent`` would have no model, whichever agent is shown; empty if it has."""
        return self.model.problem_for(agent, self.outlook)

    def code(self, task: str = "the task", *, agent: str | None = None) -> str:
        """The Python call that does the same: ``router.route``, or ``runner.run`` for an agent."""
        if agent is not None:
            return run_code(agent, task, self.needs, self.constraints)
        return route_code(task, self.needs, self.constraints)

    def html(self) -> str:
        """The results without the controls."""
        return outlook_html(self.outlook)

    def __repr__(self) -> str:
        plan = self.outlook.plan
        found = self.outlook.problem or f"{len(plan.candidates) if plan else 0} candidates"
        return f"ConstraintPicker({found})"

    # -- what changes it ------------------------------------------------------------------------

    def set(
        self,
        constraints: ModelConstraints | Mapping[str, Any] | None = None,
        needs: TaskNeeds | Mapping[str, Any] | None = None,
    ) -> None:
        """Move the controls to these values; None leaves that half as it is.

        Raises ``InvalidInput`` for unknown fields and values, and then changes nothing.
        """
        limits, stated = self.model.constraints, self.model.needs
        if constraints is not None:
            limits = _value(ModelConstraints, constraints)
        if needs is not None:
            stated = _value(TaskNeeds, needs)
        self.model.constraints, self.model.needs = limits, stated
        for name in (*CONSTRAINT_FIELDS, *NEED_FIELDS):
            value = getattr(limits if name in CONSTRAINT_FIELDS else stated, name)
            self.controls[name].value = value
        self.refresh()

    def for_agent(self, agent: Any) -> None:
        """Show what is left for a launch of ``agent``, whose own limits and needs hold besides."""
        self.model.for_agent(agent)
        self.refresh()

    def on_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Have ``callback`` called after every update, until the function returned is called."""
        number = next(self._numbers)
        self._watchers[number] = callback

        def stop() -> None:
            self._watchers.pop(number, None)

        return stop

    @told
    def on_control(self) -> None:
        """A person changed a control: read all of them, and update soon."""
        self.said.value = ""
        values = {name: control.value for name, control in self.controls.items()}
        self.model.constraints = ModelConstraints(**{n: values[n] for n in CONSTRAINT_FIELDS})
        self.model.needs = TaskNeeds(**{n: values[n] for n in NEED_FIELDS})
        self._update()

    @told
    def on_clear(self, _: Any = None) -> None:
        """Take every limit and statement away."""
        self.said.value = ""
        self.set(ModelConstraints(), TaskNeeds())

    @told
    def on_everything(self, _: Any = None) -> None:
        """Show long lists whole, or their beginning."""
        self._draw()

    def refresh(self) -> None:
        """Look at the catalog again and show what the controls leave of it."""
        self._update.stop()
        try:
            self._offer()
            self._outlook = self.model.outlook()
        except Exception as error:  # a policy of the user's own may raise anything
            self._outlook = Outlook(0, 0, None, (), (), problem=words(error))
        self._draw()
        for watcher in tuple(self._watchers.values()):
            self._inform(watcher)

    def tell(self, text: str) -> None:
        """Say that something went wrong."""
        self.said.value = html.tag("div", html.text(text), css="rl-problem")

    # -- inside ---------------------------------------------------------------------------------

    @told
    def _inform(self, watcher: Callable[[], None]) -> None:
        watcher()

    def _draw(self) -> None:
        self._results.value = outlook_html(self._outlook, everything=self.everything.value)
        source = html.tag("pre", html.text(self.code()))
        self._source.value = f"<details><summary>The same in Python</summary>{source}</details>"

    def _offer(self) -> None:
        """Let the controls offer what the catalog has now."""
        offered = self.model.choices
        lists = {
            "allowed_providers": offered.providers, "excluded_providers": offered.providers,
            "allowed_models": offered.models, "required_inputs": offered.inputs,
            "allowed_efforts": offered.efforts,
        }  # fmt: skip
        scales = {
            "max_input_cost": offered.input_prices, "max_output_cost": offered.output_prices,
            "min_context_window": offered.windows,
        }  # fmt: skip
        for name, control in self.controls.items():
            if isinstance(control, ListControl):
                control.reoffer(lists[name])
            elif isinstance(control, LimitControl):
                control.rescale(scales[name])

    def _limits(self) -> dict[str, Control]:
        offered, changed = self.model.choices, self.on_control
        price = "USD per million tokens, at the dearest tier of a model"
        return {
            "allowed_providers": ListControl(
                "allowed-providers", LABELS["allowedProviders"], offered.providers, changed,
                help="only models of these providers",
            ),
            "excluded_providers": ListControl(
                "excluded-providers", LABELS["excludedProviders"], offered.providers, changed,
                none="none", help="no model of these providers",
            ),
            "allowed_models": ListControl(
                "allowed-models", LABELS["allowedModels"], offered.models, changed,
                help="only these models; they become the shortlist",
            ),
            "max_input_cost": LimitControl(
                "max-input-cost", LABELS["maxInputCost"], offered.input_prices, usd, changed,
                unit="USD per 1M", help=price,
            ),
            "max_output_cost": LimitControl(
                "max-output-cost", LABELS["maxOutputCost"], offered.output_prices, usd, changed,
                unit="USD per 1M", help=price,
            ),
            "min_context_window": LimitControl(
                "min-context-window", LABELS["minContextWindow"], offered.windows, tokens, changed,
                whole=True, unit="tokens", help="tokens that must fit",
            ),
            "required_inputs": ListControl(
                "required-inputs", LABELS["requiredInputs"], offered.inputs, changed,
                none="none", help="kinds of input the model must read",
            ),
            "allowed_efforts": ListControl(
                "allowed-efforts", LABELS["allowedEfforts"], offered.efforts, changed,
                shown=effort_word, help="reasoning levels; none is a model without levels",
            ),
        }  # fmt: skip

    def _answers(self) -> dict[str, Control]:
        changed = self.on_control
        return {
            "work": AnswerControl("work", "Work", WORKS, changed, help="the kind of work"),
            "difficulty": AnswerControl(
                "difficulty", "Difficulty", DIFFICULTIES, changed, help="how hard the task is"
            ),
            "mistake_cost": AnswerControl(
                "mistake-cost", "Mistake cost", MISTAKE_COSTS, changed,
                help="what an unnoticed mistake would cost",
            ),
            "needs_images": AnswerControl(
                "needs-images", "Needs images", None, changed, help="images must be looked at"
            ),
            "long_context": AnswerControl(
                "long-context", "Long context", None, changed,
                help="a very large code base or document set must be held at once",
            ),
            "latency_sensitive": AnswerControl(
                "latency-sensitive", "Needs speed", None, changed,
                help="a fast answer matters more than extra reasoning",
            ),
        }  # fmt: skip

    def _laid_out(self) -> Any:
        def group(title: str, names: tuple[str, ...], css: str) -> Any:
            heading = w.HTML(html.tag("span", title, css="rl-heading"))
            box = w.VBox([heading, *(self.controls[name].widget for name in names)])
            for one in ("rl-group", css):
                box.add_class(one)
            return box

        left = w.VBox(
            [
                group("What the task needs", NEED_FIELDS, "rl-first"),
                group(
                    "Prices and window",
                    ("max_input_cost", "max_output_cost", "min_context_window"),
                    "rl-prices",
                ),
                group(
                    "Models",
                    (
                        "allowed_providers",
                        "excluded_providers",
                        "allowed_models",
                        "required_inputs",
                        "allowed_efforts",
                    ),
                    "rl-models",
                ),
                self.clear,
            ]
        )
        left.add_class("rl-controls")
        right = w.VBox([self.said, self._results, self.everything, self._source])
        right.add_class("rl-results")
        columns = w.HBox([left, right])
        columns.add_class("rl-columns")
        whole = w.VBox([w.HTML(html.style()), columns])
        for css in ("rl-ui", "rl-picker"):
            whole.add_class(css)
        return whole


def _value(kind: Any, given: Any) -> Any:
    return given if isinstance(given, kind) else kind.model_validate(given)
