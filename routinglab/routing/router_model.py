"""Which model reads the task and which one chooses (SPEC 7.1, 7.2)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from routinglab.catalog.model import Catalog, Model
from routinglab.catalog.names import resolve_model
from routinglab.catalog.providers import provider_info
from routinglab.core.ids import Candidate
from routinglab.errors import ModelNameError, SettingsError
from routinglab.routing.decision import RouterInfo
from routinglab.settings import Settings

#: Tokens a reading request needs beside the task: its questions and its answer.
READING_OVERHEAD = 4_000


@dataclass(frozen=True, slots=True)
class Speaker:
    """A model that can be asked; ``entry`` is None where the catalog lacks it."""

    candidate: Candidate
    entry: Model | None
    kind: Literal["chat", "classifier"] = "chat"


@dataclass(frozen=True, slots=True)
class Roles:
    """The model that makes the choice and the current model; None where there is none."""

    router: Speaker | None
    current: Speaker | None
    requested: str | None

    def info(self) -> RouterInfo:
        """The router as the decision record names it before anything was asked."""
        if self.router is None:
            return RouterInfo(requested=self.requested)
        return RouterInfo(
            requested=self.requested or self.router.candidate.model, kind=self.router.kind
        )

    @property
    def chat(self) -> Speaker | None:
        """The model that reads: the router where it is a chat model, else the current one."""
        if self.router is not None and self.router.kind == "chat":
            return self.router
        return self.current


def roles_for(settings: Settings, catalog: Catalog, env: Mapping[str, str] | None = None) -> Roles:
    """The roles that the settings give.

    An explicit ``routerModel`` that does not exist is an error; a blank one and ``auto`` mean the
    current model. Whether a key is set never changes this order.
    """
    current = _speaker(settings.current_model, "currentModel", settings, catalog, env)
    if current is not None and current.kind != "chat":
        raise SettingsError(
            f"currentModel {settings.current_model!r} is a classifier; name a chat model"
        )
    router = _speaker(settings.router_model, "routerModel", settings, catalog, env)
    return Roles(router or current, current, settings.router_model if router else None)


def _speaker(
    name: str | None,
    key: str,
    settings: Settings,
    catalog: Catalog,
    env: Mapping[str, str] | None,
) -> Speaker | None:
    try:
        resolved = resolve_model(name, catalog, settings, env=env)
    except ModelNameError as error:
        raise SettingsError(f"{key}: {error}") from None
    if resolved.candidate is None:
        return None
    entry = resolved.entry
    if entry is not None and entry.kind == "image":
        raise SettingsError(f"{key} {name!r} is an image model; name a chat model")
    info = provider_info(resolved.candidate.provider, settings)
    classifier = (entry is not None and entry.kind == "classifier") or (
        info is not None and info.api == "systemone"
    )
    return Speaker(resolved.candidate, entry, "classifier" if classifier else "chat")


def reader_for(task: str, roles: Roles, eligible: Iterable[Model]) -> Speaker | None:
    """Who reads ``task``: the chat role, or for a longer one the cheapest model that holds it.

    A window nobody knows is no reason to send the task elsewhere. None where no model holds it or
    there is no chat model at all.
    """
    chat = roles.chat
    needed = len(task.encode("utf-8", "surrogatepass")) / 3 + READING_OVERHEAD
    if chat is None:
        return None
    window = chat.entry.context_window if chat.entry is not None else None
    if window is None or needed <= window:
        return chat
    holding = [m for m in eligible if m.context_window is not None and m.context_window >= needed]
    if not holding:
        return None
    best = min(holding, key=_price)
    return Speaker(Candidate(model=best.full_id), best)


def _price(model: Model) -> tuple[bool, float, str]:
    blended = model.blended_price
    return (blended is None, blended or 0.0, model.full_id)
