"""The base of validated values: frozen, strict about unknown keys, camelCase outside."""

from __future__ import annotations

import json
import re
from typing import Any, Self

from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from routinglab.core.text import did_you_mean, shown
from routinglab.errors import InvalidInput


class Value(BaseModel):
    """A frozen value that takes camelCase or snake_case keys and writes camelCase.

    A wrong key or value raises :class:`~routinglab.errors.InvalidInput`, which names the field,
    what was wrong and the choices, whichever way the value was built.
    """

    model_config = ConfigDict(
        frozen=True,
        extra="forbid",
        alias_generator=to_camel,
        populate_by_name=True,
        allow_inf_nan=False,
        protected_namespaces=(),
        ser_json_inf_nan="null",
    )

    def __init__(self, /, **data: Any) -> None:
        try:
            super().__init__(**data)
        except ValidationError as error:
            raise invalid_input(error, type(self)) from None

    # pydantic-core otherwise calls a custom __init__ for every nested value, at several times the cost
    __init__.__pydantic_base_init__ = True  # type: ignore[attr-defined]

    @classmethod
    def model_validate(cls, obj: Any, **kwargs: Any) -> Self:
        try:
            return super().model_validate(obj, **kwargs)
        except ValidationError as error:
            raise invalid_input(error, cls) from None

    @classmethod
    def model_validate_json(cls, json_data: str | bytes | bytearray, **kwargs: Any) -> Self:
        try:
            return super().model_validate_json(json_data, **kwargs)
        except ValidationError as error:
            raise invalid_input(error, cls) from None

    def to_dict(self) -> dict[str, Any]:
        """The value as JSON-ready data with camelCase keys."""
        return self.model_dump(mode="json", by_alias=True)

    def to_json(self) -> str:
        """Compact JSON with sorted keys: the same value always gives the same text."""
        return json.dumps(self.to_dict(), sort_keys=True, ensure_ascii=False, separators=(",", ":"))


def known_fields(cls: type[BaseModel]) -> list[str]:
    """The keys a value takes, as they are written outside."""
    return [info.alias or name for name, info in cls.model_fields.items()]


def blank_is_none(value: object) -> object:
    """A text without anything in it as None; for a field's ``BeforeValidator``."""
    return None if isinstance(value, str) and not value.strip() else value


def comma_list(value: object) -> object:
    """A comma string as its parts, blank ones left out; for a field's ``BeforeValidator``."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def invalid_input(
    error: ValidationError, cls: type[BaseModel], *, where: str | None = None
) -> InvalidInput:
    """Turn pydantic's report into one line for the first thing that was wrong."""
    first = error.errors(include_url=False, include_context=True)[0]
    path = ".".join(str(part) for part in first["loc"])
    at = f"{path}: " if path else ""
    name = where or cls.__name__
    kind, context = first["type"], first.get("ctx") or {}
    choices: tuple[str, ...] = ()
    if kind == "extra_forbidden":
        leaf = str(first["loc"][-1])
        choices = tuple(known_fields(_owner(cls, first["loc"][:-1])))
        hint = did_you_mean(leaf, choices)
        message = f"unknown key {shown(path)}.{hint} Known: {', '.join(choices)}"
    elif kind == "value_error" and isinstance(context.get("error"), InvalidInput):
        inner = context["error"]
        return InvalidInput(f"{at}{inner}", where=name, field=path or None, choices=inner.choices)
    elif kind in ("literal_error", "enum"):
        expected = str(context.get("expected", ""))
        choices = tuple(re.findall(r"'([^']*)'", expected))
        message = f"{at}{shown(first.get('input'))} is not one of {expected}"
    elif kind == "missing":
        message = f"{at}is required"
    else:
        message = f"{at}{plain_words(first['msg'])} (got {shown(first.get('input'))})"
    return InvalidInput(message, where=name, field=path or None, choices=choices)


def plain_words(message: str) -> str:
    """pydantic's sentence with JSON's names for types."""
    said = message.removeprefix("Value error, ").replace("a valid dictionary", "an object")
    return said.replace("a valid tuple", "a list")


def _owner(cls: type[BaseModel], path: tuple[int | str, ...]) -> type[BaseModel]:
    """The model class that the value at ``path`` below ``cls`` belongs to, as far as it is plain."""
    owner = cls
    for part in path:
        for name, info in owner.model_fields.items():
            if part in (name, info.alias):
                kind = info.annotation
                candidates = [kind, *getattr(kind, "__args__", ())]
                found = [k for k in candidates if isinstance(k, type) and issubclass(k, BaseModel)]
                if found:
                    owner = found[0]
    return owner
