"""Dates and versions as headings, prose and cells state them."""

from __future__ import annotations

import re
from datetime import date

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = r"(?P<month>jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_FORMS = tuple(
    re.compile(form, re.I)
    for form in (
        r"(?<![\d-])(?P<year>20\d\d)[-/.](?P<m>0?[1-9]|1[0-2])[-/.](?P<day>3[01]|[12]\d|0?[1-9])(?!\d)",
        rf"(?<!\d)(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?[ -]{_MONTH},?[ -](?P<year>20\d\d)(?!\d)",
        rf"\b{_MONTH}\s+(?P<day>3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?,?\s+(?P<year>20\d\d)(?!\d)",
        r"(?<![\d.])(?P<year>20\d\d)(?P<m>0[1-9]|1[0-2])(?P<day>3[01]|[12]\d|0[1-9])(?![\d.])",
        rf"\b{_MONTH},?[ -](?P<year>20\d\d)(?!\d)",
        r"(?<![\d-])(?P<year>20\d\d)[-/](?P<m>0[1-9]|1[0-2])(?![\d-])",
    )
)
_HYPHENS = str.maketrans("\u2010\u2011\u2012", "---")
_STATED = re.compile(
    r"\b(?:as of|snapshot|updated|accessed|retrieved|read|published|dated|payload|measured|captured|fetched|export(?:ed)?)\b",
    re.I,
)
_V_VERSION = re.compile(r"\bv(?:ersion)?\.?\s?(\d+(?:\.\d+)*)\b", re.I)
_DOTTED = re.compile(r"(?<![\w.])(\d+(?:\.\d+)+)(?![\w.]*\d)")


def find_date(text: str) -> date | None:
    """The first date in ``text``; a month alone is its first day."""
    text = text.translate(_HYPHENS)
    best: tuple[int, date] | None = None
    for form in _FORMS:
        for found in form.finditer(text):
            if best and found.start() >= best[0]:
                break
            day = _as_date(found)
            if day:
                best = (found.start(), day)
                break
    return best[1] if best else None


def stated_date(text: str) -> date | None:
    """The date prose gives for its figures: the one after ``as of``, ``snapshot`` and the like, else
    the only one."""
    for word in _STATED.finditer(text):
        day = find_date(text[word.end() : word.end() + 60])
        if day:
            return day
    first = find_date(text)
    if first is None:
        return None
    days = {day for form in _FORMS[:4] for found in form.finditer(text) if (day := _as_date(found))}
    return first if len(days) <= 1 else None


def _as_date(found: re.Match[str]) -> date | None:
    parts = found.groupdict()
    month = parts.get("m") or str(_MONTHS.index(parts["month"][:3].lower()) + 1)
    try:
        return date(int(parts["year"]), int(month), int(parts.get("day") or 1))
    except ValueError:
        return None


def heading_version(text: str) -> str:
    """The version a heading names: ``4.3.2`` of ``Intelligence Index v4.3.2 (2026-09-22)``."""
    for form in _FORMS:
        text = form.sub(" ", text)
    found = _V_VERSION.search(text) or _DOTTED.search(text)
    return found.group(1) if found else ""


def version_key(version: str) -> tuple[int, ...]:
    """A version in the order versions have."""
    return tuple(int(part[:9]) for part in version.split(".") if part.isdecimal())
