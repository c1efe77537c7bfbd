"""Importers on tables a person can read."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from routinglab.errors import OutcomesError
from routinglab.lab.findings import OutcomesWarning
from routinglab.lab.imports.coderouterbench import import_coderouterbench, import_decision_log
from routinglab.lab.imports.llmrouter import import_llmrouter
from routinglab.lab.imports.long import import_long
from routinglab.lab.imports.routellm import import_routellm
from routinglab.lab.imports.routerarena import import_routerarena
from routinglab.lab.imports.routerbench import import_routerbench

WIDE = '''sample_id,prompt,eval_name,big/model,small,big/model|total_cost,small|total_cost,oracle_model_to_route_to
q.1,"What, then?",MMLU: law & order,1.0,0.0,0.02,0.001,big/model
q.2,"Two
lines ""quoted""",GSM 8k,0.5,,0.03,,big/model
'''


@pytest.fixture
def wide(tmp_path: Path) -> Path:
    path = tmp_path / "wide.csv"
    path.write_text(WIDE)
    return path


@pytest.mark.filterwarnings("ignore::routinglab.lab.findings.OutcomesWarning")
def test_a_routerbench_frame_reads_the_same_from_csv_parquet_and_memory(
    wide: Path, tmp_path: Path
) -> None:
    frame = pd.read_csv(wide)
    frame.to_parquet(tmp_path / "wide.parquet")
    read = [import_routerbench(source) for source in (wide, tmp_path / "wide.parquet", frame)]
    for outcomes in read:
        assert outcomes.tasks == ("q.1", "q.2")
        assert outcomes.models == ("big/model", "small")
        assert outcomes.score[:, 0].tolist() == [1.0, 0.5]
        assert outcomes.cost[0].tolist() == [0.02, 0.001]
        assert np.isnan(outcomes.score[1, 1])
        assert outcomes.coverage == 0.75
        assert outcomes.info["group"].tolist() == ["MMLU: law & order", "GSM 8k"]
        assert outcomes.info.loc[1, "text"] == 'Two\nlines "quoted"'
    assert len({outcomes.digest for outcomes in read}) == 1


def test_pickles_are_refused_by_name_and_by_content(wide: Path, tmp_path: Path) -> None:
    for name in ("frame.pkl", "frame.pickle", "frame.csv", "frame.parquet"):
        path = tmp_path / name
        path.write_bytes(pickle.dumps({"a": 1}))
        with pytest.raises(OutcomesError, match="pickle"):
            import_routerbench(path)


def test_a_wide_frame_of_another_layout_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OutcomesError, match="no column 'sample_id'; the columns are a"):
        import_routerbench(pd.DataFrame({"a": [1]}))
    with pytest.raises(OutcomesError, match="not in the RouterBench layout"):
        import_routerbench(pd.DataFrame({"sample_id": [1], "m": [1]}))
    with pytest.raises(OutcomesError, match="no score column for model 'm'"):
        import_routerbench(pd.DataFrame({"sample_id": [1], "m|total_cost": [1]}))


def test_files_that_cannot_be_read_are_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "bad.parquet").write_text("no")
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "bad.jsonl").write_text('{"a":1}\n[1]\n')
    for make, said in (
        (lambda: import_long(tmp_path / "none.csv"), "No such file"),
        (lambda: import_long(tmp_path / "bad.parquet"), "not a Parquet file"),
        (lambda: import_llmrouter(tmp_path / "bad.json"), "not JSON"),
        (lambda: import_routerarena(tmp_path / "bad.jsonl"), "line 1 lacks 'global_index'"),
        (lambda: import_routerarena(tmp_path / "empty"), "cannot be read"),
    ):
        with pytest.raises(OutcomesError, match=said):
            make()


def test_a_long_table_finds_its_columns_and_keeps_a_tasks_facts() -> None:
    frame = pd.DataFrame(
        {
            "task_id": ["x", "x", "y"],
            "llm": ["a", "b", "a"],
            "performance": [1, 0.5, 0],
            "dimension": ["one", "one", "two"],
            "query": ["Q1", "Q1", "Q2"],
            "in_tok": [5, 6, 7],
            "out_tok": [1, 2, 3],
            "cost_usd": [0.1, 0.2, 0.3],
            "note": ["n1", "n2", "n3"],
        }
    )
    outcomes = import_long(frame, quiet=True)
    assert outcomes.score[0].tolist() == [1, 0.5]
    assert outcomes.info.to_dict("records") == [
        {"task": "x", "group": "one", "text": "Q1"},
        {"task": "y", "group": "two", "text": "Q2"},
    ]
    assert outcomes.input_tokens[1, 0] == 7
    named = import_long(
        frame.rename(columns={"performance": "points"}), columns={"score": "points"}, quiet=True
    )
    assert named.digest == outcomes.digest


def test_a_long_table_says_which_column_is_missing() -> None:
    with pytest.raises(OutcomesError, match="no column for 'score'; the columns are task, model"):
        import_long(pd.DataFrame({"task": ["x"], "model": ["a"]}))
    with pytest.raises(OutcomesError, match="no column 'points' for 'score'"):
        import_long(pd.DataFrame({"task": ["x"]}), columns={"score": "points"})
    with pytest.raises(OutcomesError, match="'scores' is no column; known: task, model"):
        import_long(pd.DataFrame({"task": ["x"]}), columns={"scores": "points"})


def ood176(folder: Path) -> Path:
    (folder / "ood176_results_long.csv").write_text(
        "task_id,source_split,bench,dimension,model,source_model,resolved,in_tok,out_tok,cost_usd\n"
        "s::1,old,b,bug_fixing,Qwen3-Max,Qwen3-Max,1,1000000,0,0.34\n"
        "s::1,old,b,bug_fixing,glm-5,glm-5,0,0,0,0.0\n"
        "s::2,old,b,bug_fixing,Qwen3-Max,qwen3.6-plus,0,1000000,1000000,1.72\n"
        "s::2,old,b,bug_fixing,glm-5,glm-5,1,1000000,1000000,3.8\n"
    )
    (folder / "models.json").write_text(
        json.dumps(
            {
                "models": [
                    {"model": "Qwen3-Max", "input_per_1m": 0.34, "output_per_1m": 1.38},
                    {"model": "glm-5", "input_per_1m": 0.8, "output_per_1m": 3.0},
                ]
            }
        )
    )
    return folder


def test_coderouterbench_tables_and_logs(tmp_path: Path) -> None:
    with pytest.warns(OutcomesWarning, match="priced 0"):
        outcomes = import_coderouterbench(ood176(tmp_path))
    assert outcomes.prices == {"Qwen3-Max": (0.34, 1.38), "glm-5": (0.8, 3.0)}
    assert sorted(found.kind for found in outcomes.findings) == ["missing_tokens", "source_model"]
    log = tmp_path / "router.jsonl"
    log.write_text(
        '{"task_id": "s::1", "chosen_model": "通义千问Max"}\n\n'
        '{"task_id": "s::2", "chosen_model": "glm-5", "chain_run": ["Qwen3-Max", "glm-5"], '
        '"cost_usd": 5.52, "resolved": true}\n'
    )
    choices = import_decision_log(log, outcomes)
    assert choices.name == "router"
    assert choices.models == ["Qwen3-Max", "glm-5"]
    assert choices.quality.tolist() == [1, 1]
    assert choices.cost.tolist() == pytest.approx([0.34, 5.52])
    assert choices.cost_provenance() == {"observed": 0.5, "imputed": 0.5, "unknown": 0}
    with pytest.raises(OutcomesError, match="ood176, id_test"):
        import_coderouterbench(tmp_path, "train")


def test_routellm_reads_truth_and_drops_contaminated_prompts(tmp_path: Path) -> None:
    table = tmp_path / "gsm.csv"
    table.write_text('prompt,weak,strong\n"A, b",True,False\nC,False,True\nC,False,True\n')
    dirty = tmp_path / "dirty.jsonl"
    dirty.write_text('{"eval_prompt": "A, b"}\n')
    with pytest.warns(OutcomesWarning, match="1 questions repeat another"):
        outcomes = import_routellm(table, contaminated=dirty)
    assert outcomes.tasks == ("gsm-1", "gsm-2")
    assert outcomes.score.tolist() == [[0, 1], [0, 1]]
    assert np.isnan(outcomes.cost).all()
    dirty.write_text('{"eval_prompt": "something else"}\n')
    with pytest.raises(OutcomesError, match="1 of 1 contaminated prompts are not in the table"):
        import_routellm(table, contaminated=dirty)
    table.write_text("prompt,weak\nA,maybe\n")
    with pytest.raises(OutcomesError, match="'maybe' is neither True nor False"):
        import_routellm(table)


def test_a_cell_longer_than_any_field_limit_is_read(tmp_path: Path) -> None:
    table = tmp_path / "long.csv"
    long = "$\\frac{1}{2}$, " * 20_000
    table.write_text(f'prompt,weak,strong\n"{long}",True,False\n')
    assert import_routellm(table).info.loc[0, "text"] == long


def test_llmrouter_scores_without_costs(tmp_path: Path) -> None:
    path = tmp_path / "test.json"
    path.write_text(
        json.dumps(
            [
                {"question": "Q", "scores": {"a": 0.25, "b": 1}},
                {"question": "R", "scores": {"a": 0}},
            ]
        )
    )
    with pytest.warns(OutcomesWarning, match="1 of 4 outcomes are missing"):
        outcomes = import_llmrouter(path)
    assert outcomes.tasks == ("llmrouter test-0", "llmrouter test-1")
    assert outcomes.score[0].tolist() == [0.25, 1]
    assert outcomes.coverage == 0.75
    path.write_text('{"question": "Q"}')
    with pytest.raises(OutcomesError, match="JSON list"):
        import_llmrouter(path)
    path.write_text('[{"question": "Q"}]')
    with pytest.raises(OutcomesError, match="entry 0 has no scores"):
        import_llmrouter(path)


def test_routerarena_failed_requests_are_no_wrong_answers(tmp_path: Path) -> None:
    def answer(task: str, model: str, score: float, success: bool = True) -> str:
        return json.dumps(
            {
                "global_index": task,
                "question": "Q",
                "llm_selected": model,
                "token_usage": {"input_tokens": 100, "output_tokens": 10, "total_tokens": 110},
                "success": success,
                "evaluation_result": {"score": score, "metric": "m", "inference_cost": 0.00012},
            }
        )

    (tmp_path / "a.jsonl").write_text(
        answer("Math_1", "a", 1) + "\n" + answer("Math_2", "a", 0, False)
    )
    (tmp_path / "b.jsonl").write_text(answer("Math_1", "b", 0.5) + "\n" + answer("Math_2", "b", 0))
    (tmp_path / "cost.json").write_text(
        json.dumps(
            {
                m: {"input_token_price_per_million": 1, "output_token_price_per_million": 2}
                for m in "ab"
            }
        )
    )
    outcomes = import_routerarena(tmp_path, quiet=True)
    assert [found.kind for found in outcomes.findings] == ["failed", "missing_outcomes"]
    assert outcomes.info["group"].tolist() == ["Math", "Math"]
    assert np.isnan(outcomes.score[1, 0])
    assert outcomes.score[1, 1] == 0
    assert outcomes.cost[0].tolist() == [0.00012, 0.00012]
    named = import_routerarena([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], quiet=True)
    assert named.digest == outcomes.digest


def test_names_that_look_like_numbers_stay_as_written(tmp_path: Path) -> None:
    long = tmp_path / "long.csv"
    long.write_text("task,model,score,subject\n007,1.50,1,010\n008,1.50,0,011\n")
    outcomes = import_long(long, quiet=True)
    assert outcomes.tasks == ("007", "008")
    assert outcomes.models == ("1.50",)
    assert outcomes.info["group"].tolist() == ["010", "011"]
    mapped = tmp_path / "mapped.csv"
    mapped.write_text("nr,model,score\n007,a,1\n")
    assert import_long(mapped, columns={"task": "nr"}, quiet=True).tasks == ("007",)
    wide = tmp_path / "wide.csv"
    wide.write_text("sample_id,a,a|total_cost\n01,1,0.1\n1,0,0.1\n")
    assert import_routerbench(wide, quiet=True).tasks == ("01", "1")


def test_two_columns_of_one_name_are_an_error() -> None:
    for read, columns in (
        (import_long, ["task", "model", "score", "score"]),
        (import_routerbench, ["sample_id", "m", "m", "m|total_cost"]),
    ):
        frame = pd.DataFrame([["a", 1, 1, 0.1]], columns=columns)
        with pytest.raises(OutcomesError, match="two columns are named"):
            read(frame)


@pytest.mark.parametrize("name", ["a.PKL", "a.pkl.gz", "a.pickle.zip", "a.csv.gz", "A.PARQUET"])
def test_files_that_are_no_table_are_an_error(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(b"no such thing")
    with pytest.raises(OutcomesError, match=name):
        import_long(path)


@pytest.mark.parametrize("source", [None, 3, [{"task": "t"}]])
def test_what_is_neither_a_path_nor_a_frame_is_an_error(source: object) -> None:
    with pytest.raises(OutcomesError, match="path of a file or a pandas DataFrame"):
        import_long(source)  # type: ignore[arg-type]


def test_a_list_of_contaminated_prompts_without_prompts_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("prompt,weak,strong\n1,True,False\n")
    (tmp_path / "c.jsonl").write_text('{"prompt": "1"}\n')
    with pytest.raises(OutcomesError, match="line 1 has no eval_prompt"):
        import_routellm(tmp_path / "t.csv", contaminated=tmp_path / "c.jsonl")


def test_routerarena_files_without_an_answer_are_an_error(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    row = {"global_index": 1, "question": "q", "llm_selected": "m", "success": False}
    for text, said in (
        ("", "0 requests"),
        (json.dumps(row | {"evaluation_result": None}), "1 requests, all of which failed"),
        (json.dumps(row | {"success": True, "evaluation_result": [1]}), "line 1 is no answer"),
    ):
        path.write_text(text)
        with pytest.raises(OutcomesError, match=said):
            import_routerarena([path])
