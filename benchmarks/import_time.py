"""Import time of the package, over a bare interpreter, as a ratio to importing pydantic (SPEC 16).

Each figure is the least of several runs of a fresh process: what other work on the machine adds is
never negative. Target: at most 2.
"""

from __future__ import annotations

import subprocess
import sys
import time

RUNS = 15


def least(code: str) -> float:
    """Seconds of the quickest of RUNS fresh interpreters running ``code``."""
    command = [sys.executable, "-c", code]
    times = []
    for _ in range(RUNS):
        start = time.perf_counter()
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - start)
    return min(times)


def main() -> None:
    """Print the figures and the ratio."""
    bare = least("pass")
    pydantic = least("import pydantic; pydantic.BaseModel") - bare
    cases = {
        "import routinglab": "import routinglab",
        "... and its values": "from routinglab import TaskNeeds, ModelConstraints, Decision",
        "routinglab --version": "from routinglab.cli.app import run; run(['--version'])",
    }
    print(f"bare interpreter {bare * 1e3:.0f} ms, import pydantic {pydantic * 1e3:.0f} ms over it")
    for name, code in cases.items():
        seconds = least(code) - bare
        print(
            f"{name}: {seconds * 1e3:.0f} ms over it, {seconds / pydantic:.2f} x pydantic (target 2)"
        )


if __name__ == "__main__":
    main()
