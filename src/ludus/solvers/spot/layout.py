"""Where everything of a spot lies: its betting, its boards and the shape of its tables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ludus.cards.ranges import Weights, parse_range
from ludus.cards.runouts import suit_symmetries
from ludus.solvers.spot.boards import Boards, deal_boards
from ludus.solvers.spot.kernels.plan import Floats
from ludus.solvers.spot.kernels.structures import NOTHING, UNPACKED, PackedTable
from ludus.trees.betting import RIVER, BettingTree, build_betting_tree
from ludus.trees.spot import Spot

STREETS = {0: "preflop", 3: "flop", 4: "turn", 5: "river"}
PLAYERS = ("oop", "ip")
LEAST_WEIGHT = 1e-6  # of the commonest hand of a range, so that sums of products are above zero


@dataclass(frozen=True)
class Layout:
    """A spot laid out, before any table is allocated."""

    spot: Spot
    tree: BettingTree
    boards: tuple[Boards, ...]  # by street, from the first street of the spot to the river
    rows: tuple[tuple[int, int], ...]  # by street, player: actions at their nodes, that is rows of a table per board
    ranges: tuple[Weights, Weights]

    @classmethod
    def of(cls, spot: Spot) -> Layout:
        """Lay out a spot, a subgame with both ranges; ValueError if its betting is too large."""
        if not spot.board and spot.subgame.depth != 1:
            raise ValueError("before the flop a spot is solved with a value network behind it: ludus solve spot --fast")
        tree, ranges = build_betting_tree(spot), spot.weights
        for name, weights in zip(PLAYERS, ranges, strict=True):
            if weights.max() < LEAST_WEIGHT:
                raise ValueError(f"the {name} range has no weight of {LEAST_WEIGHT:g} or more: make them larger")
        cards = [[card] for lock in spot.locks for card in lock.cards if card is not None]
        symmetries = suit_symmetries([*ranges, *(parse_range(lock.hands) for lock in spot.locks)], [spot.board, *cards])
        boards = deal_boards(spot.board, ranges, symmetries, spot.subgame.depth or 4)
        actions = np.diff(tree.child_start)
        rows = tuple(
            (
                int(actions[(tree.kind == 0) & (tree.street == street)].sum()),
                int(actions[(tree.kind == 1) & (tree.street == street)].sum()),
            )
            for street in range(len(spot.board), len(spot.board) + len(boards))
        )
        return cls(spot, tree, tuple(boards), rows, ranges)

    def entries(self, at: int, player: int) -> int:
        """The size of a player's table on the street with this index: rows times hands, over all boards."""
        return self.rows[at][player] * int(self.boards[at].hands[player].start[-1])

    @property
    def before_river(self) -> range:
        """The streets before the river."""
        return range(sum(boards.cards.shape[1] < RIVER for boards in self.boards))

    @property
    def nodes(self) -> int:
        """Nodes of the public tree: each street's betting times its boards, those that stand for others once."""
        per_street = np.bincount(self.tree.street, minlength=6)
        return sum(int(per_street[len(boards.cards[0])]) * len(boards.cards) for boards in self.boards)

    @property
    def memory(self) -> int:
        """Bytes of the regrets and of the sums of strategies; half of it if packed."""
        return 8 * sum(self.entries(at, player) for at in range(len(self.boards)) for player in (0, 1))


Tables = list[list[Floats]]
"""Rows of floats by street, then by player (0 is OOP)."""

Stored = list[list[PackedTable]]
"""The same as they are stored."""


def store(layout: Layout, packed: bool) -> Stored:
    """Zeros in the shape of a spot's tables, as floats or as 16-bit integers with a scale for each row."""

    def table(at: int, player: int) -> PackedTable:
        entries = layout.entries(at, player)
        if not packed:
            return PackedTable(np.zeros(entries, np.float32), UNPACKED, NOTHING)
        rows = layout.rows[at][player] * len(layout.boards[at].cards)
        return PackedTable(NOTHING, np.zeros(entries, np.int16), np.zeros(rows, np.float32))

    return [[table(at, player) for player in (0, 1)] for at in range(len(layout.boards))]
