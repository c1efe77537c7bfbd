"""The identities of all subjects of a file (SPEC 3.4)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from routinglab.evals.identity import EFFORT_WORDS, core_length
from routinglab.evals.names import DisplayedName, displayed_name
from routinglab.evals.subjects import Subject


@dataclass(frozen=True, slots=True)
class Identity:
    """Which model a subject is, and the conditions its name and cells state together."""

    slug: str
    model: str
    tokens: tuple[str, ...]
    core: int
    effort: str | None
    harness: str | None
    setting: str | None
    released: date | None


class Identities(dict[Subject, Identity]):
    """The identity of every subject, and release dates by :func:`release_name`.

    A displayed name that ends in an effort word (``Qwen3.8 Max``) makes it part of that name in the
    whole file, also where only a slug is written.
    """

    def __init__(self, subjects: Iterable[Subject]) -> None:
        super().__init__()
        distinct = tuple(dict.fromkeys(subjects))
        named = _names_with_effort_words(distinct)
        self.released: dict[str, date] = {}
        several = [(subject, *_tokens(subject, named)) for subject in distinct]
        for subject, tokens, *_ in several:
            if subject.released:
                self.released.setdefault(release_name(tokens), subject.released)
        for subject, tokens, core, effort, shown in several:
            settings = dict.fromkeys(filter(None, (shown.setting, subject.setting)))
            self[subject] = Identity(
                subject.slug or subject.name,
                "-".join(tokens[:core]),
                tokens,
                core,
                effort,
                subject.harness or shown.harness,
                ", ".join(settings) or None,
                subject.released or self.released.get(release_name(tokens)),
            )


def release_name(tokens: tuple[str, ...]) -> str:
    """What a release date belongs to: the model with its snapshot, whatever the effort.

    A later snapshot of a model came out on another day.
    """
    return "-".join((*tokens[: core_length(tokens)], *snapshots(tokens)))


def snapshots(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """The snapshot numbers after a model's name."""
    return tuple(token for token in tokens[core_length(tokens) :] if token.isdigit())


def _names_with_effort_words(subjects: Iterable[Subject]) -> frozenset[tuple[str, ...]]:
    found: set[tuple[str, ...]] = set()
    for subject in subjects:
        shown = displayed_name(subject.name or subject.slug, subject.effort)
        if shown.core > 1 and shown.tokens[shown.core - 1] in EFFORT_WORDS:
            found.add(shown.tokens[: shown.core])
    return frozenset(found)


def _tokens(
    subject: Subject, named: frozenset[tuple[str, ...]]
) -> tuple[tuple[str, ...], int, str | None, DisplayedName]:
    """Tokens of a subject, how many are the name, its effort, and its name as displayed."""
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
    return tokens, core, effort, shown


def _slug_core(written: DisplayedName, shown: DisplayedName) -> int:
    """Length of the name in a slug that stands beside a displayed name."""
    core = core_length(written.tokens)
    name = shown.tokens[: shown.core]
    return max(core, len(name)) if written.tokens[: len(name)] == name else core
