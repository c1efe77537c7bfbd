"""Files of every encoding and none, limits, and text that is no evals at all (SPEC 3.2)."""

from __future__ import annotations

import codecs
import hashlib
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from routinglab.errors import EvalsError
from routinglab.evals import files
from routinglab.evals.evals import load_evals, parse_evals

TEXT = "# AA (2026-09-22)\n\n| slug | TB4 |\n|---|---|\n| naïve-1 | 58% ±3 |\n"


@pytest.mark.parametrize(
    "data",
    [
        TEXT.encode(),
        TEXT.replace("\n", "\r\n").encode(),
        TEXT.replace("\n", "\r").encode(),
        codecs.BOM_UTF8 + TEXT.encode(),
        TEXT.encode("utf-16"),
        codecs.BOM_UTF16_BE + TEXT.encode("utf-16-be"),
        TEXT.encode("utf-16-le"),
        TEXT.encode("utf-32"),
        TEXT.rstrip("\n").encode(),
    ],
    ids=["utf8", "crlf", "cr", "bom", "utf16", "utf16be", "utf16-unmarked", "utf32", "no-newline"],
)
def test_encodings_and_line_ends_make_no_difference(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "evals.md"
    path.write_bytes(data)
    evals = load_evals(path)
    assert evals.warnings == ()
    assert [(row.slug, row.value, row.ci, row.line) for row in evals.rows] == [
        ("naïve-1", 58.0, 3.0, 5)
    ]
    assert evals.digest == hashlib.sha256(data).hexdigest()
    assert evals.path == path


def test_bytes_that_are_no_text_are_replaced_with_a_warning_at_their_line(tmp_path: Path) -> None:
    path = tmp_path / "evals.md"
    path.write_bytes(TEXT.encode() + b"| b\xff\xfe-2 | 60 |\n")
    evals = load_evals(path)
    assert [row.value for row in evals.rows] == [58.0, 60.0]
    assert [warned.line for warned in evals.warnings] == [6]


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 50, b"\0" * 999, b"\x89PNG\r\n\x1a\n" + b"|\x00|-|\n" * 50]
)
def test_binary_files_give_no_rows_and_warnings(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "evals.md"
    path.write_bytes(data)
    evals = load_evals(path)
    assert evals.rows == ()
    assert evals.warnings


@pytest.mark.parametrize("data", [b"", b" \n\t\n", codecs.BOM_UTF8, codecs.BOM_UTF16_LE])
def test_an_empty_file_is_an_error(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "evals.md"
    path.write_bytes(data)
    with pytest.raises(EvalsError, match="empty"):
        load_evals(path)


def test_missing_files_folders_and_bad_names_are_errors_that_name_them(tmp_path: Path) -> None:
    with pytest.raises(EvalsError, match=r"nowhere\.md does not exist"):
        load_evals(tmp_path / "nowhere.md")
    with pytest.raises(EvalsError, match="is a folder"):
        load_evals(tmp_path)
    with pytest.raises(EvalsError, match="cannot be read"):
        load_evals("a\0b")


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "evals.md"
    with path.open("wb") as file:
        file.truncate(files.LARGEST_FILE + 1)
    with pytest.raises(EvalsError, match="at most 67,108,864"):
        load_evals(path)


def test_a_file_without_tables_is_read_and_says_so() -> None:
    evals = parse_evals("# Nothing yet\n\nTo come.\n")
    assert evals.rows == ()
    assert [str(warned) for warned in evals.warnings] == ["the file holds no table of results"]


@pytest.mark.parametrize(
    "text",
    [
        "<!-- never closed\n" + TEXT,
        "{/* never closed\n" + TEXT,
        "~~~\n" + TEXT,
    ],
)
def test_what_never_closes_hides_the_rest_and_is_reported(text: str) -> None:
    evals = parse_evals(text)
    assert evals.rows == ()
    assert evals.warnings[0].line == 1
    assert "never closed" in evals.warnings[0].message


@pytest.mark.parametrize(
    "between",
    [
        "<!-- | slug | TB4 |\n|---|---|\n| ghost-1 | 1 | -->",
        "{/* | slug | TB4 |\n|---|---|\n| ghost-1 | 1 | */}",
        "````md\n```\n| slug | TB4 |\n|---|---|\n| ghost-1 | 1 |\n````",
        "1. ~~~\n| slug | TB4 |\n|---|---|\n| ghost-1 | 1 |\n   ~~~",
        "    | slug | TB4 |\n    |---|---|\n    | ghost-1 | 1 |",
        "In code, `<!--` opens a comment.",
    ],
)
def test_code_and_comments_are_passed_over(between: str) -> None:
    head, table = TEXT.split("\n\n", 1)
    evals = parse_evals(f"{head}\n\n{between}\n\n{table}")
    assert [row.slug for row in evals.rows] == ["naïve-1"]
    assert evals.warnings == ()


@pytest.mark.parametrize(
    "heading",
    [
        "# AA (2026-09-22)",
        "AA (2026-09-22)\n===",
        "AA (2026-09-22)\n---",
        "## AA (2026-09-22) ##",
        "# **AA** (`2026-09-22`)",
    ],
)
def test_headings_of_every_kind(heading: str) -> None:
    evals = parse_evals(heading + "\n\n| slug | TB4 |\n|---|---|\n| a-1 | 5 |\n")
    row = evals.rows[0]
    assert (row.source, row.benchmark, str(row.as_of)) == (
        "AA (2026-09-22)",
        "aa:TB4",
        "2026-09-22",
    )


def test_rows_may_be_parted_by_blank_lines_and_comments_and_repeat_the_header() -> None:
    text = "# AA\n| slug | TB4 |\n|---|---|\n| a-1 | 1 |\n\n| b-1 | 2 |\n<!-- x -->\n| slug | TB4 |\n|---|---|\n| c-1 | 3 |\n"
    assert [(row.slug, row.value) for row in parse_evals(text).rows] == [
        ("a-1", 1),
        ("b-1", 2),
        ("c-1", 3),
    ]


pieces = st.sampled_from(
    ["| ", " |", "---", "\n", "\n\n", "```", "~~~", "<!--", "-->", "`", "**", "[", "](", "\\|", "# ", "AA", "slug",
     "Model", "TB4", "74% ±3", "$1", "∅", "[^1]", "> ", "- `k`: v", "2026-09-22", "Published", "Own outcomes", "\t", "{/*"]
)  # fmt: skip


@given(st.lists(pieces | st.text(max_size=6), max_size=60).map("".join))
@settings(max_examples=250, deadline=None)
def test_no_text_makes_the_reader_raise(text: str) -> None:
    try:
        evals = parse_evals(text)
    except EvalsError:
        assert not text.strip("\ufeff \n\t\r") or not text.strip()
    else:
        assert all(0 <= row.core <= len(row.tokens) for row in evals.rows)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_no_bytes_make_decoding_raise(data: bytes) -> None:
    text, _ = files.decode(data)
    assert "\0" not in text


names = st.from_regex(r"[a-z]{2,8}-[0-9]{1,2}", fullmatch=True)
numbers = st.decimals(min_value=0, max_value=100, places=1)


@given(
    st.dictionaries(
        names, st.lists(st.none() | numbers, min_size=3, max_size=3), min_size=1, max_size=8
    ),
    st.booleans(),
    st.sampled_from(["", "\r"]),
)
@settings(max_examples=100, deadline=None)
def test_a_generated_table_reads_back(
    table: dict[str, list[object]], outer: bool, carriage: str
) -> None:
    keys = ("idx", "TB4", "Sci")
    lines = ["slug | " + " | ".join(keys), "--- | --- | --- | ---"]
    lines += [
        f"{name} | " + " | ".join("∅" if v is None else str(v) for v in row)
        for name, row in table.items()
    ]
    if outer:
        lines = [f"| {line} |" for line in lines]
    evals = parse_evals("## AA\n\n" + (carriage + "\n").join(lines) + "\n")
    assert evals.warnings == () or not evals.rows
    assert [(row.slug, row.benchmark, row.value) for row in evals.rows] == [
        (name, f"aa:{key}", float(str(value)))
        for name, row in table.items()
        for key, value in zip(keys, row, strict=True)
        if value is not None
    ]
