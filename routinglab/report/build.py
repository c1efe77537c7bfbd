"""Build a page from a notebook: bind parameters, execute, settle, render, write."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from routinglab.errors import InvalidInput, ReportError
from routinglab.report.execute import OnCell, execute
from routinglab.report.files import check_writable, write_all
from routinglab.report.manifest import InputFile, Manifest, input_file
from routinglab.report.notebook import read_notebook
from routinglab.report.page import Code, render_page
from routinglab.report.parameters import bind, inject
from routinglab.report.settle import settle

_CODES = ("collapsed", "shown", "hidden")


def manifest_path(out: str | Path) -> Path:
    """Where the manifest of a page goes: ``report.manifest.json`` beside ``report.html``."""
    return Path(out).with_suffix(".manifest.json")


def build_report(
    notebook: str | Path,
    out: str | Path,
    parameters: Mapping[str, Any] | None = None,
    *,
    cwd: str | Path | None = None,
    env: Mapping[str, str] | None = None,
    code: Code | None = None,
    allow_scripts: bool = False,
    timeout: float | None = None,
    on_cell: OnCell | None = None,
) -> Manifest:
    """Execute a shipped notebook (by name) or any (by path) and write it as one HTML page.

    ``parameters`` replace the defaults of the cell tagged ``parameters``; texts are read as each
    default's type says. Cells run in ``cwd``, the current folder unless given, as papermill's do.
    ``code`` shows, collapses or hides the cells' code, by default as the notebook's
    ``routinglab.code`` metadata says, else collapsed. ``timeout`` is seconds a cell.

    Returns the manifest, which is also written beside the page. The same notebook, parameters,
    files and versions give the same bytes. Raises InvalidInput for a wrong name, parameter or
    option, before anything runs, and ReportError for a failing cell or a page that cannot be
    written; then neither file has changed.
    """
    source = read_notebook(notebook)
    stated = source.node.metadata.get("routinglab", {}).get("code", "collapsed")
    code = code or stated
    if code not in _CODES:
        raise InvalidInput(
            f"code must be one of {', '.join(_CODES)} (got {code!r})", where="report"
        )
    if timeout is not None and not timeout > 0:
        raise InvalidInput(
            f"a cell's time must be more than 0 seconds (got {timeout:g})", where="--timeout"
        )
    given = dict(parameters or {})
    values = bind(source.node, given)
    inject(source.node, {name: values[name] for name in given})
    folder = Path(cwd) if cwd is not None else Path.cwd()
    if not folder.is_dir():
        raise InvalidInput(f"the folder to run in does not exist: {folder}", where="report")
    page, beside = Path(out), manifest_path(out)
    if page.resolve() == source.path.resolve():
        raise InvalidInput(f"{page} is the notebook itself; name another file", where="-o")
    for path in (page, beside):
        check_writable(path)

    executed = execute(
        source.node, name=source.name, cwd=folder, env=env, timeout=timeout, on_cell=on_cell
    )
    settle(executed.node)
    manifest = Manifest(
        title=source.title,
        notebook=input_file(source.path.name, source.content),
        parameters=values,
        inputs=tuple(InputFile(**row) for row in executed.inputs),
        versions=executed.versions,
    )
    text = render_page(
        executed.node,
        manifest,
        folder=source.path.resolve().parent,
        code=code,
        allow_scripts=allow_scripts,
    )
    content = text.encode("utf-8", "backslashreplace")
    whole = manifest.model_copy(update={"page_sha256": input_file("", content).sha256})
    write_all({page: content, beside: (whole.to_json() + "\n").encode()})
    return whole


__all__ = ["ReportError", "build_report", "manifest_path"]
