"""Many river spots at once: one interface, two back ends with the same results.

``numba`` solves one spot after another on the cores of the processor, ``torch`` all of them together, on a GPU if there
is one. What comes out is what a value network learns: the counterfactual value of every hand.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import COMBOS
from ludus.parallel import Progress, in_blocks, usable_cores
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.solver import RIVER_DEFAULT, Layout, SpotSolver
from ludus.trees.shape import TreeShape, build_shape
from ludus.trees.spot import Spot

BACK_ENDS = ("numba", "torch")


@dataclass(frozen=True)
class Rivers:
    """River spots with one list of bet sizes: percentages of the pot and 'a', the same for both players."""

    boards: NDArray[np.uint8]  # [spots, 5]
    ranges: NDArray[np.float64]  # [spots, 2, 1326] weights, OOP first; hands that the board blocks do not count
    pots: NDArray[np.int64]  # [spots] chips
    stacks: NDArray[np.int64]
    bet: str = "100%, a"
    raises: str = "100%, a"

    def __post_init__(self) -> None:
        count = len(self.boards)
        shapes = (self.boards.shape, self.ranges.shape, self.pots.shape, self.stacks.shape)
        if shapes != ((count, 5), (count, 2, len(COMBOS)), (count,), (count,)) or not count:
            raise ValueError(f"spots need boards [n, 5], ranges [n, 2, 1326], pots [n] and stacks [n], got {shapes}")
        if (np.diff(np.sort(self.boards.astype(np.int64), axis=1), axis=1) == 0).any() or self.boards.max() > 51:
            raise ValueError("a board is five different cards of 0..51")
        if not np.isfinite(self.ranges).all() or (self.ranges < 0).any():
            raise ValueError("the weights of ranges are finite and not negative")
        if (self.playable.sum(axis=2) <= 0).any():
            raise ValueError("a range has no hand left on its board")

    @cached_property
    def playable(self) -> NDArray[np.float64]:
        """The ranges without blocked hands, each adding up to 1."""
        blocked = (COMBOS[None, :, :, None] == self.boards[:, None, None, :]).any(axis=(2, 3))
        free = np.where(blocked[:, None], 0.0, self.ranges)
        return np.asarray(free / np.maximum(free.sum(axis=2, keepdims=True), 1e-300))

    @cached_property
    def shape(self) -> TreeShape:
        """The betting of all of them."""
        return build_shape(self.pots, self.stacks, self.bet, self.raises)


@dataclass(frozen=True)
class Solved:
    """What was found for each spot.

    A value is the hand's counterfactual value, relative to half of the pot and in pots: the sum of what it wins from
    each of the opponent's hands, weighted by his range, which adds up to 1. Exploitability is in pots.
    """

    values: NDArray[np.float32]  # [spots, 2, 1326], 0 where a hand is blocked
    exploitability: NDArray[np.float64]  # [spots]


def random_rivers(count: int, seed: int, bet: str = "100%, a", raises: str = "100%, a") -> Rivers:
    """Random boards and ranges, with stacks of 0.25 to 5 pots, log-uniform: what a value network can be asked for."""
    random = np.random.default_rng(seed)
    boards = np.argsort(random.random((count, 52)), axis=1)[:, :5].astype(np.uint8)
    ranges = random.random((count, 2, len(COMBOS)))
    pots = np.full(count, 1000)
    stacks = np.round(1000 * np.exp(random.uniform(np.log(0.25), np.log(5), count))).astype(np.int64)
    return Rivers(boards, ranges, pots, stacks, bet, raises)


def solve_rivers(
    rivers: Rivers,
    iterations: int,
    back_end: str = "numba",
    *,
    algorithm: str = RIVER_DEFAULT,
    device: str | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Solved:
    """Solve spots with so many iterations each; ``device`` is PyTorch's, by default a GPU if there is one."""
    if back_end not in BACK_ENDS:
        raise ValueError(f"back ends are {' and '.join(BACK_ENDS)}, got {back_end!r}")
    if algorithm not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {algorithm!r}: `ludus solve --list` has them")
    if iterations < 1:
        raise ValueError(f"a solve takes 1 iteration or more, got {iterations}")
    if back_end == "torch":
        import torch

        from ludus.solvers.spot.batch import BatchSolver

        solver = BatchSolver(
            rivers, ALGORITHMS[algorithm], iterations, device or ("cuda" if torch.cuda.is_available() else "cpu")
        )
        for done in range(iterations):
            solver.run(1)
            if progress:
                progress(done + 1, iterations)
        return solver.solved()
    parts = in_blocks(
        lambda spot: _solve_one(rivers, spot, iterations, algorithm), range(len(rivers.boards)),
        workers or usable_cores(), progress,
    )  # fmt: skip
    return Solved(np.stack([values for values, _ in parts]), np.array([left for _, left in parts]))


def _solve_one(rivers: Rivers, spot: int, iterations: int, algorithm: str) -> tuple[NDArray[np.float32], float]:
    from ludus.solvers.spot.solve import measure

    sizes = {"river": {"bet": rivers.bet, "raise": rivers.raises}}
    board, pot = rivers.boards[spot].tolist(), int(rivers.pots[spot])
    oop, ip = rivers.playable[spot]
    layout = Layout.of(Spot.of(board, pot, int(rivers.stacks[spot]), oop, ip, sizes))
    solver = SpotSolver(layout, ALGORITHMS[algorithm], iterations)
    solver.run(iterations)
    values = np.zeros((2, len(COMBOS)), np.float32)
    for player in (0, 1):
        values[player, layout.boards[0].hands[player].combo] = solver.follow(player, solver.sums) / pot
    return values, measure(solver).exploitability / pot
