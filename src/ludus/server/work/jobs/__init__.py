"""Work for worker processes, by name: most of it is a call of `ludus.teach`, which speaks JSON data.

A job is a function of keyword arguments that returns JSON data; one with a parameter ``report`` is given a function to
report progress with. A ValueError of a job is an answer, told to whoever asked; any other error is a defect.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from importlib import import_module
from typing import Any

from ludus.server.work.loading import loading

Report = Callable[[dict[str, Any]], None]

JOBS = {  # name: module and function
    "ping": "ludus.server.work.jobs.ping:ping",
    "act": "ludus.server.work.jobs.players:act",
    "prepare": "ludus.server.work.jobs.players:prepare",
    "remember": "ludus.server.work.jobs.memory:remember",
    "learnt": "ludus.server.work.jobs.memory:learnt",
    "equilibria": "ludus.agents.equilibrium:exploitabilities",
    "advise": "ludus.server.work.jobs.assistant:advise",
    "review": "ludus.server.work.jobs.assistant:review",
    "adjust": "ludus.server.work.jobs.hands:adjust",
    "run_out": "ludus.server.work.jobs.hands:run_out",
    "read_hands": "ludus.server.work.jobs.hands:read_hands",
    "check_spot": "ludus.teach.spots.study:check",
    "estimate": "ludus.teach.spots.study:estimate",
    "solve": "ludus.server.work.jobs.solving:solve",
    "view": "ludus.teach.spots.study:view",
    "runouts": "ludus.teach.spots.study:runouts",
    "compare": "ludus.teach.spots.study:compare",
    "drill": "ludus.teach.drills.questions:draw",
    "drill_mistake": "ludus.teach.drills.mistakes:draw",
    "chart": "ludus.teach.preflop_browser:chart",
    "flops": "ludus.teach.spots.flop_report:flops",
    "flop_row": "ludus.teach.spots.flop_report:flop_row",
    "regret_matching": "ludus.teach.lessons:regret_matching",
    "kuhn": "ludus.teach.lessons:kuhn",
    "leduc": "ludus.teach.lessons:leduc",
    "rps_mix": "ludus.teach.lessons:rps_mix",
    "load": "ludus.teach.warm_up:load",
    "warm_up": "ludus.teach.warm_up:warm_up",
}


def run(name: str, arguments: dict[str, Any], report: Report) -> Any:
    """What a job answers; its module is imported when it is first asked for."""
    module, _, function = JOBS[name].partition(":")
    if module not in sys.modules:
        with loading():
            import_module(module)
    job = getattr(sys.modules[module], function)
    reports = {"report": report} if "report" in inspect.signature(job).parameters else {}
    return job(**arguments, **reports)
