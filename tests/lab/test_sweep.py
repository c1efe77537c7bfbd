from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

import pandas as pd
import pytest
from support.routed import EASY, Recorder

from routinglab.core.constraints import ModelConstraints
from routinglab.core.needs import TaskNeeds
from routinglab.errors import InvalidInput
from routinglab.lab.sweep import sweep, sweep_replay
from routinglab.resources import shipped


def area(width: int, height: int, scale: float = 1.0) -> dict[str, float]:
    return {"area": width * height * scale}


def two_rows(width: int) -> list[dict[str, object]]:
    return [{"side": "left", "w": width}, {"side": "right", "w": -width}]


def failing(width: int) -> dict[str, int]:
    if width == 2:
        raise ValueError("no such width")
    return {"w": width}


GRID = {"width": [1, 2], "height": [3, 4, 5]}


def test_every_combination_gives_a_row_in_order() -> None:
    frame = sweep(area, GRID, scale=2.0)
    assert frame.to_dict("list") == {
        "width": [1, 1, 1, 2, 2, 2],
        "height": [3, 4, 5, 3, 4, 5],
        "area": [6, 8, 10, 12, 16, 20],
    }


def test_a_list_of_points_and_several_rows_a_point() -> None:
    frame = sweep(two_rows, [{"width": 1}, {"width": 5}])
    assert frame["w"].tolist() == [1, -1, 5, -5]
    assert frame["width"].tolist() == [1, 1, 5, 5]


def test_processes_and_threads_give_the_same_frame_with_progress() -> None:
    here = sweep(area, GRID)
    told: list[tuple[int, int]] = []
    with ThreadPoolExecutor(3) as pool:
        frame = sweep(area, GRID, executor=pool, progress=lambda *at: told.append(at))
    pd.testing.assert_frame_equal(frame, here)
    assert told == [(n, 6) for n in range(1, 7)]
    pd.testing.assert_frame_equal(sweep(area, GRID, workers=2), here)
    alone: list[tuple[int, int]] = []
    sweep(area, GRID, progress=lambda *at: alone.append(at))
    assert alone == told


def test_an_error_names_the_point() -> None:
    with pytest.raises(ValueError, match="no such width") as caught:
        sweep(failing, {"width": [1, 2, 3]})
    assert "{'width': 2}" in caught.value.__notes__[0]
    with ProcessPoolExecutor(1) as pool, pytest.raises(ValueError, match="no such width"):
        sweep(failing, {"width": [1, 2, 3]}, executor=pool)


def test_a_grid_without_points_or_with_a_fixed_argument_is_refused() -> None:
    with pytest.raises(InvalidInput, match="no points"):
        sweep(area, {"width": []})
    with pytest.raises(InvalidInput, match="both in the grid and fixed"):
        sweep(area, GRID, width=3)


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_dask_clusters_executor_works_too() -> None:
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        frame = sweep(area, GRID, executor=client.get_executor())
    pd.testing.assert_frame_equal(frame, sweep(area, GRID))


def test_sweeping_constraints_over_a_recording(record: Recorder) -> None:
    record("hard")
    record("easy", needs=EASY)
    record("words", needs=TaskNeeds(work="writing"))
    given: dict[str, Any] = {"evals": record.evals, "catalog": record.catalog}
    grid = {
        "constraints": [{"maxOutputCost": usd} for usd in (0.8, 15, 50)],
        "choice": ["recorded", "rank"],
    }
    here = sweep_replay(str(record.path), grid, **given)
    assert here["constraints.maxOutputCost"].tolist() == [0.8, 0.8, 15, 15, 50, 50]
    assert here["choice"].tolist() == ["recorded", "rank"] * 3
    assert here["models_after"].tolist()[:2] == [1, 1]
    assert here["tasks"].eq(3).all()
    assert here["flipped"].tolist()[-1] == 0
    pd.testing.assert_frame_equal(sweep_replay(str(record.path), grid, workers=2, **given), here)
    values = sweep_replay(
        str(record.path), {"constraints": [ModelConstraints(max_output_cost=15.0)]}, **given
    )
    assert values["constraints.max_output_cost"].tolist() == [15.0]
    assert values["flipped"][0] == here["flipped"][2]


@pytest.mark.parametrize(
    ("grid", "more", "said"),
    [
        ({"width": "12", "height": [1]}, {}, r"list of values for 'width', such as \['12'\]"),
        ({"width": 1}, {}, "list of values for 'width'"),
        ([1], {}, "a point of the grid is a mapping"),
        (None, {}, "a mapping or a list of points"),
        (GRID, {"workers": 0}, "workers: 0"),
        (GRID, {"workers": "2"}, "workers: '2'"),
    ],
)
def test_what_is_no_grid_is_an_error(grid: object, more: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        sweep(area, grid, **more)  # type: ignore[arg-type]


def test_a_function_that_processes_cannot_be_given_is_an_error_before_any_starts() -> None:
    with pytest.raises(InvalidInput, match="define it with def in a module"):
        sweep(lambda width: {"w": width}, {"width": [1]}, workers=2)


def test_a_function_that_gives_no_mapping_is_an_error_with_its_point() -> None:
    with pytest.raises(InvalidInput, match="must give a mapping, or several, not 1") as caught:
        sweep(lambda width: width, {"width": [1]})  # type: ignore[arg-type]
    assert caught.value.__notes__ == ["in the sweep at {'width': 1}"]


def test_an_error_of_a_worker_process_keeps_its_kind_and_its_point() -> None:
    points = {"policy": ["evidence", "evidenc"]}
    with pytest.raises(InvalidInput, match="no policy 'evidenc'") as caught:
        sweep_replay(shipped("evals", "subagent-tasks.jsonl"), points, workers=2)
    assert "'policy': 'evidenc'" in caught.value.__notes__[0]
