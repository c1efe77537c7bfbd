"""What was read from an evals file and what was not, for ``routinglab evals check``."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from routinglab.evals.cohorts import SMALLEST_COHORT
from routinglab.evals.evals import Evals, load_evals
from routinglab.evals.row import Warned


@dataclass(frozen=True, slots=True)
class TableReport:
    """One table: the line of its header, its rows and values, and labels no benchmark is known by."""

    line: int
    rows: int
    values: int
    keys: tuple[str, ...]
    unrecognised: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SectionReport:
    """One section of one edition with its tables."""

    source: str
    namespace: str
    edition: str
    models: int
    values: int
    tables: tuple[TableReport, ...]


@dataclass(frozen=True, slots=True)
class EvalsReport:
    """A whole file. ``small_cohorts`` are keys with too few models for a standing."""

    path: str | None
    digest: str
    models: int
    values: int
    sections: tuple[SectionReport, ...]
    small_cohorts: tuple[str, ...]
    warnings: tuple[Warned, ...]

    @property
    def unrecognised(self) -> tuple[tuple[int, str], ...]:
        """Line of the table and label of every column no benchmark is known by."""
        return tuple(
            (table.line, label)
            for section in self.sections
            for table in section.tables
            for label in table.unrecognised
        )

    @property
    def ok(self) -> bool:
        """Whether something was read and nothing was left unread."""
        return self.values > 0 and not self.warnings

    def to_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return asdict(self)

    def lines(self) -> list[str]:
        """The report as lines for a terminal."""
        found = [
            f"{self.values:,} values of {self.models:,} models in {len(self.sections)} sections"
        ]
        for section in self.sections:
            edition = f" [{section.edition}]" if section.edition else ""
            found.append(
                f"{section.source or '(no heading)'}{edition}: {section.models} models, "
                f"{section.values} values, {len(section.tables)} tables"
            )
            for table in section.tables:
                found.append(
                    f"  line {table.line}: {table.rows} rows, {table.values} values: {', '.join(table.keys)}"
                )
        found += [
            f"line {line}: no benchmark is known as {label!r}" for line, label in self.unrecognised
        ]
        if self.small_cohorts:
            found.append(
                f"fewer than {SMALLEST_COHORT} models, so no standing: {', '.join(self.small_cohorts)}"
            )
        return found + [str(warned) for warned in self.warnings]


def check_evals(source: Evals | str | Path | None = None) -> EvalsReport:
    """Report on an evals file (the shipped one without a path), or on evals already read.

    Raises EvalsError as :func:`~routinglab.evals.evals.load_evals` does.
    """
    evals = source if isinstance(source, Evals) else load_evals(source)
    sections: dict[tuple[str, str, str], list[TableReport]] = {}
    for table in evals.tables:
        report = TableReport(table.line, table.records, table.values, table.keys, table.unknown)
        sections.setdefault((table.source, table.namespace, table.edition), []).append(report)
    by_section: dict[tuple[str, str, str], set[str]] = {}
    for row in evals.rows:
        at = (row.source, row.edition.namespace, row.edition.stated)
        by_section.setdefault(at, set()).add(row.model)
    small = [
        key
        for (key, _), cohort in evals.cohorts.cohorts.items()
        if len(cohort.best) < SMALLEST_COHORT
    ]
    return EvalsReport(
        path=str(evals.path) if evals.path else None,
        digest=evals.digest,
        models=len(evals.identities),
        values=len(evals.rows),
        sections=tuple(
            SectionReport(
                *at,
                models=len(by_section.get(at, ())),
                values=sum(table.values for table in tables),
                tables=tuple(tables),
            )
            for at, tables in sections.items()
        ),
        small_cohorts=tuple(dict.fromkeys(small)),
        warnings=evals.warnings,
    )
