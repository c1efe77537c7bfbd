"""What a task needs: the six answers that routing rests on (SPEC 4)."""

from __future__ import annotations

from typing import Literal, Self

from pydantic import StrictBool

from routinglab.core.value import Value, known_fields

Work = Literal[
    "computer_use", "coding", "code_review", "codebase_lookup",
    "research", "business_workflow", "math_science", "writing",
]  # fmt: skip
Difficulty = Literal["trivial", "easy", "moderate", "hard", "very_hard"]
MistakeCost = Literal["negligible", "low", "moderate", "high", "severe"]

WORKS: tuple[Work, ...] = Work.__args__  # type: ignore[attr-defined]
DIFFICULTIES: tuple[Difficulty, ...] = Difficulty.__args__  # type: ignore[attr-defined]
MISTAKE_COSTS: tuple[MistakeCost, ...] = MistakeCost.__args__  # type: ignore[attr-defined]


class TaskNeeds(Value):
    """The six answers about a task; each may be left unstated (None).

    ``work`` is the kind of work, ``difficulty`` and ``mistake_cost`` are five-level scales,
    ``needs_images`` means the task shows or produces screenshots to be read, ``long_context`` that
    it must hold a very large code base or document set, ``latency_sensitive`` that a fast answer
    matters more than extra reasoning.
    """

    work: Work | None = None
    difficulty: Difficulty | None = None
    mistake_cost: MistakeCost | None = None
    needs_images: StrictBool | None = None
    long_context: StrictBool | None = None
    latency_sensitive: StrictBool | None = None

    @property
    def missing(self) -> tuple[str, ...]:
        """Python names of the fields nobody stated, in the fixed question order."""
        return tuple(name for name in NEED_FIELDS if getattr(self, name) is None)

    def stated(self) -> dict[str, str | bool]:
        """The stated fields by Python name, in the fixed question order."""
        return {n: v for n in NEED_FIELDS if (v := getattr(self, n)) is not None}

    def under(self, wider: Self | None) -> Self:
        """These needs, with what they leave open filled from ``wider``."""
        if wider is None:
            return self
        return type(self)(**{**wider.stated(), **self.stated()})

    @property
    def wants_images(self) -> bool:
        """Whether images must be read; a computer-use task needs them unless it was said otherwise."""
        if self.needs_images is None:
            return self.work == "computer_use"
        return self.needs_images

    @property
    def demand(self) -> float:
        """The larger of difficulty and mistake cost, each 0..1 over its five levels (SPEC 4.3).

        An unstated scale counts as its middle level.
        """
        difficulty = DIFFICULTIES.index(self.difficulty or "moderate")
        mistake = MISTAKE_COSTS.index(self.mistake_cost or "moderate")
        return max(difficulty, mistake) / 4


NEED_FIELDS: tuple[str, ...] = tuple(TaskNeeds.model_fields)
NEED_KEYS: tuple[str, ...] = tuple(known_fields(TaskNeeds))
