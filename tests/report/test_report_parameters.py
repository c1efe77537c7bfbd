"""Parameters: papermill's convention, typed by the defaults."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_code_cell, new_notebook

from routinglab.errors import InvalidInput
from routinglab.report.parameters import bind, inject, parameters_of, parse_assignments

DECLARED = """
price = 15.0  # USD per million output tokens
count: int = 3
name = "evals.md"
wanted = True
limit = None
keys = ["a"]
weights = {"a": 1}
half = 1 / 2
"""


def notebook(source: str = DECLARED) -> Any:
    return new_notebook(
        cells=[
            new_code_cell("before = 1", id="first"),
            new_code_cell(source, id="p", metadata={"tags": ["parameters"]}),
            new_code_cell("after = 1", id="last"),
        ]
    )


def test_reads_names_defaults_and_help_from_the_tagged_cell() -> None:
    found = {p.name: p for p in parameters_of(notebook())}
    assert list(found) == ["price", "count", "name", "wanted", "limit", "keys", "weights", "half"]
    assert found["price"].default == 15.0
    assert found["price"].help == "USD per million output tokens"
    assert found["count"].default == 3
    assert (found["half"].default, found["half"].source) == (None, "1 / 2")


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("price", "7", 7),
        ("price", "1e2", 100.0),
        ("price", "none", None),
        ("count", "-2", -2),
        ("name", "3", "3"),
        ("name", "none", "none"),
        ("name", "a=b c", "a=b c"),
        ("wanted", "False", False),
        ("limit", "2.5", 2.5),
        ("limit", "some text", "some text"),
        ("limit", "NaN", "NaN"),
        ("limit", "null", None),
        ("keys", '["x", "y"]', ["x", "y"]),
        ("weights", '{"b": 2}', {"b": 2}),
    ],
)
def test_a_text_is_read_as_its_default_says(name: str, text: str, value: Any) -> None:
    assert bind(notebook(), {name: text})[name] == value


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("price", "cheap", "a number"),
        ("price", "true", "a number"),
        ("price", "Infinity", "a number"),
        ("wanted", "1", "true or false"),
        ("keys", "x", "a JSON list"),
        ("weights", "[1]", "a JSON object"),
    ],
)
def test_a_value_of_the_wrong_kind_is_refused_with_what_is_wanted(
    name: str, text: str, wanted: str
) -> None:
    with pytest.raises(InvalidInput, match=f"{name}.*must be {wanted}"):
        bind(notebook(), {name: text})


def test_an_unknown_parameter_lists_those_the_notebook_has() -> None:
    with pytest.raises(InvalidInput) as caught:
        bind(notebook(), {"prise": "1"})
    assert "Did you mean 'price'?" in str(caught.value)
    assert "It has: price, count, name, wanted, limit, keys, weights, half" in str(caught.value)
    assert caught.value.choices[0] == "price"


def test_a_notebook_without_parameters_says_so() -> None:
    with pytest.raises(InvalidInput, match="no parameters cell"):
        bind(new_notebook(cells=[new_code_cell("x = 1", id="a")]), {"x": "2"})


def test_values_of_python_are_kept_and_must_be_plain() -> None:
    assert bind(notebook(), {"limit": {"a": [1, None]}})["limit"] == {"a": [1, None]}
    with pytest.raises(InvalidInput, match="'limit' must be a text"):
        bind(notebook(), {"limit": object()})


def test_injects_one_cell_right_after_the_defaults_and_replaces_an_earlier_one() -> None:
    node = notebook()
    inject(node, {"price": 7})
    inject(node, {"price": 8, "name": "it's"})
    assert [cell.id for cell in node.cells] == ["first", "p", "injected-parameters", "last"]
    scope: dict[str, Any] = {}
    exec(node.cells[2].source, scope)
    assert (scope["price"], scope["name"]) == (8, "it's")


def test_a_parameters_cell_that_is_no_python_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no plain Python: line 1"):
        parameters_of(notebook("price = = 3"))


@pytest.mark.parametrize("bad", ["price", "=3", "a b=3", "3x=1"])
def test_an_assignment_must_be_key_equals_value(bad: str) -> None:
    with pytest.raises(InvalidInput, match="key=value"):
        parse_assignments([bad])


@given(st.text(max_size=40), st.text(max_size=40))
@settings(max_examples=60, deadline=None)
def test_any_text_reaches_the_notebook_unchanged(first: str, second: str) -> None:
    given_texts = parse_assignments([f"name={first}", f"name={second}"])
    node = notebook()
    inject(node, {"name": bind(node, given_texts)["name"]})
    scope: dict[str, Any] = {}
    exec(node.cells[2].source, scope)
    assert scope["name"] == second
