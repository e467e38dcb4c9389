"""How speeds are measured."""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

Tell = Callable[[str], object]
"""Called with what is measured next."""


def best_rate(work: Callable[[], float], repeats: int = 5) -> float:
    """Units per second of the fastest of some runs: the one least disturbed by the rest of the machine."""
    rates = []
    for _ in range(repeats):
        start = time.perf_counter()
        units = work()
        rates.append(units / (time.perf_counter() - start))
    return max(rates)


def cpu_rate(step: Callable[[], object], seconds: float) -> float:
    """Calls of ``step`` in a CPU second, measured for about so long, one call at the least."""
    done, spent, batch = 0, 0.0, 1
    while spent < seconds:
        start = time.thread_time()
        for _ in range(batch):
            step()
        took = time.thread_time() - start
        done, spent = done + batch, spent + took
        batch = 2 * batch if took < seconds / 20 else batch
    return done / spent


def optional(name: str) -> Any:
    """A library, or None where it is not installed."""
    try:
        return import_module(name)
    except ImportError:
        return None
