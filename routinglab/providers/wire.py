"""How a request is written for one provider and model: effort fields and small differences.

The knowledge is in ``wire.toml``, with the source of each entry.
"""

from __future__ import annotations

import copy
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

from routinglab.core.efforts import EFFORTS, Effort
from routinglab.errors import ProviderError


@dataclass(frozen=True, slots=True)
class EffortRule:
    """Which fields carry each level for some models; see ``wire.toml``."""

    name: str
    models: re.Pattern[str]
    levels: Mapping[str, Mapping[str, Any]]
    source: str
    api: str | None = None
    providers: frozenset[str] = frozenset()
    forced: str = "always"


@dataclass(frozen=True, slots=True)
class Dialect:
    """What else differs in the requests of one provider; see ``wire.toml``."""

    max_tokens: str
    stream_usage: bool
    forced_tool: str
    call_ids: re.Pattern[str]
    keep_reasoning: tuple[str, ...] = ()
    need_reasoning: str | None = None
    foreign_call: Mapping[str, Any] = field(default_factory=dict)


@cache
def _data() -> dict[str, Any]:
    return tomllib.loads(Path(__file__).with_name("wire.toml").read_text("utf-8"))


@cache
def effort_rules() -> tuple[EffortRule, ...]:
    """All rules in the order they are tried."""
    return tuple(
        EffortRule(
            name=row["name"],
            models=re.compile(row["models"]),
            levels=row["levels"],
            source=row["source"],
            api=row.get("api"),
            providers=frozenset(row.get("providers", ())),
            forced=row.get("forced", "always"),
        )
        for row in _data()["effort"]
    )


@cache
def dialect(provider: str) -> Dialect:
    """The small differences of a provider's requests."""
    tables = _data()["provider"]
    row = {**tables["*"], **tables.get(provider, {})}
    return Dialect(
        max_tokens=row["max_tokens"],
        stream_usage=row["stream_usage"],
        forced_tool=row["forced_tool"],
        call_ids=re.compile(row["call_ids"]),
        keep_reasoning=tuple(row["keep_reasoning"]),
        need_reasoning=row.get("need_reasoning"),
        foreign_call=row.get("foreign_call", {}),
    )


@cache
def effort_rule(provider: str, api: str, model: str) -> EffortRule:
    """The rule that holds for a model; there is always one."""
    name = model.lower().replace(".", "-") if api == "anthropic" else model.lower()
    for rule in effort_rules():
        ours = provider in rule.providers if rule.providers else rule.api == api
        if ours and rule.models.search(name):
            return rule
    raise LookupError(f"wire.toml has no effort rule for api {api!r}")


def effort_fields(provider: str, api: str, model: str, effort: Effort | None) -> dict[str, Any]:
    """The request fields for a level; none at all for None.

    Raises ProviderError of kind ``request_incompatible`` where the provider has no form for it.
    """
    if effort is None:
        return {}
    levels = effort_rule(provider, api, model).levels
    if effort not in levels:
        known = ", ".join(level for level in EFFORTS if level in levels)
        raise ProviderError(
            f"{provider}/{model} has no reasoning level {effort!r}; it takes {known}",
            kind="request_incompatible",
            error_type="unsupported_effort",
            provider=provider,
        )
    fields: dict[str, Any] = _filled(copy.deepcopy(levels[effort]), effort)
    return fields


def _filled(value: Any, level: str) -> Any:
    if isinstance(value, dict):
        return {key: _filled(inner, level) for key, inner in value.items()}
    return level if value == "{level}" else value


def can_force(provider: str, api: str, model: str, effort: Effort | None) -> bool:
    """Whether the API takes a forced tool at this level.

    Where forcing and thinking exclude each other, DeepSeek's models think unless told not to and
    Anthropic's only think when told to.
    """
    rule = effort_rule(provider, api, model)
    if rule.forced == "unthinking":
        return effort == "off" or (effort is None and api == "anthropic")
    return rule.forced == "always"


def default_max_tokens(model: str) -> int:
    """Anthropic's required limit where a caller states none."""
    name = model.lower().replace(".", "-")
    return next(
        int(row["tokens"]) for row in _data()["max_tokens"] if re.search(row["models"], name)
    )


def fitting_id(call_id: str, allowed: re.Pattern[str]) -> str:
    """``call_id`` as a provider takes it: itself, or always the same nine letters and digits."""
    if allowed.fullmatch(call_id):
        return call_id
    return sha256(call_id.encode("utf-8", "surrogatepass")).hexdigest()[:9]
