"""A value network before the flop over the 169 classes of hands, for many leaves at once.

Where suits do not count the hands of a class are valued alike, so that what `HandNetwork` adds up over 1,326 hands can
be added up over classes: the same values, hundreds of leaves at a time.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from ludus.cards.preflop import known_table, pair_counts
from ludus.cards.ranges import CLASSES, class_of_combo
from ludus.nets.holdem.boards import KNOWN, PARTS, board_hands
from ludus.nets.holdem.network import (
    BLOCKED_UNIT,
    NUMBERS,
    SEEN,
    Floats,
    HandNetwork,
    betting_scale,
    stack_numbers,
)

BLOCK = 128  # leaves at a time
COUNT = len(CLASSES)
SIZES: NDArray[np.float32] = np.bincount(class_of_combo).astype(np.float32)
"""``[169]``: the combinations of each class."""


class ClassNetwork:
    """The network of the end of the betting before the flop, asked about classes."""

    def __init__(self, network: HandNetwork) -> None:
        if network.stage != "preflop-end":
            raise ValueError(f"classes of hands are valued at the stage preflop-end, not {network.stage}")
        hands = board_hands(())
        one = np.unique(class_of_combo, return_index=True)[1]  # a hand of each class
        w = self._weights = network.arrays
        self._layers = network.shape.layers
        known = hands.known[one]
        kinds = _rectified(known @ w["kind0"] + w["kind0.bias"])
        self._kinds = _rectified(kinds @ w["kind1"] + w["kind1.bias"])
        self._even = (SIZES @ self._kinds) / SIZES.sum()
        self._known = known @ w["hand0"][:KNOWN] + w["hand0.bias"]
        meets = (pair_counts() / np.outer(SIZES, SIZES)).astype(np.float32)
        self.meets: Floats = meets
        """``[169, 169]``: the part of the hands of the column's class that share no card with a hand of the row's."""
        self.wins: Floats = meets * (2 * known_table().equity - 1)
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
        w, scale, told = self._weights, betting_scale(pots, stacks), self._context(pots, stacks, ranges)
        values = np.zeros_like(ranges)
        for who in (0, 1):
            x = self._seen(ranges[:, 1 - who], ranges[:, who]) @ w["hand0"][KNOWN:]
            x += self._known
            x += told[0][:, who, None]
            _rectified(x)
            for layer in range(1, self._layers):
                y = x @ w[f"hand{layer}"]
                y += w[f"hand{layer}.bias"] + told[layer][:, who, None]
                x += _rectified(y)
            values[:, who] = scale[:, None] * (x @ w["out"][:, 0] + w["out.bias"])
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

    def _context(self, pots: NDArray[Any], stacks: NDArray[Any], ranges: Floats) -> list[Floats]:
        """By layer, what hands are told of the situation ``[n, 2, width]``."""
        w, count, pooled = self._weights, len(ranges), ranges @ self._kinds
        parts = [
            pooled, pooled[:, ::-1], np.broadcast_to(self._even, pooled.shape),
            np.broadcast_to(np.array([[0], [1]], np.float32), (count, 2, 1)),
            np.broadcast_to(stack_numbers(pots, stacks)[:, None], (count, 2, NUMBERS)),
        ]  # fmt: skip
        x = np.concatenate(parts, axis=2)
        for layer in (0, 1):
            x = _rectified(x @ w[f"context{layer}"] + w[f"context{layer}.bias"])
        return [x @ w[f"told{layer}"] for layer in range(self._layers)]


def _rectified(x: Floats) -> Floats:
    return np.maximum(x, 0, out=x)
