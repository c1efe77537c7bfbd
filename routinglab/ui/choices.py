"""What a picker can offer: read from the live catalog, never from a list in the code."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import get_args

from routinglab.catalog.model import Model
from routinglab.core.constraints import InputType
from routinglab.core.efforts import EFFORTS, Effort
from routinglab.ui.scale import Scale


@dataclass(frozen=True, slots=True)
class Choices:
    """Values that occur among chat models, in the order they are shown."""

    providers: tuple[str, ...]
    models: tuple[str, ...]
    inputs: tuple[str, ...]
    efforts: tuple[Effort | None, ...]
    input_prices: Scale
    output_prices: Scale
    windows: Scale

    @classmethod
    def of(cls, models: Iterable[Model]) -> Choices:
        """The choices that ``models`` give."""
        chat = [model for model in models if model.kind == "chat"]
        seen = {value for model in chat for value in model.inputs or ()}
        efforts = {effort for model in chat for effort in model.effort_choices}
        levels: tuple[Effort | None, ...] = (None, *EFFORTS)
        return cls(
            providers=tuple(sorted({model.provider for model in chat})),
            models=tuple(sorted(model.full_id for model in chat)),
            inputs=tuple(name for name in get_args(InputType) if name in seen),
            efforts=tuple(effort for effort in levels if effort in efforts),
            input_prices=Scale.over(_known(m.dearest_input for m in chat), zero=True),
            output_prices=Scale.over(_known(m.dearest_output for m in chat), zero=True),
            windows=Scale.over(_known(m.context_window for m in chat), zero=True),
        )


def _known(values: Iterable[float | None]) -> list[float]:
    return [value for value in values if value is not None]
