"""Regret matching by itself, for one decision that is met again and again (Hart & Mas-Colell 2000, eq. 2.2)."""

from __future__ import annotations

import numpy as np

from ludus.solvers.passes import Floats


def matched(regrets: Floats) -> Floats:
    """Each action as often as its regret is above 0; all alike where none is.

    >>> matched(np.array([3.0, -1.0, 1.0])).tolist(), matched(np.zeros(2)).tolist()
    ([0.75, 0.0, 0.25], [0.5, 0.5])
    """
    positive = np.maximum(regrets, 0.0)
    total = positive.sum()
    return np.asarray(positive / total if total > 0 else np.full(len(regrets), 1 / len(regrets)))


def learnt(regrets: Floats, payoffs: Floats) -> Floats:
    """The regrets after a round in which every action would have paid so much, and the matched mix was played."""
    return np.asarray(regrets + payoffs - matched(regrets) @ payoffs)
