"""What the leaves of the betting before the flop are worth to every class of hands of the seats that are left.

Two seats: by a value network of the end of the betting before the flop, from both ranges at the leaf, who is out of
position being the first; all-in by equity alone, which is exact. Three seats: the shares of three-way showdowns,
times how much of its heads-up equity a hand realises against each of the two others by the same network (their mean),
scaled so that the three share one pot. Four or more, who are all-in: by the product of a hand's equities against each
of the others, scaled in the same way. No hand is worth less than nothing: it can check and fold.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ludus.cards.preflop import pair_counts
from ludus.cards.three_way import three_way_shares
from ludus.nets.holdem.classes import COUNT, SIZES, ClassNetwork
from ludus.nets.holdem.network import HandNetwork
from ludus.trees.preflop import CHIPS, PreflopBetting

Floats = NDArray[np.float32]
HANDS_MET = 1225.0  # combinations that can meet a hand
MOST_REALISED = 3.0  # times its equity
BLOCK = 64
LEAST = 1e-30  # of a range


class PreflopLeaves:
    """The leaves of a tree where a flop or a showdown follows, and what the ranges that get there are worth."""

    def __init__(self, betting: PreflopBetting, network: HandNetwork) -> None:
        count = betting.live.sum(axis=1)
        ends = betting.player < 0
        self.network = ClassNetwork(network)
        self.two, self.three = np.flatnonzero(ends & (count == 2)), np.flatnonzero(ends & (count == 3))
        self.more = np.flatnonzero(ends & (count > 3))
        self._seats_two = _seats(betting, self.two, 2)
        self._seats_three = _seats(betting, self.three, 3)
        self._latest, self._live = betting.latest, betting.live
        self._pots = betting.paid.sum(axis=1)
        self._stacks = round(betting.model.stack * CHIPS) - betting.paid.max(axis=1)
        self.meet = (pair_counts() / SIZES[:, None] / HANDS_MET).astype(np.float32)
        """``[169, 169]`` How often the column's class is met by a hand of the row's."""
        self.margin: Floats = (self.network.wins * SIZES / np.float32(HANDS_MET)).astype(np.float32)
        """``[169, 169]`` The same, times how much more often the row's class wins than loses."""
        meets = self.network.meets
        self._shares = three_way_shares() * meets[:, :, None] * meets[:, None] if len(self.three) else meets

    def values(self, own: Floats, found: Floats) -> None:
        """Fill in ``found [nodes, seats, 169]`` from each seat's reach ``own [nodes, 169]`` after its own actions.

        At leaves of two what betting adds in pots, by the whole of the other's range; at leaves of three a share.
        """
        if len(self.two):
            ranges = _ranges(own, self._latest, self.two, self._seats_two)
            added = self.network.added(self._pots[self.two], self._stacks[self.two], ranges)
            for who in (0, 1):
                found[self.two, self._seats_two[:, who]] = added[:, who]
        for start in range(0, len(self.three), BLOCK):
            part = slice(start, start + BLOCK)
            leaves, seats = self.three[part], self._seats_three[part]
            shares = self._three(leaves, _ranges(own, self._latest, leaves, seats))
            for who in (0, 1, 2):
                found[leaves, seats[:, who]] = shares[:, who]

        for leaf in self.more.tolist():
            seats = np.flatnonzero(self._live[leaf])
            found[leaf, seats] = self._more(_ranges(own, self._latest, np.array([leaf]), seats[None])[0])

    def _more(self, ranges: Floats) -> Floats:
        """``[seats, 169]`` The share of the pot of each hand of many ranges that are all-in."""
        met = ranges @ self.network.meets.T
        beats = (met + ranges @ self.network.wins.T) / (2 * met)  # by the other's seat and one's own hand
        shares = np.stack([np.prod(np.delete(beats, seat, axis=0), axis=0) for seat in range(len(ranges))])
        return np.asarray(shares / (shares * ranges).sum(), np.float32)

    def _three(self, leaves: NDArray[np.int64], ranges: Floats) -> Floats:
        """``[n, 3, 169]`` The share of the pot of each hand of three ranges ``[n, 3, 169]``."""
        realised, met = self._realised(leaves, ranges), ranges @ self.network.meets.T
        shares = np.empty_like(ranges)
        flat = self._shares.reshape(COUNT * COUNT, COUNT)
        for who in (0, 1, 2):
            one, two = ranges[:, (who + 1) % 3], ranges[:, (who + 2) % 3]
            against = (flat @ two.T).reshape(COUNT, COUNT, len(leaves))
            shares[:, who] = np.einsum("ijn,nj->ni", against, one)
            shares[:, who] /= met[:, (who + 1) % 3] * met[:, (who + 2) % 3]
        shares *= realised
        total = (shares * ranges).sum(axis=(1, 2), keepdims=True)
        return np.asarray(shares / total, np.float32)

    def _realised(self, leaves: NDArray[np.int64], ranges: Floats) -> Floats:
        """``[n, 3, 169]`` How much of its equity a hand realises on average against the two others, each alone."""
        found = np.zeros_like(ranges)
        pots, stacks = self._pots[leaves], self._stacks[leaves]
        for pair in ((0, 1), (1, 2), (0, 2)):
            both = ranges[:, pair]
            added = self.network.added(pots, stacks, np.ascontiguousarray(both))
            met = both[:, ::-1] @ self.network.meets.T
            equity = met / 2 + both[:, ::-1] @ self.network.wins.T / 2
            found[:, pair] += np.clip((equity + added) / np.maximum(equity, 1e-6), 0, MOST_REALISED) / 2
        return found


def _seats(betting: PreflopBetting, leaves: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """``[n, count]`` The seats that are left, in the order in which they act after the flop."""
    found = np.nonzero(betting.live[leaves])[1].reshape(-1, count)
    assert all(first < last for row in found.tolist() for first, last in pairwise(row))
    return found


def _ranges(
    own: Floats, latest: NDArray[np.int64], leaves: NDArray[np.int64], seats: NDArray[np.int64]
) -> Floats:  # fmt: skip
    """``[n, seats, 169]`` Ranges at leaves, each adding up to 1; all hands where none gets there."""
    reach = own[latest[leaves[:, None], seats]] * SIZES
    total = reach.sum(axis=2, keepdims=True)
    found = np.where(total > LEAST, reach / np.maximum(total, LEAST), SIZES / SIZES.sum())
    return np.asarray(found, np.float32)
