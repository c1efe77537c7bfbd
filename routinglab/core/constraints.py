"""Hard limits on what automatic routing may choose or fall back to (SPEC 5)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, Protocol, cast

from pydantic import Field, StrictStr

from routinglab.core.efforts import Effort
from routinglab.core.value import Value
from routinglab.errors import InvalidInput

Limit = Annotated[float, Field(strict=True, ge=0, allow_inf_nan=False)]
InputType = Literal["text", "image"]
Tokens = Annotated[int, Field(strict=True, ge=0)]


class ModelConstraints(Value):
    """The eight fields of ``modelConstraints``; a field left out restricts nothing.

    Prices are USD per million tokens and hold for every tier; ``min_context_window`` is tokens. An
    empty list in ``allowed_*`` allows nothing, one in ``excluded_providers`` or ``required_inputs``
    excludes or requires nothing. ``allowed_efforts`` may hold None, the effort of a model without
    configurable reasoning.
    """

    allowed_models: tuple[StrictStr, ...] | None = None
    allowed_providers: tuple[StrictStr, ...] | None = None
    excluded_providers: tuple[StrictStr, ...] | None = None
    max_input_cost: Limit | None = None
    max_output_cost: Limit | None = None
    min_context_window: Tokens | None = None
    required_inputs: tuple[InputType, ...] | None = None
    allowed_efforts: tuple[Effort | None, ...] | None = None

    def stated(self) -> dict[str, object]:
        """The fields that were given, by Python name."""
        return {n: v for n in CONSTRAINT_FIELDS if (v := getattr(self, n)) is not None}


CONSTRAINT_FIELDS: tuple[str, ...] = tuple(ModelConstraints.model_fields)


#: One set of limits, as a value or as an object with its keys.
Restrictions = ModelConstraints | Mapping[str, Any]


class Constrainable(Protocol):
    """The facts of a model that constraints look at; ``catalog.Model`` has them."""

    @property
    def full_id(self) -> str: ...
    @property
    def provider(self) -> str: ...
    @property
    def kind(self) -> str: ...
    @property
    def inputs(self) -> tuple[str, ...] | None: ...
    @property
    def context_window(self) -> int | None: ...
    @property
    def dearest_input(self) -> float | None: ...
    @property
    def dearest_output(self) -> float | None: ...
    @property
    def effort_choices(self) -> tuple[Effort | None, ...]: ...


def broken_restrictions(
    model: Constrainable, effort: Effort | None, limits: ModelConstraints
) -> Iterator[str]:
    """Names of the fields of ``limits`` that this model at this effort does not satisfy.

    What is not known about a model satisfies no limit.
    """
    if limits.allowed_models is not None and model.full_id not in limits.allowed_models:
        yield "allowed_models"
    if limits.allowed_providers is not None and model.provider not in limits.allowed_providers:
        yield "allowed_providers"
    if limits.excluded_providers and model.provider in limits.excluded_providers:
        yield "excluded_providers"
    if limits.max_input_cost is not None and not _at_most(
        model.dearest_input, limits.max_input_cost
    ):
        yield "max_input_cost"
    if limits.max_output_cost is not None and not _at_most(
        model.dearest_output, limits.max_output_cost
    ):
        yield "max_output_cost"
    if limits.min_context_window is not None and (
        model.context_window is None or model.context_window < limits.min_context_window
    ):
        yield "min_context_window"
    if limits.required_inputs and not set(limits.required_inputs) <= set(model.inputs or ()):
        yield "required_inputs"
    if limits.allowed_efforts is not None and effort not in limits.allowed_efforts:
        yield "allowed_efforts"


def _at_most(price: float | None, limit: float) -> bool:
    return price is not None and price <= limit


def eligible(
    model: Constrainable,
    effort: Effort | None,
    constraints: Restrictions | Iterable[Restrictions | None] | None = None,
) -> bool:
    """Whether a chat model at one of its own efforts satisfies every restriction (SPEC 5).

    A restriction may also be given as an object with its keys; None restricts nothing. Raises
    :class:`InvalidInput` for one that is not valid, and for a model that is not from a catalog.
    """
    if not hasattr(model, "effort_choices"):
        raise InvalidInput(f"{model!r} is no catalog model; look it up in a Catalog", field="model")
    alone = constraints is None or isinstance(constraints, ModelConstraints | Mapping)
    several = cast("Iterable[Any]", (constraints,) if alone else constraints)
    limits = [ModelConstraints.model_validate(one) for one in several if one is not None]
    if model.kind != "chat" or effort not in model.effort_choices:
        return False
    return not any(True for one in limits for _ in broken_restrictions(model, effort, one))
