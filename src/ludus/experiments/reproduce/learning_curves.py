"""A run of a solver that is measured on its way."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ludus.solvers.montecarlo import MonteCarlo
from ludus.solvers.passes import Floats
from ludus.solvers.solve import next_check
from ludus.trees import FlatGame


def measuring_points(iterations: int) -> list[int]:
    """Where a run of so many iterations is measured: four points for each doubling, and its end."""
    points = [min(1, iterations)]
    while points[-1] < iterations:
        points.append(min(next_check(points[-1]), iterations))
    return points


def follow(
    solver: Any, stops: Sequence[int], progress: Callable[[int, int], object] | None = None
) -> Iterator[tuple[int, float]]:
    """Take a solver to each stop; yields iterations and seconds spent on them, without what is done in between.

    A Monte Carlo run of several streams advances in rounds and may go past a stop.
    """
    one_stream = isinstance(solver, MonteCarlo) and solver.sampling.streams == 1  # may be cut anywhere
    solver.warm_up()
    seconds = 0.0
    for stop in stops:
        if solver.iterations >= stop:
            continue
        while solver.iterations < stop:
            start = time.perf_counter()
            if one_stream:
                solver.run(stop - solver.iterations)
            else:
                solver.advance(stop)
            seconds += time.perf_counter() - start
            if progress:
                progress(solver.iterations, stops[-1])
        yield solver.iterations, seconds


def table_of(flat: FlatGame, probabilities: Sequence[float] | Floats) -> Floats:
    """A solver's table of probabilities in the order of ``flat.sets``."""
    table: Floats = np.zeros(flat.entries)
    table[flat.sets.by_action] = probabilities
    return table
