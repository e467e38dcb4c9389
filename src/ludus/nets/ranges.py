"""Random ranges to learn from."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def random_range(order: NDArray[np.int64], hands: int, rng: np.random.Generator) -> Floats:
    """A range [hands] over the hands of ``order``, weakest first, adding up to 1.

    The recursive split of Moravcik et al. (2017, supplement): the weight of a set of hands is divided at random between
    its weaker and its stronger half, so that hands of like strength have like weights, and some hardly any.
    """
    weights = np.zeros(hands)
    stack = [(0, len(order), 1.0)]
    while stack:
        first, last, weight = stack.pop()
        if last - first == 1:
            weights[order[first]] = weight
            continue
        middle = first + (last - first) // 2
        if (last - first) % 2 and rng.random() < 0.5:
            middle += 1
        share = rng.random()
        stack += [(first, middle, weight * share), (middle, last, weight * (1 - share))]
    return weights
