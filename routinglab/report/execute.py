"""Run every cell of a notebook in a fresh kernel whose surroundings cannot change its output."""

from __future__ import annotations

import json
import os
import re
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from routinglab.errors import ReportError
from routinglab.report.thread import run_apart

if TYPE_CHECKING:
    from nbformat import NotebookNode
    from traitlets.config import Config

#: Progress: cells done, cells in all, id of the cell that starts.
OnCell = Callable[[int, int, str], None]

_SETUP, _INPUTS = "routinglab-setup", "routinglab-inputs"
_ANSI = re.compile(r"\x1b\[[0-9;]*m")

#: What a kernel must be told from outside; a notebook cannot set its own hash seed.
FIXED = {
    "PYTHONHASHSEED": "0",
    "SOURCE_DATE_EPOCH": "0",
    "MATPLOTLIBRC": str(Path(__file__).with_name("matplotlibrc")),
    "IPYKERNEL_CELL_NAME": "<cell>",
    "TZ": "UTC",
    "LC_ALL": "C.UTF-8",
    "COLUMNS": "100",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
    # sums over threads come out in another order
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


@dataclass(frozen=True, slots=True)
class Executed:
    """A notebook with its outputs, the files its kernel read and the versions it ran on."""

    node: NotebookNode
    inputs: list[dict[str, Any]]
    versions: dict[str, str]


def execute(
    node: NotebookNode,
    *,
    name: str,
    cwd: Path,
    env: Mapping[str, str] | None = None,
    timeout: float | None = None,
    on_cell: OnCell | None = None,
) -> Executed:
    """Execute ``node`` in place, in ``cwd``; ``timeout`` is seconds for one cell, None for ever.

    Raises ReportError naming the notebook, the cell and what it raised. The interpreter is this
    one, whatever kernel the notebook names; a person's IPython profile is not read.
    """
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError
    from nbformat.v4 import new_code_cell

    setup = new_code_cell("from routinglab.report import kernel; kernel.watch()", id=_SETUP)
    closing = new_code_cell(
        "from routinglab.report import kernel; kernel.print_inputs()", id=_INPUTS
    )
    for cell in node.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    node.cells = [setup, *node.cells, closing]
    node.metadata.pop("widgets", None)

    total = len(node.cells) - 2
    running = {"index": 0}

    def starting(cell: NotebookNode, cell_index: int) -> None:
        running["index"] = cell_index
        if on_cell and 0 < cell_index <= total:
            on_cell(cell_index - 1, total, cell.id)

    with tempfile.TemporaryDirectory(prefix="routinglab-report-") as scratch:
        client = NotebookClient(
            node,
            kernel_name="python3",
            kernel_manager_class=_own_interpreter(),
            config=_private_sockets(scratch),
            timeout=timeout,
            record_timing=False,
            coalesce_streams=True,
            store_widget_state=False,
            extra_arguments=["--InlineBackend.figure_formats=svg"],
            on_cell_start=starting,
        )
        log = Path(scratch, "kernel.log")  # what a kernel says outside its cells is nobody's output
        surroundings = {**(os.environ if env is None else env), **FIXED, "IPYTHONDIR": scratch}
        try:
            with log.open("wb") as out:
                started = {"env": surroundings, "cwd": str(cwd), "stdout": out, "stderr": out}
                run_apart(
                    client.async_execute(reset_kc=False, **started),
                    # a busy kernel would be waited for before it is ended
                    on_interrupt=lambda: client.set_trait("shutdown_kernel", "immediate"),
                )
        except CellExecutionError as error:
            what = f"{error.ename}: {_first_line(error.evalue)}"
            raise _failed(node, name, running["index"], what) from error
        except CellTimeoutError as error:
            what = f"it ran longer than {timeout:g} s" if timeout else "it ran too long"
            raise _failed(node, name, running["index"], what) from error
        except DeadKernelError as error:
            raise _failed(node, name, running["index"], _death(log)) from error
    noted = json.loads("".join(out.get("text", "") for out in node.cells[-1].outputs))
    node.cells = node.cells[1:-1]
    return Executed(node, noted["inputs"], noted["versions"])


def _own_interpreter() -> type:
    from ipykernel.kernelspec import get_kernel_dict
    from jupyter_client.kernelspec import KernelSpec
    from jupyter_client.manager import AsyncKernelManager

    class OwnInterpreter(AsyncKernelManager):
        """Starts this interpreter's ipykernel, not what a ``python3`` spec somewhere names."""

        @property
        def kernel_spec(self) -> KernelSpec:
            return KernelSpec(resource_dir="", **get_kernel_dict())

    return OwnInterpreter


def _private_sockets(folder: str) -> Config:
    """Talk to the kernel through files only this user can open, where the platform has them."""
    from traitlets.config import Config

    config = Config()
    connection = str(Path(folder, "kernel.json"))
    if os.name == "posix" and len(connection) < 85:  # a socket's path may have 107 bytes
        config.ConnectionFileMixin.transport = "ipc"
        config.ConnectionFileMixin.connection_file = connection
    return config


def _death(log: Path) -> str:
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    return f"its kernel died: {_first_line(lines[-1])}" if lines else "its kernel died"


def _first_line(text: str) -> str:
    lines = _ANSI.sub("", text).strip().splitlines() or [""]
    return lines[0] if len(lines[0]) <= 400 else lines[0][:397] + "..."


def _failed(node: NotebookNode, name: str, index: int, what: str) -> ReportError:
    total = len(node.cells) - 2
    if not 0 < index <= total:
        return ReportError(f"notebook {name}: could not be run: {what}")
    cell = node.cells[index]
    return ReportError(f"notebook {name}: cell {cell.id!r} ({index} of {total}) failed: {what}")
