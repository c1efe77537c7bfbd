"""Some of a list of values: as boxes to tick, or typed with completion."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from html import escape
from typing import Any

import ipywidgets as w

from routinglab.ui.controls import NO_LIMIT, Changed, Quiet, heard


class ListControl(Quiet):
    """Some of a list of values, or "no limit". An empty choice is not the same as no limit.

    A short list is shown as boxes to tick; for a long one a value is typed, with completion, and
    what was chosen stands beside it as buttons that take it away again.
    """

    #: Values that are still shown as boxes.
    BOXES = 12

    def __init__(
        self,
        name: str,
        label: str,
        options: Sequence[Any],
        changed: Changed,
        *,
        shown: Callable[[Any], str] = str,
        none: str = NO_LIMIT,
        help: str = "",
    ) -> None:
        self._label, self._shown, self._changed = label, shown, changed
        self._options = tuple(options)
        self._value: tuple[Any, ...] | None = None
        self.none = w.Checkbox(
            value=True, description=heard(label, none), description_allow_html=True,
            indent=False, tooltip=f"{label}: {none}",
        )  # fmt: skip
        self.none.add_class("rl-nolimit")
        self.none.observe(self.on_none, "value")
        self.entry = w.Combobox(
            description=label,  # read aloud; it stands above
            placeholder="type or choose, then Enter",
            continuous_update=False,
            tooltip=f"{label}: {help}",
        )
        self.entry.add_class("rl-tokens-input")
        self.entry.observe(self.on_entry, "value")
        self.boxes: dict[Any, Any] = {}
        self.chips: dict[Any, Any] = {}
        self.hint = w.HTML()
        self.hint.add_class("rl-hint")
        self._inside = w.HBox()
        self._inside.add_class("rl-options")
        head = w.HBox([w.Label(label), self.none])
        head.add_class("rl-row")
        self.widget = w.VBox([head, self._inside, self.hint])
        for css in ("rl-list", f"rl-{name}"):
            self.widget.add_class(css)
        self._build()

    @property
    def value(self) -> tuple[Any, ...] | None:
        """What is chosen, in the order of the options; None is no limit."""
        return self._value

    @value.setter
    def value(self, value: Sequence[Any] | None) -> None:
        self._value = None if value is None else tuple(value)
        self._build()

    def reoffer(self, options: Sequence[Any]) -> None:
        """Offer other values, from a catalog that changed; what was chosen stays."""
        if tuple(options) != self._options:
            self._options = tuple(options)
            self._build()

    def on_none(self, change: Any) -> None:
        """ "No limit" was ticked or taken away; taken away, nothing is chosen yet."""
        if not self._quiet:
            self._settle(None if change["new"] else ())

    def on_box(self, value: Any, ticked: bool) -> None:
        """A box was ticked or cleared."""
        if not self._quiet:
            now = [one for one in self._value or () if one != value]
            self._settle(self._ordered([*now, value] if ticked else now))

    def on_entry(self, change: Any) -> None:
        """A value was typed or picked; one that is not offered is told and not taken."""
        typed = change["new"].strip()
        if self._quiet or not typed:
            return
        known = {self._shown(option): option for option in self._options}
        if typed not in known:
            self.hint.value = escape(f"{typed!r} is not in the catalog")
            return
        with self.quietly():
            self.entry.value = ""
        if known[typed] not in (self._value or ()):
            self._settle(self._ordered([*(self._value or ()), known[typed]]))

    def on_chip(self, value: Any) -> None:
        """The button of a chosen value was pressed: take it away."""
        self._settle(tuple(one for one in self._value or () if one != value))

    def _settle(self, value: tuple[Any, ...] | None) -> None:
        if value != self._value:
            self._value = value
            self._build()
            self._changed()

    def _ordered(self, chosen: Sequence[Any]) -> tuple[Any, ...]:
        place = {value: i for i, value in enumerate(self._options)}
        return tuple(sorted(chosen, key=lambda value: place.get(value, len(place))))

    @property
    def _all(self) -> tuple[Any, ...]:
        """The options, and chosen values that the catalog no longer has."""
        gone = [value for value in self._value or () if value not in self._options]
        return (*self._options, *gone)

    def _build(self) -> None:
        with self.quietly():
            self.none.value = self._value is None
            self.hint.value = ""
            if len(self._options) <= self.BOXES:
                self._build_boxes()
            else:
                self._build_chips()
        (self.widget.add_class if self._value is None else self.widget.remove_class)("rl-off")

    def _build_boxes(self) -> None:
        if tuple(self.boxes) != self._all:
            self.boxes = {value: self._box(value) for value in self._all}
            self._inside.children = list(self.boxes.values())
        for value, box in self.boxes.items():
            box.value = value in (self._value or ())

    def _box(self, value: Any) -> Any:
        box = w.Checkbox(
            value=False,
            description=heard(self._label, self._shown(value)),
            indent=False,
            description_allow_html=True,
            tooltip=f"{self._label}: {self._shown(value)}",
        )
        box.add_class("rl-check")

        def ticked(change: Any) -> None:
            self.on_box(value, change["new"])

        box.observe(ticked, "value")
        return box

    def _build_chips(self) -> None:
        self.entry.options = [self._shown(value) for value in self._options]
        self.chips = {value: self._chip(value) for value in self._value or ()}
        self._inside.children = [self.entry, *self.chips.values()]

    def _chip(self, value: Any) -> Any:
        text = self._shown(value)
        chip = w.Button(description=f"{text} ✕", tooltip=f"{self._label}: take {text} away")
        chip.add_class("rl-chip")
        chip.on_click(lambda _: self.on_chip(value))
        return chip
