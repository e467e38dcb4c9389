"""The frontier of a depth-limited spot: leaves at the end of its street, valued from both players' reach."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np

from ludus.cards.ranges import COMBOS
from ludus.solvers.leaf_values import Evaluate, LeafValues, Leaves, Settling, SettlingLeafValues
from ludus.solvers.leaf_values import Floats as AnyFloats
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
        self.settles = isinstance(leaf_values, SettlingLeafValues)
        self._values = [_bound(leaf_values, self.leaves.at(part)) for part in self._parts]
        self._pool = ThreadPoolExecutor(workers) if workers > 1 else None
        self._combos = [hands.combo for hands in boards[0].hands]

    def fill(self, player: int, streets: tuple[Street, Street], works: tuple[Work, Work], settle: bool) -> Floats:
        """Write a player's values of the leaves ``[leaves, hands]`` into that player's rows, and return them.

        Both players' passes have come down to the leaves: in the pass of one, ``other`` is the reach of the other one.
        Before that the values may settle on these ranges.
        """
        reach, combos = self._reach(streets, works), self._combos[player]
        values = np.empty((len(self.leaves), len(combos)), np.float32)

        def work(at: int) -> None:
            part = self._parts[at]
            if settle:
                self._values[at].settle(reach[part])
            values[part] = self._values[at].values(reach[part], player)[:, combos]

        self._in_parts(work)
        rows = _rows(works[player].values, len(combos))
        rows[streets[player].out_value] = values
        return values

    def settle(self, streets: tuple[Street, Street], works: tuple[Work, Work]) -> None:
        """Have the values settle on the ranges that both players' passes have brought down to the leaves."""
        reach = self._reach(streets, works)
        self._in_parts(lambda at: self._values[at].settle(reach[self._parts[at]]))

    def _reach(self, streets: tuple[Street, Street], works: tuple[Work, Work]) -> Floats:
        reach = np.zeros((len(self.leaves), 2, len(COMBOS)), np.float32)
        for who in (0, 1):
            rows = _rows(works[1 - who].other, len(self._combos[who]))
            reach[:, who, self._combos[who]] = rows[streets[1 - who].out_other]
        return reach

    def _in_parts(self, work: Callable[[int], None]) -> None:
        list((self._pool.map if self._pool else map)(work, range(len(self._parts))))


@dataclass(frozen=True, eq=False)
class _Anew:
    """Leaf values that follow all ranges at once."""

    evaluate: Evaluate

    def settle(self, reach: AnyFloats) -> None:
        """Nothing."""

    def values(self, reach: AnyFloats, player: int) -> AnyFloats:
        return self.evaluate(reach)[:, player]


def _bound(leaf_values: LeafValues, leaves: Leaves) -> Settling:
    if isinstance(leaf_values, SettlingLeafValues):
        return leaf_values.bind_settling(leaves)
    return _Anew(leaf_values.bind(leaves))


def _rows(flat: Floats, hands: int) -> Floats:
    """The rows of a work space, as a view."""
    return flat[: len(flat) // hands * hands].reshape(-1, hands)
