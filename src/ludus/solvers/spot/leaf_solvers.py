"""Leaf values of hold'em without networks: equities where nobody bets any more, exact solves where they do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from math import comb

import numpy as np
from numpy.typing import NDArray

from ludus.cards.card import DECK
from ludus.cards.preflop import preflop_table
from ludus.cards.ranges import COMBOS, class_of_combo
from ludus.cards.runouts import runouts
from ludus.cards.showdown import COMBO_BITS, COMBO_KEYS, PLACE_BITS, PLACES, rank_live
from ludus.compiled import kernel
from ludus.games.menu import NOTHING, Menu
from ludus.solvers.capabilities import check_supports
from ludus.solvers.leaf_values import Evaluate, Leaves
from ludus.solvers.leaf_values import Floats as Reach
from ludus.solvers.schedules import ALGORITHMS
from ludus.solvers.spot.layout import Layout
from ludus.solvers.spot.solver import SpotSolver
from ludus.trees.spot import Spot
from ludus.trees.subgame import Subgame

Matrix = NDArray[np.float32]


@dataclass(frozen=True)
class EquityLeaves:
    """The hand is checked down from the leaf on: exact where both are all-in.

    Before the flop two hands have the equity of their classes, averaged over suits: exact where ranges treat the suits
    alike.
    """

    def bind(self, leaves: Leaves) -> Evaluate:
        """Work out who wins how often."""
        boards, which = np.unique(leaves.boards, axis=0, return_inverse=True)
        margins = [margin(tuple(board.tolist())) for board in boards]
        shares = (leaves.pots / 2).astype(np.float32)[:, None, None]

        def evaluate(reach: Reach) -> Reach:
            values = np.empty_like(reach)
            for at, won in enumerate(margins):  # all leaves of a board at once
                here = which == at
                both = reach[here, ::-1]
                values[here] = shares[here] * (both.reshape(-1, len(COMBOS)) @ won.T).reshape(both.shape)
            return values

        return evaluate


@lru_cache(maxsize=8)
def margin(board: tuple[int, ...]) -> Matrix:
    """``[1326, 1326]``: how much more often a hand wins than loses against another, over all boards that can come.

    0 for hands that share a card with each other or with the board.
    """
    if not board:
        found = (2 * preflop_table().equity - 1)[class_of_combo[:, None], class_of_combo]
    else:
        boards, _ = runouts(board, [card for card in DECK if card not in board])
        counts = np.zeros((len(COMBOS), len(COMBOS)), np.int16)  # of at most C(49, 2) boards
        _count_margins(boards, counts)
        found = ((counts - counts.T) / comb(48 - len(board), 5 - len(board))).astype(np.float32)
    held = np.zeros((len(COMBOS), 52), np.float32)
    held[np.arange(len(COMBOS))[:, None], COMBOS] = 1
    found = np.where(held @ held.T > 0, 0, found).astype(np.float32)
    found.setflags(write=False)
    return found


@kernel
def _count_margins(boards: NDArray[np.uint8], counts: NDArray[np.int16]) -> None:
    """For each board and each two hands that it leaves, add 1 or -1 to the counts ``[1326, 1326]`` of the earlier.

    The inner loop is over all later hands, the rank of those that the board blocks being 0: so it becomes vectors.
    """
    packed, ranks = np.empty(len(COMBO_KEYS), np.uint32), np.empty(len(COMBO_KEYS), np.int16)
    for b in range(len(boards)):
        live = rank_live(boards[b], COMBO_KEYS, COMBO_BITS, packed)
        ranks[:] = 0
        for at in range(live):
            ranks[packed[at] & np.uint32(PLACES)] = packed[at] >> np.uint32(PLACE_BITS)
        for one in range(len(ranks)):
            row, mine = counts[one], ranks[one]
            if mine > 0:
                for two in range(one + 1, len(ranks)):
                    theirs = ranks[two]
                    row[two] += np.int16(theirs > mine) - np.int16((theirs < mine) & (theirs > 0))


@dataclass(frozen=True, eq=False)
class SolvedLeaves:
    """The rest of the hand is solved behind each leaf, with the bets of a menu, for the ranges that come there.

    The ranges of the spot are those of the root: whoever is in them may come to a leaf. Each call goes on with the
    regrets of the last one, which was for other ranges, and averages over its own iterations alone; as the ranges
    settle, a few iterations are enough (see `ludus.solvers.depth.solved_leaves`).
    """

    spot: Spot
    iterations: int = 12
    algorithm: str = "cfr+"

    def __post_init__(self) -> None:
        if self.iterations < 1:
            raise ValueError(f"a solve takes at least 1 iteration, got {self.iterations}")
        check_supports("spots", self.algorithm)
        if any(player.donk is not None for street in self.spot.menu.streets for player in street):
            raise ValueError("behind a frontier nobody knows who bet last: give no sizes for donk bets")

    def bind(self, leaves: Leaves) -> Evaluate:
        """Lay out the rest of the hand behind every leaf."""
        parts = [self._rest(leaves, at) for at in range(len(leaves))]

        def evaluate(reach: Reach) -> Reach:
            values = np.empty_like(reach)
            for at, part in enumerate(parts):
                values[at] = part(reach[at])
            return values

        return evaluate

    def _rest(self, leaves: Leaves, at: int) -> Callable[[Reach], Reach]:
        """The function that values one leaf."""
        if leaves.stacks[at] == 0:
            one = leaves.at(np.arange(at, at + 1))
            equity = EquityLeaves().bind(one)
            return lambda both: equity(both[None])[0]
        board = tuple(leaves.boards[at].tolist())
        menu = without_street(self.spot.menu, max(0, len(board) - 2))
        stacks = (int(leaves.stacks[at]),) * 2
        rest = Subgame(board, int(leaves.pots[at]), stacks, menu, self.spot.rules, self.spot.rake)
        solver = SpotSolver(Layout.of(Spot(rest, self.spot.ranges)), ALGORITHMS[self.algorithm])
        combos = [hands.combo for hands in solver.layout.boards[0].hands]

        def value(both: Reach) -> Reach:
            for player in (0, 1):
                solver.reach[player][:] = both[player, combos[player]]
                for table in solver.sums:
                    table[player].plain[:] = 0
            solver.iterations = 0
            solver.run(self.iterations)
            values = np.zeros((2, len(COMBOS)), both.dtype)
            for player in (0, 1):
                values[player, combos[player]] = solver.follow(player, solver.sums)
            return values

        return value


def without_street(menu: Menu, street: int) -> Menu:
    """A menu in which nobody bets on one street."""
    streets = [(menu.of(at, 0), menu.of(at, 1)) for at in range(4)]
    streets[street] = NOTHING, NOTHING
    return replace(menu, streets=tuple(streets))
