"""The frontier of a depth-limited spot: leaves at the end of its street, valued from both players' reach."""

from __future__ import annotations

import numpy as np

from ludus.cards.ranges import COMBOS
from ludus.solvers.leaf_values import LeafValues, Leaves
from ludus.solvers.spot.boards import Boards
from ludus.solvers.spot.kernels.plan import Floats, Street
from ludus.solvers.spot.kernels.structures import Work
from ludus.trees.betting import FRONTIER, BettingTree
from ludus.trees.spot import Spot


class Frontier:
    """The leaves of a spot of one street, bound to what values them."""

    def __init__(self, spot: Spot, tree: BettingTree, boards: tuple[Boards, ...], leaf_values: LeafValues) -> None:
        if len(boards) > 1:
            raise ValueError("a spot with leaf values has one street: end it after its first one")
        self.nodes = np.flatnonzero(tree.kind == FRONTIER).astype(np.int32)
        paid = tree.paid[self.nodes, 0]
        cards = np.tile(np.array(spot.board, np.uint8), (len(self.nodes), 1))
        self.leaves = Leaves(cards, spot.pot + 2 * paid, spot.stack - paid)
        self._evaluate = leaf_values.bind(self.leaves)
        self._combos = [hands.combo for hands in boards[0].hands]

    def fill(self, player: int, streets: tuple[Street, Street], works: tuple[Work, Work]) -> Floats:
        """Write a player's values of the leaves ``[leaves, hands]`` into that player's rows, and return them.

        Both players' passes have come down to the leaves: in the pass of one, ``other`` is the reach of the other one.
        """
        reach = np.zeros((len(self.leaves), 2, len(COMBOS)), np.float32)
        for who in (0, 1):
            rows = _rows(works[1 - who].other, len(self._combos[who]))
            reach[:, who, self._combos[who]] = rows[streets[1 - who].out_other]
        values = self._evaluate(reach)[:, player, self._combos[player]].astype(np.float32, copy=False)
        rows = _rows(works[player].values, len(self._combos[player]))
        rows[streets[player].out_value] = values
        return values


def _rows(flat: Floats, hands: int) -> Floats:
    """The rows of a work space, as a view."""
    return flat[: len(flat) // hands * hands].reshape(-1, hands)
