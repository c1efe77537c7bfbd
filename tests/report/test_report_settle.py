"""What differs from run to run is taken out of outputs, and nothing else is touched."""

from __future__ import annotations

from typing import Any

from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

from routinglab.report.settle import settle


def outputs_of(*texts: str, kind: str = "text/html") -> list[str]:
    cell: Any = new_code_cell("at 0x7f0011223344", id="a")
    cell.outputs = [new_output("execute_result", {kind: text}, execution_count=3) for text in texts]
    node = new_notebook(cells=[new_markdown_cell("<x at 0x7f0011223344>", id="m"), cell])
    settle(node)
    assert node.cells[0].source == "<x at 0x7f0011223344>"
    assert node.cells[1].source == "at 0x7f0011223344"
    assert all(output.execution_count is None for output in node.cells[1].outputs)
    return [output.data[kind] for output in node.cells[1].outputs]


def test_random_ids_become_their_rank_of_first_appearance() -> None:
    first, second = outputs_of(
        '<style>#T_a1b2c_row0 {}</style><table id="T_a1b2c"><td id="T_a1b2c_row0">',
        '<table id="T_fffff"><table id="T_a1b2c">',
    )
    assert first == '<style>#T_00000_row0 {}</style><table id="T_00000"><td id="T_00000_row0">'
    assert second == '<table id="T_00001"><table id="T_00000">'


def test_memory_addresses_become_zero() -> None:
    assert outputs_of("<object object at 0x7f1234567890>", kind="text/plain") == [
        "<object object at 0x0>"
    ]


def test_numbers_and_words_that_only_look_like_ids_stay() -> None:
    text = "T_model 0x7f1234567890 a1b2c T_a1b2cd"
    assert outputs_of(text) == [text]
