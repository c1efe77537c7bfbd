"""Values as first read, and their identities once the whole file is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from routinglab.evals.identity import EFFORT_WORDS, core_length
from routinglab.evals.names import DisplayedName, displayed_name
from routinglab.evals.row import Edition, Row, Warned


@dataclass(frozen=True, slots=True)
class Subject:
    """Whom a record of a table is about, as its cells say it; ``joint``: its slug names an agent too."""

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
class Draft:
    """One value before its model's identity is settled; ``benchmark`` is empty where there is none."""

    edition: Edition
    subject: Subject
    benchmark: str
    label: str
    value: float
    unit: str
    ci: float | None
    effort: str | None
    setting: str | None
    reporter: str | None
    line: int
    record: int
    harness: str | None = None


@dataclass(frozen=True, slots=True)
class _Identity:
    tokens: tuple[str, ...]
    core: int
    effort: str | None
    harness: str | None
    setting: str | None
    model: str
    released_as: str


def finish(
    drafts: Sequence[Draft], warnings: list[Warned]
) -> tuple[tuple[Row, ...], dict[str, date]]:
    """Rows with identities, and the release dates the file states, by :func:`release_name`.

    A displayed name that ends in an effort word (``Qwen3.8 Max``) makes it part of that name in the
    whole file, also where only a slug is written.
    """
    named = _names_with_effort_words(drafts)
    known: dict[Subject, _Identity] = {}
    released: dict[str, date] = {}
    for draft in drafts:
        if draft.subject not in known:
            identity = known[draft.subject] = _identity(draft.subject, named)
            if draft.subject.released:
                released.setdefault(identity.released_as, draft.subject.released)
    rows: list[Row] = []
    seen: dict[tuple[object, ...], Row] = {}
    for draft in drafts:
        if not draft.benchmark:
            continue
        row = _row(draft, known[draft.subject], released)
        rows.append(row)
        mark = (
            row.edition.order, row.benchmark, row.tokens, row.effort, row.harness, row.setting, row.slug,
        )  # fmt: skip
        first = seen.setdefault(mark, row)
        if first is not row and first.value != row.value:
            warnings.append(
                Warned(
                    row.line,
                    f"{row.slug} has {row.label} {row.value:g} here and {first.value:g} on line {first.line}",
                )
            )
    return tuple(rows), released


def release_name(tokens: tuple[str, ...]) -> str:
    """What a release date belongs to: the model with its snapshot, whatever the effort.

    A later snapshot of a model came out on another day.
    """
    return "-".join((*tokens[: core_length(tokens)], *snapshots(tokens)))


def snapshots(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The snapshot numbers after a model's name."""
    return tuple(token for token in tokens[core_length(tokens) :] if token.isdigit())


def _names_with_effort_words(drafts: Sequence[Draft]) -> frozenset[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for subject in dict.fromkeys(draft.subject for draft in drafts):
        shown = displayed_name(subject.name or subject.slug, subject.effort)
        if shown.core and shown.tokens[shown.core - 1] in EFFORT_WORDS and shown.core > 1:
            found.add(shown.tokens[: shown.core])
    return frozenset(found)


def _identity(subject: Subject, named: frozenset[tuple[str, ...]]) -> _Identity:
    shown = displayed_name(subject.name or subject.slug, subject.effort)
    if subject.name and subject.slug and subject.name != subject.slug and not subject.joint:
        written = displayed_name(subject.slug, subject.effort or shown.effort)
        tokens, core = written.tokens, _slug_core(written, shown)
        effort = subject.effort or shown.effort or written.effort
    else:
        tokens, core, effort = shown.tokens, shown.core, shown.effort
    for end in range(core + 1, len(tokens) + 1):
        if tokens[:end] in named:
            core = end
            if subject.effort is None and effort is not None and effort == tokens[end - 1]:
                effort = next((t for t in reversed(tokens[end:]) if t in EFFORT_WORDS), None)
    return _Identity(
        tokens,
        core,
        effort,
        shown.harness,
        shown.setting,
        model="-".join(tokens[:core]),
        released_as=release_name(tokens),
    )


def _slug_core(written: DisplayedName, shown: DisplayedName) -> int:
    """Length of the name in a slug that stands beside a displayed name."""
    core = core_length(written.tokens)
    name = shown.tokens[: shown.core]
    return max(core, len(name)) if written.tokens[: len(name)] == name else core


def _row(draft: Draft, identity: _Identity, released: dict[str, date]) -> Row:
    subject = draft.subject
    settings = dict.fromkeys(
        part for part in (identity.setting, subject.setting, draft.setting) if part
    )
    return Row(
        edition=draft.edition,
        benchmark=draft.benchmark,
        label=draft.label,
        slug=subject.slug or subject.name,
        name=subject.name,
        model=identity.model,
        tokens=identity.tokens,
        core=identity.core,
        effort=draft.effort or identity.effort,
        value=draft.value,
        unit=draft.unit,
        ci=draft.ci,
        setting=", ".join(settings) or None,
        reporter=draft.reporter,
        harness=draft.harness or subject.harness or identity.harness,
        released=subject.released or released.get(identity.released_as),
        as_of=subject.as_of,
        line=draft.line,
        record=draft.record,
    )
