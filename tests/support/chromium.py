"""A headless Chromium for tests, and what a page did in it."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--disable-default-apps",
    "--disable-dev-shm-usage", "--no-proxy-server",
]  # fmt: skip


def chromium_path() -> str | None:
    """Where Chromium is: ``ROUTINGLAB_CHROMIUM``, or on the search path."""
    named = os.environ.get("ROUTINGLAB_CHROMIUM")
    return named or shutil.which("chromium") or shutil.which("chromium-browser")


@dataclass
class Seen:
    """What a page did: errors on its console, and every address it asked for."""

    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)


@contextlib.contextmanager
def chromium_page(**context: Any) -> Iterator[tuple[Any, Seen]]:
    """A page of a fresh browser, and what it does. Skips the test where there is no Chromium."""
    path = chromium_path()
    if path is None:
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    seen = Seen()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=_ARGUMENTS)
        try:
            page = browser.new_context(**{"reduced_motion": "reduce", **context}).new_page()
            page.set_default_timeout(30_000)
            page.on("pageerror", lambda error: seen.errors.append(str(error)))
            page.on("console", lambda m: seen.errors.append(m.text) if m.type == "error" else None)
            page.on("request", lambda request: seen.requests.append(request.url))
            yield page, seen
        finally:
            browser.close()
