"""Whether a process is there."""

from __future__ import annotations

import time
from pathlib import Path


def is_alive(pid: int) -> bool:
    """Whether a process runs; one that ended and that nobody waited for does not."""
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2]
    except FileNotFoundError:
        return False


def ends(pid: int, seconds: float = 10) -> bool:
    """Whether a process that was killed is gone, which takes the system a moment."""
    until = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < until:
        time.sleep(0.01)
    return not is_alive(pid)
