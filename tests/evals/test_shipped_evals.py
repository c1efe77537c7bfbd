"""The evals file that ships with the package, against its sources."""

from __future__ import annotations

import csv
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

from routinglab.evals.cells import plain_text
from routinglab.evals.check import check_evals
from routinglab.evals.evals import Evals, load_evals
from routinglab.evals.row import Row
from routinglab.evals.values import is_missing

INDEX = "Artificial Analysis Intelligence Index v4.3.2 (2026-09-22)"
CHART = "Artificial Analysis Intelligence Index v4.3.2, default chart (2026-09-20)"
AA = "Artificial Analysis evaluations (2026-09-05)"
AGENTS = "Artificial Analysis Coding Agent Index v1.4 (2026-09-05)"
DSWE = "DeepSWE v1.1 (2026-09-03)"
FC = "FrontierCode 1.1, Main (2026-09-22)"

#: CSV file -> section, columns that name the model, effort and harness, and other columns' keys
SHORT = ["idx", "Brief", "Gn", "Auto", "TB4", "Sci", "HLE", "PDF", "Crit", "OA", "ONH", "LCR", "Cod", "Agt", "Omni", "GPQA", "TB21", "TBh", "IF", "MMMU", "tau2", "tauB", "Analyst", "ITB", "Apex", "AIME", "LCB", "Harvey", "MLCR", "Open", "Ent"]  # fmt: skip
FILES: dict[str, tuple[str, str, dict[str, str]]] = {
    "aa-intelligence-index-v4.3.2.csv": (INDEX, "slug", {key: f"aa:{key}" for key in SHORT}),
    "aa-intelligence-index-2026-09-20.csv": (
        CHART, "Model", {**{key: f"aa:{key}" for key in SHORT}, "Bn": "aa:Brief", "TB": "aa:TB4"},
    ),
    "aa-leaderboard-2026-09-05.csv": (
        AA, "AA configuration",
        {"Intelligence Index": "aa:idx", "$/Index task": "aa:usd", "Output tok/s": "aa:tps",
         "TTFT (s)": "aa:ttft", "End-to-end 500 tok (s)": "aa:e2e"},
    ),
    "aa-agentic-coding-2026-09-05.csv": (
        AA, "AA configuration",
        {"AA-Briefcase": "aa:Brief", "GDPval-AA v2": "aa:Gn", "𝜏³-Banking": "aa:tauB",
         "Terminal-Bench v2.1": "aa:TB21", "SciCode": "aa:Sci"},
    ),
    "aa-reasoning-knowledge-2026-09-05.csv": (
        AA, "AA configuration",
        {"Humanity's Last Exam": "aa:HLE", "CritPt": "aa:Crit", "GDP.pdf All-pass": "aa:PDF",
         "AA-Omniscience accuracy": "aa:OA", "AA-Omniscience non-hallucination": "aa:ONH",
         "AA-LCR v1.1": "aa:LCR"},
    ),
    "aa-additional-2026-09-05.csv": (
        AA, "AA configuration",
        {"AutomationBench-AA (SaaS workflows)": "aa:Auto", "Harvey LAB-AA (legal)": "aa:Harvey",
         "EnterpriseOps-Gym-AA": "aa:Ent", "AA-AnalystAgent (spreadsheets)": "aa:Analyst",
         "IFBench (instruction following)": "aa:IF", "ITBench-AA (K8s incidents)": "aa:ITB",
         "GPQA Diamond": "aa:GPQA", "MMMU-Pro": "aa:MMMU"},
    ),
    "aa-coding-agent-index-1.4.csv": (
        AGENTS, "Agent + model (settings)",
        {"Coding Agent Index": "agent:idx", "DeepSWE": "agent:DSWE", "Terminal-Bench v2.1": "agent:TB21",
         "SWE-Atlas-QnA": "agent:QnA", "$/task": "agent:usd", "Wall time/task": "agent:seconds"},
    ),
    "deepswe-1.1-best-view.csv": (
        DSWE, "Model [effort]",
        {"pass@1": "dswe:Pass@1", "Avg $/task": "dswe:usd", "Output tokens": "dswe:tokens", "Steps": "dswe:steps"},
    ),
    "deepswe-1.1.csv": (
        DSWE, "Model",
        {"pass@1±CI": "dswe:Pass@1", "USD/task": "dswe:usd", "output k-tokens": "dswe:tokens", "steps": "dswe:steps"},
    ),
    "frontiercode-1.1.csv": (
        FC, "Model",
        {"score": "fc:Main", "pass": "fc:Pass", "flag": "fc:Flag", "USD/task": "fc:usd", "output k-tokens": "fc:tokens"},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def shipped() -> Evals:
    return load_evals()


def as_displayed(text: str, column: str) -> tuple[float, float | None]:
    """Value and interval of a cell, by the few notations these files use."""
    body, _, half = text.replace("%", "").replace("$", "").partition("±")
    factor = 1.0
    if body.endswith("k") or "k-tokens" in column:
        factor, body = 1000.0, body.removesuffix("k")
    if body.endswith(" min"):
        factor, body = 60.0, body.removesuffix(" min")
    return float(body) * factor, float(half) if half else None


@pytest.mark.parametrize("name", FILES)
def test_every_cell_of_the_sources_is_read_back(
    shared_data: Path, shipped: Evals, name: str
) -> None:
    source, naming, keys = FILES[name]
    with (shared_data / "evals" / name).open(encoding="utf-8", newline="") as file:
        records = list(csv.DictReader(file))
    rows: dict[tuple[str, str], list[Row]] = {}
    for row in shipped.rows:
        if row.source == source:
            rows.setdefault((row.slug, row.benchmark), []).append(row)
    checked = 0
    for record in records:
        named = record[naming]
        if name == "deepswe-1.1.csv":
            named = f"{named} [{record['Effort']}]"
        for column, text in record.items():
            if column not in keys:
                continue
            found = rows.get((plain_text(named), keys[column]), [])
            if is_missing(text):
                assert found == []
                continue
            assert [(round(row.value, 6), row.ci) for row in found] == [as_displayed(text, column)]
            if "Effort" in record:
                stated = record["Effort"] if record["Effort"] not in ("none", "0.99") else None
                assert found[0].effort == stated
            if "Harness" in record:
                assert found[0].harness == record["Harness"]
            checked += 1
    assert checked > 60


def test_release_dates_agree_with_the_public_catalog(shared_data: Path, shipped: Evals) -> None:
    import json

    from routinglab.evals.identity import model_tokens

    api = json.loads((shared_data / "models_dev" / "api.json").read_text(encoding="utf-8"))
    dates: dict[tuple[str, ...], Counter[str]] = {}
    for provider in api.values():
        for model_id, model in provider["models"].items():
            stated = dates.setdefault(model_tokens(model_id), Counter())
            stated[model.get("release_date", "")] += 1
    listed = {row.model: row.released for row in shipped.rows if row.released}
    announced = {"claude-opus-5-5": date(2026, 9, 22), "gpt-6-astra": date(2026, 9, 3)}
    assert len(listed) >= 20
    for model, day in listed.items():
        if model in announced:
            assert day == announced[model]
        else:
            assert str(day) in dates[tuple(model.split("-"))]


def test_the_shipped_file_is_read_without_a_warning(shipped: Evals) -> None:
    assert shipped.warnings == ()
    assert check_evals(shipped).unrecognised == ()


def test_row_counts_a_section(shipped: Evals) -> None:
    tables = [(table.source, table.records, table.values) for table in shipped.tables]
    assert tables == [
        (INDEX, 27, 483), (CHART, 47, 538), (AA, 30, 147), (AA, 26, 130), (AA, 26, 156), (AA, 17, 70),
        (AGENTS, 14, 84), (DSWE, 21, 84), (FC, 39, 193), ("Release dates", 22, 0),
    ]  # fmt: skip
    assert len(shipped.rows) == 1885


def test_sample_values(shipped: Evals) -> None:
    found = {(row.source, row.slug, row.benchmark): row for row in shipped.rows}
    opus = found[INDEX, "claude-opus-5-5", "aa:idx"]
    assert (opus.value, opus.effort, opus.released) == (57.6, "max", date(2026, 9, 22))
    assert found[INDEX, "gpt-5-6-sol", "aa:ITB"].value == 56.2
    assert found[CHART, "GPT-5.5 Pro (xhigh)", "aa:Crit"].value == 30.6
    assert found[AA, "GLM-5.3-Flash", "aa:usd"].value == 0.18
    sonnet = found[DSWE, "claude-sonnet-5 [max]", "dswe:Pass@1"]
    assert (sonnet.value, sonnet.ci) == (54.0, 4.0)
    assert found[AGENTS, "Claude Code + Qwen3.8 Max", "agent:seconds"].value == 1794.0
    assert found[FC, "Kimi K3", "fc:Main"].harness == "msa"


def test_sample_standings(shipped: Evals) -> None:
    best = shipped.standing("anthropic/claude-opus-5.5", "aa:idx")
    assert best is not None
    assert (best.share, best.models, best.value) == (1.0, 12, 57.6)
    # of 20 other models, 69 % is reached or passed by astra 74, gemini 3.8 74, opus 5 74, sol 73,
    # fable 5 70 and kimi 69: 14 are below
    glm = shipped.standing("zai/glm-5.3", "dswe:Pass@1")
    assert glm is not None
    assert (glm.share, glm.models) == (14 / 20, 21)


def test_a_snapshot_does_not_take_the_release_date_of_the_model_it_follows(shipped: Evals) -> None:
    assert shipped.released("deepseek/deepseek-v4-pro") == date(2026, 4, 24)
    assert shipped.released("deepseek/deepseek-v4-pro-0813") is None
    assert shipped.released("openai/gpt-5.4-mini") == date(2026, 3, 17)
    assert shipped.released("moonshotai/kimi-k3") is None
