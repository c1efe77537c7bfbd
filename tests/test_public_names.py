"""The names scripts rely on are there, and importing the package stays cheap."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

import routinglab

#: What SPEC 17 promises.
PROMISED = {
    "load_settings", "load_catalog", "load_evals", "load_recording", "build_evals",
    "Model", "Candidate", "TaskNeeds", "ModelConstraints", "Decision", "Attempt", "RunResult",
    "Skill", "Evals", "Catalog", "Recording", "Replay",
    "model_tokens", "eligible", "rank", "shortlist", "describe", "effort_for", "classify_failure",
    "Router", "Runner", "run_skill", "SkillStore", "replay", "metrics", "errors",
}  # fmt: skip

METRICS = {
    "regret", "cost_quality", "aiq", "pgr", "apgr", "cpt", "arena_score", "ips", "snips",
    "doubly_robust", "bootstrap",
}  # fmt: skip

HEAVY = ("pandas", "numpy", "scipy", "httpx", "ipywidgets", "matplotlib", "nbformat", "typer")


def test_all_is_sorted_complete_and_without_repeats() -> None:
    assert routinglab.__all__ == sorted(set(routinglab.__all__))
    assert set(routinglab.__all__) >= PROMISED


@pytest.mark.parametrize("name", routinglab.__all__)
def test_every_public_name_can_be_imported(name: str) -> None:
    assert getattr(routinglab, name) is not None


def test_dir_lists_the_public_names() -> None:
    assert set(dir(routinglab)) >= set(routinglab.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = routinglab.nonsense


def test_the_metrics_module_has_what_it_promises() -> None:
    assert set(dir(routinglab.metrics)) >= METRICS


def loaded_after(code: str) -> set[str]:
    script = f"{code}\nimport json, sys; print(json.dumps(sorted(sys.modules)))"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return set(json.loads(done.stdout))


def test_importing_the_package_loads_nothing_heavy() -> None:
    assert loaded_after("import routinglab").isdisjoint(HEAVY)


def test_deciding_needs_no_plotting_widgets_or_notebooks() -> None:
    code = (
        "from routinglab import load_settings, load_catalog, load_evals, Router, TaskNeeds\n"
        "from routinglab.routing.plan import Planner\n"
        "plan = Planner(load_catalog(), load_evals()).plan(TaskNeeds(work='coding'))\n"
        "plan.decide()"
    )
    unwanted = {"pandas", "scipy", "ipywidgets", "matplotlib", "nbformat"}
    assert loaded_after(code).isdisjoint(unwanted)
