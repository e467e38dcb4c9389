"""A job that does nothing, or as told: for tests and for seeing whether a worker lives."""

from __future__ import annotations

import time
from typing import Any

from ludus.server.jobs import Report


def ping(arguments: dict[str, Any], report: Report) -> Any:
    """Say back what was said, after so many steps of so many seconds."""
    for step in range(int(arguments.get("steps", 0))):
        time.sleep(float(arguments.get("seconds", 0.0)))
        report({"step": step})
    if "error" in arguments:
        raise ValueError(arguments["error"])
    return arguments.get("say")
