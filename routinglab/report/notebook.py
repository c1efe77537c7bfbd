"""Find a notebook by name or path, and read it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from routinglab.core.text import did_you_mean
from routinglab.errors import InvalidInput, ReportError
from routinglab.resources import shipped

if TYPE_CHECKING:
    from nbformat import NotebookNode

#: Other names of shipped notebooks; ``main`` is what ``make report`` builds.
ALIASES = {"main": "report"}


@dataclass(frozen=True, slots=True)
class Notebook:
    """A notebook file: the name pages and messages use, where it is, and its content."""

    name: str
    path: Path
    content: bytes
    node: NotebookNode

    @property
    def title(self) -> str:
        """Its ``title`` metadata, else its first heading, else its name."""
        stated = self.node.metadata.get("title")
        if stated:
            return str(stated)
        for cell in self.node.cells:
            if cell.cell_type == "markdown":
                heading = re.search(r"^#{1,3}\s+(.+?)\s*#*$", cell.source, re.MULTILINE)
                if heading:
                    return heading[1].replace("`", "")
        return self.name


def shipped_names() -> list[str]:
    """Names of the notebooks that ship with the package, in sorted order."""
    found = {path.stem for path in shipped("notebooks").glob("*.ipynb")}
    return sorted(found | {alias for alias, name in ALIASES.items() if name in found})


def find_notebook(name_or_path: str | Path) -> Path:
    """The file of a shipped notebook's name, or of a path (anything with a suffix or a slash).

    Raises InvalidInput, listing the shipped names, where there is no such notebook.
    """
    text = str(name_or_path)
    if text.endswith(".ipynb") or "/" in text or "\\" in text:
        path = Path(text)
        if not path.is_file():
            raise InvalidInput(f"there is no notebook at {text}", where="report")
        return path
    path = shipped("notebooks", f"{ALIASES.get(text, text)}.ipynb")
    if not path.is_file():
        known = shipped_names()
        raise InvalidInput(
            f"no notebook is called {text!r}.{did_you_mean(text, known)} "
            f"Shipped: {', '.join(known) or 'none'}; or give the path of an .ipynb file",
            where="report",
            choices=known,
        )
    return path


def read_notebook(name_or_path: str | Path) -> Notebook:
    """Read and upgrade a notebook to format 4; cells without an id get ``cell-N``.

    Raises InvalidInput where there is none and ReportError where the file is no notebook.
    """
    import nbformat
    from nbformat.reader import NotJSONError

    path = find_notebook(name_or_path)
    try:
        content = path.read_bytes()
        node: Any = nbformat.reads(content.decode("utf-8"), as_version=4)
        _name_cells(node)
        nbformat.validate(node)
    except OSError as error:
        raise ReportError(f"{path}: cannot be read: {error.strerror}") from error
    except (NotJSONError, UnicodeDecodeError) as error:
        raise ReportError(f"{path}: is no notebook: the file does not hold JSON") from error
    except (nbformat.ValidationError, AttributeError, KeyError, TypeError) as error:
        reason = str(error).strip().splitlines()[0]
        raise ReportError(f"{path}: is no valid notebook: {reason}") from error
    return Notebook(path.stem, path, content, node)


def _name_cells(node: Any) -> None:
    # notebooks before format 4.5 have no ids, and nbformat would draw random ones
    if (node.nbformat, node.nbformat_minor) < (4, 5):
        node.nbformat_minor = 5
        for number, cell in enumerate(node.cells, 1):
            cell["id"] = f"cell-{number}"
