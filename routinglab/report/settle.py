"""Take what differs from run to run out of a notebook's outputs.

Random ids become their rank of first appearance, memory addresses become zero. Sources and
Markdown are left as they are.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: Ids that libraries draw at random: pandas' Styler, altair's div, itables' table, plotly's div.
_RANDOM_ID = re.compile(
    r"(?<=\bT_)[0-9a-f]{5}(?=[\"_ #.]|\b)"
    r"|(?<=altair-viz-)[0-9a-f]{32}"
    r"|(?<=itables_)[0-9a-f]{8}(?:_[0-9a-f]{4}){3}_[0-9a-f]{12}"
    r"|(?<=id=\")[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?=\")"
)
_ADDRESS = re.compile(r"(?<= at )0x[0-9a-f]{6,}")


def settle(node: NotebookNode) -> None:
    """Rewrite the outputs of ``node`` in place, and drop execution counts."""
    ranks: dict[str, str] = {}

    def rank(match: re.Match[str]) -> str:
        return ranks.setdefault(match[0], f"{len(ranks):05d}")

    def walk(value: Any) -> Any:
        if isinstance(value, str):
            return _ADDRESS.sub("0x0", _RANDOM_ID.sub(rank, value))
        if isinstance(value, list):
            return [walk(item) for item in value]
        if isinstance(value, dict):
            for key in value:
                value[key] = walk(value[key])
        return value

    for cell in node.cells:
        if cell.cell_type == "code":
            cell.execution_count = None
            for output in cell.outputs:
                walk(output)
                if "execution_count" in output:
                    output.execution_count = None
