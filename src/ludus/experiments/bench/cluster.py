"""What a Ray cluster costs: overhead and latency of a task, efficiency of one and two workers, bytes moved."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.experiments.bench.rates import Tell
from ludus.parallel import Work
from ludus.parallel.cluster import LOCAL, RayCluster
from ludus.parallel.work import Task

TASK = 0.1  # seconds
MEGABYTE = 1_000_000


def bench_cluster(tasks: int, busy: bool, tell: Tell) -> dict[str, Any]:
    """Clusters of one and of two cores on this machine; tasks wait for `TASK` seconds, or compute if ``busy``."""
    work = Work("ludus.experiments.bench.cluster:compute" if busy else "ludus.experiments.bench.cluster:wait")
    rates: list[float] = []
    result: dict[str, Any] = {}
    for cores in (1, 2):
        tell(f"a cluster of {cores} cores, which takes seconds to start")
        with RayCluster(LOCAL, cores=cores) as engine:
            _seconds(engine, work, ((0.0,) for _ in range(4 * cores)))  # starts the workers
            tell(f"tasks of {TASK * 1000:g} ms on {cores} cores")
            rates.append(tasks / _seconds(engine, work, ((TASK,) for _ in range(tasks))))
            if cores == 2:
                result |= _costs(engine, tasks, tell)
    return {
        **result, "tasks": tasks, "task_seconds": TASK, "busy": busy, "efficiency_1_worker": rates[0] * TASK,
        "of_the_ideal_2_workers": rates[1] * TASK / 2,
        "efficiency_2_workers": rates[1] / (2 * rates[0]),
    }  # fmt: skip


def _costs(engine: RayCluster, tasks: int, tell: Tell) -> dict[str, Any]:
    """Overhead of tasks that do nothing, the time until one comes back, and how fast arrays come."""
    nothing, array = Work("ludus.experiments.bench.cluster:wait"), Work("ludus.experiments.bench.cluster:megabytes")
    tell("tasks that do nothing")
    many = 10 * tasks
    overhead = _seconds(engine, nothing, ((0.0,) for _ in range(many))) / many
    latency = min(_seconds(engine, nothing, [(0.0,)]) for _ in range(tasks))
    tell("arrays of a megabyte")
    before = engine.bytes_moved
    seconds = _seconds(engine, array, ((1,) for _ in range(tasks)))
    moved = engine.bytes_moved - before
    return {
        "overhead_ms_per_task": 1000 * overhead, "latency_ms": 1000 * latency, "bytes_moved": moved,
        "megabytes_per_second": moved / MEGABYTE / seconds,
    }  # fmt: skip


def _seconds(engine: RayCluster, work: Work, tasks: Iterable[Task]) -> float:
    begun = time.perf_counter()
    for _ in engine.run(work, tasks):
        pass
    return time.perf_counter() - begun


def wait(seconds: float) -> None:
    """A task that takes a while without a core: what is lost beside it is the engine's."""
    time.sleep(seconds)


def compute(seconds: float) -> float:
    """A task that takes a while of a core's time."""
    end, total = time.process_time() + seconds, 0.0
    while time.process_time() < end:
        total += sum(range(1000))
    return total


def megabytes(count: int) -> NDArray[np.uint8]:
    """An array of this size."""
    return np.zeros(count * MEGABYTE, np.uint8)
