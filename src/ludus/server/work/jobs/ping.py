"""A job that does nothing, or as told: for tests and for seeing whether a worker lives."""

from __future__ import annotations

import time
from typing import Any

from ludus.server.work.jobs import Report


def ping(report: Report, steps: int = 0, seconds: float = 0.0, say: Any = None, error: str | None = None) -> Any:
    """Say back what was said, after a number of steps of some seconds each."""
    for step in range(int(steps)):
        time.sleep(seconds)
        report({"step": step})
    if error is not None:
        raise ValueError(error)
    return say
