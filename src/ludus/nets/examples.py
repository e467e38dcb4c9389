"""What a value network learns from, and how well it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ludus.nets.network import Floats, ValueNetwork


class Examples(NamedTuple):
    """Situations and the values that a network is to learn."""

    public: Floats  # [n, numbers about the public state]
    ranges: Floats  # [n, 2, hands], each adding up to 1
    unbet: Floats  # [n, 2, hands]: values if nobody bet any more, in pots
    values: Floats  # [n, 2, hands], in pots
    possible: Floats  # [n, hands]: 1 for hands that the board allows

    @classmethod
    def joined(cls, parts: Sequence[Examples]) -> Examples:
        """Several lots of them as one."""
        public, ranges, unbet, values, possible = (np.concatenate(each) for each in zip(*parts, strict=True))
        return cls(public, ranges, unbet, values, possible)

    def part(self, rows: slice) -> Examples:
        """Some of them."""
        return Examples(*(each[rows] for each in self))


def huber(network: ValueNetwork, examples: Examples) -> float:
    """A network's mean Huber loss over the hands that can be held, in pots."""
    missed = np.abs(network.values(examples.public, examples.ranges, examples.unbet) - examples.values)
    losses = np.where(missed < 1, missed**2 / 2, missed - 0.5)
    weights = np.broadcast_to(examples.possible[:, None], losses.shape)
    return float((losses * weights).sum() / weights.sum())
