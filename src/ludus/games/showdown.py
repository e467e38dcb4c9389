"""Who wins a showdown, for hands of any size."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ludus.cards.evaluator import WORST, evaluate, rank_7


def strength(cards: Sequence[int]) -> int:
    """Strength of a player's cards with the board: higher wins, equal splits, always above 0.

    With five cards or more it is the usual order of hands. Fewer, as in Kuhn and Leduc poker, are compared by pairs
    first and then by rank, from the highest down.

    >>> strength([40, 41]) > strength([51, 44]) > strength([51, 40]) > strength([48])
    True
    """
    if len(cards) == 7:
        return WORST + 1 - int(rank_7(*cards))
    if len(cards) >= 5:
        return WORST + 1 - int(evaluate(np.array([cards]))[0])
    ranks = [card >> 2 for card in cards]
    value = 1
    for count, rank in sorted(((ranks.count(rank), rank) for rank in set(ranks)), reverse=True):
        value = value * 1000 + count * 100 + rank
    return value * int(1000 ** (4 - len(set(ranks))))


def strength_rows(rows: NDArray[np.int64]) -> NDArray[np.int64]:
    """Strengths of many hands of one size, [hands, cards] -> [hands]."""
    if rows.shape[1] >= 5:
        return WORST + 1 - evaluate(rows).astype(np.int64)
    return np.array([strength(row) for row in rows.tolist()], np.int64)
