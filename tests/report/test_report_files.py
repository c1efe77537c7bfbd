"""Files are written whole, together, or not at all."""

from __future__ import annotations

from pathlib import Path

import pytest

from routinglab.errors import InvalidInput, ReportError
from routinglab.report.files import check_writable, write_all


def test_all_files_get_their_content_and_no_other_is_left(tmp_path: Path) -> None:
    write_all({tmp_path / "a.html": b"page", tmp_path / "a.manifest.json": b"{}"})
    assert {p.name: p.read_bytes() for p in tmp_path.iterdir()} == {
        "a.html": b"page",
        "a.manifest.json": b"{}",
    }


def test_when_one_cannot_be_written_none_changes(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(b"old")
    with pytest.raises(ReportError, match="cannot be written"):
        write_all({tmp_path / "a.html": b"new", tmp_path / "missing" / "b.json": b"{}"})
    assert [(p.name, p.read_bytes()) for p in tmp_path.iterdir()] == [("a.html", b"old")]


def test_a_link_keeps_pointing_at_its_file(tmp_path: Path) -> None:
    (tmp_path / "real.html").write_bytes(b"old")
    (tmp_path / "link.html").symlink_to("real.html")
    write_all({tmp_path / "link.html": b"new"})
    assert (tmp_path / "link.html").is_symlink()
    assert (tmp_path / "real.html").read_bytes() == b"new"


def test_new_files_have_the_usual_permissions(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_all({tmp_path / "a.html": b""})
    assert (tmp_path / "a.html").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_folder_is_no_place_for_a_page(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match=r"is a folder; name a file, as in .*report\.html"):
        check_writable(tmp_path)


def test_the_folder_of_a_page_is_made(tmp_path: Path) -> None:
    check_writable(tmp_path / "new" / "deep" / "a.html")
    assert (tmp_path / "new" / "deep").is_dir()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(ReportError, match=r"file/deep: cannot be made"):
        check_writable(tmp_path / "file" / "deep" / "a.html")
