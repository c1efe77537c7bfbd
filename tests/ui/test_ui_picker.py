"""The picker's controls: each one by what it changes in the request that a server sees."""

from __future__ import annotations

import ast
import asyncio
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support import live, ui
from support.llm_server import LlmServer

from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import EFFORTS
from routinglab.core.needs import DIFFICULTIES, MISTAKE_COSTS, WORKS, TaskNeeds
from routinglab.errors import InvalidInput
from routinglab.evals.evals import parse_evals
from routinglab.ui import ConstraintPicker

EVALS = parse_evals(live.EVALS)
Act = Callable[[ConstraintPicker], None]


def tick(control: str, *values: object) -> Act:
    def act(picker: ConstraintPicker) -> None:
        for value in values:
            picker.controls[control].boxes[value].value = True  # type: ignore[attr-defined]

    return act


def slide(control: str, least: float) -> Act:
    def act(picker: ConstraintPicker) -> None:
        one: Any = picker.controls[control]
        one.slider.value = next(i for i, s in enumerate(one._scale.steps) if s >= least)

    return act


def type_in(control: str, value: float) -> Act:
    def act(picker: ConstraintPicker) -> None:
        picker.controls[control].number.value = str(value)  # type: ignore[attr-defined]

    return act


def choose(control: str, value: str) -> Act:
    def act(picker: ConstraintPicker) -> None:
        picker.controls[control].choice.value = value  # type: ignore[attr-defined]

    return act


#: Set a control, and the options the router is then offered, worked out from ``ui.catalog``.
LIMITS: dict[str, tuple[Act, set[str]]] = {
    "allowed providers": (tick("allowed_providers", "beta"), {"beta/strong", "beta/small"}),
    "excluded providers": (tick("excluded_providers", "acme"), {"beta/strong", "beta/small"}),
    "allowed models": (
        tick("allowed_models", "acme/middle", "acme/chat"), {"acme/middle", "acme/chat"},
    ),
    "input price by slider": (
        slide("max_input_cost", 4.0), {"acme/middle", "beta/small", "acme/chat", "acme/vision"},
    ),
    "input price typed": (
        type_in("max_input_cost", 3.5), {"beta/small", "acme/chat", "acme/vision"},
    ),
    "output price by slider": (
        slide("max_output_cost", 6.0), {"beta/small", "acme/chat", "acme/vision"},
    ),
    "output price typed": (type_in("max_output_cost", 4.4), {"beta/small", "acme/chat"}),
    "window by slider": (
        slide("min_context_window", 600_000.0), {"acme/vision", "acme/reader"},
    ),
    "window typed": (type_in("min_context_window", 300_000), {"acme/vision", "acme/reader"}),
    "inputs": (tick("required_inputs", "image"), {"acme/vision", "acme/reader"}),
    "efforts": (tick("allowed_efforts", "low", "high"), {"acme/strong", "acme/middle"}),
    "no configurable effort": (
        tick("allowed_efforts", None), {"beta/small", "acme/chat", "acme/vision", "acme/reader"},
    ),
}  # fmt: skip

NEEDS = {
    "work": ("writing", '"work":"writing"'),
    "difficulty": ("very_hard", '"difficulty":"very_hard"'),
    "mistake_cost": ("severe", '"mistakeCost":"severe"'),
    "needs_images": ("yes", '"needsImages":true'),
    "long_context": ("yes", '"longContext":true'),
    "latency_sensitive": ("yes", '"latencySensitive":true'),
}


def routed(folder: Path, act: Act, needs: TaskNeeds | None = None) -> LlmServer:
    """The server after one task was routed as the picker says."""

    async def main() -> LlmServer:
        async with LlmServer() as server:
            router = ui.router(server, folder)
            async with router:
                picker = ConstraintPicker(router, needs=needs or ui.all_needs())
                act(picker)
                await router.route("Mend it.", needs=picker.needs, constraints=picker.constraints)
            return server

    return asyncio.run(main())


@pytest.mark.parametrize("name", LIMITS)
def test_each_limit_changes_the_options_that_the_server_is_offered(
    name: str, tmp_path: Path
) -> None:
    act, left = LIMITS[name]
    server = routed(tmp_path, act)
    assert set(ui.offered(server)) == left
    assert ui.asked_needs(server) == []


@pytest.mark.parametrize("name", NEEDS)
def test_each_need_changes_what_the_server_is_told_and_asked(name: str, tmp_path: Path) -> None:
    answer, told = NEEDS[name]
    server = routed(tmp_path, choose(name, answer))
    assert told in ui.prompt(server)
    unstated = routed(tmp_path, choose(name, "unstated"))
    key = told.partition('"')[2].partition('"')[0]
    assert ui.asked_needs(unstated) == [key]
    assert told not in ui.prompt(unstated)


def test_saying_no_is_not_the_same_as_leaving_it_open(tmp_path: Path) -> None:
    server = routed(tmp_path, choose("needs_images", "no"), TaskNeeds(work="computer_use"))
    assert '"needsImages":false' in ui.prompt(server)
    assert "needsImages" not in ui.asked_needs(server)


def test_what_the_picker_shows_is_what_the_server_is_offered(tmp_path: Path) -> None:
    async def main() -> None:
        async with LlmServer() as server, ui.router(server, tmp_path) as router:
            picker = ConstraintPicker(router, needs=ui.all_needs())
            slide("max_input_cost", 4.0)(picker)
            assert picker.plan is not None
            shown = picker.plan.offered
            await router.route("x", needs=picker.needs, constraints=picker.constraints)
            assert list(shown) == ui.offered(server)
            for model in shown:
                assert model in picker.html()

    asyncio.run(main())


def test_the_code_makes_the_same_request(tmp_path: Path) -> None:
    async def main() -> None:
        async with LlmServer() as server, ui.router(server, tmp_path) as router:
            picker = ConstraintPicker(router)
            type_in("max_input_cost", 4.5)(picker)
            tick("allowed_efforts", None, "low")(picker)
            choose("work", "writing")(picker)
            choose("needs_images", "no")(picker)
            await router.route("do 'it'", needs=picker.needs, constraints=picker.constraints)
            mine = [seen.body for seen in server.requests]
            server.requests.clear()
            source = picker.code("do 'it'")
            code = compile(source, "cell", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
            names: dict[str, Any] = {"router": router}
            running = eval(code, names)
            assert inspect.iscoroutine(running)
            await running
            assert [seen.body for seen in server.requests] == mine
            assert names["decision"].needs.work == "writing"

    asyncio.run(main())


CONSTRAINTS = st.builds(
    ModelConstraints,
    allowed_models=st.none() | st.lists(st.sampled_from(["acme/small", "acme/chat"]), unique=True),
    allowed_providers=st.none() | st.lists(st.sampled_from(["acme", "gone"]), unique=True),
    excluded_providers=st.none() | st.lists(st.sampled_from(["beta"]), unique=True),
    max_input_cost=st.none() | st.floats(0, 1000),
    max_output_cost=st.none() | st.floats(0, 1000),
    min_context_window=st.none() | st.integers(0, 10_000_000),
    required_inputs=st.none() | st.lists(st.sampled_from(["text", "image"]), unique=True),
    allowed_efforts=st.none() | st.lists(st.sampled_from([None, *EFFORTS]), unique=True),
)
STATED = st.builds(
    TaskNeeds,
    work=st.none() | st.sampled_from(WORKS),
    difficulty=st.none() | st.sampled_from(DIFFICULTIES),
    mistake_cost=st.none() | st.sampled_from(MISTAKE_COSTS),
    needs_images=st.none() | st.booleans(),
    long_context=st.none() | st.booleans(),
    latency_sensitive=st.none() | st.booleans(),
)
ONE = ConstraintPicker(ui.catalog(), EVALS)


@settings(max_examples=40, deadline=None)
@given(CONSTRAINTS, STATED)
def test_what_is_set_is_what_the_controls_say_also_beyond_the_catalog(
    limits: ModelConstraints, needs: TaskNeeds
) -> None:
    ONE.set(limits, needs)
    ONE.on_control()  # read every control, as after a person's move
    assert limits == ONE.constraints
    assert needs == ONE.needs
    names: dict[str, Any] = {}
    lines = ONE.code().replace("await router.route", "dict").replace("'the task',", "")
    exec(lines, names)
    assert names["decision"].get("constraints", ModelConstraints()) == limits
    assert names["decision"].get("needs", TaskNeeds()) == needs


def test_a_wrong_value_changes_nothing() -> None:
    picker = ConstraintPicker(ui.catalog(), EVALS, needs={"work": "coding"})
    with pytest.raises(InvalidInput, match="maxCost"):
        picker.set({"maxCost": 1}, {"work": "writing"})
    assert picker.needs == TaskNeeds(work="coding")


def test_slider_typed_figure_and_no_limit_follow_each_other() -> None:
    picker = ConstraintPicker(ui.catalog(), EVALS)
    control: Any = picker.controls["max_input_cost"]
    assert (control.none.value, control.slider.value, picker.constraints.max_input_cost) == (
        True, -1, None,
    )  # fmt: skip
    assert control.number.value == ""
    control.number.value = "3.7"
    assert (control.none.value, picker.constraints.max_input_cost) == (False, 3.7)
    assert control._scale.steps[control.slider.value] in (3.0, 4.0)
    assert control.number.value == "3.7"  # the typed figure counts, not the step
    control.slider.value = 0
    assert (control.number.value, picker.constraints.max_input_cost) == ("0", 0.0)
    control.slider.value = -1
    assert (control.none.value, picker.constraints.max_input_cost) == (True, None)
    control.none.value = False
    assert picker.constraints.max_input_cost == control._scale.steps[-1]
    control.number.value = " $2.50 "
    assert (control.number.value, picker.constraints.max_input_cost) == ("2.5", 2.5)
    control.number.value = ""
    assert (control.none.value, picker.constraints.max_input_cost) == (True, None)


@pytest.mark.parametrize(
    ("typed", "why"),
    [("-5", "is below zero"), ("1e999", "is more than 1,000,000,000"), ("cheap", "is not a figure"),
     ("1,5", "is not a figure"), ("nan", "is not a figure"), ("<b>2</b>", "&lt;b&gt;2")],
)  # fmt: skip
def test_what_is_no_figure_is_told_and_changes_nothing(typed: str, why: str) -> None:
    picker = ConstraintPicker(ui.catalog(), EVALS, constraints={"maxInputCost": 2.0})
    control: Any = picker.controls["max_input_cost"]
    control.number.value = typed
    assert why in control.hint.value
    assert "it is still $2." in control.hint.value
    assert "<b>" not in control.hint.value
    assert picker.constraints.max_input_cost == 2.0
    control.number.value = "3"
    assert control.hint.value == ""
    assert picker.constraints.max_input_cost == 3.0


def test_an_error_that_nobody_foresaw_is_said_in_the_panel() -> None:
    def policy(needs: object, ranked: object) -> list[object]:
        raise ZeroDivisionError("my own <policy>")

    picker = ConstraintPicker(ui.catalog(), EVALS, policy=policy)
    assert "my own <policy>" in picker.outlook.problem
    assert "my own &lt;policy&gt;" in picker._results.value
    assert not picker.ready

    good = ConstraintPicker(ui.catalog(), EVALS)
    heard: list[bool] = []
    good.on_change(lambda: 1 / 0)  # type: ignore[arg-type,return-value]
    good.on_change(lambda: heard.append(True))
    good.controls["work"].choice.value = "coding"  # type: ignore[attr-defined]
    assert "ZeroDivisionError: division by zero" in good.said.value
    assert heard  # the others are told all the same


def test_an_empty_choice_is_not_no_limit() -> None:
    picker = ConstraintPicker(ui.catalog(), EVALS)
    control: Any = picker.controls["allowed_providers"]
    control.boxes["beta"].value = True
    control.boxes["beta"].value = False
    assert picker.constraints.allowed_providers == ()
    assert not picker.ready
    control.none.value = True
    assert picker.constraints.allowed_providers is None
    assert picker.ready


def test_long_lists_are_typed_with_completion_and_taken_away_by_buttons() -> None:
    from routinglab.catalog.files import load_catalog

    picker = ConstraintPicker(load_catalog(), EVALS)
    control: Any = picker.controls["allowed_models"]
    assert "openai/gpt-5.5" in control.entry.options
    for name in ("openai/gpt-5.5", "<img src=x>", "anthropic/claude-opus-5"):
        control.entry.value = name
    assert control.hint.value == ""  # the last one is in the catalog
    assert picker.constraints.allowed_models == ("anthropic/claude-opus-5", "openai/gpt-5.5")
    control.entry.value = "<img src=x>"
    assert "&lt;img src=x&gt;&#x27; is not in the catalog" in control.hint.value
    control.chips["openai/gpt-5.5"].click()
    assert picker.constraints.allowed_models == ("anthropic/claude-opus-5",)


def test_the_controls_follow_a_catalog_and_keys_that_change(tmp_path: Path) -> None:
    async def main() -> None:
        async with LlmServer() as server:
            router = ui.router(server, tmp_path)
            env = dict(live.ENV)
            router.env = env
            picker = ConstraintPicker(router)
            boxes: Any = picker.controls["allowed_providers"]
            assert list(boxes.boxes) == ["acme", "beta"]
            boxes.boxes["acme"].value = True
            router.catalog = type(router.catalog)(
                m for m in router.catalog if m.provider != "acme" or m.id == "chat"
            )
            picker.refresh()
            assert picker.outlook.models == 3
            assert picker.constraints.allowed_providers == ("acme",)  # what was chosen stays
            env.clear()
            picker.refresh()
            assert "no provider is configured" in picker.outlook.problem.lower()

    asyncio.run(main())


def test_watchers_hear_of_every_update_until_they_stop() -> None:
    picker = ConstraintPicker(ui.catalog(), EVALS)
    heard: list[bool] = []
    stop = picker.on_change(lambda: heard.append(picker.ready))
    slide("max_input_cost", 0.0)(picker)
    picker.on_clear()
    stop()
    slide("max_input_cost", 0.0)(picker)
    assert heard == [False, True]


def test_moves_inside_a_running_loop_are_gathered_but_never_read_stale() -> None:
    async def main() -> None:
        picker = ConstraintPicker(ui.catalog(), EVALS, delay=30)
        updates: list[object] = []
        picker.on_change(lambda: updates.append(None))
        control: Any = picker.controls["max_input_cost"]
        for place in range(8):
            control.slider.value = place
        control.slider.value = 0
        assert updates == []
        assert picker.constraints.max_input_cost == 0.0
        assert not picker.ready  # asking does not wait for the timer
        assert len(updates) == 1

    asyncio.run(main())


def test_every_control_has_a_label_or_a_tooltip() -> None:
    import ipywidgets as w

    picker = ConstraintPicker(ui.catalog(), EVALS)

    def walk(widget: Any) -> Any:
        yield widget
        for child in getattr(widget, "children", ()):
            yield from walk(child)

    inputs = (w.Dropdown, w.SelectionSlider, w.BoundedFloatText, w.BoundedIntText, w.Checkbox,
              w.Combobox, w.ToggleButtons, w.Button)  # fmt: skip
    found = [one for one in walk(picker.widget) if isinstance(one, inputs)]
    assert len(found) > 30
    for one in found:
        assert one.description or one.tooltip, one
        assert one.tooltip, one.description
