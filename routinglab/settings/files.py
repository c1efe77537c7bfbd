"""One settings file: JSON to checked data. Errors name the file, the key's path and what is known."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any, NoReturn, get_args, get_origin

from pydantic import BaseModel, ValidationError

from routinglab.core.text import did_you_mean
from routinglab.core.value import invalid_input, known_fields, plain_words
from routinglab.errors import SettingsError
from routinglab.settings.model import Settings

MAX_BYTES = 1_048_576

#: Values below these keys may be secrets and are never repeated in a message.
_SECRET = ("providers",)


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys were written twice."""

    twice: tuple[str, ...] = ()


def read_settings_file(path: Path) -> dict[str, Any]:
    """The data of a settings file, checked against :class:`Settings`; ``{}`` without a file.

    Keys must be spelled as documented (camelCase), each once. Null stays null: it unsets a key.
    """
    text = _text(path)
    if text is None:
        return {}
    data = _parse(text, path)
    if not isinstance(data, dict):
        raise SettingsError(
            f"holds {_json_type(data)}; settings are a JSON object such as {{}}", where=str(path)
        )
    _check_keys(data, Settings, (), str(path))
    validated(data, str(path))
    return data


def validated(data: dict[str, Any], where: str) -> Settings:
    """``data`` as settings; a bad value is an error naming ``where`` and the key's path."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise SettingsError(
            "holds half of a character (a lone surrogate such as \\ud800)", where=where
        ) from None
    try:
        found: Settings = Settings.__pydantic_validator__.validate_python(without_nulls(data))
    except ValidationError as error:
        raise _bad_value(error, where) from None
    return found


def without_nulls(data: dict[str, Any]) -> dict[str, Any]:
    """``data`` without the keys that are null, at any depth of objects."""
    return {
        key: without_nulls(value) if isinstance(value, dict) else value
        for key, value in data.items()
        if value is not None
    }


def _text(path: Path) -> str | None:
    where = str(path)
    try:
        if path.is_dir():
            raise SettingsError("is a folder; it must be a JSON file", where=where)
        if not path.exists():
            if path.is_symlink():
                raise SettingsError("is a link to a file that does not exist", where=where)
            return None
        if not path.is_file():
            raise SettingsError("is not a plain file", where=where)
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise SettingsError(f"cannot be read ({error.strerror})", where=where) from None
    if len(raw) > MAX_BYTES:
        raise SettingsError(f"is larger than {MAX_BYTES:,} bytes", where=where)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SettingsError(
            f"is not UTF-8 text (byte {error.start}); save it as UTF-8", where=where
        ) from None


def _parse(text: str, path: Path) -> object:
    where = str(path)
    if not text.strip():
        raise SettingsError("is empty; write {} where there is nothing to set", where=where)

    def constant(name: str) -> NoReturn:
        raise SettingsError(f"holds {name}, which is no JSON value", where=where)

    def pairs(items: list[tuple[str, Any]]) -> _Object:
        found = _Object(items)
        if len(found) < len(items):
            counts = Counter(key for key, _ in items)
            found.twice = tuple(key for key, count in counts.items() if count > 1)
        return found

    try:
        return json.loads(text, object_pairs_hook=pairs, parse_constant=constant)
    except json.JSONDecodeError as error:
        # the decoder's own sentence never quotes the text, which may hold a secret
        raise SettingsError(
            f"line {error.lineno}, column {error.colno}: {error.msg}", where=where
        ) from None
    except RecursionError:
        raise SettingsError("is nested too deeply", where=where) from None
    except ValueError as error:
        if isinstance(error, SettingsError):
            raise
        raise SettingsError("holds a number that is too long", where=where) from None


def _check_keys(
    data: dict[str, Any], cls: type[BaseModel], path: tuple[str, ...], where: str
) -> None:
    known = known_fields(cls)
    _check_twice(data, path, where)
    fields = {info.alias or name: info for name, info in cls.model_fields.items()}
    for key, value in data.items():
        if key not in fields:
            raise _unknown_key(path, key, known, where)
        if not isinstance(value, dict):
            continue
        inner, by_name = _inside(fields[key].annotation)
        if by_name:
            _check_twice(value, (*path, key), where)
            for name, item in value.items():
                if isinstance(item, dict) and inner:
                    _check_keys(item, inner, (*path, key, name), where)
                elif isinstance(item, dict):
                    _check_twice(item, (*path, key, name), where)
        elif inner:
            _check_keys(value, inner, (*path, key), where)


def _unknown_key(path: tuple[str, ...], key: str, known: list[str], where: str) -> SettingsError:
    full = ".".join((*path, key))
    return SettingsError(
        f"unknown key {full!r}.{did_you_mean(key, known)} Known here: {', '.join(known)}",
        where=where,
        field=full,
        choices=known,
    )


def _check_twice(data: dict[str, Any], path: tuple[str, ...], where: str) -> None:
    for key in getattr(data, "twice", ()):
        full = ".".join((*path, key))
        raise SettingsError(f"{full}: is written twice; keep one", where=where, field=full)


def _inside(annotation: Any) -> tuple[type[BaseModel] | None, bool]:
    """The value class inside a field's type, and whether it is an object of them by name."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation, False
    if get_origin(annotation) is dict:
        return _inside(get_args(annotation)[1])[0], True
    for part in get_args(annotation):
        found = _inside(part)
        if found[0] is not None or found[1]:
            return found
    return None, False


def _bad_value(error: ValidationError, where: str) -> SettingsError:
    first = error.errors(include_url=False)[0]
    # pydantic adds the branch of a union ("literal[...]") or "[key]" to the path
    path = ".".join(str(part) for part in first["loc"] if "[" not in str(part))
    choices: tuple[object, ...] = ()
    if first["loc"][0] in _SECRET:
        message = f"{path}: {plain_words(first['msg'])}"
    else:
        found = invalid_input(error, Settings)
        choices = found.choices
        message = str(found).removeprefix(f"{found.where}: ").replace(str(found.field), path)
        given = first.get("input")
        if choices and isinstance(given, str):
            message += f".{did_you_mean(given, map(str, choices))}".rstrip(".")
    return SettingsError(message, where=where, field=path, choices=choices)


def _json_type(data: object) -> str:
    if data is None:
        return "null"
    names = {list: "a list", str: "a text", bool: "true or false", int: "a number"}
    return names.get(type(data), "a number")
