"""Events of a run as lines of activity."""

from __future__ import annotations

import pytest

from routinglab.core.ids import Candidate
from routinglab.routing.decision import Decision
from routinglab.running.attempt import Attempt, RunResult
from routinglab.running.events import RunEvent
from routinglab.tasks.run_reports import line_of

ONE = Candidate.of("openai/gpt-5", "high")


@pytest.mark.parametrize(
    ("event", "line"),
    [
        (RunEvent("routing"), "choosing a model"),
        (RunEvent("decided", decision=Decision(primary=ONE)), "chose openai/gpt-5:high"),
        (RunEvent("attempt", candidate=ONE), "trying openai/gpt-5:high"),
        (
            RunEvent(
                "attempt_done", attempt=Attempt(candidate=ONE, kind="failed", failure="quota")
            ),
            "openai/gpt-5:high failed: quota",
        ),
        (RunEvent("tool", tool="read", text="a.py"), "read a.py"),
        (RunEvent("tool_done", tool="read", text="12 lines"), "read answered: 12 lines"),
        (RunEvent("waiting", text="2 s, rate limit"), "waiting: 2 s, rate limit"),
        (RunEvent("text", text="a piece of the answer"), None),
        (RunEvent("finished", result=RunResult(status="ok", text="the answer")), None),
    ],
)
def test_each_step_of_a_run_is_a_line_and_its_answer_is_none(
    event: RunEvent, line: str | None
) -> None:
    assert line_of(event) == line
