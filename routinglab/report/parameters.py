"""Parameters of a notebook, by papermill's convention: one cell tagged ``parameters``.

The cell holds plain assignments, which are the defaults. Values that were given go into a new cell
right after it.
"""

from __future__ import annotations

import ast
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from routinglab.core.text import did_you_mean
from routinglab.errors import InvalidInput

if TYPE_CHECKING:
    from nbformat import NotebookNode

TAG = "parameters"
INJECTED = "injected-parameters"
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One assignment of the parameters cell; ``help`` is the comment on its line.

    ``default`` is None as well where it is no literal; ``source`` is what the cell says.
    """

    name: str
    source: str
    default: Any
    help: str = ""


def parameters_of(node: NotebookNode) -> list[Parameter]:
    """The parameters a notebook declares, in order; empty where no cell carries the tag."""
    position = _position(node)
    if position is None:
        return []
    source = node.cells[position].source
    try:
        tree = ast.parse(source)
    except SyntaxError as error:
        raise InvalidInput(
            f"the parameters cell is no plain Python: line {error.lineno}: {error.msg}",
            where="report",
        ) from error
    lines = source.splitlines()
    found = {}
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                pass
            case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value):
                pass
            case _:
                continue
        found[name] = Parameter(
            name, ast.unparse(value), _literal(value), _comment(lines[statement.end_lineno - 1])
        )
    return list(found.values())


def parse_assignments(pairs: Iterable[str]) -> dict[str, str]:
    """Split ``key=value`` texts as given on a command line; the last of a key wins."""
    given = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals or not key.strip().isidentifier():
            raise InvalidInput(f"{pair!r} is not of the form key=value", where="-p")
        given[key.strip()] = value
    return given


def bind(node: NotebookNode, given: Mapping[str, Any]) -> dict[str, Any]:
    """Check ``given`` against the notebook and return the value of every parameter by name.

    A text is read as its default's type says: a text stays a text, a number must be one, ``true``
    and ``false`` are booleans, ``none`` empties any parameter that is not a text, and lists and
    objects are JSON. Raises InvalidInput for an unknown name, listing those the notebook has.
    """
    known = {parameter.name: parameter for parameter in parameters_of(node)}
    for name in given:
        if name not in known:
            has = f"It has: {', '.join(known)}" if known else "It has no parameters cell"
            raise InvalidInput(
                f"the notebook has no parameter {name!r}.{did_you_mean(name, known)} {has}",
                where="report",
                field=name,
                choices=tuple(known),
            )
    return {
        name: _value(parameter, given[name]) if name in given else parameter.default
        for name, parameter in known.items()
    }


def inject(node: NotebookNode, values: Mapping[str, Any]) -> None:
    """Put a cell that assigns ``values`` after the parameters cell, replacing an earlier one."""
    from nbformat.v4 import new_code_cell

    node.cells = [c for c in node.cells if INJECTED not in c.metadata.get("tags", [])]
    position = _position(node)
    if position is None or not values:
        return
    source = "\n".join(["# Parameters", *(f"{k} = {v!r}" for k, v in values.items())])
    cell = new_code_cell(source, id=INJECTED, metadata={"tags": [INJECTED]})
    node.cells.insert(position + 1, cell)


def _position(node: NotebookNode) -> int | None:
    for position, cell in enumerate(node.cells):
        if cell.cell_type == "code" and TAG in cell.metadata.get("tags", []):
            return position
    return None


def _literal(value: ast.expr) -> Any:
    try:
        return ast.literal_eval(value)
    except ValueError:
        return None


def _comment(line: str) -> str:
    # papermill's form of a help text: `price = 15.0  # USD per million output tokens`
    return line.rpartition("#")[2].strip() if "#" in line else ""


def _value(parameter: Parameter, given: Any) -> Any:
    if not isinstance(given, str):
        return _plain(parameter.name, given)
    default, text = parameter.default, given.strip()
    if isinstance(default, str):
        return given
    if text.lower() in ("none", "null"):
        return None
    if isinstance(default, bool):
        if text.lower() not in ("true", "false"):
            raise _unfit(parameter, given, "true or false")
        return text.lower() == "true"
    parsed = _json(text)
    if isinstance(default, (int, float)):
        if isinstance(parsed, bool) or not isinstance(parsed, (int, float)):
            raise _unfit(parameter, given, "a number")
        return parsed
    if isinstance(default, (list, tuple, dict)):
        wanted = dict if isinstance(default, dict) else list
        if not isinstance(parsed, wanted):
            raise _unfit(parameter, given, f"a JSON {'object' if wanted is dict else 'list'}")
        return parsed
    return given if parsed is _ABSENT else parsed


def _json(text: str) -> Any:
    try:
        return json.loads(text, parse_constant=lambda _: _ABSENT)
    except ValueError:
        return _ABSENT


def _plain(name: str, value: Any) -> Any:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"parameter {name!r} must be a text, number, boolean, None, list or dict",
            where="report",
            field=name,
        ) from None
    return value


def _unfit(parameter: Parameter, given: str, wanted: str) -> InvalidInput:
    return InvalidInput(
        f"parameter {parameter.name!r} must be {wanted} (got {given!r}; "
        f"its default is {parameter.source})",
        where="report",
        field=parameter.name,
    )
