"""System One classifiers (SPEC 7.11): one request, typed questions about one state."""

from __future__ import annotations

import json
import math
from typing import Any

from routinglab.providers.chat import Usage
from routinglab.providers.classify import ClassifyAnswer, ClassifyReply, ClassifyRequest, Question
from routinglab.providers.failures import Failure
from routinglab.providers.http import Answer, Connection, Unreadable
from routinglab.providers.stream import whole

PATH = "/v1/systemone"
MAX_BODY = 2**20


class SystemOneClient:
    """A classifier client for one endpoint. Request and answer are limited to 1 MiB each."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __repr__(self) -> str:
        return f"SystemOneClient({self._connection!r})"

    async def classify(self, request: ClassifyRequest) -> ClassifyReply:
        body = classify_body(request)
        size = len(json.dumps(body, ensure_ascii=False).encode("utf-8", "replace"))
        if size > MAX_BODY:
            raise self._connection.error(
                Failure("request_incompatible"),
                f"takes requests up to {MAX_BODY} bytes, and this one has {size}",
                error_type="too_large",
            )

        async def read(answer: Answer) -> ClassifyReply:
            return _reply(request, await whole(answer, MAX_BODY), answer)

        return await self._connection.post(body, read, stream=False)

    async def aclose(self) -> None:
        await self._connection.aclose()


def classify_body(request: ClassifyRequest) -> dict[str, Any]:
    """The JSON body of a request."""
    return {
        "model": request.model,
        "state": request.state,
        "questions": {
            question.id: {
                "type": "choice",
                "instructions": question.instructions,
                "criteria": dict(question.criteria),
            }
            for question in request.questions
        },
    }


def _reply(request: ClassifyRequest, data: dict[str, Any], answer: Answer) -> ClassifyReply:
    given = data.get("answers")
    if not isinstance(given, dict):
        raise _malformed(answer, "sent no answers")
    answers = {q.id: _answer(q, given.get(q.id), answer) for q in request.questions}
    used = data.get("usage")
    model = data.get("model")
    return ClassifyReply(
        answers=answers,
        usage=Usage(_count(used, "input_tokens"), _count(used, "output_tokens")),
        model=model if isinstance(model, str) else None,
        request_id=answer.request_id,
    )


def _answer(question: Question, given: Any, answer: Answer) -> ClassifyAnswer:
    if not isinstance(given, dict):
        raise _malformed(answer, f"left question {question.id!r} unanswered")
    if given.get("type", "choice") != "choice":
        raise _malformed(answer, f"answered question {question.id!r} with another type")
    choice = given.get("choice")
    if not isinstance(choice, str) or choice not in question.criteria:
        raise _malformed(answer, f"answered question {question.id!r} with an unknown key")
    odds = given.get("probabilities")
    known = {
        key: float(value)
        for key, value in (odds.items() if isinstance(odds, dict) else ())
        if key in question.criteria and _is_share(value)
    }
    sure = given.get("confidence")
    confidence = float(sure) if sure is not None and _is_share(sure) else None
    return ClassifyAnswer(choice, known, confidence)


def _is_share(value: Any) -> bool:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return number and math.isfinite(value) and 0 <= value <= 1


def _count(table: Any, name: str) -> int | None:
    value = table.get(name) if isinstance(table, dict) else None
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _malformed(answer: Answer, what: str) -> Unreadable:
    failure = Failure("provider_unavailable", answer.status)
    return Unreadable(failure, what, error_type="malformed")
