"""Model names as people write them, resolved to candidates (SPEC 9.2).

Matching is exact. What a name means is looked for in this order: an id of the catalog, an alias of the
settings, a bare id at its only or the preferred provider; only when the whole name is none of these is
a trailing ``:effort`` read as an effort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from routinglab.catalog.available import is_configured
from routinglab.catalog.model import Catalog, Model
from routinglab.catalog.providers import provider_info
from routinglab.core.efforts import EFFORT_RANK, EFFORTS, Effort
from routinglab.core.ids import Candidate
from routinglab.core.text import nearest, shown
from routinglab.errors import InvalidInput, ModelNameError
from routinglab.settings import Settings

Mode = Literal["model", "auto", "inherit"]


@dataclass(frozen=True, slots=True)
class Resolved:
    """What a name means.

    ``mode`` is ``model`` (then ``candidate`` is set), ``auto`` or ``inherit``. ``entry`` is the
    catalog's model, None where the catalog lacks the id (its cost is then unknown). ``effort`` is the
    stated effort, by suffix, argument or alias, and None when none was stated; under ``auto`` it
    restricts routing. ``problem`` says why a fallback cannot be called and is to be skipped.
    """

    mode: Mode
    candidate: Candidate | None = None
    entry: Model | None = None
    effort: Effort | None = None
    problem: str | None = None

    @property
    def known(self) -> bool:
        """Whether the catalog holds the model."""
        return self.entry is not None

    @property
    def pinned(self) -> bool:
        """Whether an effort was stated; otherwise it is open, and the candidate's is None."""
        return self.effort is not None


def resolve_model(
    name: str | None,
    catalog: Catalog,
    settings: Settings | None = None,
    *,
    effort: str | None = None,
    env: Mapping[str, str] | None = None,
) -> Resolved:
    """What ``name`` means; an explicit suffix beats ``effort``, which beats an alias's suffix.

    Blank, None and ``inherit`` mean the host default. Raises ModelNameError with the nearest choices
    when the name means nothing, or several models.
    """
    found = _resolve(name, catalog, settings or Settings(), as_effort(effort), env)
    if found.problem is not None:
        raise ModelNameError(found.problem, nearest=_near(str(name), catalog))
    return found


def as_effort(value: object) -> Effort | None:
    """A reasoning level; None and blank state none. Raises InvalidInput for any other value."""
    word = value.strip() if isinstance(value, str) else value
    if word is None or word is False or word == "":
        return None
    if isinstance(word, str) and word in EFFORT_RANK:
        return EFFORTS[EFFORT_RANK[word]]
    raise InvalidInput(
        f"effort {str(value)[:60]!r} is not one of {', '.join(EFFORTS)}",
        field="effort",
        choices=EFFORTS,
    )


@dataclass(frozen=True, slots=True)
class _Meaning:
    mode: Mode
    full_id: str = ""
    #: the effort that came with an alias
    effort: Effort | None = None


def _resolve(
    name: str | None,
    catalog: Catalog,
    settings: Settings,
    effort: Effort | None,
    env: Mapping[str, str] | None,
) -> Resolved:
    if name is not None and not isinstance(name, str):
        raise InvalidInput(f"a model name must be a text, not {type(name).__name__}")
    written = (name or "").strip()
    meaning, suffix = _Names(catalog, settings, env).meaning(written)
    stated = suffix or effort or meaning.effort
    if meaning.mode != "model":
        return Resolved(meaning.mode, effort=stated)
    entry = catalog.get(meaning.full_id)
    problem = None
    if entry is None and provider_info(meaning.full_id.partition("/")[0], settings) is None:
        provider = meaning.full_id.partition("/")[0]
        problem = (
            f"no model {shown(written)}: the catalog lacks it, and provider {shown(provider)} has no "
            f"address in the settings.{_or(_near(meaning.full_id, catalog))}"
        )
    return Resolved(
        "model", Candidate(model=meaning.full_id, effort=stated), entry, stated, problem
    )


@dataclass(frozen=True, slots=True)
class _Names:
    """What names mean to one user; ``through`` are the aliases that are being followed."""

    catalog: Catalog
    settings: Settings
    env: Mapping[str, str] | None
    through: tuple[str, ...] = ()

    def meaning(self, name: str) -> tuple[_Meaning, Effort | None]:
        """The meaning of ``name`` and the effort its suffix states."""
        if (whole := self._exact(name)) is not None:
            return whole, None
        base, colon, tail = name.rpartition(":")
        suffix = as_effort(tail) if colon and tail in EFFORT_RANK else None
        if suffix is not None:
            if (found := self._exact(base)) is not None:
                return found, suffix
            # an effort, unless a provider of the catalog may have an id that ends like this
            if _is_full(base) and base.partition("/")[0] not in self.catalog.providers:
                return _Meaning("model", base), suffix
        if _is_full(name):
            return _Meaning("model", name), None
        near = _near(name, self.catalog, self.settings)
        raise ModelNameError(
            f"no model {shown(name)}; write it as provider/id, or name it under modelAliases."
            f"{_or(near)}",
            nearest=near,
        )

    def _exact(self, name: str) -> _Meaning | None:
        if name in ("", "inherit"):
            return _Meaning("inherit")
        if name == "auto":
            return _Meaning("auto")
        if name in self.catalog:
            return _Meaning("model", name)
        if name in self.settings.model_aliases:
            return self._aliased(name)
        preferred = self.settings.preferred_provider
        bare = [one for one in self.catalog.providers if f"{one}/{name}" in self.catalog]
        if not bare or (_is_full(name) and provider_info(name.partition("/")[0], self.settings)):
            return None
        if len(bare) == 1:
            return _Meaning("model", f"{bare[0]}/{name}")
        if preferred in bare:
            return _Meaning("model", f"{preferred}/{name}")
        ready = [one for one in bare if is_configured(one, self.settings, self.env)]
        choices = [f"{one}/{name}" for one in [*ready, *(p for p in bare if p not in ready)]]
        raise ModelNameError(
            f"{name!r} is served by {len(choices)} providers; write one of "
            f"{', '.join(choices[:6])}{', …' if len(choices) > 6 else ''}, or set preferredProvider",
            nearest=choices,
        )

    def _aliased(self, name: str) -> _Meaning:
        if name in self.through:
            circle = " → ".join([*self.through, name])
            raise ModelNameError(f"modelAliases run in a circle: {circle}")
        inside = replace(self, through=(*self.through, name))
        meaning, suffix = inside.meaning(self.settings.model_aliases[name].strip())
        return replace(meaning, effort=suffix or meaning.effort)


def _is_full(name: str) -> bool:
    provider, slash, model = name.partition("/")
    return bool(slash and provider and model) and not any(part.isspace() for part in name)


def _near(name: str, catalog: Catalog, settings: Settings | None = None) -> list[str]:
    """Full ids, and bare ids and aliases for a bare name, that look like ``name``."""
    full = [model.full_id for model in catalog]
    if "/" in name:
        return nearest(name, full)
    aliases = settings.model_aliases if settings else {}
    by_bare: dict[str, str] = {}
    for model in catalog:
        by_bare.setdefault(model.id.rpartition("/")[2], model.full_id)
    found = [by_bare.get(near, near) for near in nearest(name, [*by_bare, *aliases])]
    return found or nearest(name, full)


def _or(choices: list[str]) -> str:
    return f" Nearest: {', '.join(choices)}" if choices else ""


def parse_fallbacks(value: str | Iterable[str] | None) -> tuple[str, ...]:
    """The entries of ``fallbackModels``, a list or a comma string, without blank ones."""
    return tuple(entry for entry in _entries(value, "fallbackModels") if entry)


def resolve_fallbacks(
    value: str | Iterable[str] | None,
    catalog: Catalog,
    settings: Settings | None = None,
    *,
    thinking: str | Literal[False] | None = None,
    thinking_levels: str | Iterable[str | None] | None = None,
    env: Mapping[str, str] | None = None,
) -> tuple[Resolved, ...]:
    """The fallbacks in order, each with its own effort.

    An entry's suffix beats its aligned ``thinking_levels`` (``fallbackThinkingLevels``), which beats
    the legacy ``thinking``. An id that can be called nowhere comes with its ``problem``, to be skipped
    and recorded; a name that means nothing raises ModelNameError.
    """
    entries = _entries(value, "fallbackModels")
    levels = _entries(thinking_levels, "fallbackThinkingLevels")
    usual = as_effort(thinking)
    found = []
    for place, entry in enumerate(entries):
        if not entry:
            continue
        level = as_effort(levels[place]) if place < len(levels) else None
        resolved = _resolve(entry, catalog, settings or Settings(), level or usual, env)
        if resolved.mode == "auto":
            raise InvalidInput("'auto' cannot be a fallback; name a model", field="fallbackModels")
        found.append(resolved)
    return tuple(found)


def _entries(value: str | Iterable[str | None] | None, field: str) -> list[str]:
    if value is None:
        return []
    listed = value.split(",") if isinstance(value, str) else list(value)
    if any(entry is not None and not isinstance(entry, str) for entry in listed):
        raise InvalidInput(f"{field} must be a list of texts or a comma string", field=field)
    return [(entry or "").strip() for entry in listed]
