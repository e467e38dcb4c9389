"""The run loop of all solvers: step by step until a limit is reached, measured and saved on the way, ended by Ctrl-C.

What runs is anything that can advance: CFR on a small game or on a spot, sampled self-play of a blueprint. How it is
measured, when, and where it is saved is given to the loop; the loop decides nothing about the result.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import log
from typing import Generic, Protocol, TypeVar

import numpy as np

MOST_ITERATIONS = 10**15
FIRST_CHECK = 20  # iterations before a run with a target is measured, where the next check is aimed at the target
LEAST_STEP, GROWTH = 5, 2.0  # between two such checks: at least so many iterations, at most so many times as many
SLOPE, SPREAD = 1.6, 0.4  # exploitability falls about with this power of the iterations, give or take so much
SPARED_SECONDS, SPARED_SHARE = 0.2, 0.1  # of the time, that measuring may take where it is not necessary
M = TypeVar("M")


@dataclass(frozen=True)
class Limits:
    """When to stop: at the first of these, of which there is one at least."""

    iterations: int | None = None
    target: float | None = None
    seconds: float | None = None

    def __post_init__(self) -> None:
        limits = {"iterations": self.iterations, "a target": self.target, "seconds": self.seconds}
        if all(limit is None for limit in limits.values()):
            raise ValueError("say when to stop: a number of iterations, a target exploitability or seconds")
        for name, limit in limits.items():
            if limit is not None and not 0 < limit <= MOST_ITERATIONS:
                raise ValueError(f"{name} must be above 0 and at most {MOST_ITERATIONS:.0e}, got {limit}")
        if self.iterations is not None and not isinstance(self.iterations, int):
            raise ValueError(f"iterations are a whole number, got {self.iterations}")


class Runnable(Protocol):
    """What the loop needs of a solver."""

    @property
    def iterations(self) -> int:
        """How far it is."""

    def warm_up(self) -> None:
        """Compile without playing."""

    def advance(self, goal: int) -> None:
        """Go on towards a goal for a moment; it may be passed, or need more such steps."""


@dataclass(frozen=True)
class Check(Generic[M]):
    """How far a run has come."""

    iterations: int
    seconds: float
    measured: M | None = None  # None: not at this point
    iterations_per_second: float = 0.0  # of the solver alone, without the measuring in between


@dataclass(frozen=True)
class Measuring(Generic[M]):
    """How a run is measured, and when: always at its last iteration, and where ``next_due`` says.

    ``next_due(iterations, distance)`` is asked at the start, where the distance is None, and after every check.
    """

    measure: Callable[[], M]
    distance: Callable[[M], float]  # what a target is compared with
    next_due: Callable[[int, float | None], int]
    sparing: bool = False  # left out while it takes more than its share of the time


@dataclass(frozen=True)
class Saving:
    """How a run is saved, and when: at its end, and on the way after so many iterations or seconds."""

    save: Callable[[], object]
    every: int = 0  # iterations; 0 for not
    seconds: float = float("inf")


@dataclass(frozen=True)
class Ended(Generic[M]):
    """A run that is over."""

    last: Check[M]
    checks: tuple[Check[M], ...]  # those that were measured
    stopped_by: str  # iterations, target, seconds or interrupt
    resumed_from: int  # iterations that there were before


def run(
    solver: Runnable,
    limits: Limits,
    measuring: Measuring[M] | None = None,
    saving: Saving | None = None,
    progress: Callable[[Check[M]], object] | None = None,
) -> Ended[M]:
    """Run a solver to the first of its limits. An interrupt (Ctrl-C) ends it early and without loss."""
    solver.warm_up()
    first, end = solver.iterations, limits.iterations or MOST_ITERATIONS
    due = measuring.next_due(first, None) if measuring else end
    last, checks, reason = Check[M](first, 0.0), list[Check[M]](), "iterations"
    start, solving = time.perf_counter(), 0.0
    saved, saved_at = first, start
    with interrupts() as interrupted:
        while solver.iterations < end and reason == "iterations":
            begun = time.perf_counter()
            solver.advance(_goal(solver.iterations, min(due, end), saving))
            done, now = solver.iterations, time.perf_counter()
            solving += now - begun
            measured, distance = None, None
            if measuring and done >= min(due, end):
                spent = now - start - solving
                if done >= end or not measuring.sparing or spent < SPARED_SECONDS + SPARED_SHARE * solving:
                    measured = measuring.measure()
                    distance = measuring.distance(measured)
                due = measuring.next_due(done, distance)
            last = Check(done, time.perf_counter() - start, measured, (done - first) / max(solving, 1e-9))
            checks += [last] if measured is not None else []
            if progress:
                progress(last)
            if saving and _save_is_due(saving, done, saved, saved_at):
                saving.save()
                saved, saved_at = done, time.perf_counter()
            if limits.target is not None and distance is not None and distance <= limits.target:
                reason = "target"
            elif interrupted():
                reason = "interrupt"
            elif limits.seconds is not None and last.seconds >= limits.seconds:
                reason = "seconds"
    if saving and solver.iterations > saved:
        saving.save()
    return Ended(last, tuple(checks), reason, first)


def _goal(done: int, goal: int, saving: Saving | None) -> int:
    """The next point of a run at which something is to be done."""
    return min(goal, (done // saving.every + 1) * saving.every) if saving and saving.every else goal


def _save_is_due(saving: Saving, done: int, saved: int, saved_at: float) -> bool:
    passed = bool(saving.every) and done // saving.every > saved // saving.every
    return passed or time.perf_counter() - saved_at > saving.seconds


# When to measure


def next_check(iterations: int) -> int:
    """The first number of iterations after this one at which a run is measured: four for each doubling.

    >>> [next_check(n) for n in (0, 1, 2, 10, 100)]
    [1, 2, 3, 12, 108]
    """
    grid = 1.0
    while np.ceil(grid) <= iterations:
        grid *= 2**0.25
    return int(np.ceil(grid))


def on_the_grid(iterations: int, distance: float | None) -> int:
    """A run is measured at the points of ``next_check``, whatever is found."""
    del distance
    return next_check(iterations)


def aimed_at(target: float) -> Callable[[int, float | None], int]:
    """A run is measured where it is expected to be at its target, from this check and the last.

    This is for measures that take as long as iterations.
    """
    before: tuple[int, float] | None = None

    def next_due(iterations: int, distance: float | None) -> int:
        nonlocal before
        if distance is None:
            return iterations + FIRST_CHECK
        distance = max(distance, 1e-9)
        slope = log(before[1] / distance) / log(iterations / before[0]) if before else SLOPE
        factor = (distance / target) ** (1 / min(max(slope, SLOPE - SPREAD), SLOPE + SPREAD))
        before = iterations, distance
        return max(iterations + LEAST_STEP, int(iterations * min(factor, GROWTH)))

    return next_due


def measuring_points(iterations: int, all_of: int = 1) -> list[int]:
    """Where a run of so many iterations is looked at: the first ones, four points for each doubling, and its end.

    >>> measuring_points(12, all_of=4)
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 12]
    """
    points = list(range(1, min(all_of, iterations) + 1)) or [0]
    while points[-1] < iterations:
        points.append(min(next_check(points[-1]), iterations))
    return points


def follow(
    solver: Runnable, stops: Sequence[int], progress: Callable[[int, int], object] | None = None
) -> Iterator[tuple[int, float]]:
    """Take a solver to each stop; yields iterations and seconds spent on them, without what is done in between.

    A Monte Carlo run of several streams advances in rounds and may go past a stop.
    """
    solver.warm_up()
    seconds = 0.0
    for stop in stops:
        if solver.iterations >= stop:
            continue
        while solver.iterations < stop:
            start = time.perf_counter()
            solver.advance(stop)
            seconds += time.perf_counter() - start
            if progress:
                progress(solver.iterations, stops[-1])
        yield solver.iterations, seconds


@contextmanager
def interrupts() -> Iterator[Callable[[], bool]]:
    """Hear Ctrl-C between steps instead of within one; a second Ctrl-C is not waited for."""
    heard = False

    def hear(_signal: int, _frame: object) -> None:
        nonlocal heard
        if heard:
            raise KeyboardInterrupt
        heard = True

    if threading.current_thread() is not threading.main_thread():
        yield lambda: False
        return
    before = signal.signal(signal.SIGINT, hear)
    try:
        yield lambda: heard
    finally:
        signal.signal(signal.SIGINT, before)
