"""How an object with a widget shows itself in a notebook, a page and a terminal."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any


class Shown(ABC):
    """Base of the panels: ``widget`` is what Jupyter displays.

    Where widgets do not live, as on a page that was rendered from a notebook, the same content
    stands as plain HTML, without the times that differ from run to run: the same notebook and
    inputs give the same page.
    """

    widget: Any

    @abstractmethod
    def html(self) -> str:
        """The present content without controls and times; all text escaped."""

    def _repr_mimebundle_(
        self, include: Any = None, exclude: Any = None
    ) -> dict[str, Any] | tuple[dict[str, Any], dict[str, Any]]:
        from routinglab.ui.html import style

        shown = self.widget._repr_mimebundle_(include=include, exclude=exclude)
        data = dict(shown[0] if isinstance(shown, tuple) else shown or {})
        data["text/plain"] = repr(self)
        data["text/html"] = f'{style()}<div class="rl-ui">{self.html()}</div>'
        return data
