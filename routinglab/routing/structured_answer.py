"""Reading a structured answer strictly: one call, valid JSON, no coercion, nothing dropped (SPEC 7.10)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from routinglab.providers.chat import ChatReply

TOOL = "structured_output"


def read_answer(
    reply: ChatReply, validate: Callable[[Any], str]
) -> tuple[Mapping[str, Any] | None, str]:
    """The one valid object in a reply, or None and what was wrong, as a sentence for the model."""
    if reply.finish == "length":
        return None, "it was cut off; be brief."
    calls = reply.tool_calls
    if not calls:
        return None, f"{TOOL} was not called."
    if len(calls) > 1:
        return None, f"there were {len(calls)} tool calls, not one."
    if calls[0].name != TOOL:
        return None, f"{calls[0].name[:60]!r} is not a tool here."
    try:
        value = json.loads(
            calls[0].arguments, object_pairs_hook=_no_twice, parse_constant=_no_constant
        )
    except RecursionError:
        return None, "the arguments are nested too deeply."
    except ValueError as error:
        return None, f"the arguments are not valid JSON ({str(error)[:120]})."
    if problem := validate(value):
        return None, problem
    return value, ""


def _no_twice(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key is there twice")
    return found


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is no JSON value")


def validator(schema: Mapping[str, Any]) -> Callable[[Any], str]:
    """A function that says what is wrong with a value, or an empty text."""
    from jsonschema_rs import Draft202012Validator

    checker = Draft202012Validator(dict(schema))

    def problem(value: Any) -> str:
        errors = sorted(checker.iter_errors(value), key=lambda e: list(map(str, e.instance_path)))
        told = [
            f"{'.'.join(str(p) for p in error.instance_path) or 'the answer'}: "
            f"{error.message[:200]}."
            for error in errors[:5]
        ]
        return " ".join(told)

    return problem
