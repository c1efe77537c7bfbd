"""Restrictions in a person's words: what each one is, and why a model breaks it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from routinglab.catalog.model import Model
from routinglab.core.constraints import ModelConstraints
from routinglab.core.efforts import Effort
from routinglab.core.needs import TaskNeeds
from routinglab.routing.narrowing import LONG_CONTEXT
from routinglab.routing.restrictions import Restriction
from routinglab.ui.scale import tokens, usd

#: Names of the fields as a panel shows them.
LABELS = {
    "allowedModels": "Allowed models",
    "allowedProviders": "Allowed providers",
    "excludedProviders": "Excluded providers",
    "excludedModels": "Excluded models",
    "maxInputCost": "Max input price",
    "maxOutputCost": "Max output price",
    "minContextWindow": "Min window",
    "requiredInputs": "Required inputs",
    "allowedEfforts": "Allowed efforts",
}

_WHO = {
    "agent": "of the agent",
    "settings": "of the agent's settings override",
    "thinking": "of the agent's legacy thinking setting",
    "modelRouting": "of the modelRouting setting",
}

NO_IMAGES = "the task needs images and it is not known to read them"
SMALL_WINDOW = f"long context prefers windows of {tokens(LONG_CONTEXT)} tokens or more"


def label(name: str) -> str:
    """``call.maxInputCost`` as ``Highest input price``; other sources are named too."""
    source, _, field = name.partition(".")
    known = LABELS.get(field, field)
    return f"{known} {_WHO[source]}" if source in _WHO else known


def limit_text(name: str, restrictions: Sequence[Restriction]) -> str:
    """What a restriction says: ``at most $2 per million tokens``."""
    limits, excluded = _stated(name, restrictions)
    return _SAYS[name.partition(".")[2]](limits, excluded)


def reasons(
    model: Model,
    restrictions: Sequence[Restriction],
    broken: Callable[[Effort | None], Sequence[str]],
) -> tuple[str, ...]:
    """Why a model is out: what stands against the effort that comes closest to being allowed."""
    names = min((broken(effort) for effort in model.effort_choices), key=len)
    return tuple(_why(model, name, restrictions) for name in dict.fromkeys(names))


def narrowed(model: Model, needs: TaskNeeds) -> str:
    """Why an eligible model is not a candidate for this task."""
    if needs.wants_images and "image" not in (model.inputs or ()):
        return NO_IMAGES
    return SMALL_WINDOW


def cheapest(models: Sequence[Model], field: str) -> Model | None:
    """The model that the price limit ``field`` would let in first; None where no price is known."""
    priced = [(price, model) for model in models if (price := _price(model, field)) is not None]
    return min(priced, key=lambda item: (item[0], item[1].full_id))[1] if priced else None


def widen(name: str, restrictions: Sequence[Restriction], models: Sequence[Model]) -> str:
    """What to do about a restriction that leaves nothing."""
    field = name.partition(".")[2]
    if field in ("maxInputCost", "maxOutputCost"):
        first = cheapest(models, field)
        if first is not None:
            return f"the lowest price is {usd(_price(first, field) or 0.0)}, of {first.full_id}"
        return ""
    if field == "minContextWindow":
        windows = [m.context_window for m in models if m.context_window is not None]
        return f"the largest window is {tokens(max(windows))} tokens" if windows else ""
    limits, _ = _stated(name, restrictions)
    listed = {
        "allowedModels": limits.allowed_models,
        "allowedProviders": limits.allowed_providers,
        "allowedEfforts": limits.allowed_efforts,
    }.get(field)
    return "an empty list allows nothing" if listed == () else ""


def _price(model: Model, field: str) -> float | None:
    return model.dearest_input if field == "maxInputCost" else model.dearest_output


def _stated(
    name: str, restrictions: Sequence[Restriction]
) -> tuple[ModelConstraints, tuple[str, ...]]:
    """The strictest statement of ``source.field``: several of one source hold at once."""
    source, _, field = name.partition(".")
    found = [one for one in restrictions if one.source == source and _has(one, field)]
    if not found:
        return ModelConstraints(), ()
    if field in ("maxInputCost", "maxOutputCost"):
        found.sort(key=lambda one: _number(one, field))
    elif field == "minContextWindow":
        found.sort(key=lambda one: -_number(one, field))
    return found[0].limits, found[0].excluded_models


def _number(restriction: Restriction, field: str) -> float:
    limits = restriction.limits
    value = {
        "maxInputCost": limits.max_input_cost,
        "maxOutputCost": limits.max_output_cost,
        "minContextWindow": limits.min_context_window,
    }[field]
    return 0.0 if value is None else float(value)


def _has(restriction: Restriction, field: str) -> bool:
    if field == "excludedModels":
        return bool(restriction.excluded_models)
    return field in restriction.limits.model_dump(by_alias=True, exclude_none=True)


def _why(model: Model, name: str, restrictions: Sequence[Restriction]) -> str:
    field = name.partition(".")[2]
    limits, _ = _stated(name, restrictions)
    if field in ("maxInputCost", "maxOutputCost"):
        side = "input" if field == "maxInputCost" else "output"
        price = _price(model, field)
        limit = limits.max_input_cost if side == "input" else limits.max_output_cost
        if price is None:
            return f"{side} price unknown"
        return f"{side} {usd(price)} is over {usd(limit or 0.0)}"
    if field == "minContextWindow":
        if model.context_window is None:
            return "window unknown"
        return f"window {tokens(model.context_window)} is under {tokens(limits.min_context_window or 0)}"
    if field == "requiredInputs":
        if model.inputs is None:
            return "inputs unknown"
        lacking = [one for one in limits.required_inputs or () if one not in model.inputs]
        return f"does not read {', '.join(lacking)}"
    if field == "allowedEfforts":
        has = ", ".join(map(effort_word, model.effort_choices))
        return f"efforts {has}: none is allowed"
    words = {
        "allowedProviders": f"provider {model.provider} is not allowed",
        "excludedProviders": f"provider {model.provider} is excluded",
        "allowedModels": "not among the allowed models",
        "excludedModels": "an excluded model",
    }
    who = _WHO.get(name.partition(".")[0])
    text = words.get(field, name)
    return f"{text} ({who})" if who else text


def effort_word(effort: Effort | None) -> str:
    """An effort as shown; None is a model without configurable reasoning."""
    return "none" if effort is None else effort


def _listed(values: Sequence[object] | None) -> str:
    if not values:
        return "nothing"
    shown = ", ".join(str(value) for value in values[:3])
    return shown + (f" and {len(values) - 3} more" if len(values) > 3 else "")


_SAYS: dict[str, Callable[[ModelConstraints, tuple[str, ...]], str]] = {
    "allowedModels": lambda c, _: f"only {_listed(c.allowed_models)}",
    "allowedProviders": lambda c, _: f"only {_listed(c.allowed_providers)}",
    "excludedProviders": lambda c, _: f"not {_listed(c.excluded_providers)}",
    "excludedModels": lambda _, models: f"not {_listed(models)}",
    "maxInputCost": lambda c, _: f"at most {usd(c.max_input_cost or 0.0)} per million tokens",
    "maxOutputCost": lambda c, _: f"at most {usd(c.max_output_cost or 0.0)} per million tokens",
    "minContextWindow": lambda c, _: f"at least {tokens(c.min_context_window or 0)} tokens",
    "requiredInputs": lambda c, _: f"must read {_listed(c.required_inputs)}",
    "allowedEfforts": lambda c, _: (
        f"only {_listed([effort_word(e) for e in c.allowed_efforts or ()])}"
    ),
}
