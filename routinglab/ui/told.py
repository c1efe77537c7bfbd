"""Errors in what a click or a timer starts: said in the panel, since nothing else would show them."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from routinglab.errors import RoutingLabError

P = ParamSpec("P")


class Tells(Protocol):
    """Something with a place for messages."""

    def tell(self, text: str) -> None: ...


T = TypeVar("T", bound=Tells)


def told(handler: Callable[Concatenate[T, P], Any]) -> Callable[Concatenate[T, P], None]:
    """``handler`` as a method that raises nothing: Jupyter would put its error into a log."""

    @wraps(handler)
    def safe(self: T, /, *args: P.args, **kwargs: P.kwargs) -> None:
        try:
            handler(self, *args, **kwargs)
        except Exception as error:
            self.tell(words(error))

    return safe


def words(error: Exception) -> str:
    """An error as a person reads it: ours as they are, others with their kind."""
    text = str(error)
    return text if isinstance(error, RoutingLabError) else f"{type(error).__name__}: {text}"
