"""The shipped notebooks, run as people run them: the page's figures, its bytes, and in a browser."""

from __future__ import annotations

import csv
import hashlib
import html
import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from support.chromium import chromium_page

from routinglab.resources import shipped

# the pages are made once for all tests here, so one worker takes them all
pytestmark = [pytest.mark.notebook, pytest.mark.xdist_group("shipped notebooks")]

NAMES = ("main", "evals", "replay")


def start(name: str, folder: Path, seed: str, zone: str) -> subprocess.Popen[bytes]:
    """``routinglab report NAME`` in an empty home, without keys and without any way out."""
    (folder / "home").mkdir(parents=True)
    kept = {k: v for k, v in os.environ.items() if k in ("PATH", "LD_LIBRARY_PATH")}
    env = {
        **kept, "HOME": str(folder / "home"), "TMPDIR": str(folder), "PYTHONHASHSEED": seed,
        "TZ": zone, "HTTPS_PROXY": "http://127.0.0.1:9", "HTTP_PROXY": "http://127.0.0.1:9",
    }  # fmt: skip
    command = [sys.executable, "-m", "routinglab", "report", name, "-q", "-o", f"{name}.html"]
    return subprocess.Popen(command, cwd=folder, env=env, stderr=subprocess.PIPE)


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Each page, and the main one a second time under other surroundings."""
    root = tmp_path_factory.mktemp("pages")
    runs = [
        ("main", "1", "UTC"),
        ("main", "77", "Asia/Tokyo"),
        ("evals", "2", "UTC"),
        ("replay", "3", "UTC"),
    ]
    made: dict[str, list[Path]] = {}
    for pair in (runs[:2], runs[2:]):  # two at a time: as many as small machines have cores
        started = []
        for name, seed, zone in pair:
            folder = root / f"{name}-{seed}"
            started.append((name, folder, start(name, folder, seed, zone)))
        for name, folder, process in started:
            _, told = process.communicate(timeout=120)
            assert process.returncode == 0, told.decode()
            made.setdefault(name, []).append(folder / f"{name}.html")
    return made


def words_of(page: Path) -> str:
    text = re.sub(
        r"<style>.*?</style>|<script.*?</script>|<svg.*?</svg>", "", page.read_text(), flags=re.S
    )
    return html.unescape(re.sub(r"<[^>]+>", " ", text))


def row_of(page: Path, cell: str, start: str) -> str:
    """The words of a cell's row that starts with ``start``, or names it on a line after ``=``."""
    _, _, section = page.read_text().partition(f'id="cell-{cell}"')
    rows = re.findall(r"<tr[^>]*>(.*?)</tr>", section.partition("</section>")[0], flags=re.S)
    for row in rows:
        cells = [
            html.unescape(re.sub(r"<[^>]+>", " ", c.replace("<br>", "\n"))).strip()
            for c in re.findall(r"<td.*?</td>", row, re.S)
        ]
        if cells and start in cells[0].split("\n= "):
            return " | ".join(cells)
    raise AssertionError(f"no row starts with {start!r}")


def test_the_main_page_is_the_same_to_the_byte_in_other_surroundings(pages) -> None:
    first, second = pages["main"]
    assert first.read_bytes() == second.read_bytes()
    manifests = [p.with_suffix(".manifest.json").read_bytes() for p in (first, second)]
    assert manifests[0] == manifests[1]


def test_every_recorded_task_is_shown_with_where_it_goes(pages) -> None:
    lines = shipped("evals", "subagent-tasks.jsonl").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    tasks = [row["id"] for row in rows if row.get("kind") == "task"]
    chosen = {
        row["task"]: row["decision"]["primary"] for row in rows if row.get("kind") == "decision"
    }
    assert len(tasks) >= 40
    for task in tasks:
        cells = row_of(pages["main"][0], "tasks-table", task).replace("/ ", "/").split(" | ")
        effort = chosen[task].get("effort")
        assert cells[3] == chosen[task]["model"] + (f":{effort}" if effort else "")


@pytest.mark.parametrize(
    ("policy", "figures"),
    [
        # score, USD in all and reward regret that the study's own data give
        ("oracle by reward", ("79.0%", "27.62", "0.0")),
        ("Always claude-opus-4-6", ("63.6%", "194.91", "43.7")),
        ("ACRouter", ("73.3%", "86.72", "15.9")),
        ("LinUCB", ("55.1%", "75.03", "46.7")),
        ("kNN retrieval", ("32.4%", "7.49", "80.0")),
        ("LogReg", ("39.2%", "68.0")),
        ("always gpt-5.4", ("64.2%", "18.27")),
    ],
)
def test_the_main_page_has_the_figures_of_known_routers(pages, policy, figures) -> None:
    row = row_of(pages["main"][0], "outcomes-table", policy).split(" | ")
    row[1] = row[1].partition(" (")[0]  # without its interval
    assert [figure for figure in figures if figure not in row] == []


def test_the_manifest_lists_the_files_the_figures_came_from(pages) -> None:
    manifest = json.loads(pages["main"][0].with_suffix(".manifest.json").read_text())
    listed = {row["name"]: row["sha256"] for row in manifest["inputs"]}
    for name in ("evals.md", "subagent-tasks.jsonl"):
        expected = hashlib.sha256(shipped("evals", name).read_bytes()).hexdigest()
        assert listed[f"evals/{name}"] == expected
    assert any("curated" in name for name in listed)
    assert manifest["parameters"]["max_output_price"] == 10.0
    assert {"pandas", "matplotlib", "routinglab"} <= set(manifest["versions"])


def test_the_main_page_compares_policies_and_benchmarks(pages) -> None:
    words = words_of(pages["main"][0])
    for policy in ("evidence", "best_quality", "cheapest", "newest"):
        assert row_of(pages["main"][0], "policies-table", f"policy {policy}")
    assert "featurebench (49 tasks)" in words
    assert "holds decisions only: these tasks were not run" in words


def test_the_main_page_starts_with_what_came_out(pages) -> None:
    words = re.sub(r"\s+", " ", words_of(pages["main"][0])).partition("What is known of")[2]
    start = words.partition("What is known of the models Results")[0]
    for figure in ("72 go to", "58 of 72", "63.6%", "64.2%", "gpt-5.4, $0.104 a task", "79.0%"):
        assert figure in start, figure


OWN = """\
## My lab (2026-10-01)

| Model | Accuracy | Cost per task |
| --- | --- | --- |
| gpt-6-astra (high) | 71% ± 2 | $0.41 |
| claude-opus-5-5 (max) | 74% | $0.39 |
| glm-5.3 | soon | $0.05 |
"""


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (OWN, ("claude-opus-5-5 (max)", "that counts for coding", "soon")),
        ("Nothing measured yet.", ("No row of mine.md measured", "holds no table of results")),
    ],
)
def test_the_main_page_takes_any_evals(tmp_path: Path, text: str, told: tuple[str, ...]) -> None:
    from routinglab.report.build import build_report

    (tmp_path / "mine.md").write_text(text)
    page = tmp_path / "mine.html"
    build_report("main", page, {"evals": "mine.md"}, cwd=tmp_path)
    words = words_of(page)
    assert [part for part in told if part not in words] == []
    assert "over the shipped evals" not in words
    assert "worked out again from mine.md" in words


@pytest.mark.parametrize("name", NAMES)
def test_pages_hold_no_trace_of_the_machine(pages, name: str) -> None:
    text = pages[name][0].read_text()
    assert str(pages[name][0].parent) not in text
    assert str(Path.home()) + "/" not in text
    assert "0x7f" not in text


def test_the_evals_page_shows_the_frontier_and_every_result(pages) -> None:
    words = words_of(pages["evals"][0])
    assert "The Pareto frontier" in words
    assert "GPT-5.6 Luna (xhigh)" in words
    assert re.search(r"Results\s+[\d,]{3,}", words)


@pytest.fixture(scope="module")
def opened(pages) -> Iterator[tuple]:
    with chromium_page(offline=True, viewport={"width": 1200, "height": 900}) as (page, seen):
        page.goto(pages["main"][0].as_uri())
        yield page, seen, pages


@pytest.mark.browser
@pytest.mark.parametrize("name", NAMES)
def test_a_page_opens_offline_without_errors_or_requests(opened, name: str) -> None:
    page, seen, pages = opened
    seen.errors.clear()
    seen.requests.clear()
    own = pages[name][0].as_uri()
    page.goto(own)
    page.wait_for_load_state("networkidle")
    assert page.locator("h1").count() == 1
    assert seen.errors == []
    assert [url for url in seen.requests if url != own and not url.startswith("data:")] == []
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


@pytest.mark.browser
def test_tables_sort_and_filter_in_the_page(opened) -> None:
    page, seen, pages = opened
    page.goto(pages["main"][0].as_uri())
    section = page.locator("#cell-outcomes-table")
    section.get_by_role("button", name="USD in all").click()
    first = section.locator("tbody tr td").first
    assert first.inner_text() == "cheapest"
    section.get_by_role("button", name="USD in all").click()
    assert first.inner_text() == "cascade by price"  # 195.09, the dearest
    section.get_by_role("searchbox").fill("routed by")
    shown = section.locator("tbody tr:visible")
    assert shown.count() >= 2
    assert all("routed by" in text for text in shown.all_inner_texts())
    assert seen.errors == []


def saved(page, section: str, form: str) -> str:
    with page.expect_download() as waiting:
        page.locator(section).get_by_role("button", name=form, exact=True).first.click()
    path = waiting.value.path()
    assert waiting.value.suggested_filename == f"{section.removeprefix('#cell-')}.{form.lower()}"
    return path.read_bytes().decode()


@pytest.mark.browser
def test_a_table_can_be_saved_as_csv_and_json(opened) -> None:
    page, seen, pages = opened
    page.goto(pages["main"][0].as_uri())
    rows = list(csv.DictReader(io.StringIO(saved(page, "#cell-tasks-table", "CSV"))))
    lines = shipped("evals", "subagent-tasks.jsonl").read_text().splitlines()
    texts = {r["id"]: r["text"] for r in map(json.loads, lines) if r.get("kind") == "task"}
    assert {row["Task"]: row["What it asks"] for row in rows} == texts  # whole, though folded
    assert rows[0]["Needs"] == "coding\nhard\nmistakes high"
    assert "runner-up" in rows[0]["Why"]
    records = json.loads(saved(page, "#cell-outcomes-table", "JSON"))
    acrouter = next(row for row in records if row["Policy"] == "ACRouter")
    assert acrouter["USD in all"] == pytest.approx(86.718175)
    score = "Score (95 % interval)"
    assert acrouter[f"{score} low"] < acrouter[score] < acrouter[f"{score} high"]
    assert acrouter[score] == pytest.approx(129 / 176)
    assert seen.errors == []


@pytest.mark.browser
def test_what_is_saved_is_what_the_filter_shows(opened) -> None:
    page, _, pages = opened
    page.goto(pages["main"][0].as_uri())
    page.locator("#cell-tasks-table").get_by_role("searchbox").fill("coding-01")
    records = json.loads(saved(page, "#cell-tasks-table", "JSON"))
    assert [record["Task"] for record in records] == ["coding-01"]


@pytest.mark.browser
def test_a_table_says_when_columns_or_rows_are_out_of_sight(opened) -> None:
    page, _, pages = opened
    page.goto(pages["main"][0].as_uri())
    section = page.locator("#cell-tasks-table")
    hint = section.locator(".hint")
    assert "more columns" in hint.inner_text()
    assert "more rows" in hint.inner_text()
    section.locator(".scroll").evaluate("box => box.scrollTo(box.scrollWidth, box.scrollHeight)")
    page.wait_for_function(
        "document.querySelector('#cell-tasks-table .hint').textContent === ''", timeout=5000
    )


@pytest.mark.browser
def test_a_reason_unfolds_to_the_whole_explanation(opened) -> None:
    page, _, pages = opened
    page.goto(pages["main"][0].as_uri())
    row = page.locator("#cell-tasks-table tbody tr").first
    reason = row.locator("td").nth(4)
    assert "runner-up" not in reason.inner_text()
    reason.locator("summary").click()
    assert "runner-up" in reason.inner_text()


@pytest.mark.browser
def test_the_page_follows_a_dark_setting(opened) -> None:
    page, seen, pages = opened
    page.goto(pages["main"][0].as_uri())
    page.emulate_media(color_scheme="dark")
    colours = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    page.emulate_media(color_scheme="light")
    assert max(map(int, re.findall(r"\d+", colours[0])[:3])) < 60
    assert min(map(int, re.findall(r"\d+", colours[1])[:3])) > 180
    assert seen.errors == []
