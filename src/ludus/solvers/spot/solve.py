"""``solve_spot``: run the solver of spots until a target, a time or a number of iterations is reached."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from ludus.cards.ranges import COMBOS, Weights
from ludus.solvers.capabilities import check_supports
from ludus.solvers.checkpoints import Checkpoint
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.running import Check, Limits, Measuring, Saving, aimed_at, on_the_grid, run
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.accuracy import Accuracy
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solver import SpotSolver, default_algorithm
from ludus.trees.spot import Spot


@dataclass(frozen=True)
class Measured:
    """What a strategy is worth and what best responses would gain against it, in chips; (OOP, IP).

    Values are relative to half the starting pot each, so without rake they add up to zero; what had been bet on the
    first street before is counted as paid.
    """

    best_response: tuple[float, float]
    value: tuple[float, float]
    pot: int
    bets: tuple[int, int] = (0, 0)

    @property
    def exploitability(self) -> float:
        """Half of what both players could gain by leaving the strategy, in chips."""
        return (sum(self.best_response) - sum(self.value)) / 2

    @property
    def percent(self) -> float:
        """Exploitability in percent of the starting pot, with what had been bet before."""
        return 100 * self.exploitability / (self.pot + sum(self.bets))

    @property
    def ev(self) -> tuple[float, float]:
        """Each player's share of the final pot less what they put in from here on."""
        return self.value[0] + self.pot / 2 + self.bets[0], self.value[1] + self.pot / 2 + self.bets[1]


Progress = Callable[[Check[float]], object]
"""Is told how far a run has come; what is measured is the exploitability in percent of the pot."""


@dataclass(frozen=True)
class SpotRun:
    """A finished run: the solver in its last state, what was measured, and why it ended."""

    solver: SpotSolver
    algorithm: str
    measured: Measured
    seconds: float
    checks: tuple[Check[float], ...]  # the exploitability in percent of the pot
    stopped_by: str  # target, iterations, seconds or interrupt
    resumed_from: int = 0
    accuracy: Accuracy | None = None  # where the later streets are estimates

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

    With leaf values these are best responses up to the frontier, where the values are those of the average strategies'
    ranges. With a gadget the choice to leave counts as part of the spot.

    Without rake the players' values add up to zero, so that exploitability is known from the best responses alone.
    """
    layout, choice = solver.layout, solver.choice
    weights = [layout.ranges[player][layout.boards[0].hands[player].combo] for player in (0, 1)]
    total = float(pair_masses(layout)[0] @ weights[0])
    left = 0.0
    if choice is not None:
        leaves, solver.reach[choice.player] = choice.average()
        left = float(leaves.astype(np.float64) @ choice.values) / total

    def mean(values: Any, player: int) -> float:
        return float(values.astype(np.float64) @ solver.reach[player]) / total

    def share(player: int) -> float:
        """What comes from the hands that leave."""
        return 0.0 if choice is None else left if choice.player == player else -left

    best = [solver.best_response(player, solver.sums) for player in (0, 1)]
    gains = [mean(best[player], player) + share(player) for player in (0, 1)]
    if choice is not None:
        most = np.maximum(best[choice.player], choice.values).astype(np.float64)
        gains[choice.player] = float(most @ choice.prior) / total
    played = [0.0, 0.0]
    if value or layout.spot.rake.percent:
        played = [mean(solver.follow(player, solver.sums), player) + share(player) for player in (0, 1)]
    return Measured((gains[0], gains[1]), (played[0], played[1]), layout.spot.pot, layout.spot.subgame.bets)


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
    leaf_values: LeafValues | None = None,
) -> SpotRun:
    """Solve a spot until its exploitability is ``target`` percent of the pot, or another limit is reached.

    ``packed`` keeps the tables as 16-bit integers, in half the memory. ``leaf_values`` go with a spot that ends after
    its first street; what is measured then is said at `measure`.

    With a ``checkpoint`` the run is saved there every so many seconds and at its end, and goes on from there when the
    file exists. An interrupt (Ctrl-C) ends the run early and without loss.
    """
    if algorithm is not None:
        check_supports("spots", algorithm)
    limits = Limits(iterations, target, seconds)
    layout = spot if isinstance(spot, Layout) else Layout.of(spot)
    algorithm = algorithm or default_algorithm(layout)
    solver = SpotSolver(layout, ALGORITHMS[algorithm], iterations or 0, workers, packed, leaf_values)
    saving = None
    if checkpoint is not None:
        settings = {"algorithm": algorithm, "packed": packed}
        kept = Checkpoint(checkpoint, {"spot": layout.spot.to_dict(), "settings": settings})
        kept.resume(solver, iterations)
        saving = Saving(partial(kept.save, solver), seconds=checkpoint_every)
    next_due = on_the_grid if target is None else aimed_at(target)
    measuring = Measuring(lambda: measure(solver, value=False).percent, float, next_due)
    ended = run(solver, limits, measuring, saving, progress)
    seconds, reason = ended.last.seconds, ended.stopped_by
    return SpotRun(solver, algorithm, measure(solver), seconds, ended.checks, reason, ended.resumed_from)
