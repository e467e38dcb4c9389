"""``solve_spot``: run the solver of spots until a target, a time or a number of iterations is reached."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log
from pathlib import Path
from typing import Any

import numpy as np

from ludus.cards.ranges import COMBOS, Weights
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.solve import MOST_ITERATIONS, interrupts, next_check, resume_run, save_run
from ludus.solvers.spot.solver import Layout, SpotSolver, default_algorithm
from ludus.trees.spot import Spot

FIRST_CHECK = 20  # iterations before the exploitability is measured, where there is a target
LEAST_STEP, GROWTH = 5, 2.0  # between two checks: at least so many iterations, at most so many times as many
SLOPE, SPREAD = 1.8, 0.4  # exploitability falls about with this power of the iterations, give or take so much


@dataclass(frozen=True)
class Measured:
    """What a strategy is worth and what best responses would gain against it, in chips; (OOP, IP).

    Values are relative to half the starting pot each, so without rake they add up to zero.
    """

    best_response: tuple[float, float]
    value: tuple[float, float]
    pot: int

    @property
    def exploitability(self) -> float:
        """Half of what both players could gain by leaving the strategy, in chips."""
        return (sum(self.best_response) - sum(self.value)) / 2

    @property
    def percent(self) -> float:
        """Exploitability in percent of the starting pot."""
        return 100 * self.exploitability / self.pot

    @property
    def ev(self) -> tuple[float, float]:
        """Each player's share of the final pot less what he puts in from here on."""
        return self.value[0] + self.pot / 2, self.value[1] + self.pot / 2


@dataclass(frozen=True)
class SpotCheck:
    """How far a run has come."""

    iterations: int
    seconds: float
    percent: float | None  # exploitability in percent of the pot, None where it was not measured
    iterations_per_second: float


Progress = Callable[[SpotCheck], object]


@dataclass(frozen=True)
class SpotRun:
    """A finished run: the solver in its last state, what was measured, and why it ended."""

    solver: SpotSolver
    algorithm: str
    measured: Measured
    seconds: float
    checks: tuple[SpotCheck, ...]
    stopped_by: str  # target, iterations, seconds or interrupt
    resumed_from: int = 0

    @property
    def iterations(self) -> int:
        """Iterations in all."""
        return self.solver.iterations


def pair_masses(layout: Layout) -> tuple[Weights, Weights]:
    """For each hand of either player at the start: the weight of the opponent's hands that it can meet."""
    hands = layout.boards[0].hands
    weights = [layout.ranges[player][hands[player].combo] for player in (0, 1)]
    masses = []
    for player in (0, 1):
        cards = COMBOS[hands[1 - player].combo]
        with_card = np.bincount(cards[:, 0], weights[1 - player], 52) + np.bincount(
            cards[:, 1], weights[1 - player], 52
        )
        mine = COMBOS[hands[player].combo]
        same = np.where(hands[player].same >= 0, weights[1 - player][hands[player].same], 0.0)
        masses.append(weights[1 - player].sum() - with_card[mine].sum(axis=1) + same)
    return masses[0], masses[1]


def measure(solver: SpotSolver, value: bool = True) -> Measured:
    """Exact best responses to the average strategies, and their value; that is left at 0 where it is not needed.

    Without rake the players' values add up to zero, so that exploitability is known from the best responses alone.
    """
    layout = solver.layout
    masses = pair_masses(layout)
    total = float(masses[0] @ solver.reach[0])

    def mean(values: Any, player: int) -> float:
        return float(values.astype(np.float64) @ solver.reach[player]) / total

    best = [mean(solver.best_response(player, solver.sums), player) for player in (0, 1)]
    played = [0.0, 0.0]
    if value or layout.spot.rake.percent:
        played = [mean(solver.follow(player, solver.sums), player) for player in (0, 1)]
    return Measured((best[0], best[1]), (played[0], played[1]), layout.spot.pot)


def solve_spot(
    spot: Spot | Layout,
    algorithm: str | None = None,
    *,
    target: float | None = None,
    iterations: int | None = None,
    seconds: float | None = None,
    workers: int = 1,
    packed: bool = False,
    checkpoint: Path | None = None,
    checkpoint_every: float = 60.0,
    progress: Progress | None = None,
) -> SpotRun:
    """Solve a spot until its exploitability is ``target`` percent of the pot, or another limit is reached.

    ``packed`` keeps the tables as 16-bit integers, in half the memory.

    With a ``checkpoint`` the run is saved there every so many seconds and at its end, and goes on from there when the
    file exists. An interrupt (Ctrl-C) ends the run early and without loss.
    """
    if algorithm is not None and algorithm not in spot_algorithms():
        raise ValueError(f"algorithms for spots are {', '.join(spot_algorithms())}, got {algorithm!r}")
    limits = {"a target": target, "iterations": iterations, "seconds": seconds}
    if all(limit is None for limit in limits.values()):
        raise ValueError("say when to stop: a target exploitability, a number of iterations or seconds")
    for name, limit in limits.items():
        if limit is not None and not 0 < limit <= MOST_ITERATIONS:
            raise ValueError(f"{name} must be above 0 and at most {MOST_ITERATIONS:.0e}, got {limit}")
    layout = spot if isinstance(spot, Layout) else Layout.of(spot)
    algorithm = algorithm or default_algorithm(layout)
    solver = SpotSolver(layout, ALGORITHMS[algorithm], iterations or 0, workers, packed)
    run = {"spot": layout.spot.to_dict(), "settings": {"algorithm": algorithm, "packed": packed}}
    if checkpoint is not None and checkpoint.exists():
        resume_run(checkpoint, run, solver, iterations)
    resumed_from = solver.iterations
    checks: list[SpotCheck] = []
    reason, spent, saved = "iterations", 0.0, time.perf_counter()
    with interrupts() as interrupted:
        for check in _steps(solver, iterations, target):
            spent = check.seconds
            if progress:
                progress(check)
            if check.percent is not None:
                checks.append(check)
            if checkpoint and time.perf_counter() - saved > checkpoint_every:
                save_run(checkpoint, run, solver)
                saved = time.perf_counter()
            if target is not None and check.percent is not None and check.percent <= target:
                reason = "target"
            elif interrupted():
                reason = "interrupt"
            elif seconds is not None and check.seconds >= seconds:
                reason = "seconds"
            if reason != "iterations":
                break
    if checkpoint:
        save_run(checkpoint, run, solver)
    return SpotRun(solver, algorithm, measure(solver), spent, tuple(checks), reason, resumed_from)


def spot_algorithms() -> list[str]:
    """The algorithms that solve spots."""
    return [name for name, algorithm in ALGORITHMS.items() if algorithm.alternating and not algorithm.predict]


def _steps(solver: SpotSolver, iterations: int | None, target: float | None) -> Iterator[SpotCheck]:
    """Run a solver step by step, measured where the target may have been reached."""
    solver.warm_up()
    first, start, solving = solver.iterations, time.perf_counter(), 0.0
    due = first + (FIRST_CHECK if target is not None else 1)
    most = iterations if iterations is not None else MOST_ITERATIONS
    before: tuple[int, float] | None = None
    while solver.iterations < most:
        begun = time.perf_counter()
        solver.advance(min(due, most))
        solving += time.perf_counter() - begun
        percent = None
        if solver.iterations >= due or solver.iterations >= most:
            percent = measure(solver, value=False).percent
            due = _next_due(solver.iterations, percent, target, before)
            before = solver.iterations, percent
        now = time.perf_counter() - start
        yield SpotCheck(solver.iterations, now, percent, (solver.iterations - first) / max(solving, 1e-9))


def _next_due(iterations: int, percent: float, target: float | None, before: tuple[int, float] | None) -> int:
    """When to measure again: where the exploitability is expected to be at the target, from this check and the last."""
    if target is None:
        return next_check(iterations)
    percent = max(percent, 1e-9)
    slope = log(max(before[1], 1e-9) / percent) / log(iterations / before[0]) if before else SLOPE
    factor = (percent / target) ** (1 / min(max(slope, SLOPE - SPREAD), SLOPE + SPREAD))
    return max(iterations + LEAST_STEP, int(iterations * min(factor, GROWTH)))
