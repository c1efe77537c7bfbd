"""One figure as a slider with the same figure typed beside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ipywidgets as w

from routinglab.ui.controls import LABELLED, NO_LIMIT, Changed, Quiet, heard
from routinglab.ui.scale import Scale

_LARGEST = 1_000_000_000


class LimitControl(Quiet):
    """One figure: a slider on a log scale, the same figure typed, and an explicit "no limit".

    The slider's last place is "no limit" too. Moving the slider or typing takes "no limit" away. A
    typed figure counts as it is, the slider goes to the nearest step.
    """

    def __init__(
        self,
        name: str,
        label: str,
        scale: Scale,
        shown: Callable[[float], str],
        changed: Changed,
        *,
        whole: bool = False,
        unit: str = "",
        help: str = "",
    ) -> None:
        self._shown, self._changed, self._whole = shown, changed, whole
        self._scale = scale
        self._value: float | None = None
        self.slider = w.SelectionSlider(
            options=self._steps(), value=-1, description=label, tooltip=help, style=LABELLED
        )
        typed = w.BoundedIntText if whole else w.BoundedFloatText
        self.number = typed(
            min=0, max=_LARGEST, step=None, tooltip=f"{label}, {unit}: type a figure"
        )
        self.none = w.Checkbox(
            value=True, description=heard(label, NO_LIMIT), description_allow_html=True,
            indent=False, tooltip=f"{label}: {NO_LIMIT}",
        )  # fmt: skip
        for widget, css in (
            (self.slider, "slider"),
            (self.number, "number"),
            (self.none, "nolimit"),
        ):
            widget.add_class(f"rl-{css}")
        self.widget = w.HBox([self.slider, self.number, self.none])
        for css in ("rl-row", "rl-limit", f"rl-{name}"):
            self.widget.add_class(css)
        self._show()
        self.slider.observe(self.on_slider, "value")
        self.number.observe(self.on_number, "value")
        self.none.observe(self.on_none, "value")

    @property
    def value(self) -> float | int | None:
        """The limit; None is no limit."""
        return self._value

    @value.setter
    def value(self, value: float | int | None) -> None:
        self._value = value
        self._show()

    def rescale(self, scale: Scale) -> None:
        """Take other steps, from a catalog that changed."""
        if scale != self._scale:
            self._scale = scale
            with self.quietly():
                self.slider.options = self._steps()
            self._show()

    def on_slider(self, change: Any) -> None:
        """The slider was moved."""
        if not self._quiet:
            place = change["new"]
            self._settle(None if place < 0 else self._typed(self._scale.steps[place]))

    def on_number(self, change: Any) -> None:
        """A figure was typed."""
        if not self._quiet:
            self._settle(self._typed(change["new"]))

    def on_none(self, change: Any) -> None:
        """ "No limit" was ticked or taken away; taken away, the typed figure counts."""
        if not self._quiet:
            self._settle(None if change["new"] else self._typed(self.number.value))

    def _settle(self, value: float | int | None) -> None:
        if value != self._value:
            self._value = value
            self._show()
            self._changed()

    def _typed(self, value: float) -> float | int:
        return int(value) if self._whole else float(value)

    def _steps(self) -> list[tuple[str, int]]:
        steps = [(self._shown(step), place) for place, step in enumerate(self._scale.steps)]
        return [*steps, (NO_LIMIT, -1)]

    def _show(self) -> None:
        value = self._value
        with self.quietly():
            self.none.value = value is None
            self.slider.value = -1 if value is None else self._scale.nearest(value)
            self.number.value = self._typed(self._scale.steps[-1] if value is None else value)
        (self.widget.add_class if value is None else self.widget.remove_class)("rl-off")
