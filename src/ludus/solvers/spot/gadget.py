"""Constraints on a spot that is solved again: one player may leave it, hand by hand, for a given value.

The gadget of Burch, Johanson & Bowling (2014), as in `ludus.solvers.depth.gadget`, in the vector form of spots: the
choice to leave or to follow is one more decision of that player, in front of the spot.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ludus.cards.ranges import COMBOS, Weights
from ludus.solvers.schedules import Discount

LEAVE, FOLLOW = 0, 1
Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Gadget:
    """What a player may leave a spot for, instead of following into it; the spot's range is theirs before that choice.

    ``values [1326]`` are counterfactual: in chips from half of the spot's pot, weighted by the reach of the other
    player's hands as in `LeafValues`. ``bound [1326]`` is the part of each hand's weight that cannot leave.
    """

    player: int
    values: Weights
    bound: Weights = field(default_factory=lambda: np.zeros(len(COMBOS)))

    def __post_init__(self) -> None:
        if self.player not in (0, 1):
            raise ValueError(f"constraints are for player 0 or 1, got {self.player}")
        if np.shape(self.values) != (len(COMBOS),) or not np.isfinite(self.values).all():
            raise ValueError(f"constraints are {len(COMBOS)} numbers, got the shape {np.shape(self.values)}")
        if np.shape(self.bound) != (len(COMBOS),) or not ((self.bound >= 0) & (self.bound <= 1)).all():
            raise ValueError(f"of each of {len(COMBOS)} hands a part from 0 to 1 is bound to follow")


class LeaveOrFollow:
    """The choice of each hand while it is learnt."""

    def __init__(self, gadget: Gadget, combos: NDArray[np.int16], prior: Floats) -> None:
        self.player, self.prior = gadget.player, prior
        self.values = gadget.values[combos].astype(np.float32)
        self.bound = prior * gadget.bound[combos].astype(np.float32)
        self.free = prior - self.bound
        self.table = np.zeros((4, len(combos)), np.float32)  # regrets of leaving and following, then their averages

    @property
    def regrets(self) -> Floats:
        """Of leaving and of following ``[2, hands]``."""
        return self.table[:2]

    @property
    def sums(self) -> Floats:
        """The strategies added up ``[2, hands]``."""
        return self.table[2:]

    def reach(self) -> Floats:
        """With which weight each hand follows now."""
        return np.asarray(self.bound + self.free * _matched(self.regrets)[FOLLOW])

    def average(self) -> tuple[Floats, Floats]:
        """With which weight each hand leaves and follows on average."""
        leaves, follows = self.free * _matched(self.sums)
        return leaves, self.bound + follows

    def learn(self, values: Floats, discount: Discount, floor: np.float32) -> None:
        """One iteration, after which following is worth these values: the recurrence of `schedules`."""
        worth = np.stack([self.values, values])
        strategy = _matched(self.regrets)
        regrets = np.maximum(self.regrets + worth - (strategy * worth).sum(axis=0), floor)
        self.regrets[:] = np.where(regrets > 0, regrets * discount.positive, regrets * discount.negative)
        self.sums[:] = (self.sums + strategy) * discount.average


def _matched(table: Floats) -> Floats:
    """Regret matching over two actions ``[2, hands]``."""
    positive = np.maximum(table, 0)
    total = positive.sum(axis=0)
    return np.asarray(np.where(total > 0, positive / np.where(total > 0, total, 1), np.float32(0.5)))
