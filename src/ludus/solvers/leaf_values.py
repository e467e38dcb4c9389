"""Leaf values: what stands behind the frontier of a depth-limited solve, be it equities, an exact solve or a network.

A tree that ends before the hand does has leaves without a payoff. What they are worth depends on what both players may
hold when they get there, so a solver asks anew in every iteration: both ranges in, the values of all hands out
(Moravcik et al. 2017, "DeepStack", the counterfactual value function).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32] | NDArray[np.float64]
Evaluate = Callable[[Floats], Floats]
"""From both players' reach ``[leaves, 2, hands]`` to both players' values, in the same shape.

The value of a hand is what it wins from the leaf on, in chips and counted from half of the leaf's pot, added up over
the opponent's hands with the weight of their reach; two hands that share a card do not meet. In small games, whose
hands can be classes of cards, two hands count as often as chance deals both (``FlatLeaves.meet``). Without rake the
values of both players, weighted by their reach, add up to zero.
"""


@dataclass(frozen=True, eq=False)
class Leaves:
    """The public states that a depth-limited tree ends in: the end of a street, before the next card."""

    boards: NDArray[np.uint8]  # [leaves, cards]
    pots: NDArray[np.int64]  # [leaves]: all chips in the middle
    stacks: NDArray[np.int64]  # [leaves]: what each player has left; 0 where they are all-in

    def __len__(self) -> int:
        return len(self.pots)

    def at(self, places: NDArray[np.int64]) -> Leaves:
        """Some of them."""
        return Leaves(self.boards[places], self.pots[places], self.stacks[places])


class LeafValues(Protocol):
    """Anything that values leaves."""

    def bind(self, leaves: Leaves) -> Evaluate:
        """Prepare for these leaves, once; the function that is returned is called in every iteration."""


SETTLE_EVERY = 8  # iterations


def settles(iteration: int) -> bool:
    """Whether values settle before an iteration, on the ranges of the average strategies."""
    return iteration < SETTLE_EVERY or iteration % SETTLE_EVERY == 0


class Settling(Protocol):
    """Leaf values in two parts: one follows the ranges at once, the other is worked out for ranges now and then."""

    def settle(self, reach: Floats) -> None:
        """Work out the other part for both players' reach ``[leaves, 2, hands]``."""

    def values(self, reach: Floats, player: int) -> Floats:
        """A player's values ``[leaves, hands]``, as `Evaluate` has them, with that part as it was last."""


@runtime_checkable
class SettlingLeafValues(LeafValues, Protocol):
    """Leaf values of which a part is costly, and changes little while ranges do."""

    def bind_settling(self, leaves: Leaves) -> Settling:
        """Prepare for these leaves; `Settling.settle` comes before anything else."""
