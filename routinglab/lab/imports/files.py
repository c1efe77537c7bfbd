"""Opening tables that somebody else made: CSV, Parquet, JSON, JSON Lines; never pickles."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd

from routinglab.errors import OutcomesError

#: A path to a table, or a table.
TableSource = str | os.PathLike[str] | pd.DataFrame

_PICKLES = (".pkl", ".pickle", ".p", ".joblib", ".npy", ".pt")


def read_table(source: TableSource, *, texts: Iterable[str] = ()) -> pd.DataFrame:
    """A DataFrame from a CSV or Parquet file, or the one given.

    Of a CSV file the columns ``texts`` are kept as written (``007`` stays ``007``); others are
    numbers where all their cells are.
    """
    if isinstance(source, pd.DataFrame):
        return source
    path = existing(source)
    if path.suffix.lower() in (".parquet", ".pq"):
        try:
            return pd.read_parquet(path)
        except ImportError:
            raise OutcomesError(
                f"{path}: reading Parquet needs pyarrow; pip install 'routinglab[parquet]'"
            ) from None
        except Exception as error:
            raise OutcomesError(f"{path}: not a Parquet file ({type(error).__name__})") from None
    try:
        return pd.read_csv(
            path,
            keep_default_na=False,
            na_values=[""],
            low_memory=False,
            dtype=dict.fromkeys(texts, str),
        )
    except (ValueError, EOFError, OSError, pd.errors.ParserError) as error:
        raise OutcomesError(f"{path}: not a CSV table ({str(error).splitlines()[0]})") from None


def read_json(source: str | os.PathLike[str]) -> Any:
    """The content of a JSON file."""
    path = existing(source)
    try:
        return json.loads(path.read_bytes())
    except ValueError as error:
        raise OutcomesError(f"{path}: not JSON ({error})") from None


def read_json_lines(source: str | os.PathLike[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of every line that is not blank."""
    path = existing(source)
    with path.open("rb") as lines:
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise OutcomesError(f"{path}: line {number} is not JSON ({error})") from None
            if not isinstance(row, dict):
                raise OutcomesError(f"{path}: line {number} is not a JSON object")
            yield number, row


def existing(source: str | os.PathLike[str]) -> Path:
    """The path of a file that exists and is no pickle."""
    if not isinstance(source, str | os.PathLike):
        raise OutcomesError(
            f"a table is the path of a file or a pandas DataFrame, not {type(source).__name__}"
        )
    path = Path(source)
    if any(suffix.lower() in _PICKLES for suffix in path.suffixes[-2:]):
        raise OutcomesError(
            f"{path}: pickles are refused, because opening one can run code; "
            "convert it to CSV or Parquet where you trust it"
        )
    try:
        with path.open("rb") as file:
            if file.read(2)[:1] == b"\x80":
                raise OutcomesError(f"{path}: this is a pickle, which can run code; it is refused")
    except OSError as error:
        raise OutcomesError(f"{path}: cannot be read ({error.strerror})") from None
    return path


def required(frame: pd.DataFrame, columns: tuple[str, ...], name: str) -> None:
    """OutcomesError where one of ``columns`` is missing."""
    missing = [column for column in columns if column not in frame]
    if missing:
        have = ", ".join(str(column) for column in frame.columns)
        raise OutcomesError(f"{name}: no column {missing[0]!r}; the columns are {have}")


def distinct_names(frame: pd.DataFrame, name: str) -> None:
    """OutcomesError where two columns have one name, for nothing says which is meant."""
    twice = frame.columns[frame.columns.duplicated()]
    if len(twice):
        raise OutcomesError(f"{name}: two columns are named {str(twice[0])!r}")


def stem(source: TableSource, default: str) -> str:
    """A name for the table: the file's, without its ending."""
    return default if isinstance(source, pd.DataFrame) else Path(source).stem
