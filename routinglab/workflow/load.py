"""Reads a workflow's definition from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from routinglab.errors import InvalidInput
from routinglab.workflow.definition import Workflow

MAX_BYTES = 4 * 1024 * 1024


def load_workflow(path: Path | str) -> Workflow:
    """Read a JSON file that holds ``name``, ``version`` and ``stages``.

    Raises InvalidInput, naming the file and the key, for anything it cannot use.
    """
    file = Path(path).expanduser()
    try:
        if file.stat().st_size > MAX_BYTES:
            raise InvalidInput(f"is larger than {MAX_BYTES:,} bytes", where=str(file))
        data = json.loads(file.read_text(encoding="utf-8-sig"), object_pairs_hook=_once)
    except OSError as error:
        raise InvalidInput(f"cannot be read: {error.strerror or error}", where=str(file)) from None
    except InvalidInput as error:
        raise _named(error, file) from None
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"is not JSON: {error}", where=str(file)) from None
    if not isinstance(data, dict):
        raise InvalidInput("holds no JSON object with name, version and stages", where=str(file))
    try:
        return Workflow.model_validate(data)
    except InvalidInput as error:
        raise _named(error, file) from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InvalidInput(f"key {key!r} is there twice in one object")
        found[key] = value
    return found


def _named(error: InvalidInput, file: Path) -> InvalidInput:
    if error.where == str(file):
        return error
    return InvalidInput(str(error), where=str(file), field=error.field, choices=error.choices)
