"""One figure as a slider with the same figure typed beside it."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Any

import ipywidgets as w

from routinglab.ui.controls import LABELLED, NO_LIMIT, Changed, Quiet, heard
from routinglab.ui.scale import Scale, plain_figure, read_figure


class LimitControl(Quiet):
    """One figure: a slider on a log scale, the same figure typed, and an explicit "no limit".

    The slider's last place is "no limit" too, and so is an empty field. Moving the slider or typing
    takes "no limit" away. A typed figure counts as it is, the slider goes to the nearest step; what
    is no figure is told and changes nothing.
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
            options=self._steps(),
            value=-1,
            description=label,
            tooltip=help,
            style=LABELLED,
            readout=False,
        )
        self.number = w.Text(
            description=f"{label}, {unit}",  # read aloud; the slider shows it
            placeholder=NO_LIMIT,
            continuous_update=False,
            tooltip=f"{label}, {unit}: type a figure",
        )
        self.unit, self.hint = w.Label(unit), w.HTML()
        self.none = w.Checkbox(
            value=True, description=heard(label, NO_LIMIT), description_allow_html=True,
            indent=False, tooltip=f"{label}: {NO_LIMIT}",
        )  # fmt: skip
        for widget, css in (
            (self.slider, "slider"),
            (self.number, "number"),
            (self.none, "nolimit"),
            (self.unit, "unit"),
            (self.hint, "hint"),
        ):
            widget.add_class(f"rl-{css}")
        self.widget = w.HBox([self.slider, self.number, self.unit, self.none, self.hint])
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
            self._settle(None if place < 0 else self._step(place))

    def on_number(self, change: Any) -> None:
        """A figure was typed, or the field was emptied."""
        if self._quiet:
            return
        typed = change["new"].strip()
        try:
            value = read_figure(typed, whole=self._whole) if typed else None
        except ValueError as error:
            held = NO_LIMIT if self._value is None else self._shown(self._value)
            self.hint.value = escape(f"{typed[:40]!r} {error}; it is still {held}.")
            return
        self._settle(value)
        self._show()  # also where it is the same figure, typed in another way

    def on_none(self, change: Any) -> None:
        """ "No limit" was ticked or taken away; taken away, the slider's end counts."""
        if not self._quiet:
            self._settle(None if change["new"] else self._step(-1))

    def _settle(self, value: float | int | None) -> None:
        if value != self._value:
            self._value = value
            self._show()
            self._changed()

    def _step(self, place: int) -> float | int:
        value = self._scale.steps[place]
        return int(value) if self._whole else float(value)

    def _steps(self) -> list[tuple[str, int]]:
        steps = [(self._shown(step), place) for place, step in enumerate(self._scale.steps)]
        return [*steps, (NO_LIMIT, -1)]

    def _show(self) -> None:
        value = self._value
        with self.quietly():
            self.none.value = value is None
            self.slider.value = -1 if value is None else self._scale.nearest(value)
            self.number.value = "" if value is None else plain_figure(value)
            self.hint.value = ""
        (self.widget.add_class if value is None else self.widget.remove_class)("rl-off")
