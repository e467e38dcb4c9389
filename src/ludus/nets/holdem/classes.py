"""A value network before the flop over the 169 classes of hands, for many leaves at once.

Where suits do not count the hands of a class are valued alike, so that what `HandNetwork` adds up over 1,326 hands can
be added up over classes: the same values, hundreds of leaves at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.preflop import pair_counts, preflop_table
from ludus.cards.ranges import CLASS_SIZES, CLASSES, class_of_combo
from ludus.nets.holdem.boards import KNOWN, PARTS, board_hands
from ludus.nets.holdem.network import (
    BLOCKED_UNIT,
    SEEN,
    Floats,
    HandNetwork,
    betting_adds,
    betting_scale,
    hand_kinds,
    stack_numbers,
    told_hands,
)

BLOCK = 128  # leaves at a time
COUNT = len(CLASSES)
SIZES: Floats = CLASS_SIZES.astype(np.float32)


class ClassNetwork:
    """The network of the end of the betting before the flop, asked about classes."""

    def __init__(self, network: HandNetwork) -> None:
        if network.stage != "preflop-end":
            raise ValueError(f"classes of hands are valued at the stage preflop-end, not {network.stage}")
        hands = board_hands(())
        one = np.unique(class_of_combo, return_index=True)[1]  # a hand of each class
        w = self._weights = network.arrays
        known = hands.known[one]
        self._kinds = hand_kinds(w, known)
        self._even = (SIZES @ self._kinds) / SIZES.sum()
        self._known = known @ w["hand0"][:KNOWN] + w["hand0.bias"]
        meets = (pair_counts() / np.outer(SIZES, SIZES)).astype(np.float32)
        self.meets: Floats = meets
        """``[169, 169]``: the part of the hands of the column's class that share no card with a hand of the row's."""
        self.wins: Floats = meets * (2 * preflop_table().equity - 1)
        """``[169, 169]``: the same, times how much more often the row's class wins than loses."""
        self._parts = np.ascontiguousarray(known[:, 1 : 1 + PARTS])
        place = hands.better[one]
        self._worse = (place[:, None] < place).astype(np.float32)

    def added(self, pots: NDArray[Any], stacks: NDArray[Any], ranges: Floats) -> Floats:
        """``[n, 2, 169]`` What betting adds to the hands of both, in pots, by ranges of classes that add up to 1.

        The player out of position is the first. What a hand wins without betting is half of ``wins`` times the range.
        """
        values = np.zeros_like(ranges)
        for start in range(0, len(ranges), BLOCK):
            part = slice(start, start + BLOCK)
            values[part] = self._added(pots[part], stacks[part], ranges[part])
        return values

    def _added(self, pots: NDArray[Any], stacks: NDArray[Any], ranges: Floats) -> Floats:
        w, scale, values = self._weights, betting_scale(pots, stacks), np.zeros_like(ranges)
        told = told_hands(w, ranges, self._kinds, self._even, stack_numbers(pots, stacks))
        for who in (0, 1):
            seen = self._seen(ranges[:, 1 - who], ranges[:, who])
            values[:, who] = scale[:, None] * betting_adds(w, seen, self._known, [each[:, who, None] for each in told])
        values -= (values * ranges).sum(axis=(1, 2), keepdims=True) / 2
        return np.asarray(values * (stacks > 0)[:, None, None], np.float32)

    def _seen(self, other: Floats, own: Floats) -> Floats:
        """``[n, 169, SEEN]`` How classes stand to both ranges, as `network.hand_features` has it."""
        seen = np.empty((len(own), COUNT, SEEN), np.float32)
        seen[..., 0], seen[..., 1] = other @ self._worse.T, other @ self._worse
        seen[..., 2], seen[..., 3] = own @ self._worse.T, own @ self._worse
        blocked = np.matmul(1 - self.meets, other[:, :, None] * self._parts)
        seen[..., 4], seen[..., 5] = 1 - blocked.sum(axis=2), other @ self.wins.T * np.float32(0.5)
        seen[..., SEEN - PARTS :] = blocked / np.float32(BLOCKED_UNIT)
        return seen
