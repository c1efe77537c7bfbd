"""The shipped facts of CodeRouterBench: outcomes, routers' choices, published figures (MIT).

They let the report compare policies without any download. ``extract.py`` wrote them.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from routinglab.catalog.files import load_catalog
from routinglab.catalog.model import Catalog
from routinglab.core.needs import TaskNeeds
from routinglab.errors import OutcomesError
from routinglab.evals.build import build_evals
from routinglab.evals.evals import Evals, parse_evals
from routinglab.lab.choices import Choices, choices_from_log
from routinglab.lab.imports.coderouterbench import SOURCE
from routinglab.lab.imports.files import read_table, required
from routinglab.lab.names import aliases_of, catalog_ids
from routinglab.lab.outcomes import Outcomes
from routinglab.lab.table import Checks, outcomes_from_rows
from routinglab.resources import shipped
from routinglab.routing.plan import Planner
from routinglab.settings.model import Settings

if TYPE_CHECKING:
    from routinglab.routing.policies import PolicyLike

AGENTIC = f"{SOURCE}-ood176.csv"
SHORT = f"{SOURCE}-id-sample.csv"
CHOICES = f"{SOURCE}-ood176-choices.csv"
PUBLISHED = f"{SOURCE}-published.csv"
MODELS = f"{SOURCE}-models.json"

#: Day on which the outcomes were taken over, which dates the evals built from them.
AS_OF = date(2026, 12, 1)

#: What else is to be known of a logged router.
_LABELS = {"Reward oracle": ("hindsight",)}

_FACTS = ("task", "group", "bench", "split", "work", "difficulty", "mistake_cost")


def study_needs() -> dict[str, dict[str, tuple[str, str, str]]]:
    """Needs by ``bench`` and by ``dimension``: (work, difficulty, mistakeCost)."""
    text = files("routinglab.lab").joinpath("study_needs.toml").read_text("utf-8")
    return {
        table: {name: (row[0], row[1], row[2]) for name, row in rows.items()}
        for table, rows in tomllib.loads(text).items()
    }


def agentic_outcomes(path: Path | None = None) -> Outcomes:
    """The 176 agentic tasks x 8 models that ship, with needs in ``info``."""
    return _outcomes(path or shipped("evals", AGENTIC), f"{SOURCE} ood176")


def short_outcomes(path: Path | None = None) -> Outcomes:
    """A seeded sample of the short tasks x 8 models that ships, with needs in ``info``."""
    return _outcomes(path or shipped("evals", SHORT), f"{SOURCE} short tasks")


def published_figures(path: Path | None = None) -> pd.DataFrame:
    """What the study published, one row a router; quality 0..1, USD, summed reward regret."""
    return read_table(path or shipped("evals", PUBLISHED))


def logged_choices(outcomes: Outcomes, path: Path | None = None) -> list[Choices]:
    """What seven routers chose on the agentic tasks, by their own logs; chains pay for every call."""
    frame = read_table(path or shipped("evals", CHOICES), texts=("task",))
    required(frame, ("task",), CHOICES)
    made = []
    for router in frame.columns.drop("task"):
        rows = [
            {"task_id": task, **_logged(cell)}
            for task, cell in zip(frame["task"], frame[router], strict=True)
            if isinstance(cell, str)
        ]
        choices = choices_from_log(rows, outcomes, name=router, aliases=aliases_of(SOURCE))
        made.append(choices.relabelled((*choices.labels, *_LABELS.get(router, ()))))
    return made


def _logged(cell: str) -> dict[str, object]:
    """A cell of the choices table as a log row: ``a``, ``a > b``, or ``a > b = a``."""
    text, _, answering = cell.partition(" = ")
    chain = text.split(" > ")
    row: dict[str, object] = {"chosen_model": answering or chain[-1]}
    return row if len(chain) == 1 else {**row, "chain_run": chain}


def study_catalog(path: Path | None = None) -> Catalog:
    """The study's eight models at the study's own prices."""
    return load_catalog(path or shipped("evals", MODELS), curated=False)


def evals_from(outcomes: Outcomes, as_of: date = AS_OF) -> Evals:
    """Evals built from outcomes on other tasks, under catalog ids, by kind of work."""
    rows = outcomes.renamed(catalog_ids(SOURCE)).long()
    return parse_evals(build_evals(rows, as_of=as_of))


def route(
    outcomes: Outcomes,
    evals: Evals,
    catalog: Catalog,
    *,
    policy: PolicyLike = "evidence",
    name: str | None = None,
) -> Choices:
    """What routing would choose for each task from its needs and the evals, never its outcomes.

    The catalog's ids are read as the table's models by ``names.toml``.
    """
    back = {full_id: model for model, full_id in catalog_ids(SOURCE).items()}
    planner = Planner(catalog, evals, Settings(), policy=policy)
    rows = []
    for task, needs in zip(outcomes.tasks, needs_of(outcomes), strict=True):
        chosen = planner.plan(needs).decide().primary.model
        rows.append({"task_id": task, "chosen_model": back.get(chosen, chosen)})
    title = name or f"routed by {planner.policy_name}"
    choices = choices_from_log(rows, outcomes, name=title, aliases={})
    return choices.relabelled(())


def needs_of(outcomes: Outcomes) -> list[TaskNeeds]:
    """The needs in ``info``; OutcomesError where a table has none."""
    required(outcomes.info, ("work", "difficulty", "mistake_cost"), outcomes.name)
    columns = (outcomes.info[name] for name in ("work", "difficulty", "mistake_cost"))
    return [_needs(*row) for row in zip(*columns, strict=True)]


@cache
def _needs(work: str, difficulty: str, mistake_cost: str) -> TaskNeeds:
    return TaskNeeds.model_validate(
        {
            "work": work,
            "difficulty": difficulty,
            "mistake_cost": mistake_cost,
            "needs_images": False,
            "long_context": False,
            "latency_sensitive": False,
        }
    )


def _outcomes(path: Path, name: str) -> Outcomes:
    frame = read_table(path, texts=("task", "model", "source_model"))
    required(frame, ("task", "model", "score", "cost", "provenance"), str(path))
    facts = [column for column in _FACTS if column in frame]
    info = frame[facts].drop_duplicates("task").reset_index(drop=True)
    prices = {
        back: (model.input_price, model.output_price)
        for model in study_catalog()
        for back, full_id in catalog_ids(SOURCE).items()
        if full_id == model.full_id
        if model.input_price is not None and model.output_price is not None
    }
    return outcomes_from_rows(
        frame.assign(token_group=frame["split"] if "split" in frame else frame["group"]),
        name=name,
        info=info,
        checks=Checks(prices=prices),
        source=SOURCE,
        quiet=True,
    )


def with_needs(
    info: pd.DataFrame, tables: Mapping[str, Mapping[str, tuple[str, str, str]]]
) -> pd.DataFrame:
    """``info`` with the needs of each task, by its bench where it has one, else its group."""
    column, table = ("bench", "bench") if "bench" in info else ("group", "dimension")
    unknown = sorted(set(info[column]) - set(tables[table]))
    if unknown:
        raise OutcomesError(f"no needs for {column} {unknown[0]!r}; add it to study_needs.toml")
    needs = pd.DataFrame(
        [tables[table][name] for name in info[column]],
        columns=["work", "difficulty", "mistake_cost"],
    )
    return pd.concat([info.reset_index(drop=True), needs], axis=1)
