"""Labels people can tell apart."""

from __future__ import annotations

import unicodedata

from hypothesis import given, settings
from hypothesis import strategies as st
from support.children import START

from routinglab.tasks.labels import display_labels, suffix, tidy_label
from routinglab.tasks.model import TaskRecord


def task(task_id: str, label: str) -> TaskRecord:
    return TaskRecord(id=task_id, label=label, state="running", generation=1, admitted=START)


def tasks(labels: list[str]) -> list[TaskRecord]:
    return [task(f"{i:06x}ff", label) for i, label in enumerate(labels)]


def test_a_label_of_its_own_stays_and_two_alike_get_the_start_of_their_ids() -> None:
    shown = display_labels(
        [task("aaaaaa11", "review"), task("bbbbbb22", "review"), task("cccccc33", "fix")]
    )
    assert shown == {
        "aaaaaa11": "review · aaaaaa",
        "bbbbbb22": "review · bbbbbb",
        "cccccc33": "fix",
    }


def test_a_label_that_copies_the_suffixed_form_of_another_is_told_apart_too() -> None:
    shown = display_labels(
        [task("aaaaaa11", "x"), task("bbbbbb22", "x"), task("cccccc33", "x · aaaaaa")]
    )
    assert shown["aaaaaa11"] == "x · aaaaaa"
    assert shown["cccccc33"] == "x · aaaaaa · cccccc"


def test_labels_that_only_look_different_to_a_machine_count_as_alike() -> None:
    shown = display_labels(tasks(["file", "ﬁle", "fi\u200ble", " file ", "FILE"]))
    assert all("·" in label for label in shown.values())


def test_long_labels_that_differ_only_beyond_the_cut_are_told_apart() -> None:
    shown = display_labels(tasks(["y" * 100 + "1", "y" * 100 + "2"]))
    assert len(set(shown.values())) == 2
    assert all(label.startswith("y" * 79 + "… · ") for label in shown.values())


def test_a_label_is_one_line_and_never_empty() -> None:
    assert tidy_label(" fix\n the\tbug\x00 ") == "fix the bug"
    assert tidy_label("\u200b\n") == "task"


@settings(max_examples=80, deadline=None)
@given(
    st.lists(st.sampled_from(["a", "A", "a · 000001", "a · 000001 · 000002", "b", ""]), max_size=8)
)
def test_no_two_labels_read_the_same_and_a_suffix_is_always_the_tasks_own(
    labels: list[str],
) -> None:
    everything = tasks(labels)
    shown = display_labels(everything)
    read = {unicodedata.normalize("NFKC", text).casefold() for text in shown.values()}
    assert len(read) == len(everything)
    for one in everything:
        plain = tidy_label(one.label)
        assert shown[one.id] in (plain, f"{plain} · {suffix(one.id)}")
    # the same tasks in another order read the same
    assert display_labels(reversed(everything)) == shown
