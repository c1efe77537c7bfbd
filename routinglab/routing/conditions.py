"""The conditions a result was published under, as far as they are about this model (SPEC 6.4).

One published setting often covers a whole table ("Opus 5 at max; GPT-6 Astra at xhigh; three
attempts"). A clause that names only other models says nothing of this one and is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from routinglab.evals.identity import model_tokens
from routinglab.routing.evidence import Evidence
from routinglab.routing.ranked import RankedModel

Tokens = tuple[str, ...]

#: How models may be written in running text, and the identities each way of writing can mean.
KnownNames = dict[Tokens, frozenset[Tokens]]

_CLAUSE_END = re.compile(r";|\n|,(?=\s)|(?<=[^\d\s])\.(?=\s|$)")
#: Words of a name that are looked for in running text.
_MOST_WORDS = 16
_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"[(\[].*?[)\]]")


def known_names(ranked: Sequence[RankedModel]) -> KnownNames:
    """The names of the ranked models and of every model their evals file measures."""
    names: dict[Tokens, set[Tokens]] = {}
    for model in ranked:
        for written in _writings(model.identity, model.entry.name):
            names.setdefault(written, set()).add(model.identity)
    for evals in {id(e): e for m in ranked if (e := m.facts.evals) is not None}.values():
        for written, identity in _measured_names(evals):
            names.setdefault(written, set()).add(identity)
    return {written: frozenset(identities) for written, identities in names.items()}


@lru_cache(maxsize=8)
def _measured_names(evals: Evidence) -> tuple[tuple[Tokens, Tokens], ...]:
    rows = {(row.model, row.name): None for row in evals.rows}
    return tuple(
        (written, identity)
        for text, name in rows
        for identity in (model_tokens(text),)
        for written in _writings(identity, name)
    )


@lru_cache(maxsize=8192)
def _writings(identity: Tokens, name: str) -> tuple[Tokens, ...]:
    """The ways a model's name stands in text; lone plain words are too common to count."""
    ways = []
    for tokens in (identity, _words(_BRACKETS.sub(" ", name))):
        # families are often named without their maker's word: Opus 5 for Claude Opus 5
        for written in (tokens, tokens[1:] if tokens[:1] == ("claude",) else ()):
            if len(written) > 1 or any(c.isdigit() for token in written for c in token):
                ways.append(written)
    return tuple(ways)


def _words(text: str) -> Tokens:
    return tuple(_WORD.findall(text.lower()))


def own_clauses(setting: str, identity: Tokens, names: KnownNames) -> str:
    """``setting`` without the clauses that name models, but not this one."""
    kept = []
    for clause in map(str.strip, _CLAUSE_END.split(setting)):
        named = list(_mentions(clause, names))
        if clause and (not named or any(identity in identities for identities in named)):
            kept.append(clause)
    return "; ".join(kept)


def _mentions(clause: str, names: KnownNames) -> Iterator[Iterable[Tokens]]:
    """For each model that a clause names, the identities that can be meant; longest name first."""
    found = list(_WORD.finditer(clause.lower()))
    words = [match.group() for match in found]
    longest = min(_MOST_WORDS, max(map(len, names), default=0))
    at = 0
    while at < len(words):
        for size in range(min(longest, len(words) - at), 0, -1):
            identities = names.get(tuple(words[at : at + size]))
            if identities is not None:
                goes_on = re.match(r"[.\-_]\w", clause[found[at + size - 1].end() :])
                yield () if goes_on else identities  # "Opus 5.7" is not Opus 5
                at += size
                break
        else:
            at += 1
