"""Work for worker processes, by name. A job takes a dict and a function to report progress with, and returns JSON data.

A ValueError of a job is an answer, told to whoever asked; any other error is a defect.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

Report = Callable[[dict[str, Any]], None]
Job = Callable[[dict[str, Any], Report], Any]

JOBS = {  # name: module of this package and function
    "ping": "ping:ping",
    "act": "players:act",
    "prepare": "players:prepare",
    "equilibria": "players:equilibria",
    "advise": "assistant:advise",
    "review": "assistant:review",
    "adjust": "luck:adjust",
    "read_hands": "assistant:read_hands",
    "check_spot": "spots:check",
    "solve": "spots:solve",
    "view": "spots:view",
    "runouts": "spots:runouts",
    "compare": "spots:compare",
    "drill": "drills:draw",
    "regret_matching": "learn:regret_matching",
    "kuhn": "learn:kuhn",
    "leduc": "learn:leduc",
    "rps_mix": "learn:rps_mix",
    "warm_up": "warm_up:warm_up",
}


def find(name: str) -> Job:
    """A job by its name; its module is imported when it is first asked for."""
    module, _, function = JOBS[name].partition(":")
    job: Job = getattr(import_module(f"ludus.server.jobs.{module}"), function)
    return job
