"""Whom the rows of a table are about, before identities are settled."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from routinglab.evals.columns import Columns
from routinglab.evals.dates import find_date
from routinglab.evals.names import effort_clause, effort_named
from routinglab.evals.row import Warned
from routinglab.evals.sections import Place, reporter_alone, reporter_written
from routinglab.evals.values import is_missing
from routinglab.evals.words import NOT_MODELS

_AGENT = re.compile(r"^(.*?\S)\s*(?:\s\+\s|\s/\s|\s·\s|\swith\s|\+)\s*(\S.*)$")
_DITTO = frozenset(('"', "〃", "″", "''", "ditto", "same", "^"))

#: Longer than any model's name with its settings.
LONGEST_NAME = 300

Cells = tuple[int, list[str]]


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a record is about, as its cells say it; ``joint``: its slug names an agent too."""

    slug: str
    name: str
    effort: str | None
    harness: str | None
    setting: str | None
    reporter: str | None
    released: date | None
    as_of: date | None
    joint: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """A row of a table whose subject is known: what was measured together."""

    line: int
    cells: list[str]
    subject: Subject


class SubjectReader:
    """Reads the subjects of one table whose columns are known."""

    def __init__(
        self,
        header: Sequence[str],
        line: int,
        columns: Columns,
        place: Place,
        warnings: list[Warned],
    ) -> None:
        self._header, self._line, self._columns = header, line, columns
        self._place, self._warnings = place, warnings
        self._above: tuple[str, str] = ("", "")
        self._reporter = place.reporter

    def read(self, rows: Sequence[Cells]) -> list[Record]:
        """The records of all rows that name a model, in order."""
        if self._columns.guessed:
            self._warn(
                self._line, f"the first column, {self._header[0]!r}, was taken for the model"
            )
        head = [text.casefold() for text in self._header]
        width = len(head)
        records: list[Record] = []
        for line, cells in rows:
            if cells[0].casefold() == head[0] and [c.casefold() for c in cells] == head:
                continue
            if len(cells) > width:
                self._beyond(line, cells[width:])
            if self._place.edition.namespace == "pub" and (name := reporter_of_group(cells)):
                self._reporter = name
                continue
            subject = self._subject(line, cells)
            if subject is not None:
                records.append(Record(line, cells, subject))
        return records

    def _warn(self, line: int, message: str) -> None:
        self._warnings.append(Warned(line, message))

    def _beyond(self, line: int, cells: Sequence[str]) -> None:
        extra = sum(not is_missing(text) for text in cells)
        if extra:
            told = "1 cell beyond" if extra == 1 else f"{extra} cells beyond"
            was = "was" if extra == 1 else "were"
            self._warn(line, f"{told} the header's {len(self._header)} {was} passed over")

    def _get(self, cells: list[str], role: str) -> str:
        at = self._columns.roles.get(role)
        text = cells[at] if at is not None and at < len(cells) else ""
        return "" if is_missing(text) else text

    def _subject(self, line: int, cells: list[str]) -> Subject | None:
        """Whom the row is about; None, with a warning where it matters, when it names no model."""
        at = self._columns.model
        name = cells[at] if at is not None and at < len(cells) else ""
        slug = self._get(cells, "slug")
        harness = self._get(cells, "harness")
        joint = self._get(cells, "agent_model")
        if joint:
            split = _AGENT.match(joint)
            slug, name = joint, split.group(2) if split else joint
            harness = harness or (split.group(1) if split else "")
        harness = harness or self._get(cells, "agent")
        stated = self._get(cells, "effort")
        named = self._named(line, cells, slug, name, bool(stated))
        if named is None:
            return None
        slug, name = named
        effort, noted = effort_clause(stated)
        settings = [f"effort {stated}" if stated and effort is None else noted]
        for clause in self._get(cells, "setting").split(","):
            found = effort_named(clause) if effort is None else None
            effort = effort or found
            settings.append("" if found else clause.strip())
        return Subject(
            slug=slug,
            name=name,
            effort=effort,
            harness=harness or None,
            setting=", ".join(filter(None, settings)) or None,
            reporter=reporter_written(self._get(cells, "reporter")) or self._reporter,
            released=self._date(line, cells, "released"),
            as_of=self._date(line, cells, "as_of") or self._place.as_of,
            joint=bool(joint),
        )

    def _named(
        self, line: int, cells: list[str], slug: str, name: str, stated: bool
    ) -> tuple[str, str] | None:
        """Slug and name of a row, those of the row above where it repeats them."""
        if (is_missing(name) or name in _DITTO) and not slug:
            if all(is_missing(text) for text in cells):
                return None
            if self._above != ("", "") and (name in _DITTO or stated):
                return self._above
            self._warn(line, "a row without a model name was passed over")
            return None
        name = "" if is_missing(name) else name
        shown = name or slug
        if shown.casefold() in NOT_MODELS:
            self._warn(line, f"{shown!r} is no model; the row was passed over")
        elif max(len(name), len(slug)) > LONGEST_NAME:
            self._warn(line, "a model name too long to be one; the row was passed over")
        elif not any(map(str.isalnum, name + slug)):
            self._warn(line, f"{shown!r} names no model; the row was passed over")
        else:
            self._above = (slug, name)
            return slug, name
        return None

    def _date(self, line: int, cells: list[str], role: str) -> date | None:
        text = self._get(cells, role)
        day = find_date(text) if text else None
        if text and day is None:
            self._warn(line, f"{text!r} is no date")
        return day


def reporter_of_group(cells: Sequence[str]) -> str | None:
    """The reporter that a row with nothing else in it names for the rows below it."""
    stated = [text for text in cells if text]
    return reporter_alone(stated[0]) if len(stated) == 1 else None
