"""Where a measured value stands among its cohort."""

from __future__ import annotations

from routinglab.core.value import Value


class Standing(Value):
    """Where one value stands in its cohort: ``share`` of the other models have a lower one."""

    key: str
    share: float
    models: int
    value: float
    unit: str = ""
    label: str = ""
    edition: str = ""
    effort: str | None = None
    harness: str | None = None
    reporter: str | None = None
    setting: str | None = None
