"""What a cell says as a number: ``74% ±3``, ``$6.52``, ``143k``, ``24.0 min`` (SPEC 3.2)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from typing import Final, Literal

from routinglab.evals.words import MISSING


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit as the cell states it (None: it states none).

    Times are seconds, ``k`` and ``M`` are multiplied out, ``ci`` is a half width in the value's
    unit, ``scaled`` tells that the cell's own ``k``, ``M`` or time unit was applied, ``delta`` tells a difference from something else, ``note`` is what stood in brackets.
    """

    value: float
    unit: str | None = None
    ci: float | None = None
    delta: bool = False
    note: str | None = None
    scaled: bool = False


class _Nothing(Enum):
    MISSING = "missing"


#: What :func:`read_cell` gives for a cell that says there is no value.
MISSING_CELL: Final[Literal[_Nothing.MISSING]] = _Nothing.MISSING

_FULL_WIDTH = str.maketrans("％＋－．，＄：（）［］／‐‑", "%+-.,$:()[]/--")
_DASHES = re.compile(r"[\s\-–—−‐‑‒―⁃]*")
_BEHIND = re.compile(r"\s*[(\[][^()\[\]]*[)\]]\s*$")
_FOOTNOTE = re.compile(r"(?<=[\w%)])\s*\^?\[(?:\d{1,2}|[a-z*†‡])\]$")
_SUPERSCRIPTS = re.compile(r"[\u00b9\u00b2\u00b3\u2070-\u2079†‡§¶]+|(?<=[\w%)])\*+$")
_SIGNS = r"\s*↑↓▲▼\u2600-\u27bf\ufe0f\u2b50\U0001f300-\U0001faff"
_AROUND = re.compile(rf"^[~≈{_SIGNS}]+|[{_SIGNS}]+$")
_NUM = r"\d{1,3}(?:[,'’_ ]\d{3})+(?:\.\d+)?(?!\d)|\d+(?:[.,]\d+)?|\.\d+"
_START = re.compile(
    rf"(?P<sign>[+\-−–])?\s*(?P<money>US\$|USD\s?|\$|€|£)?\s*(?P<inner>[+\-−–])?(?P<num>{_NUM})(?P<exp>[eE][+-]?\d{{1,3}}(?![\w.]))?"
)
_UNIT = re.compile(
    r"\s*(?P<mag>thousand|million|k|(?-i:M)|(?-i:B)|bn)?(?:\s*-?\s*(?P<unit>%|\$|¢|percent|pct|pp|pts?|points?|elo|usd|dollars?|cents?|"
    r"tok(?:ens?)?\s*/\s*s(?:ec(?:onds?)?)?|t/s|tok(?:ens?)?|steps?|turns?|ms|msecs?|milliseconds?|"
    r"s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|×|x)(?![A-Za-z]))?(?![A-Za-z0-9])",
    re.I,
)
_PER = re.compile(
    r"\s*(?:/|per)\s*(?:index\s+)?(?:task|run|problem|question|instance|sample)s?\b", re.I
)
_CI = re.compile(
    rf"\s*\(?\s*(?:±|\+\s*/\s*[-−–]|\+-)\s*(?:US\$|\$)?\s*(?P<num>{_NUM})\s*(?P<mag>k|(?-i:M))?\s*(?P<unit>%|pp|pts?|s|min|h)?\s*\)?",
    re.I,
)
_ASYMMETRIC = re.compile(
    rf"\s*\(?\s*(?:\+\s*(?P<up>{_NUM})\s*%?\s*[/,]?\s*[-−–]\s*(?P<down>{_NUM})|"
    rf"[-−–]\s*(?P<below>{_NUM})\s*%?\s*[/,]\s*\+\s*(?P<above>{_NUM}))\s*%?\s*\)?"
)
_INTERVAL = re.compile(
    rf"\s*[\[(]\s*(?:(?:95\s*%\s*)?(?:CI)?\s*:?\s*)?(?:US\$|\$)?(?P<low>[-−]?(?:{_NUM}))\s*%?\s*(?:,|;|–|—|-|\bto\b|\.\.)\s*(?:US\$|\$)?(?P<high>[-−]?(?:{_NUM}))\s*%?\s*[\])]",
    re.I,
)
_FRACTION = re.compile(r"(\d{1,6})\s*(?:/|of)\s*(\d{1,6})(?:\s*\(\s*(\d+(?:\.\d+)?)\s*%\s*\))?")
_NOTE = re.compile(r"\s*[(\[{@]\s*([^()\[\]{}]*?)\s*[)\]}]?\s*$")
_LONG_TIME = re.compile(
    r"(?:(\d+(?:\.\d+)?)\s*h(?:rs?|ours?)?)?\s*(?:(\d+(?:\.\d+)?)\s*m(?:in(?:utes?)?)?)?\s*(?:(\d+(?:\.\d+)?)\s*s(?:ec(?:onds?)?)?)?",
    re.I,
)
_CLOCK = re.compile(r"(?:(\d{1,3}):)?([0-5]?\d):([0-5]\d)")

_MAGNITUDE = {"k": 1e3, "thousand": 1e3, "m": 1e6, "million": 1e6, "b": 1e9, "bn": 1e9}
_MONEY = {"€": "eur", "£": "gbp"}
_SECONDS = {"m": 60.0, "h": 3600.0, "s": 1.0}


@lru_cache(maxsize=65536)
def is_missing(text: str) -> bool:
    """Whether a cell says that there is no value: blank, dashes, ``∅``, ``n/a`` and the like."""
    lowered = text.strip().lower()
    if lowered in MISSING or _DASHES.fullmatch(lowered) is not None:
        return True
    if len(lowered) > 100:
        return False
    bare = _SUPERSCRIPTS.sub("", _BEHIND.sub("", lowered)).strip(" *")
    return bare != "" and (bare in MISSING or _DASHES.fullmatch(bare) is not None)


@lru_cache(maxsize=65536)
def read_cell(text: str) -> Figure | Literal[_Nothing.MISSING] | None:
    """The figure in a cell, ``MISSING_CELL`` where it says there is none, None if unreadable."""
    return MISSING_CELL if is_missing(text) else read_figure(text)


@lru_cache(maxsize=65536)
def read_figure(text: str) -> Figure | None:
    """The figure in a cell, or None when it holds something else. Missing marks are not figures."""
    text = _FOOTNOTE.sub("", text.translate(_FULL_WIDTH))
    cleaned = _AROUND.sub("", _SUPERSCRIPTS.sub("", text)).strip()
    if not cleaned or len(cleaned) > 200:
        return None
    special = _fraction(cleaned) or _long_time(cleaned)
    if special:
        return special
    start = _START.match(cleaned)
    if not start:
        return None
    value = number(start["num"], start["exp"])
    if value is None:
        return None
    sign, inner = start["sign"], start["inner"]
    if sign and inner:
        return None
    negative = (sign or inner or "") in "-−–" and bool(sign or inner)
    at = start.end()
    unit: str | None = "usd" if start["money"] else None
    if start["money"]:
        unit = _MONEY.get(start["money"].strip(), "usd")
    found = _UNIT.match(cleaned, at)
    scale = 1.0
    if found:
        scale, named = _scale_and_unit(found["mag"], found["unit"])
        unit = unit or named
        at = found.end()
        per = _PER.match(cleaned, at)
        at = per.end() if per else at
    value = (-value if negative else value) * scale + 0.0
    figure = _rest(cleaned[at:], value, unit, scale, bool(start["money"] and (sign or inner)))
    return replace(figure, scaled=True) if figure and scale != 1.0 else figure


def half_width(text: str) -> float | None:
    """The half width of an interval in a cell of its own: ``3``, ``±3%``, ``+3/-2``, ``71–77``."""
    around, alone = read_figure(f"0 {text}"), read_figure(text)
    if around is not None and around.ci is not None:
        return around.ci
    if alone is not None:
        return alone.value if alone.value >= 0 else None
    bounds = read_figure(f"0 [{text}]")
    return bounds.ci if bounds else None


def number(digits: str, exponent: str | None = None) -> float | None:
    """A number as people write it: ``1,200``, ``1 200``, ``74,5``, ``.5``; None if not finite."""
    text = digits
    if re.fullmatch(r"\d{1,3}(?:[,'’_ ]\d{3})+(?:\.\d+)?", text):
        text = re.sub(r"[,'’_ ]", "", text)
    text = text.replace(",", ".")
    try:
        value = float(text + (exponent or ""))
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def _scale_and_unit(magnitude: str | None, unit: str | None) -> tuple[float, str | None]:
    """Factor to the base unit, and the unit's name."""
    factor = 1.0
    if magnitude:
        factor = _MAGNITUDE[magnitude.lower()]
    if not unit:
        return factor, None
    word = re.sub(r"\s+", "", unit.lower())
    if word in ("%", "percent", "pct"):
        return factor, "%"
    if word in ("pp", "pt", "pts", "point", "points", "elo"):
        return factor, "points"
    if word == "$" or word.startswith(("usd", "dollar")):
        return factor, "usd"
    if word == "¢" or word.startswith("cent"):
        return factor / 100, "usd"
    if word == "t/s" or (word.startswith("tok") and "/" in word):
        return factor, "tokens/s"
    if word.startswith("tok"):
        return factor, "tokens"
    if word.startswith(("step", "turn")):
        return factor, "steps"
    if word in ("×", "x"):
        return factor, "×"
    if word.startswith(("ms", "milli")):
        return factor / 1000, "seconds"
    return factor * _SECONDS[word[0]], "seconds"


def _rest(rest: str, value: float, unit: str | None, scale: float, delta: bool) -> Figure | None:
    """What follows the number: an interval, a note in brackets, or something unreadable."""
    ci = None
    interval = _INTERVAL.match(rest)
    around = _CI.match(rest)
    uneven = _ASYMMETRIC.match(rest)
    if around:
        half = number(around["num"])
        if half is None:
            return None
        own = (
            _scale_and_unit(around["mag"], around["unit"])[0]
            if around["mag"] or around["unit"]
            else 0
        )
        ci = half * (own or scale)
        if around["unit"] == "%" and unit is None:
            unit = "%"
        rest = rest[around.end() :]
    elif interval:
        low, high = (
            number(interval[part].replace("−", "-").lstrip("-")) for part in ("low", "high")
        )
        if low is None or high is None:
            return None
        low = -low if interval["low"][0] in "-−" else low
        high = -high if interval["high"][0] in "-−" else high
        if high < low:
            return None
        ci = (high - low) / 2 * scale
        rest = rest[interval.end() :]
    elif uneven:
        up = number(uneven["up"] or uneven["above"])
        down = number(uneven["down"] or uneven["below"])
        if up is None or down is None:
            return None
        ci = (up + down) / 2 * scale
        rest = rest[uneven.end() :]
    if not rest.strip(" *†‡%"):
        if "%" in rest and unit is None:
            unit = "%"
        return Figure(value, unit, ci, delta)
    note = _NOTE.fullmatch(rest.strip(" *†‡"))
    if not note or not note.group(1):
        return None
    times = re.search(r"\d\s*[×x]$", note.group(1))
    return Figure(value, unit, ci, delta or bool(times and unit == "usd"), note.group(1))


def _fraction(text: str) -> Figure | None:
    found = _FRACTION.fullmatch(text)
    if not found:
        return None
    part, whole = int(found.group(1)), int(found.group(2))
    if found.group(3):
        return Figure(float(found.group(3)), "%", note=f"{part}/{whole}")
    if not whole or part > whole:
        return None
    return Figure(100 * part / whole, "%", note=f"{part}/{whole}")


def _long_time(text: str) -> Figure | None:
    clock = _CLOCK.fullmatch(text)
    if clock:
        hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        return Figure(float(hours * 3600 + minutes * 60 + seconds), "seconds")
    found = _LONG_TIME.fullmatch(text)
    if not found or sum(part is not None for part in found.groups()) < 2:
        return None
    hours_, minutes_, seconds_ = (float(part or 0) for part in found.groups())
    return Figure(hours_ * 3600 + minutes_ * 60 + seconds_, "seconds")
