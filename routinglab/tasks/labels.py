"""Labels of tasks as people see them: one line, bounded, and no two alike."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping

from routinglab.tasks.model import TaskRecord
from routinglab.tasks.previews import clean

LABEL_CHARACTERS = 80
SUFFIX_CHARACTERS = 6
UNNAMED = "task"


def tidy_label(label: str) -> str:
    """``label`` on one line, without invisible characters, at most 80 characters long."""
    visible = "".join(c for c in clean(label) if unicodedata.category(c) != "Cf")
    line = " ".join(unicodedata.normalize("NFC", visible).split())
    if len(line) > LABEL_CHARACTERS:
        line = line[: LABEL_CHARACTERS - 1].rstrip() + "…"
    return line or UNNAMED


def suffix(task_id: str) -> str:
    """The short form of a task id; a supervisor gives an owner no two ids with the same one."""
    return task_id[:SUFFIX_CHARACTERS]


def display_labels(tasks: Iterable[TaskRecord]) -> Mapping[str, str]:
    """Task id to a label that reads unlike every other one's.

    A label of its own stays as it is. Where two would read the same, each gets the short form of
    its task id, which depends on nothing else.
    """
    plain = {task.id: tidy_label(task.label) for task in tasks}
    shown = dict(plain)
    while True:
        seen = Counter(map(_reads_as, shown.values()))
        alike = [i for i, text in shown.items() if seen[_reads_as(text)] > 1 and text == plain[i]]
        if not alike:
            return shown
        for task_id in alike:
            shown[task_id] = f"{plain[task_id]} · {suffix(task_id)}"


def _reads_as(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()
