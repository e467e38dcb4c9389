"""Many subgames at once: one interface, two back ends with the same results.

``numba`` solves one after another on the cores of the processor, ``torch`` all of them together, on a GPU if there is
one. What comes out is what a value network learns: the counterfactual value of every hand.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import COMBOS, class_of_combo
from ludus.parallel import Progress, in_blocks, usable_cores
from ludus.solvers.capabilities import supports
from ludus.solvers.leaf_values import LeafValues
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.layout import STREETS, Layout
from ludus.solvers.spot.solve import measure
from ludus.solvers.spot.solver import DEFAULT, RIVER_DEFAULT, SpotSolver
from ludus.trees.betting import FRONTIER, SHOWDOWN
from ludus.trees.shape import TreeShape, build_shape
from ludus.trees.spot import Spot

if TYPE_CHECKING:
    from ludus.solvers.batch.leaves import TensorLeafValues

BACK_ENDS = ("numba", "torch")
PREFLOP, RIVER = 0, 5


@dataclass(frozen=True)
class Subgames:
    """Subgames on one street with one list of bet sizes: percentages of the pot and 'a', the same for both players.

    They are played to the river, or for so many ``streets``; then they end at a frontier. Before the flop, where boards
    have no cards, that is one street, and there are ``blinds``, the small one and the big one: the player in position
    has posted the small one, stacks are those before the blinds, and pots are what lies in the middle beside them.
    """

    boards: NDArray[np.uint8]  # [spots, 0, 3, 4 or 5]
    ranges: NDArray[np.float64]  # [spots, 2, 1326] weights, OOP first; hands that the board blocks do not count
    pots: NDArray[np.int64]  # [spots] chips
    stacks: NDArray[np.int64]
    bet: str | tuple[str, ...] = "100%, a"  # on every street, or one for each
    raises: str | tuple[str, ...] = "100%, a"
    streets: int | None = None
    blinds: tuple[int, int] | None = None

    def __post_init__(self) -> None:
        count = len(self.boards)
        shapes = (self.boards.shape, self.ranges.shape, self.pots.shape, self.stacks.shape)
        cards = self.boards.shape[-1]
        expected = ((count, cards), (count, 2, len(COMBOS)), (count,), (count,))
        if shapes != expected or not count or cards not in (PREFLOP, *STREETS):
            raise ValueError(
                "spots need boards [n, 5], or of 4, 3 or 0 cards, ranges [n, 2, 1326], pots [n] and stacks [n], "
                f"got {shapes}"
            )
        ordered = np.sort(self.boards.astype(np.int64), axis=1)
        if (np.diff(ordered, axis=1) == 0).any() or (ordered > 51).any():
            raise ValueError("a board is five different cards of 0..51, or four, or three")
        if not np.isfinite(self.ranges).all() or (self.ranges < 0).any():
            raise ValueError("the weights of ranges are finite and not negative")
        if (self.playable.sum(axis=2) <= 0).any():
            raise ValueError("a range has no hand left on its board")
        if self.streets is not None and not 1 <= self.streets <= 4:
            raise ValueError(f"subgames have 1 street or more, and None is to the river, got {self.streets}")
        self._check_preflop(cards)
        for sizes in (self.bet, self.raises):
            if not isinstance(sizes, str) and len(sizes) != len(self.played):
                raise ValueError(f"sizes are one text, or one for each of {len(self.played)} streets, got {sizes}")

    def _check_preflop(self, cards: int) -> None:
        if (self.blinds is not None) != (cards == PREFLOP):
            raise ValueError(f"there are blinds before the flop, and only there: got {self.blinds} with {cards} cards")
        if cards != PREFLOP:
            return
        if self.streets != 1:
            raise ValueError(f"the street before the flop is solved alone: set streets to 1, got {self.streets}")
        first = np.unique(class_of_combo, return_index=True)[1]
        if not np.allclose(self.ranges, self.ranges[:, :, first][:, :, class_of_combo], rtol=1e-5):
            raise ValueError("before the flop ranges treat suits alike: give all hands of a class the same weight")

    def __len__(self) -> int:
        return len(self.boards)

    def part(self, first: int, last: int) -> Subgames:
        """Those from one place up to another."""
        if last - first == len(self):
            return self
        arrays = {name: getattr(self, name)[first:last] for name in ("boards", "ranges", "pots", "stacks")}
        return replace(self, **arrays)

    @property
    def played(self) -> tuple[int, ...]:
        """The number of cards on the board on each street that is played."""
        cards = self.boards.shape[1]
        if cards == PREFLOP:
            return (PREFLOP,)
        last = RIVER if self.streets is None else min(RIVER, cards + self.streets - 1)
        return tuple(range(cards, last + 1))

    def menu(self, at: int) -> tuple[str, str]:
        """The sizes of bets and raises on a street, counted from the first."""
        bet, raises = (each if isinstance(each, str) else each[at] for each in (self.bet, self.raises))
        return bet, raises

    @property
    def units(self) -> NDArray[np.int64]:
        """The pot of each that values are counted in: with the blinds before the flop."""
        return self.pots + sum(self.blinds or ())

    @cached_property
    def playable(self) -> NDArray[np.float64]:
        """The ranges without blocked hands, each adding up to 1."""
        dealt = np.zeros((len(self), 52), np.bool_)
        np.put_along_axis(dealt, self.boards.astype(np.int64), values=True, axis=1)
        blocked = dealt[:, COMBOS[:, 0]] | dealt[:, COMBOS[:, 1]]
        free = np.where(blocked[:, None], 0.0, self.ranges)
        return np.asarray(free / np.maximum(free.sum(axis=2, keepdims=True), 1e-300))

    @cached_property
    def shape(self) -> TreeShape:
        """The betting of all of them on the first street."""
        closed = SHOWDOWN if self.played[0] == RIVER else FRONTIER
        return build_shape(self.pots, self.stacks, *self.menu(0), closed=closed, blinds=self.blinds)


@dataclass(frozen=True)
class Constraints:
    """For each subgame a player, and the value for each of their hands at which they may leave instead of following.

    The gadget of CFR-D (Burch, Johanson & Bowling 2014): with the values that a player has in an equilibrium, the
    opponent's re-solved strategy is no worse against them than the old one. Values are as `Solved` has them. The
    range of the constrained player is what weighs their hands; in CFR-D all weigh the same.
    """

    player: NDArray[np.int64]  # [spots]
    values: NDArray[np.float32]  # [spots, 1326]

    def __post_init__(self) -> None:
        if self.player.ndim != 1 or self.values.shape != (len(self.player), len(COMBOS)):
            raise ValueError(f"constraints need players [n] and values [n, 1326], got {self.values.shape}")
        if not np.isin(self.player, (0, 1)).all() or not np.isfinite(self.values).all():
            raise ValueError("constraints are finite values for player 0 or 1")

    def part(self, first: int, last: int) -> Constraints:
        """Those from one place up to another."""
        return Constraints(self.player[first:last], self.values[first:last])


@dataclass(frozen=True)
class Solved:
    """What was found for each subgame.

    A value is the hand's counterfactual value, relative to half of the pot and in pots: the sum of what it wins from
    each of the opponent's hands, weighted by their range, which adds up to 1. Exploitability is in pots; where a
    frontier is ahead it is that of the streets before it, with the leaves worth what they are to the average ranges.
    With constraints, values are those after following, and exploitability is that of the game with leaving in it.
    A hand that its range lacks has the value of playing well; the numba back end leaves it at 0.
    """

    values: NDArray[np.float32]  # [spots, 2, 1326], 0 where a hand is blocked
    exploitability: NDArray[np.float64]  # [spots]


def random_rivers(count: int, seed: int, bet: str = "100%, a", raises: str = "100%, a") -> Subgames:
    """Random rivers and ranges, with stacks of 0.25 to 5 pots, log-uniform: what a value network can be asked for."""
    return random_subgames(count, seed, RIVER, bet, raises)


def random_subgames(
    count: int, seed: int, cards: int, bet: str = "100%, a", raises: str = "100%, a", streets: int | None = None
) -> Subgames:
    """The same with boards of 3, 4 or 5 cards."""
    random = np.random.default_rng(seed)
    boards = np.argsort(random.random((count, 52)), axis=1)[:, :cards].astype(np.uint8)
    ranges = random.random((count, 2, len(COMBOS)))
    pots = np.full(count, 1000)
    stacks = np.round(1000 * np.exp(random.uniform(np.log(0.25), np.log(5), count))).astype(np.int64)
    return Subgames(boards, ranges, pots, stacks, bet, raises, streets)


def solve_subgames(
    subgames: Subgames,
    iterations: int,
    back_end: str = "numba",
    *,
    algorithm: str | None = None,
    leaf_values: LeafValues | TensorLeafValues | None = None,
    constraints: Constraints | None = None,
    device: str | None = None,
    at_once: int | None = None,
    workers: int | None = None,
    progress: Progress | None = None,
) -> Solved:
    """Solve subgames with so many iterations each; ``device`` is PyTorch's, by default a GPU if there is one.

    ``at_once`` is how many torch solves together, by default all; `ludus.solvers.batch.solver` says how many fit.
    By default the algorithm is the one that solves such spots fastest. Any algorithm of the family and every kind of
    subgame is the torch back end's; numba solves without frontier and constraints, and refuses what it cannot run.
    """
    if back_end not in BACK_ENDS:
        raise ValueError(f"back ends are {' and '.join(BACK_ENDS)}, got {back_end!r}")
    algorithm = algorithm or default_algorithm(subgames)
    if algorithm not in ALGORITHMS:
        raise ValueError(f"unknown algorithm {algorithm!r}: `ludus solve --list` has them")
    if iterations < 1:
        raise ValueError(f"a solve takes 1 iteration or more, got {iterations}")
    if at_once is not None and at_once < 1:
        raise ValueError(f"1 subgame or more are solved at once, got {at_once}")
    if back_end == "numba":
        if leaf_values or constraints:
            raise ValueError("the numba back end solves without leaf values and constraints: use torch")
        return _solve_one_by_one(subgames, iterations, algorithm, workers or usable_cores(), progress)
    import torch

    from ludus.solvers.batch.solver import BatchSolver

    device = device or ("cuda" if torch.cuda.is_available() else "cpu")
    size = at_once or len(subgames)
    parts = [(first, min(first + size, len(subgames))) for first in range(0, len(subgames), size)]
    found = []
    for number, part in enumerate(parts):
        solver = BatchSolver(
            subgames.part(*part), ALGORITHMS[algorithm], iterations, device,
            leaf_values=leaf_values, constraints=constraints and constraints.part(*part),
        )  # fmt: skip
        for done in range(iterations):
            solver.run(1)
            if progress:
                progress(number * iterations + done + 1, len(parts) * iterations)
        found.append(solver.solved())
        del solver  # before the next one takes its memory
    return Solved(
        np.concatenate([each.values for each in found]), np.concatenate([each.exploitability for each in found])
    )


def default_algorithm(subgames: Subgames) -> str:
    """What solves such subgames fastest, as measured: see ``docs/spot-engine.md``."""
    return DEFAULT if len(subgames.played) > 1 else RIVER_DEFAULT


def _solve_one_by_one(
    subgames: Subgames, iterations: int, algorithm: str, workers: int, progress: Progress | None
) -> Solved:
    if reason := supports("spots", algorithm):
        raise ValueError(f"{reason}; the torch back end runs it")
    if subgames.played[-1] != RIVER:
        raise ValueError("the numba back end solves to the river: use torch, or leave out streets")
    parts = in_blocks(
        lambda spot: _solve_one(subgames, spot, iterations, algorithm), range(len(subgames)), workers, progress
    )
    return Solved(np.stack([values for values, _ in parts]), np.array([left for _, left in parts]))


def _solve_one(subgames: Subgames, spot: int, iterations: int, algorithm: str) -> tuple[NDArray[np.float32], float]:
    menus = {STREETS[cards]: subgames.menu(at) for at, cards in enumerate(subgames.played)}
    sizes = {street: {"bet": bet, "raise": raises} for street, (bet, raises) in menus.items()}
    board, pot = subgames.boards[spot].tolist(), int(subgames.pots[spot])
    oop, ip = subgames.playable[spot]
    layout = Layout.of(Spot.of(board, pot, int(subgames.stacks[spot]), oop, ip, sizes))
    solver = SpotSolver(layout, ALGORITHMS[algorithm], iterations)
    solver.run(iterations)
    values = np.zeros((2, len(COMBOS)), np.float32)
    for player in (0, 1):
        values[player, layout.boards[0].hands[player].combo] = solver.follow(player, solver.sums) / pot
    return values, measure(solver).exploitability / pot
