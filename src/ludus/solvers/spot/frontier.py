"""The frontier of a depth-limited spot: leaves at the end of its street, valued from both players' reach."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from ludus.cards.ranges import COMBOS
from ludus.solvers.leaf_values import LeafValues, Leaves, SidedLeafValues
from ludus.solvers.spot.boards import Boards
from ludus.solvers.spot.kernels.plan import Floats, Street
from ludus.solvers.spot.kernels.structures import Work
from ludus.trees.betting import FRONTIER, BettingTree
from ludus.trees.spot import Spot

PARTS = 2  # that leaves are valued in, however many threads there are, so that sums do not depend on these


class Frontier:
    """The leaves of a spot of one street, bound to what values them."""

    def __init__(
        self, spot: Spot, tree: BettingTree, boards: tuple[Boards, ...], leaf_values: LeafValues, workers: int = 1
    ) -> None:  # fmt: skip
        if len(boards) > 1:
            raise ValueError("a spot with leaf values has one street: end it after its first one")
        self.nodes = np.flatnonzero(tree.kind == FRONTIER).astype(np.int32)
        paid = tree.paid[self.nodes, 0]
        cards = np.tile(np.array(spot.board, np.uint8), (len(self.nodes), 1))
        self.leaves = Leaves(cards, spot.pot + 2 * paid, spot.stack - paid)
        self._parts = [np.arange(first, len(self.leaves), PARTS) for first in range(min(PARTS, len(self.leaves)))]
        self._evaluate = [_sided(leaf_values, self.leaves.at(part)) for part in self._parts]
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self._combos = [hands.combo for hands in boards[0].hands]

    def fill(self, player: int, streets: tuple[Street, Street], works: tuple[Work, Work]) -> Floats:
        """Write a player's values of the leaves ``[leaves, hands]`` into that player's rows, and return them.

        Both players' passes have come down to the leaves: in the pass of one, ``other`` is the reach of the other one.
        """
        reach = np.zeros((len(self.leaves), 2, len(COMBOS)), np.float32)
        for who in (0, 1):
            rows = _rows(works[1 - who].other, len(self._combos[who]))
            reach[:, who, self._combos[who]] = rows[streets[1 - who].out_other]
        values = np.empty((len(self.leaves), len(self._combos[player])), np.float32)

        def work(at: int) -> None:
            part = self._parts[at]
            values[part] = self._evaluate[at](reach[part], player)[:, self._combos[player]]

        list((self._pool.map if self._pool else map)(work, range(len(self._parts))))
        rows = _rows(works[player].values, len(self._combos[player]))
        rows[streets[player].out_value] = values
        return values


def _sided(leaf_values: LeafValues, leaves: Leaves) -> Callable[[Any, int], Any]:
    """Leaf values of one player at a time."""
    if isinstance(leaf_values, SidedLeafValues):
        return leaf_values.bind_sided(leaves)
    evaluate = leaf_values.bind(leaves)
    return lambda reach, player: evaluate(reach)[:, player]


def _rows(flat: Floats, hands: int) -> Floats:
    """The rows of a work space, as a view."""
    return flat[: len(flat) // hands * hands].reshape(-1, hands)
