"""One model at one provider, with what is known of it, and collections of them (SPEC 2.3)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import date
from functools import cached_property
from typing import Annotated, Literal

from pydantic import Field, field_validator

from routinglab.core.efforts import EFFORT_RANK, Effort
from routinglab.core.text import did_you_mean, shown, text_digest
from routinglab.core.value import Value
from routinglab.errors import CatalogError, InvalidInput

Kind = Literal["chat", "image", "classifier"]
Billing = Literal["metered", "subscription", "free"]

#: USD per million tokens; the bound keeps sums of prices finite.
Price = Annotated[float, Field(strict=True, ge=0, le=1e12)]
Tokens = Annotated[int, Field(strict=True, gt=0)]
#: The length makes pydantic refuse lone surrogates, which no file or page can hold.
Text = Annotated[str, Field(max_length=10_000)]
Name = Annotated[str, Field(min_length=1, max_length=10_000)]


class PriceTier(Value):
    """Prices that hold for all tokens of a request with more than ``above`` input tokens."""

    above: int = Field(ge=0, strict=True)
    input_price: Price | None = None
    output_price: Price | None = None


class Source(Value):
    """Where facts came from: a name or address, and the day they were read."""

    name: str
    as_of: date | None = None
    facts: tuple[str, ...] = ()


class Model(Value):
    """A model as one provider serves it.

    Prices are USD per million tokens, windows are tokens. None is unknown and satisfies no
    requirement; a zero price is a real price. ``efforts`` are the supported reasoning levels in their
    order, empty where there is nothing to configure. ``base_model`` is the full id of the model this is a faster
    route of; ``request_model`` is the id to send where that is not ``id``, and ``request_options``
    what to send with it, because a faster route is often the same model asked to hurry.
    """

    provider: str = Field(min_length=1, pattern=r"^[^/\s]+$")
    id: Name
    name: Text = ""
    kind: Kind = "chat"
    inputs: tuple[Name, ...] | None = None
    context_window: Tokens | None = None
    max_output: Tokens | None = None
    input_price: Price | None = None
    output_price: Price | None = None
    tiers: tuple[PriceTier, ...] = ()
    efforts: tuple[Effort, ...] = ()
    released: date | None = None
    billing: Billing | None = None
    base_model: Name | None = None
    request_model: Name | None = None
    request_options: tuple[tuple[Literal["service_tier", "speed"], Name], ...] = ()
    deprecated: bool = False
    sources: tuple[Source, ...] = ()

    @field_validator("efforts", mode="before")
    @classmethod
    def _null_is_no_level(cls, efforts: object) -> object:
        if not isinstance(efforts, list | tuple):
            return efforts
        return tuple(effort for effort in efforts if effort is not None)

    @field_validator("efforts")
    @classmethod
    def _each_once_in_order(cls, efforts: tuple[Effort, ...]) -> tuple[Effort, ...]:
        return tuple(sorted(set(efforts), key=EFFORT_RANK.__getitem__))

    @cached_property
    def full_id(self) -> str:
        """``provider/id``."""
        return f"{self.provider}/{self.id}"

    @cached_property
    def effort_choices(self) -> tuple[Effort | None, ...]:
        """The efforts a candidate of this model can have: its levels, or None alone."""
        return self.efforts or (None,)

    @cached_property
    def dearest_input(self) -> float | None:
        """The highest input price over all tiers; None when any of them is unknown."""
        return _dearest([self.input_price, *(tier.input_price for tier in self.tiers)])

    @cached_property
    def dearest_output(self) -> float | None:
        """The highest output price over all tiers; None when any of them is unknown."""
        return _dearest([self.output_price, *(tier.output_price for tier in self.tiers)])

    @cached_property
    def blended_price(self) -> float | None:
        """Three parts input, one part output, at the base tier, USD per million (SPEC 6.2)."""
        if self.input_price is None or self.output_price is None:
            return None
        return blended(self.input_price, self.output_price)

    def cost(self, input_tokens: int, output_tokens: int) -> float | None:
        """USD for one request; beyond a tier, all its tokens cost that tier's price."""
        input_price, output_price = self.input_price, self.output_price
        for tier in sorted(self.tiers, key=lambda tier: tier.above):
            if input_tokens > tier.above:
                input_price, output_price = tier.input_price, tier.output_price
        if input_price is None or output_price is None:
            return None
        return (input_tokens * input_price + output_tokens * output_price) / 1_000_000


def blended(input_price: float, output_price: float) -> float:
    """One price for three parts input and one part output."""
    return (3 * input_price + output_price) / 4


def _dearest(prices: list[float | None]) -> float | None:
    known = [price for price in prices if price is not None]
    return max(known) if len(known) == len(prices) else None


class Catalog:
    """An immutable collection of models by full id; a later model of an id replaces an earlier."""

    def __init__(self, models: Iterable[Model] = (), warnings: Iterable[str] = ()) -> None:
        given = list(models)
        for model in given:
            if not isinstance(model, Model):
                raise InvalidInput(f"a catalog holds models, not {type(model).__name__}")
        self._models = {model.full_id: model for model in given}
        self.warnings = tuple(warnings)

    def __iter__(self) -> Iterator[Model]:
        return iter(self._models.values())

    def __len__(self) -> int:
        return len(self._models)

    def __contains__(self, full_id: object) -> bool:
        return full_id in self._models

    def get(self, full_id: str) -> Model | None:
        """The model of this exact id, or None."""
        return self._models.get(full_id)

    def __getitem__(self, full_id: str) -> Model:
        try:
            return self._models[full_id]
        except KeyError:
            hint = did_you_mean(full_id, self._models)
            raise CatalogError(f"no model {shown(full_id)} in the catalog.{hint}") from None

    @cached_property
    def providers(self) -> tuple[str, ...]:
        """Provider ids in sorted order."""
        return tuple(sorted({model.provider for model in self}))

    @cached_property
    def digest(self) -> str:
        """SHA-256 of the models, whatever order they were given in."""
        return text_digest("\n".join(sorted(model.to_json() for model in self)))

    def __repr__(self) -> str:
        return f"Catalog({len(self):,} models, {len(self.providers)} providers)"

    def _repr_html_(self) -> str:
        from routinglab.catalog.html import catalog_html

        return catalog_html(self)

    def having(self, models: Iterable[Model]) -> Catalog:
        """A catalog with ``models`` added or replaced."""
        return Catalog([*self, *models], self.warnings)
