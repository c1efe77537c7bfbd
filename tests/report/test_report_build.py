"""A notebook becomes a page: parameters in, one file out, errors named."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from routinglab.errors import InvalidInput, ReportError
from routinglab.report.build import build_report, manifest_path
from routinglab.report.manifest import Manifest, input_file

pytestmark = pytest.mark.notebook


def test_parameters_reach_the_cells_and_the_manifest(make_notebook, tmp_path: Path) -> None:
    path = make_notebook(
        "# Study", ("price = 5.0\nname = 'x'", "parameters"), "print(name, price * 2)"
    )
    manifest = build_report(path, tmp_path / "o.html", {"price": "7"})
    assert "x 14" in (tmp_path / "o.html").read_text()
    assert manifest.parameters == {"price": 7, "name": "x"}
    assert manifest.title == "Study"


def test_the_manifest_lists_files_read_with_digests_and_versions(
    make_notebook, tmp_path: Path
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "table.csv").write_bytes(b"a,b\n1,2\n")
    path = make_notebook(
        "import pandas as pd; frame = pd.read_csv('data/table.csv')",
        "open('made.txt', 'w').write('x'); open('made.txt').read()",
        "from routinglab.errors import RoutingLabError",
    )
    manifest = build_report(path, tmp_path / "o.html", cwd=tmp_path)
    assert [(f.name, f.bytes) for f in manifest.inputs] == [("table.csv", 8)]
    assert manifest.inputs[0].sha256 == (
        "492d5ea496056f1a6a6592241032fab764c321596317930b4fa0e1e8bc3b7470"  # sha256sum
    )
    assert manifest.notebook == input_file("study.ipynb", path.read_bytes())
    assert {"python", "routinglab", "pandas", "nbclient"} <= set(manifest.versions)
    beside = Manifest.model_validate_json(manifest_path(tmp_path / "o.html").read_text())
    assert beside == manifest
    assert beside.page_sha256 == input_file("", (tmp_path / "o.html").read_bytes()).sha256
    embedded = re.search(
        r'<script type="application/json" id="manifest">(.*?)</script>',
        (tmp_path / "o.html").read_text(),
    )
    assert json.loads(embedded[1]) == {**manifest.to_dict(), "pageSha256": None}


def test_files_of_one_name_are_told_apart_by_their_folders(make_notebook, tmp_path: Path) -> None:
    for folder in ("before", "after"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "evals.md").write_text(folder)
    path = make_notebook("[open(f'{d}/evals.md').read() for d in ('before', 'after')]")
    manifest = build_report(path, tmp_path / "o.html", cwd=tmp_path)
    assert [f.name for f in manifest.inputs] == ["after/evals.md", "before/evals.md"]


def test_a_failing_cell_is_named_and_leaves_the_old_page(make_notebook, tmp_path: Path) -> None:
    (tmp_path / "o.html").write_text("old page")
    path = make_notebook("# T", "x = 1", "raise ValueError('no such\\nprice')")
    with pytest.raises(ReportError) as caught:
        build_report(path, tmp_path / "o.html")
    assert str(caught.value) == "notebook study: cell 'c2' (3 of 3) failed: ValueError: no such"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["o.html", "study.ipynb"]
    assert (tmp_path / "o.html").read_text() == "old page"


def test_a_cell_that_exits_the_kernel_is_named(make_notebook, tmp_path: Path) -> None:
    path = make_notebook("x = 1", "import os; os._exit(3)")
    with pytest.raises(ReportError, match=r"cell 'c1' \(2 of 2\) failed: its kernel died"):
        build_report(path, tmp_path / "o.html")
    assert not (tmp_path / "o.html").exists()


def test_a_cell_over_its_time_is_named(make_notebook, tmp_path: Path) -> None:
    path = make_notebook("while True: pass")
    with pytest.raises(ReportError, match=r"cell 'c0' .* longer than 1 s"):
        build_report(path, tmp_path / "o.html", timeout=1)


def test_a_cell_that_may_fail_is_shown_with_its_error(make_notebook, tmp_path: Path) -> None:
    path = make_notebook(("1 / 0", "raises-exception"))
    build_report(path, tmp_path / "o.html")
    assert "ZeroDivisionError" in (tmp_path / "o.html").read_text()


_VARYING = (
    "object(), list({f'name {i}' for i in range(20)})",
    "import matplotlib.pyplot as plt; fig, ax = plt.subplots(); ax.plot([1, 2]); ax.set_title('t');",
    "import pandas as pd; pd.DataFrame({'a': [1.5, 2]}).style.highlight_max()",
    "import sys; print('a'); print('b', file=sys.stderr); print('c')",
    "import warnings; warnings.warn('old')",
    "import time, datetime; time.localtime().tm_zone, datetime.date.fromtimestamp(0).isoformat()",
)


def test_the_same_inputs_give_the_same_bytes(make_notebook, tmp_path: Path) -> None:
    path = make_notebook("# Study", *_VARYING)
    pages = []
    for run, zone in (("one", "UTC"), ("two", "Asia/Tokyo")):
        folder = tmp_path / run
        (folder / "tmp").mkdir(parents=True)
        env = {**os.environ, "PYTHONHASHSEED": str(len(pages) + 1), "TZ": zone}
        env |= {"TMPDIR": str(folder / "tmp"), "HOME": str(folder), "LANG": "C"}
        code = "import sys; from routinglab.report.build import build_report; build_report(*sys.argv[1:])"
        command = [sys.executable, "-c", code, str(path), "page.html"]
        subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)
        pages.append((folder / "page.html").read_bytes())
        assert list((folder / "tmp").iterdir()) == []
    assert pages[0] == pages[1]


def test_the_page_holds_no_address_of_elsewhere(make_notebook, tmp_path: Path) -> None:
    path = make_notebook("# Study", *_VARYING)
    build_report(path, tmp_path / "o.html")
    text = (tmp_path / "o.html").read_text()
    addresses = set(re.findall(r"https?://[^\s\"'<)]+", text))
    assert addresses <= {"http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"}


def test_another_kernel_a_profile_and_old_outputs_change_nothing(tmp_path: Path) -> None:
    stale = new_code_cell("1 + 1", id="a")
    stale.outputs = [nbformat.v4.new_output("stream", text="stale")]
    stale.execution_count = 9
    node = new_notebook(
        cells=[stale], metadata={"kernelspec": {"name": "julia", "display_name": "J"}}
    )
    nbformat.write(node, tmp_path / "n.ipynb")
    profile = tmp_path / "ipython" / "profile_default" / "startup"
    profile.mkdir(parents=True)
    (profile / "00.py").write_text("print('profile')")
    env = {**os.environ, "IPYTHONDIR": str(tmp_path / "ipython")}
    build_report(tmp_path / "n.ipynb", tmp_path / "o.html", env=env)
    text = (tmp_path / "o.html").read_text()
    assert "stale" not in text
    assert "profile" not in text
    assert "<pre>2</pre>" in text


def test_progress_names_each_cell(make_notebook, tmp_path: Path) -> None:
    steps: list[tuple[int, int, str]] = []
    path = make_notebook("x = 1", "y = 2")
    build_report(path, tmp_path / "o.html", on_cell=lambda *step: steps.append(step))
    assert steps == [(0, 2, "c0"), (1, 2, "c1")]


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (b"not json", "is no notebook"),
        (b"\xff\xfe", "is no notebook"),
        (b'{"cells": 3}', "no valid notebook|is no notebook"),
        (b"[]", "no valid notebook|is no notebook"),
    ],
)
def test_a_file_that_is_no_notebook_is_an_error(tmp_path: Path, content: bytes, told: str) -> None:
    (tmp_path / "n.ipynb").write_bytes(content)
    with pytest.raises(ReportError, match=told):
        build_report(tmp_path / "n.ipynb", tmp_path / "o.html")


def test_wrong_names_and_options_are_refused_before_anything_runs(
    make_notebook, tmp_path: Path
) -> None:
    path = make_notebook("open('ran.txt', 'w')")
    for arguments, told in (
        ((tmp_path / "none.ipynb", "o.html"), "no notebook at"),
        (("nothing-called-so", "o.html"), "no notebook is called 'nothing-called-so'"),
        ((path, path), "is the notebook itself"),
    ):
        with pytest.raises(InvalidInput, match=told):
            build_report(*arguments, cwd=tmp_path)
    with pytest.raises(InvalidInput, match="code must be one of collapsed, shown, hidden"):
        build_report(path, tmp_path / "o.html", code="loud", cwd=tmp_path)
    with pytest.raises(InvalidInput, match="folder to run in does not exist"):
        build_report(path, tmp_path / "o.html", cwd=tmp_path / "none")
    with pytest.raises(InvalidInput, match="is a folder"):
        build_report(path, tmp_path, cwd=tmp_path)
    for seconds in (0, -1.0, float("nan")):
        with pytest.raises(InvalidInput, match="must be more than 0 seconds"):
            build_report(path, tmp_path / "o.html", timeout=seconds, cwd=tmp_path)
    assert not (tmp_path / "ran.txt").exists()
