"""What the importers share: JSON in, and facts read without a guess (SPEC 2.3).

Every reader of a fact takes a ``note`` to call with what it could not use; the fact is then unknown.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from datetime import date
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from routinglab.catalog.model import Billing, Catalog, Model
from routinglab.core.efforts import EFFORT_RANK, EFFORTS, Effort
from routinglab.errors import CatalogError, InvalidInput

MAX_BYTES = 64_000_000
MAX_PRICE = 1_000
MAX_TOKENS = 1_000_000_000

Note = Callable[[str], None]
Data = Mapping[str, Any] | str | Path

_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
_MONTH = re.compile(r"\d{4}(-\d{2})?")
_FREE = re.compile(r"[:-]free$")

#: Kinds of model that answer no chat, by what their id or family says.
_NOT_CHAT = (
    ("an embedding model", re.compile(r"embed|nemoretriever|\bbge\b")),
    ("a reranker", re.compile(r"rerank")),
    ("a moderation model", re.compile(r"moderation|guard(?!ian)")),
    ("a speech model", re.compile(
        r"whisper|\btts\b|melotts|transcri|\basr\b|realtime|livetranslate|lyria|voice|"
        r"\baudio\b|\blive\b"
    )),
)  # fmt: skip


def read_json(path: str | Path) -> Any:
    """The JSON value of a file; CatalogError names the file, and the line where it is malformed."""
    file = Path(path)
    try:
        with file.open("rb") as opened:
            raw = opened.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:  # ValueError: a path that holds what no path can
        reason = getattr(error, "strerror", None) or "no usable path"
        raise CatalogError(f"{_clean(str(file))!r}: cannot be read ({reason})") from None
    if len(raw) > MAX_BYTES:
        raise CatalogError(f"{file}: is larger than {MAX_BYTES:,} bytes")
    try:
        return json.loads(raw.decode("utf-8-sig"))
    except UnicodeDecodeError as error:
        raise CatalogError(f"{file}: is not UTF-8 text (byte {error.start})") from None
    except json.JSONDecodeError as error:
        raise CatalogError(
            f"{file}: line {error.lineno}, column {error.colno}: {error.msg}"
        ) from None
    except RecursionError:
        raise CatalogError(f"{file}: is nested too deeply") from None
    except ValueError:
        raise CatalogError(f"{file}: holds a number that is too long") from None


def root_object(data: Data, what: str) -> Mapping[str, Any]:
    """The object at the root of a list called ``what``, from a path or from data already read."""
    found: Any = read_json(data) if isinstance(data, str | Path) else data
    if not isinstance(found, Mapping):
        where = f"{data}: " if isinstance(data, str | Path) else ""
        raise CatalogError(f"{where}{what} is a JSON object, not {type(found).__name__}")
    return found


class Entries:
    """Collects models and, for everything left out or not usable, a sentence that says why."""

    def __init__(self) -> None:
        self._models: dict[str, Model] = {}
        self._warnings: list[str] = []
        self._months = 0

    def note(self, full_id: str) -> Note:
        """A note-taker for one entry."""
        return lambda text: self._warnings.append(f"{full_id}: {text}")

    def leave_out(self, full_id: str, reason: str) -> None:
        """Record that an entry gives no model."""
        self._warnings.append(f"{full_id}: left out: {reason}")

    def month_only(self) -> None:
        """Record a release date that names no day."""
        self._months += 1

    def add(self, entry_id: str, **facts: Any) -> None:
        """Add a model, the first of an id; ``entry_id`` names the entry in warnings."""
        try:
            model = Model(**facts)
        except InvalidInput as error:
            self.leave_out(entry_id, str(error))
            return
        if model.full_id in self._models:
            self.leave_out(entry_id, f"{model.full_id} is listed before")
        else:
            self._models[model.full_id] = model

    def __contains__(self, full_id: str) -> bool:
        return full_id in self._models

    def catalog(self) -> Catalog:
        """All that was collected."""
        warnings = list(self._warnings)
        if self._months:
            warnings.append(f"{self._months} release dates name no day and are kept as unknown")
        return Catalog(self._models.values(), warnings)


def price(value: object, note: Note, what: str, scale: int = 1) -> float | None:
    """USD per million tokens from a number that is ``scale`` times smaller; None is unknown.

    A negative price means unknown. One above 1,000 USD is not believed.
    """
    number = _number(value, note, what)
    if number is None:
        return None
    usd = number * scale
    if usd < 0:
        return None
    if usd > MAX_PRICE:
        note(f"{what} of {float(usd):,.6g} USD per million tokens is not believed; kept as unknown")
        return None
    return float(usd)


def _number(value: object, note: Note, what: str) -> Decimal | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        note(f"{what} is no number; kept as unknown")
        return None
    if isinstance(value, float) and not math.isfinite(value):
        note(f"{what} is not finite; kept as unknown")
        return None
    try:
        number = Decimal(str(value))
    except (InvalidOperation, ValueError):
        number = Decimal("NaN")
    if not number.is_finite() or abs(number) > Decimal("1e300"):
        note(f"{what} is out of range; kept as unknown")
        return None
    return number


def tokens(value: object, note: Note, what: str) -> int | None:
    """A count of tokens; 0 and less are unknown."""
    number = _number(value, note, what)
    if number is None or number <= 0:
        return None
    if number != number.to_integral_value() or number > MAX_TOKENS:
        note(f"{what} is not a usable number of tokens; kept as unknown")
        return None
    return int(number)


def text(value: object, note: Note, what: str, limit: int = 500) -> str:
    """A text, at most ``limit`` characters of it; empty when there is none."""
    if value is None:
        return ""
    if not isinstance(value, str):
        note(f"{what} is no text")
        return ""
    return _clean(value[:limit])


def texts(value: object, note: Note, what: str) -> tuple[str, ...]:
    """A list of texts in its order, each once; anything else in it is noted and passed over."""
    if value is None:
        return ()
    if not isinstance(value, list | tuple):
        note(f"{what} is no list")
        return ()
    if any(not isinstance(item, str) for item in value):
        note(f"{what} holds something that is no text")
    return tuple(dict.fromkeys(_clean(item) for item in value if isinstance(item, str) and item))


def _clean(value: str) -> str:
    """Text without lone surrogates, which no file and no page can hold."""
    return value.encode("utf-8", "replace").decode()


def part(value: Mapping[str, Any], key: str, note: Note) -> Mapping[str, Any]:
    """The object below ``key``, empty when there is none."""
    found = value.get(key)
    if found is None:
        return {}
    if not isinstance(found, Mapping):
        note(f"{key} is no object")
        return {}
    return found


def efforts(values: Iterable[object], note: Note) -> tuple[Effort, ...]:
    """Reasoning levels in their order; ``none`` is ``off``, null (also as a text) is no level."""
    found: set[Effort] = set()
    for value in values:
        if value is None or value == "null":
            continue
        name = "off" if value == "none" else value
        if isinstance(name, str) and name in EFFORT_RANK:
            found.add(EFFORTS[EFFORT_RANK[name]])
        else:
            note(f"effort {str(value)[:40]!r} is not known")
    return tuple(sorted(found, key=EFFORT_RANK.__getitem__))


def day(value: object, note: Note, what: str, month_only: Callable[[], None]) -> date | None:
    """A date written in full; a month or a year alone is unknown and counted."""
    if value is None or value == "":
        return None
    if isinstance(value, str) and _DAY.fullmatch(value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            pass
    elif isinstance(value, str) and _MONTH.fullmatch(value):
        month_only()
        return None
    note(f"{what} is no date; kept as unknown")
    return None


def not_chat(*names: str) -> str | None:
    """What a model is that, by its id or family, answers no chat; None for any other."""
    for what, pattern in _NOT_CHAT:
        if any(pattern.search(name.lower().replace("_", "-")) for name in names):
            return what
    return None


def billing(
    model_id: str, input_price: float | None, output_price: float | None, usual: Billing | None
) -> Billing | None:
    """How a route is paid for: as the provider always does, else as its price or id says.

    A price of zero alone is a real price but says nothing about who pays.
    """
    if usual is not None:
        return usual
    if input_price or output_price:
        return "metered"
    if _FREE.search(model_id) and not Counter([input_price, output_price])[None]:
        return "free"
    return None
