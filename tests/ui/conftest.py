"""A picture of the page where a browser test failed."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: Any) -> Iterator[Any]:
    report = yield
    page = getattr(item, "funcargs", {}).get("page")
    if report.when == "call" and report.failed and page is not None:
        with contextlib.suppress(Exception):  # the failure itself is what counts
            page.picture(f"failed-{item.name}")
    return report
