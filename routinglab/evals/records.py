"""The rows of one table into drafts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from routinglab.evals.columns import Columns, ValueColumn, value_column
from routinglab.evals.dates import find_date
from routinglab.evals.draft import Draft, Subject
from routinglab.evals.names import HARNESSES, effort_named
from routinglab.evals.row import Warned
from routinglab.evals.sections import Place
from routinglab.evals.values import Figure, is_missing, read_figure
from routinglab.evals.words import NOT_MODELS, REPORTERS

_AGENT = re.compile(r"^(.*?\S)\s*(?:\s\+\s|\s/\s|\s·\s|\swith\s|\+)\s*(\S.*)$")
_DITTO = frozenset(('"', "〃", "″", "''", "ditto", "same"))

#: Longer than any model's name with its settings.
LONGEST_NAME = 300

Cells = tuple[int, list[str]]


class TableReader:
    """Reads the rows of one table whose columns are known."""

    def __init__(
        self,
        header: list[str],
        line: int,
        columns: Columns,
        place: Place,
        keys: dict[str, str],
        warnings: list[Warned],
    ) -> None:
        self.records = 0
        self._header, self._line, self._columns = header, line, columns
        self._place, self._keys, self._warnings = place, keys, warnings
        self._labels: dict[str, ValueColumn] = {}
        self._above: tuple[str, str] = ("", "")

    def read(self, rows: Sequence[Cells]) -> list[Draft]:
        """Drafts of all rows, in order."""
        if self._columns.guessed:
            self._warn(
                self._line, f"the first column, {self._header[0]!r}, was taken for the model"
            )
        textual = self._textual_columns(rows)
        drafts: list[Draft] = []
        for line, cells in rows:
            if [c.casefold() for c in cells] == [c.casefold() for c in self._header]:
                continue
            extra = [text for text in cells[len(self._header) :] if not is_missing(text)]
            if extra:
                self._warn(
                    line,
                    f"{len(extra)} cells beyond the header's {len(self._header)} were passed over",
                )
            subject = self._subject(line, cells)
            if subject is None:
                continue
            self.records += 1
            before = len(drafts)
            for column in self._values_of(line, cells):
                if column.at not in textual:
                    self._cell(line, cells, column, subject, drafts)
            if len(drafts) == before and subject.released:
                drafts.append(self._draft(line, subject, None, Figure(0.0), None, None))
        return drafts

    def _warn(self, line: int, message: str) -> None:
        self._warnings.append(Warned(line, message))

    def _textual_columns(self, rows: Sequence[Cells]) -> set[int]:
        """Columns of an unknown label that hold text and no figure at all: one warning each."""
        found: set[int] = set()
        for column in self._columns.values:
            if column.known:
                continue
            texts = [
                c[column.at] for _, c in rows if column.at < len(c) and not is_missing(c[column.at])
            ]
            if texts and not any(read_figure(text) for text in texts):
                found.add(column.at)
                self._warn(
                    self._line, f"column {column.label!r} holds no figures and was passed over"
                )
        return found

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
        if (is_missing(name) or name in _DITTO) and not slug:
            if not any(not is_missing(text) for text in cells):
                return None
            if self._above != ("", "") and (name in _DITTO or stated):
                slug, name = self._above
            else:
                self._warn(line, "a row without a model name was passed over")
                return None
        name = "" if is_missing(name) else name
        if (name or slug).strip().casefold() in NOT_MODELS:
            self._warn(line, f"{name or slug!r} is no model; the row was passed over")
            return None
        if max(len(name), len(slug)) > LONGEST_NAME:
            self._warn(line, "a model name too long to be one; the row was passed over")
            return None
        if not any(c.isalnum() for c in name + slug):
            self._warn(line, f"{name or slug!r} names no model; the row was passed over")
            return None
        self._above = (slug, name)
        effort = effort_named(stated) if stated else None
        setting = ", ".join(
            filter(
                None,
                (
                    f"effort {stated}" if stated and effort is None else "",
                    self._get(cells, "setting"),
                ),
            )
        )
        return Subject(
            slug=slug,
            name=name,
            effort=effort,
            harness=harness or None,
            setting=setting or None,
            reporter=self._get(cells, "reporter") or self._place.reporter,
            released=self._date(line, cells, "released"),
            as_of=self._date(line, cells, "as_of") or self._place.as_of,
            joint=bool(joint),
        )

    def _date(self, line: int, cells: list[str], role: str) -> date | None:
        text = self._get(cells, role)
        day = find_date(text) if text else None
        if text and day is None:
            self._warn(line, f"{text!r} is no date")
        return day

    def _values_of(self, line: int, cells: list[str]) -> list[ValueColumn]:
        """The value columns of a row; in a long table, the one its benchmark cell names."""
        benchmark = self._columns.roles.get("benchmark")
        value = self._columns.roles.get("value")
        if benchmark is None or value is None:
            return self._columns.values
        label = self._get(cells, "benchmark")
        if not label:
            self._warn(line, "a row without a benchmark name was passed over")
            return []
        if label not in self._labels:
            self._labels[label] = value_column(value, label, self._place, self._keys)
        return [self._labels[label]]

    def _cell(
        self,
        line: int,
        cells: list[str],
        column: ValueColumn,
        subject: Subject,
        drafts: list[Draft],
    ) -> None:
        text = cells[column.at] if column.at < len(cells) else ""
        if is_missing(text):
            return
        figure = read_figure(text)
        if figure is None:
            shown = text if len(text) <= 40 else text[:37] + "..."
            self._warn(line, f"cannot read {shown!r} as {column.label}")
            return
        ci = self._interval(line, cells, column)
        drafts.append(self._draft(line, subject, column, figure, ci, self._get(cells, "unit")))

    def _interval(self, line: int, cells: list[str], column: ValueColumn) -> float | None:
        """The half width that a column of its own states: ``3``, ``±3``, ``+3/-2``."""
        text = cells[column.ci_at] if column.ci_at is not None and column.ci_at < len(cells) else ""
        if is_missing(text):
            return None
        around, plain = read_figure(f"0 {text}"), read_figure(text)
        if around is not None and around.ci is not None:
            return around.ci
        if plain is None or plain.value < 0:
            self._warn(line, f"cannot read {text!r} as the interval of {column.label}")
            return None
        return plain.value

    def _draft(
        self,
        line: int,
        subject: Subject,
        column: ValueColumn | None,
        figure: Figure,
        ci: float | None,
        unit: str | None,
    ) -> Draft:
        edition = self._place.edition
        record = self._line * 1_000_000 + self.records
        if column is None:
            return Draft(edition, subject, "", "", 0.0, "", None, None, None, None, line, record)
        scale = column.scale if figure.unit is None and not figure.scaled else 1.0
        half = figure.ci if figure.ci is not None else ci
        effort = column.effort
        setting, reporter = figure.note, column.reporter or subject.reporter
        if setting and effort is None and (noted := effort_named(setting)):
            effort, setting = noted, None
        harness = column.harness
        if setting and harness is None and setting.lower() in HARNESSES:
            harness, setting = setting, None
        if edition.namespace == "pub" and setting and setting.casefold() in REPORTERS:
            reporter, setting = REPORTERS[setting.casefold()], None
        if reporter:
            reporter = REPORTERS.get(reporter.casefold(), reporter)
        key = column.key + ("-delta" if figure.delta and column.known else "")
        if edition.namespace == "pub" and reporter:
            key = f"{key}@{reporter}"
        return Draft(
            edition=edition,
            subject=subject,
            benchmark=key,
            label=column.label,
            value=figure.value * scale,
            unit=figure.unit or unit or column.unit,
            ci=half * scale if half is not None else None,
            effort=effort,
            setting=setting,
            reporter=reporter,
            line=line,
            record=record,
            harness=harness,
        )
