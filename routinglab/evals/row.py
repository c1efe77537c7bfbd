"""One measured value read from an evals file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Edition:
    """One edition of one source: what may be compared with each other, and nothing else.

    ``namespace`` is the part of a key before the colon, ``source`` the heading as written,
    ``version`` and ``date`` what heading or prose state of it. ``order`` is its place in the file:
    headings of one namespace that state the same version and date are one edition and share it.
    """

    namespace: str
    source: str
    version: str = ""
    date: date | None = None
    order: int = 0

    def __str__(self) -> str:
        return self.source

    @property
    def stated(self) -> str:
        """Version and date in words: ``v4.3.2 2026-09-22``; empty where neither is known."""
        version = f"v{self.version}" if self.version else ""
        return " ".join(filter(None, (version, str(self.date or ""))))


@dataclass(frozen=True, slots=True)
class Row:
    """One measured value: a cell of a table, with the conditions it was measured under.

    ``benchmark`` is the canonical key (``aa:TB4``), ``label`` the name the file gives it, ``slug``
    the model as written, ``model`` its identity, ``tokens`` the identity with variant tokens and
    ``core`` how many of them are the name. ``value`` is in ``unit`` (times in seconds, counts as
    plain numbers), ``ci`` a half width in the same unit. ``line`` counts from 1;
    rows of one ``record`` stood in one line (or column) of a table: they were measured together.
    """

    edition: Edition
    benchmark: str
    label: str
    slug: str
    name: str
    model: str
    tokens: tuple[str, ...]
    core: int
    effort: str | None
    value: float
    unit: str
    ci: float | None
    setting: str | None
    reporter: str | None
    harness: str | None
    released: date | None
    as_of: date | None
    line: int
    record: int = 0

    @property
    def source(self) -> str:
        """The section heading, as written."""
        return self.edition.source


@dataclass(frozen=True, slots=True)
class Warned:
    """Something a file holds that could not be read, and the line it is on (0: the whole file)."""

    line: int
    message: str

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message
